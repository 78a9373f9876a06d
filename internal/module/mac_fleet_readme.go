package module

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"text/template"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// rootThroughput is the default of the root volume in MiB/s.
const rootThroughput = 750

// evaluate is what the guard will say of the defaults.
func (m *MacFleet) evaluate() (r mac.StorageResult, allowed int) {
	whole := func(n int) optional.Value[decimal.Decimal] {
		return optional.Known(decimal.NewFromInt(int64(n)))
	}
	s := mac.Storage{
		InstanceType: optional.Known(m.InstanceType),
		Region:       catalog.DefaultRegion,
		VMsPerHost:   whole(m.VMsPerHost),
		Root:         optional.Known(mac.StorageVolume{SizeGiB: whole(m.RootSizeGiB), ThroughputMiBPerS: whole(rootThroughput)}),
		VMData:       optional.Known(mac.StorageVolume{SizeGiB: whole(m.vmdataSizeGiB())}),
		Images:       optional.Known(mac.StorageImages{Count: whole(m.Images), SizeGiB: optional.Known(decimal.NewFromFloat(m.ImageSizeGiB))}),
	}
	ready := rounded(mac.EvaluateStorage(catalog.Embedded(), s))
	allowed = int(min(maxAllowedSeconds, max(leastAllowedSeconds, math.Ceil(1.5*ready))))
	s.GracePeriodSeconds = whole(allowed)
	return mac.EvaluateStorage(catalog.Embedded(), s), allowed
}

// rounded are the seconds to ready as the provider gives them out.
func rounded(r mac.StorageResult) float64 {
	ready, _ := r.ReadySeconds.Get()
	return math.Round(ready*2) / 2
}

const (
	// leastAllowedSeconds is what the measured fleet allowed.
	leastAllowedSeconds = 600
	// maxAllowedSeconds is the longest that a lifecycle hook waits.
	maxAllowedSeconds = 7200
)

// checkGuard says what the guard would refuse of the defaults.
func (m *MacFleet) checkGuard() error {
	r, _ := m.evaluate()
	for _, f := range r.Findings {
		if f.Severity == finding.Error {
			return fmt.Errorf("a plan would be refused: %s %s Rule: %s", f.Message, f.Fix, f.Rule)
		}
	}
	return nil
}

func (m *MacFleet) readme(vs []variable, rs []result) (File, error) {
	t, err := template.New("README.md").Parse(string(text("mac-fleet/README.md.tmpl")))
	if err != nil {
		return File{}, err
	}
	r, allowed := m.evaluate()
	volumes, _ := r.MonthlyCostUSD.Get()
	host, allocation, fleet := "not known", "", "not known"
	if p, ok := catalog.Embedded().MacHostPrice(catalog.DefaultRegion, m.InstanceType); ok {
		const monthHours, leastHours = 730, 24
		month := p.USDPerHour.Mul(decimal.NewFromInt(monthHours))
		host = usd(month)
		allocation = "$" + usd(p.USDPerHour.Mul(decimal.NewFromInt(leastHours)))
		fleet = usd(month.Add(volumes).Mul(decimal.NewFromInt(int64(m.Hosts))))
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Name": m.Name, "Folder": m.Name, "InstanceType": m.InstanceType, "Hosts": m.Hosts,
		"Licence": m.Licence,
		"Images":  strings.ReplaceAll(m.exampleImages(), "example-vm-images", "BUCKET"),
		"Ready":   rounded(r), "Allowed": allowed, "Allocation": allocation,
		"HostMonth": host, "VolumeMonth": usd(volumes), "FleetMonth": fleet,
		"Inputs": inputTable(vs), "Outputs": outputTable(rs),
	})
	return File{Name: "README.md", Content: b.Bytes()}, err
}

// usd is an amount with thousands separated, to the cent.
func usd(d decimal.Decimal) string {
	whole, cents, _ := strings.Cut(d.StringFixed(2), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + "." + cents
}

// test writes the module's own tests. They assert on outputs: OpenTofu calls no
// provider function in an assertion.
func (m *MacFleet) test() File {
	r, allowed := m.evaluate()
	d := newDocument(`The guards are real, AWS is not: no account, no credentials. What the guards refuse
is not tested here, because expect_failures sees no errors of a provider.`)
	aws := d.block("mock_provider", "aws")
	md := aws.block("mock_data", "aws_iam_policy_document")
	md.set("defaults", `{ json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }`)
	d.gap()
	v := d.block("variables")
	v.text("ami_id", "ami-0123456789abcdef0")
	v.set("subnet_ids", `["subnet-0123456789abcdef0"]`)
	v.set("image_urls", strings.ReplaceAll(m.exampleImages(), "    ", "  "))
	d.gap()

	assert := func(run body, condition, message string) {
		run.gap()
		a := run.block("assert")
		a.set("condition", condition)
		a.text("error_message", message)
	}
	plan := func(name string) body {
		run := d.block("run", name)
		run.set("command", "plan")
		return run
	}
	number := func(v optional.Value[decimal.Decimal]) string { n, _ := v.Get(); return n.String() }

	run := plan("defaults")
	assert(run, fmt.Sprintf("output.root.iops == %s && output.root.throughput_mib_per_s == %s", number(r.RootIOPS), number(r.RootThroughputMiBPerS)), "The root volume has other settings.")
	assert(run, fmt.Sprintf("output.vmdata.iops == %s && output.vmdata.throughput_mib_per_s == %s", number(r.VMDataIOPS), number(r.VMDataThroughputMiBPerS)), "VMData has other settings.")
	assert(run, fmt.Sprintf("output.allowed_seconds == %d", allowed), "Another time is allowed.")
	assert(run, "output.allowed_seconds >= output.boot_to_ready_seconds", "Hosts are not ready in time.")
	assert(run, fmt.Sprintf(`one(output.host_families) == "%s"`, strings.TrimSuffix(m.InstanceType, ".metal")), "Hosts of another family are allocated.")
	assert(run, `output.pool_verdict != "exhausts"`, "The pool would run out of hosts.")
	assert(run, `length([for f in output.findings : f.rule if f.severity == "error"]) == 0`, "The guards found errors.")
	d.gap()

	run = plan("values_flow_from_the_guards")
	assert(run, "aws_autoscaling_group.hosts.health_check_grace_period == output.allowed_seconds && aws_autoscaling_lifecycle_hook.ready.heartbeat_timeout == output.allowed_seconds", "The group allows another time than the guard judged.")
	assert(run, "[for b in aws_launch_template.host.block_device_mappings : b.ebs[0].throughput] == [output.root.throughput_mib_per_s, output.vmdata.throughput_mib_per_s]", "The launch template has other volumes than the guard judged.")
	assert(run, `aws_launch_template.host.metadata_options[0].http_tokens == "required" && alltrue([for b in aws_launch_template.host.block_device_mappings : tobool(b.ebs[0].encrypted)])`, "Metadata or volumes are open.")
	d.gap()

	run = plan("a_longer_time")
	run.gap()
	vars := run.block("variables")
	vars.number("allowed_seconds", 3600)
	assert(run, "aws_autoscaling_lifecycle_hook.ready.heartbeat_timeout == 3600", "allowed_seconds is not used.")
	d.gap()

	run = plan("images_and_urls_disagree")
	run.gap()
	vars = run.block("variables")
	vars.set("image_urls", "[]")
	run.gap()
	run.set("expect_failures", "[aws_launch_template.host]")
	return d.as("tests/fleet.tftest.hcl")
}
