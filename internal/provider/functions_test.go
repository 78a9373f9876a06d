package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// Every answer is the same on Terraform and on OpenTofu, null arguments
// included, which the two send differently.
func tools(t *testing.T, run func(t *testing.T, p *prototest.Provider)) {
	t.Helper()
	for name, options := range map[string][]prototest.Option{"terraform": nil, "opentofu": {prototest.OpenTofu()}} {
		t.Run(name, func(t *testing.T) { run(t, prototest.New(t, factory(), options...)) })
	}
}

func TestNumberFunctions(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string]string{
			"mbit_to_mib(8000)":                             "953.67431640625",
			"mbit_to_mib(10000)":                            "1192.0928955078125",
			"mbit_to_mib(0)":                                "0",
			"mb_to_mib(1000)":                               "953.67431640625",
			"mib_to_mb(750)":                                "786.432",
			"mib_to_mb(0.1)":                                "0.1048576",
			"gp3_min_iops(125)":                             "3000",
			"gp3_min_iops(750)":                             "3000",
			"gp3_min_iops(750.25)":                          "3004",
			"gp3_min_iops(751)":                             "3004",
			"gp3_min_iops(2000)":                            "8000",
			"gp3_max_throughput(3000)":                      "750",
			"gp3_max_throughput(4000)":                      "1000",
			"gp3_max_throughput(3001)":                      "750",
			"gp3_max_throughput(16000)":                     "2000",
			"gp3_max_throughput(1)":                         "125",
			`gp3_monthly_cost(100, 3000, 750, "us-east-1")`: "33",
			"gp3_monthly_cost(100, null, null, null)":       "8",
			"gp3_monthly_cost(100, 3812, 953, null)":        "45.18",
			"gp3_monthly_cost(100, 4000, 1000, null)":       "48",
			`gp3_monthly_cost(100, 3000, 750, "eu-west-1")`: "36.3",
			`gp3_monthly_cost(1, 1, 1, null)`:               "0.08",
		} {
			got, err := p.Eval("provider::runnerfit::" + expression)
			if err != nil {
				t.Errorf("%s: %v", expression, err)
				continue
			}
			// The text is the exact number; a float64 of 45.18 would not equal it.
			if exact := cty.MustParseNumberVal(want); !got.RawEquals(exact) {
				t.Errorf("%s = %s, want %s", expression, got.AsBigFloat().Text('g', -1), want)
			}
		}
		if got, err := p.Eval(`provider::runnerfit::gp3_monthly_cost(100, null, null, "ca-west-1")`); err != nil || !got.IsNull() {
			t.Errorf("a Region without a price gives %#v, %v; want null", got, err)
		}
		if got, err := p.Eval(`provider::runnerfit::gp3_monthly_cost(100, null, null, "cn-north-1")`); err != nil || !got.IsNull() {
			t.Errorf("a Region with prices in another currency gives %#v, %v; want null", got, err)
		}
	})
}

func TestFunctionErrors(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string]struct {
			argument int64
			text     string
		}{
			"mbit_to_mib(-1)":                                               {0, "negative"},
			"mbit_to_mib(1e400)":                                            {0, "too large"},
			"gp3_min_iops(0)":                                               {0, "more than 0"},
			"gp3_min_iops(2000.5)":                                          {0, "2,000 MiB/s"},
			"gp3_max_throughput(3000.5)":                                    {0, "whole number"},
			"gp3_max_throughput(80001)":                                     {0, "80,000 IOPS"},
			"gp3_monthly_cost(0, null, null, null)":                         {0, "more than 0"},
			"gp3_monthly_cost(100.5, null, null, null)":                     {0, "whole number"},
			"gp3_monthly_cost(65537, null, null, null)":                     {0, "65,536 GiB"},
			"gp3_monthly_cost(100, 80001, null, null)":                      {1, "80,000 IOPS"},
			"gp3_monthly_cost(100, null, 2001, null)":                       {2, "2,000 MiB/s"},
			`gp3_monthly_cost(100, null, null, "nowhere")`:                  {3, "AWS Region"},
			`ebs_ceiling("")`:                                               {0, "empty"},
			"check_gp3(0, null, null, null)":                                {0, "write null"},
			"check_gp3(100, 0, null, null)":                                 {1, "write null"},
			"check_gp3(100, null, -750, null)":                              {2, "negative"},
			"check_gp3(100, null, 1e400, null)":                             {2, "too large"},
			`check_gp3(100, null, null, "")`:                                {3, "empty"},
			`check_mac_storage({ instance_typ = "mac2.metal" })`:            {0, "the closest is instance_type"},
			`check_mac_storage({ root = { iop = 1 } })`:                     {0, "the closest is iops"},
			`check_mac_storage({ root = 5 })`:                               {0, "root must be an object"},
			`check_mac_storage({ root = { iops = "many" } })`:               {0, "root.iops must be a number"},
			`check_mac_storage({ root = { iops = 0 } })`:                    {0, "root.iops"},
			`check_mac_storage({ vms_per_host = 1.5 })`:                     {0, "whole number"},
			`check_mac_storage({ instance_type = "m5.large" })`:             {0, "not an EC2 Mac"},
			`check_mac_storage({ ignore_rules = { "mac-vm-limit" = "" } })`: {0, "needs a reason"},
			`check_mac_storage({ ignore_rules = { "mac-vm-limt" = "x" } })`: {0, "mac-vm-limit"},
			`check_mac_storage({ on_error = "stop" })`:                      {0, "on_error"},
			`check_mac_storage("mac2.metal")`:                               {0, "must be an object"},
		} {
			_, err := p.Eval("provider::runnerfit::" + expression)
			if err == nil {
				t.Errorf("%s is accepted", expression)
				continue
			}
			contains(t, err.Error(), want.text)
			if text := err.Error(); strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q ends with a full stop; Terraform writes one, too", expression, text)
			}
		}
	})
}

func TestEBSCeiling(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for typ, want := range map[string]map[string]any{
			"mac2-m2pro.metal": {
				"known": true, "bandwidth_mbit_per_s": 8000.0, "throughput_mb_per_s": 1000.0, "throughput_mib_per_s": 953.67431640625, "iops": 55000.0,
				"burst_throughput_mib_per_s": 953.67431640625, "can_burst": false, "as_of": "2026-08-02",
			},
			"mac2.metal": {"bandwidth_mbit_per_s": 10000.0, "throughput_mb_per_s": 1250.0, "throughput_mib_per_s": 1192.0928955078125},
			"m8a.xlarge": {
				"bandwidth_mbit_per_s": 1250.0, "iops": 6000.0, "burst_bandwidth_mbit_per_s": 10000.0, "burst_iops": 40000.0, "can_burst": true,
			},
			"mac9.metal": {"known": false, "bandwidth_mbit_per_s": nil, "iops": nil, "can_burst": nil, "as_of": nil},
			"t2.micro":   {"known": false, "throughput_mib_per_s": nil},
		} {
			got, err := p.Call("ebs_ceiling", cty.StringVal(typ))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, func(path string) any { return prototest.Attr(t, got, path) }, want)
		}
	})
}

// found is the essence of findings in a function's result.
func found(t *testing.T, p *prototest.Provider, expression string) []string {
	t.Helper()
	v, err := p.Eval("provider::runnerfit::" + expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	var out []string
	for it := v.ElementIterator(); it.Next(); {
		_, f := it.Element()
		out = append(out, f.GetAttr("severity").AsString()+" "+f.GetAttr("path").AsString()+" "+f.GetAttr("rule").AsString())
	}
	return out
}

func TestCheckFunctions(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string][]string{
			"check_gp3(100, null, 750, null)":                                                     nil,
			"check_gp3(100, null, null, null)":                                                    nil,
			"check_gp3(null, null, null, null)":                                                   nil,
			"check_gp3(100, null, 751, null)":                                                     {"error throughput_mib_per_s gp3-throughput-ratio"},
			"check_gp3(100, 3000, 1000, null)":                                                    {"error throughput_mib_per_s gp3-throughput-ratio"},
			"check_gp3(4, 3001, null, null)":                                                      {"error iops gp3-iops-per-gib", "info iops gp3-iops-unneeded"},
			"check_gp3(4, 3000, null, null)":                                                      nil,
			"check_gp3(50, 3000.5, 125, null)":                                                    {"error iops volume-type-attribute"},
			"check_gp3(100, 3000, 125, \"t3.small\")":                                             nil,
			"check_gp3(100, null, 400, \"m8a.xlarge\")":                                           {"info throughput_mib_per_s instance-throughput"},
			"check_gp3(500, 4000, 1000, \"mac2-m2.metal\")":                                       {"warning throughput_mib_per_s instance-throughput"},
			"check_gp3(100, null, null, \"mac9.metal\")":                                          {"warning instance_type instance-unknown"},
			"check_gp3(160, 80000, 2000, null)":                                                   {"info iops gp3-iops-unneeded"},
			"check_gp3(100, 1000, 100, null)":                                                     {"warning iops gp3-iops-range", "warning throughput_mib_per_s gp3-throughput-range"},
			`check_mac_storage({})`:                                                               nil,
			`check_mac_storage({ vms_per_host = 3 })`:                                             {"error vms_per_host mac-vm-limit"},
			`check_mac_storage({ root = { throughput_mib_per_s = "125" } })`:                      {"error root.throughput_mib_per_s mac-root-throughput"},
			`check_mac_storage({ root = { throughput_mib_per_s = 125, from_snapshot = false } })`: nil,
			`check_mac_storage({ root = { throughput_mib_per_s = 125 }, on_error = "warn" })`:     {"warning root.throughput_mib_per_s mac-root-throughput"},
			`check_mac_storage({ root = { throughput_mib_per_s = 125 }, ignore_rules = { "mac-root-throughput" = "x" } })`: nil,
			`check_mac_storage({ vmdata = { size_gib = 100 }, images = { count = 2, size_gib = 75 } })`:                    {"error vmdata.size_gib mac-vmdata-size", "info vmdata.iops mac-vmdata-iops"},
			`check_mac_storage({ root = { throughput_mib_per_s = 750, iops = null }, vmdata = null, images = null })`:      nil,
		} {
			if diff := cmp.Diff(want, found(t, p, expression)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", expression, diff)
			}
		}
		ratio, err := p.Eval("provider::runnerfit::check_gp3(100, null, 751, null)")
		if err != nil {
			t.Fatal(err)
		}
		first := ratio.Index(cty.NumberIntVal(0))
		contains(t, first.GetAttr("message").AsString(), "0.250333")
		both, err := p.Eval("provider::runnerfit::check_gp3(100, 3000, 1000, null)")
		if err != nil {
			t.Fatal(err)
		}
		contains(t, both.Index(cty.NumberIntVal(0)).GetAttr("fix").AsString(), "iops = 4000 (+$5.00 a month)", "throughput_mib_per_s = 750 (-$10.00 a month)")
	})
}

// The function and the guard say the same of the same storage.
func TestCheckMacStorageAgreesWithTheGuard(t *testing.T) {
	p := prototest.New(t, factory())
	for _, change := range [][2]string{
		{"throughput_mib_per_s = 750", "throughput_mib_per_s = 125"},
		{"throughput_mib_per_s = 700", "throughput_mib_per_s = 1000"},
		{"grace_period_seconds = 600", "grace_period_seconds = 300"},
		{"mac2-m2pro.metal", "mac9.metal"},
	} {
		body := with(change[0], change[1])
		plan := p.Resource("runnerfit_mac_host_storage").Plan(body + `on_error = "warn"`)
		object := strings.NewReplacer("root {", "root = {", "vmdata {", "vmdata = {", "images {", "images = {").Replace(body)
		v, err := p.Eval("provider::runnerfit::check_mac_storage({" + object + ` on_error = "warn" })`)
		if err != nil {
			t.Fatal(err)
		}
		fromFunction, fromGuard := prototest.Attr(t, v, ""), plan.Attr("findings")
		// In the guard's attribute severities are the rule's own; on_error changes the diagnostics.
		for _, f := range fromGuard.([]any) {
			if m := f.(map[string]any); m["severity"] == "error" {
				m["severity"] = "warning"
			}
		}
		if diff := cmp.Diff(fromGuard, fromFunction); diff != "" {
			t.Errorf("%v (-guard +function):\n%s", change, diff)
		}
	}
}
