package provider_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// returned are the findings that a function gave.
func returned(t *testing.T, v cty.Value) []testcases.Said {
	t.Helper()
	return listed(t, func(string) any { return prototest.Attr(t, v, "") })
}

// storageObject writes the storage of a table as an object.
func storageObject(s ebs.InstanceStorage) string {
	var b strings.Builder
	b.WriteString("{\n")
	setting(&b, "instance_type", s.InstanceType)
	setting(&b, "limits", s.Limits)
	b.WriteString("volume = [\n")
	volumes, _ := s.Volumes.Get()
	for _, v := range volumes {
		b.WriteString("{\n")
		setting(&b, "name", v.Name)
		setting(&b, "type", v.Type)
		setting(&b, "size_gib", v.SizeGiB)
		setting(&b, "iops", v.IOPS)
		setting(&b, "throughput_mib_per_s", v.ThroughputMiBPerS)
		setting(&b, "ebs_card_index", v.CardIndex)
		b.WriteString("},\n")
	}
	b.WriteString("]\n}")
	return b.String()
}

// The functions say what the guards say.
func TestCheckFunctionsCases(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for _, c := range testcases.Pools {
			v, err := p.Eval("provider::runnerfit::check_mac_host_pool({\n" + poolBody(c.Pool) + "})")
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			testcases.Check(t, c.Findings, returned(t, v))
		}
		for _, c := range testcases.InstanceStorages {
			v, err := p.Eval("provider::runnerfit::check_instance_storage(" + storageObject(c.Storage) + ")")
			switch {
			case err != nil:
				t.Errorf("%s: %v", c.Name, err)
			case c.Waits:
				// Terraform does not call a function while any part of an argument is unknown.
				if v.IsKnown() {
					t.Errorf("%s: called with an unknown: %#v", c.Name, v)
				}
			default:
				testcases.Check(t, c.Findings, returned(t, v))
			}
		}
	})
}

func TestCheckFunctionsErrors(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string]string{
			`check_mac_host_pool({ desired_host = 4 })`:                             "the closest is desired_hosts",
			`check_mac_host_pool({ desired_hosts = -4 })`:                           "negative",
			`check_mac_host_pool({ max_hosts = 0 })`:                                "max_hosts is 0",
			`check_mac_host_pool({ auto_release_hosts = "perhaps" })`:               "auto_release_hosts must be true or false",
			`check_mac_host_pool({ instance_type = "m5.large" })`:                   "not an EC2 Mac",
			`check_mac_host_pool({ region = "eu" })`:                                "AWS Region",
			`check_mac_host_pool({ ignore_rules = { "host-quota" = "" } })`:         "needs a reason",
			`check_mac_host_pool({ on_error = "stop" })`:                            "on_error",
			`check_mac_host_pool("mac2.metal")`:                                     "must be an object",
			`check_instance_storage({})`:                                            "at least one volume",
			`check_instance_storage({ volume = { iops = 3000 } })`:                  "volume must be a list",
			`check_instance_storage({ volume = [5] })`:                              "volume[0] must be an object",
			`check_instance_storage({ volume = [{ iop = 3000 }] })`:                 "the closest is iops",
			`check_instance_storage({ volume = [{ iops = 0 }] })`:                   "volume[0].iops is 0",
			`check_instance_storage({ volume = [{ name = "a" }, { name = "a" }] })`: "unique",
			`check_instance_storage({ volume = [{}], limits = "new" })`:             "classic",
		} {
			_, err := p.Eval("provider::runnerfit::" + expression)
			if err == nil {
				t.Errorf("%s is accepted", expression)
				continue
			}
			contains(t, err.Error(), want)
			if strings.HasSuffix(err.Error(), ".") {
				t.Errorf("%s: %q ends with a full stop; Terraform writes one, too", expression, err)
			}
		}
	})
}

// What the object's own members change.
func TestCheckFunctionsMembers(t *testing.T) {
	p := prototest.New(t, factory())
	const pool = `instance_type = "mac2-m2pro.metal", desired_hosts = 12, max_hosts = 10, auto_release_hosts = true`
	for expression, want := range map[string][]string{
		`check_mac_host_pool({ ` + pool + ` })`:                                                 {"error host-quota"},
		`check_mac_host_pool({ ` + pool + `, on_error = "warn" })`:                              {"warning host-quota"},
		`check_mac_host_pool({ ` + pool + `, ignore_rules = { "host-quota" = "ordered" } })`:    nil,
		`check_mac_host_pool({})`:                                                               nil,
		`check_instance_storage({ volume = [{ size_gib = 10, throughput_mib_per_s = 800 }] })`:  nil,
		`check_instance_storage({ volume = [{ size_gib = 1, throughput_mib_per_s = 800 }] })`:   {"error gp3-throughput-ratio"},
		`check_instance_storage({ volume = [{ size_gib = 1, throughput_mib_per_s = "800" }] })`: {"error gp3-throughput-ratio"},
	} {
		v, err := p.Eval("provider::runnerfit::" + expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		var got []string
		for _, s := range returned(t, v) {
			got = append(got, s.Severity+" "+s.Rule)
		}
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("%s gives %v, want %v", expression, got, want)
		}
	}
}
