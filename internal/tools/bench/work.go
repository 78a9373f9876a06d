package main

import (
	"fmt"
	"strings"
)

// work is something to measure: a command on a configuration or a plan.
type work struct {
	name string
	kind workKind
	// config is the configuration, or for an audit the one whose plan it reads.
	config string
	// tool is what audits: "runnerfit" or "opa".
	tool string
}

type workKind int

const (
	firstPlan workKind = iota
	apply
	unchangedPlan
	audit
	fileSize
)

// row is a line of the table: one work against another.
type row struct {
	name string
	// ours and theirs are compared; the bases, if there are any, are subtracted
	// first, so that what stays is the cost of the calls alone.
	ours, oursBase, theirs, theirsBase *work
	// limit is the largest ratio that is good enough; 0 is a row without one.
	limit float64
	// memoryLimit is the same for peak memory.
	memoryLimit float64
	// extra is added to theirs before the ratio is taken.
	extra float64
}

// works are all that a row needs.
func (r row) works() (works []*work) {
	for _, w := range []*work{r.ours, r.theirs, r.oursBase, r.theirsBase} {
		if w != nil {
			works = append(works, w)
		}
	}
	return works
}

// uses declares only the provider that a configuration needs: Terraform starts
// each that is declared.
func uses(provider, body string) string {
	switch provider {
	case "":
		return body
	case "time":
		return "terraform {\n  required_providers {\n    time = {\n      source = \"hashicorp/time\"\n    }\n  }\n}\n\n" + body
	default:
		return "terraform {\n  required_providers {\n    runnerfit = {\n      source = \"runnerfit/runnerfit\"\n    }\n  }\n}\n\n" + body
	}
}

// guards are n guards of Mac hosts, no two with the same configuration. All
// settings that the guard fills in are left out, and every block is there.
func guards(n int) string {
	return uses("runnerfit", fmt.Sprintf(`resource "runnerfit_mac_host_storage" "host" {
  count                = %d
  instance_type        = "mac2-m2pro.metal"
  grace_period_seconds = 600 + count.index
  vms_per_host         = 2

  root {
    size_gib = 100 + count.index
  }

  vmdata {
    size_gib = 750
    iops     = 3500
  }

  images {
    count    = 2
    size_gib = 75
  }
}
`, n))
}

func timeStatic(n int) string {
	return uses("time", fmt.Sprintf("resource \"time_static\" \"t\" {\n  count = %d\n}\n", n))
}

func terraformData(n int) string {
	return fmt.Sprintf("resource \"terraform_data\" \"t\" {\n  count = %d\n  input = count.index\n}\n", n)
}

// withState are n terraform_data, which have no provider outside of Terraform,
// with as much state each as a guard: 2.3 kB, of which the input and the output
// have 0.94 each.
func withState(n int) string {
	return fmt.Sprintf("resource \"terraform_data\" \"t\" {\n  count = %d\n  input = \"${count.index} %s\"\n}\n", n, strings.Repeat("x", 940))
}

func gp3Volumes(n int) string {
	return uses("runnerfit", fmt.Sprintf("data \"runnerfit_gp3_volume\" \"v\" {\n  count                = %d\n  size_gib             = 100 + count.index\n  throughput_mib_per_s = 500\n}\n", n))
}

func ourCalls(call string, n int) string {
	return uses("runnerfit", fmt.Sprintf("output \"calls\" {\n  value = [for n in range(%d) : provider::runnerfit::%s]\n}\n", n, call))
}

func timeCalls(n int) string {
	return uses("time", fmt.Sprintf("output \"calls\" {\n  value = [for n in range(%d) : provider::time::unix_timestamp_parse(1700000000 + n)]\n}\n", n))
}

// templates are n launch templates as the audit finds them in plans.
func templates(n int) string {
	return fmt.Sprintf(`resource "aws_launch_template" "t" {
  count         = %d
  name_prefix   = "runner-${count.index}-"
  instance_type = "m8a.xlarge"

  block_device_mappings {
    device_name = "/dev/xvda"

    ebs {
      volume_type = "gp3"
      volume_size = 40 + count.index %% 100
      iops        = 3000
      throughput  = 500 + count.index %% 500
    }
  }

  tags = {
    Name = "runner-${count.index}"
  }
}
`, n)
}

// policy is what a team writes for opa instead: the one rule about the ratio of
// throughput and IOPS.
const policy = `package runners

deny contains msg if {
	some r in input.resource_changes
	ebs := r.change.after.block_device_mappings[_].ebs[_]
	ebs.throughput * 4 > ebs.iops
	msg := sprintf("%s: %v MiB/s need %v IOPS", [r.address, ebs.throughput, ebs.throughput * 4])
}
`

func allRows() []row {
	plan := func(name, config string) *work { return &work{name: name, kind: firstPlan, config: config} }
	applied := func(name, config string) *work { return &work{name: name, kind: apply, config: config} }
	again := func(name, config string) *work { return &work{name: name, kind: unchangedPlan, config: config} }
	audited := func(tool string, n int) *work {
		return &work{name: fmt.Sprintf("%s, %d templates", tool, n), kind: audit, config: templates(n), tool: tool}
	}
	guards1000, static1000 := plan("1,000 guards", guards(1000)), plan("1,000 time_static", timeStatic(1000))
	audit1000 := audited("runnerfit", 1000)
	timeBase, ourBase := plan("1 time function call", timeCalls(1)), plan("1 gp3_min_iops call", ourCalls("gp3_min_iops(500 + n)", 1))
	timeCalls1000 := plan("1,000 time function calls", timeCalls(1000))
	return []row{
		{name: "first plan of 1,000 guards", ours: guards1000, theirs: static1000, limit: 0.6, memoryLimit: 1},
		{name: "unchanged plan of 1,000 guards", ours: again("1,000 guards", guards(1000)), theirs: again("1,000 time_static", timeStatic(1000)), limit: 1},
		{name: "apply of 1,000 guards", ours: applied("1,000 guards", guards(1000)), theirs: applied("1,000 time_static", timeStatic(1000)), limit: 1.2},
		{name: "apply of 1,000 guards", ours: applied("1,000 guards", guards(1000)), theirs: applied("1,000 terraform_data with as much state", withState(1000))},
		{name: "1,000 gp3_volume data sources", ours: plan("1,000 gp3_volume", gp3Volumes(1000)), theirs: plan("1,000 terraform_data", terraformData(1000)), limit: 2.5},
		{name: "1,000 function calls, marginal (gp3_min_iops)", ours: plan("1,000 gp3_min_iops calls", ourCalls("gp3_min_iops(500 + n)", 1000)), oursBase: ourBase, theirs: timeCalls1000, theirsBase: timeBase, limit: 0.65},
		{name: "1,000 function calls, marginal (gp3_monthly_cost)", ours: plan("1,000 gp3_monthly_cost calls", ourCalls(`gp3_monthly_cost(100 + n, 3000, 500, null)`, 1000)), oursBase: ourBase, theirs: timeCalls1000, theirsBase: timeBase, limit: 0.65},
		{name: "plan with one data source", ours: plan("1 gp3_volume", gp3Volumes(1)), theirs: timeBase, limit: 1.2},
		{name: "plan with one guard", ours: plan("1 guard", guards(1)), theirs: plan("1 time_static", timeStatic(1))},
		{name: "audit of 1,000 templates", ours: audit1000, theirs: audited("opa", 1000), limit: 1, memoryLimit: 1},
		{name: "audit 1,000 → 10,000 templates", ours: audited("runnerfit", 10000), theirs: audit1000, limit: 11},
		{name: "audit 100 → 1,000 templates", ours: audit1000, theirs: audited("runnerfit", 100)},
		{name: "first plan 10 → 100 guards", ours: plan("100 guards", guards(100)), theirs: plan("10 guards", guards(10))},
		{name: "first plan 100 → 1,000 guards", ours: guards1000, theirs: plan("100 guards", guards(100))},
		{name: "first plan 1,000 → 5,000 guards", ours: plan("5,000 guards", guards(5000)), theirs: guards1000},
		{name: "first plan 1,000 → 5,000 time_static", ours: plan("5,000 time_static", timeStatic(5000)), theirs: static1000},
		{name: "binary, stripped, MB", ours: &work{name: "runnerfit", kind: fileSize, tool: "runnerfit"}, theirs: &work{name: "time", kind: fileSize, tool: "time"}, limit: 1.5, extra: ec2SDKMegabytes},
	}
}

// ec2SDKMegabytes is what the AWS SDK's EC2 client adds to a stripped Go
// binary, which the time provider has no use for.
const ec2SDKMegabytes = 6.3

// key is the same for works that are the same.
func (w *work) key() string { return fmt.Sprintf("%d %s %s", w.kind, w.tool, w.config) }

// needsProvider says whether a provider's process is part of the work.
func (w *work) needsProvider() bool { return strings.Contains(w.config, "required_providers") }
