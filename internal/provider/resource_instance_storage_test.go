package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// storageBody writes the storage of a table as configuration.
func storageBody(s ebs.InstanceStorage) string {
	var b strings.Builder
	setting(&b, "instance_type", s.InstanceType)
	setting(&b, "limits", s.Limits)
	volumes, _ := s.Volumes.Get()
	for _, v := range volumes {
		b.WriteString("volume {\n")
		setting(&b, "name", v.Name)
		setting(&b, "type", v.Type)
		setting(&b, "size_gib", v.SizeGiB)
		setting(&b, "iops", v.IOPS)
		setting(&b, "throughput_mib_per_s", v.ThroughputMiBPerS)
		setting(&b, "ebs_card_index", v.CardIndex)
		b.WriteString("}\n")
	}
	return b.String()
}

func instanceGuard(t *testing.T, options ...prototest.Option) *prototest.Resource {
	t.Helper()
	return prototest.New(t, factory(), options...).Resource("runnerfit_instance_storage")
}

// asResult is a figure of a table as a result.
func asResult(v optional.Value[string]) any {
	if v.IsUnknown() {
		return prototest.Unknown
	}
	return amountOf(v)
}

func TestInstanceStorageCases(t *testing.T) {
	for _, c := range testcases.InstanceStorages {
		if c.Storage.InstanceType.IsNull() {
			continue // the guard requires one
		}
		t.Run(c.Name, func(t *testing.T) {
			body := storageBody(c.Storage)
			r := instanceGuard(t)
			plan := r.Plan(body + `on_error = "warn"`)
			want := map[string]any{
				"provisioned_throughput_mib_per_s": asResult(c.SumMiBPerS),
				"provisioned_iops":                 asResult(c.SumIOPS),
				"monthly_cost_usd":                 asResult(c.MonthlyUSD),
			}
			volumes, _ := c.Storage.Volumes.Get()
			for i := range volumes {
				name, _ := volumes[i].Name.Get()
				for at, v := range map[string]optional.Value[string]{"iops": c.IOPS[i], "throughput_mib_per_s": c.ThroughputMiBPerS[i]} {
					want[fmt.Sprintf("volume[%d].%s", i, at)] = asResult(v)
					want[fmt.Sprintf("by_name[%q].%s", name, at)] = asResult(v)
				}
			}
			expect(t, plan.Attr, want)
			for path, w := range map[string]optional.Value[string]{"instance_throughput_mib_per_s": c.Sustained, "instance_burst_throughput_mib_per_s": c.Burst} {
				if rounded := optional.FromPointer(twoDecimals(plan.Attr(path))); rounded != w {
					t.Errorf("%s = %v, want %v", path, rounded, w)
				}
			}
			if c.Waits {
				expect(t, plan.Attr, map[string]any{"findings": prototest.Unknown})
			} else {
				testcases.Check(t, c.Findings, listed(t, plan.Attr))
			}
			if diff := cmp.Diff(shown(c.Findings), said(instanceGuard(t).Plan(body).Diagnostics)); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
			if c.Waits {
				return
			}
			plan.MustApply()
			if again := r.Plan(body + `on_error = "warn"`); again.Action != prototest.NoOp {
				t.Errorf("the second plan is a %s", again.Action)
			}
		})
	}
}

func twoDecimals(v any) *string {
	f, ok := v.(float64)
	if !ok {
		return nil
	}
	s := decimal.NewFromFloat(f).StringFixed(2)
	return &s
}

const twoVolumes = `
	instance_type = "m8a.2xlarge"
	volume {
		name     = "root"
		size_gib = 100
	}
	volume {
		name                 = "docker"
		size_gib             = 200
		iops                 = 5000
		throughput_mib_per_s = 250
	}
`

func TestInstanceStorageLifecycle(t *testing.T) {
	r := instanceGuard(t)
	plan := r.Plan(twoVolumes)
	if len(plan.Diagnostics) > 0 {
		t.Fatal(plan.Diagnostics)
	}
	want := map[string]any{
		"volume[0].iops": 3000.0, "volume[0].throughput_mib_per_s": 125.0, "volume[0].type": nil, "volume[1].iops": 5000.0,
		`by_name["docker"].iops`: 5000.0, `by_name["docker"].type`: "gp3", `by_name["docker"].monthly_cost_usd`: 31.0, `by_name["root"].size_gib`: 100.0,
		"provisioned_throughput_mib_per_s": 375.0, "provisioned_throughput_mb_per_s": 393.216, "provisioned_iops": 8000.0,
		"instance_iops": 12000.0, "instance_burst_iops": 40000.0, "ebs_cards": 1.0, "monthly_cost_usd": 39.0,
	}
	expect(t, plan.Attr, want)
	plan.MustApply()
	expect(t, r.Attr, want)
	if again := r.Plan(twoVolumes); again.Action != prototest.NoOp || len(again.Diagnostics) > 0 {
		t.Errorf("the second plan is a %s, with\n%s", again.Action, again.Diagnostics)
	}

	// A member that is removed goes back to what is filled in.
	removed := strings.Replace(twoVolumes, "iops                 = 5000", "", 1)
	plan = r.Plan(removed)
	if plan.Action != prototest.Update {
		t.Errorf("a removed member is a %s", plan.Action)
	}
	expect(t, plan.Attr, map[string]any{"volume[1].iops": 3000.0, `by_name["docker"].iops`: 3000.0, "monthly_cost_usd": 29.0})
	plan.MustApply()

	// A volume in front of the others: by_name refers to the same ones as before.
	shifted := strings.Replace(removed, "volume {", "volume {\n name = \"scratch\"\n size_gib = 50\n iops = 4000\n}\nvolume {", 1)
	plan = r.Plan(shifted)
	expect(t, plan.Attr, map[string]any{
		"volume[0].iops": 4000.0, "volume[1].iops": 3000.0, "volume[2].throughput_mib_per_s": 250.0,
		`by_name["docker"].throughput_mib_per_s`: 250.0, `by_name["root"].iops`: 3000.0, `by_name["scratch"].iops`: 4000.0,
	})
	plan.MustApply()
	if again := r.Plan(shifted); again.Action != prototest.NoOp {
		t.Errorf("the second plan is a %s", again.Action)
	}

	// And away again, with the last.
	plan = r.Plan(removed)
	expect(t, plan.Attr, map[string]any{`by_name["docker"].iops`: 3000.0, "volume[0].iops": 3000.0})
	plan.MustApply()
	if ds := r.Destroy(); len(ds) > 0 {
		t.Errorf("the destroy is not silent:\n%s", ds)
	}
}

// The line of the volume at fault is the one that is pointed at.
func TestInstanceStorageLine(t *testing.T) {
	d := one(t, instanceGuard(t).Plan(twoVolumes+`
	volume {
		name                 = "cache"
		size_gib             = 4
		throughput_mib_per_s = 800
	}`).Diagnostics)
	if d.Severity != prototest.SeverityError || d.Line != "throughput_mib_per_s = 800" {
		t.Errorf("%s", d)
	}
	contains(t, d.Detail, "800 MiB/s at 3,000 IOPS", "size_gib = 7", "Rule: gp3-throughput-ratio")
	d = one(t, instanceGuard(t).Plan(strings.Replace(twoVolumes, "throughput_mib_per_s = 250", "throughput_mib_per_s = 2500", 1)).Errors()[:1])
	if d.Line != "throughput_mib_per_s = 2500" {
		t.Errorf("%s", d)
	}
}

func TestInstanceStorageBadShape(t *testing.T) {
	for name, tc := range map[string]struct{ body, path, detail string }{
		"no volume":        {`instance_type = "m5.large"`, "volume", "At least one volume"},
		"a name twice":     {strings.Replace(twoVolumes, `"docker"`, `"root"`, 1), "volume[1].name", "unique"},
		"an empty name":    {strings.Replace(twoVolumes, `"docker"`, `""`, 1), "volume[1].name", "empty"},
		"zero":             {strings.Replace(twoVolumes, "iops                 = 5000", "iops = 0", 1), "volume[1].iops", "null"},
		"a fraction":       {strings.Replace(twoVolumes, "= 250", "= 250.5", 1), "volume[1].throughput_mib_per_s", "250.5"},
		"enormous":         {strings.Replace(twoVolumes, "= 250", "= 1e400", 1), "volume[1].throughput_mib_per_s", "too large"},
		"other limits":     {twoVolumes + `limits = "new"`, "limits", `"classic"`},
		"half a card":      {strings.Replace(twoVolumes, "= 250", "= 250\n ebs_card_index = 0.5", 1), "volume[1].ebs_card_index", "whole"},
		"not a region":     {twoVolumes + `region = "us-east-1a"`, "region", "AWS Region"},
		"an empty type":    {strings.Replace(twoVolumes, "m8a.2xlarge", "", 1), "instance_type", "empty"},
		"no such on_error": {twoVolumes + `on_error = "explode"`, "on_error", `"fail" or "warn"`},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, instanceGuard(t).Plan(tc.body).Diagnostics)
			if d.Severity != prototest.SeverityError || d.Path != tc.path {
				t.Errorf("%s, want an error at %s", d, tc.path)
			}
			contains(t, d.Detail, tc.detail)
		})
	}
}

func TestInstanceStorageUnknown(t *testing.T) {
	all := []string{
		"volume[1].iops", "volume[1].throughput_mib_per_s", "by_name", `by_name["docker"].iops`, "provisioned_throughput_mib_per_s", "provisioned_iops",
		"instance_throughput_mib_per_s", "ebs_cards", "monthly_cost_usd", "findings",
	}
	for name, tc := range map[string]struct {
		old, planned, applied string
		waits                 []string
	}{
		"instance type": {`"m8a.2xlarge"`, "unknown", `"m5.large"`, []string{"instance_throughput_mib_per_s", "ebs_cards", "findings"}},
		"throughput":    {"= 250", "= unknown", "= 700", []string{"volume[1].throughput_mib_per_s", "provisioned_throughput_mib_per_s", "monthly_cost_usd", "findings"}},
		"left-out IOPS of an unknown throughput": {
			"iops                 = 5000\n\t\tthroughput_mib_per_s = 250", "throughput_mib_per_s = unknown", "throughput_mib_per_s = 800",
			[]string{"volume[1].iops", "volume[1].throughput_mib_per_s", `by_name["docker"].iops`, "provisioned_throughput_mib_per_s", "provisioned_iops", "monthly_cost_usd", "findings"},
		},
		"a name":        {`"docker"`, "unknown", `"docker"`, []string{"by_name"}},
		"a type":        {"= 250", "= 250\n type = unknown", "= 250\n type = \"gp3\"", []string{"provisioned_throughput_mib_per_s", "provisioned_iops", "monthly_cost_usd", "findings"}},
		"limits":        {`"m8a.2xlarge"`, "\"m8a.2xlarge\"\n limits = unknown", "\"m8a.2xlarge\"\n limits = \"classic\"", []string{"findings"}},
		"region":        {`"m8a.2xlarge"`, "\"m8a.2xlarge\"\n region = unknown", "\"m8a.2xlarge\"\n region = \"eu-west-1\"", []string{"monthly_cost_usd", "findings"}},
		"ignored rules": {`"m8a.2xlarge"`, "\"m8a.2xlarge\"\n ignore_rules = unknown", `"m8a.2xlarge"`, []string{"findings"}},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(twoVolumes, tc.old) {
				t.Fatalf("%q is not in the configuration", tc.old)
			}
			r := instanceGuard(t)
			plan := r.Plan(strings.Replace(twoVolumes, tc.old, tc.planned, 1))
			if len(plan.Diagnostics) > 0 {
				t.Fatalf("something is said of an unknown:\n%s", plan.Diagnostics)
			}
			var waits []string
			for _, path := range all {
				if strings.HasPrefix(path, "by_name[") && plan.Attr("by_name") == prototest.Unknown {
					continue
				}
				if plan.Attr(path) == prototest.Unknown {
					waits = append(waits, path)
				}
			}
			if diff := cmp.Diff(tc.waits, waits); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
			applied := strings.Replace(twoVolumes, tc.old, tc.applied, 1)
			if ds := plan.ApplyAs(applied).Diagnostics; len(ds.Errors()) > 0 {
				t.Fatalf("apply:\n%s", ds)
			}
			if again := r.Plan(applied); again.Action != prototest.NoOp {
				t.Errorf("the second plan is a %s", again.Action)
			}
		})
	}
}

// How many volumes there are may not be known, either: a dynamic block over
// something that is created at apply.
func TestInstanceStorageUnknownNumberOfVolumes(t *testing.T) {
	dynamic := func(names string) string {
		return `
		instance_type = "m8a.2xlarge"
		dynamic "volume" {
			for_each = ` + names + `
			content {
				name     = volume.value
				size_gib = 100
			}
		}`
	}
	r := instanceGuard(t)
	plan := r.Plan(dynamic("unknown"))
	if len(plan.Diagnostics) > 0 {
		t.Fatal(plan.Diagnostics)
	}
	expect(t, plan.Attr, map[string]any{"by_name": prototest.Unknown, "monthly_cost_usd": prototest.Unknown, "findings": prototest.Unknown, "instance_iops": 12000.0})
	known := dynamic(`["a", "b", "c"]`)
	if ds := plan.ApplyAs(known).Diagnostics; len(ds) > 0 {
		t.Fatalf("apply:\n%s", ds)
	}
	expect(t, r.Attr, map[string]any{"monthly_cost_usd": 24.0, "volume[2].iops": 3000.0, `by_name["c"].iops`: 3000.0})
	if again := r.Plan(known); again.Action != prototest.NoOp {
		t.Errorf("the second plan is a %s", again.Action)
	}
}

// What was accepted once never blocks a destroy, nor makes a diff by itself, even
// where a newer catalogue knows better: here, that the type has one EBS card.
func TestInstanceStorageNewerCatalogue(t *testing.T) {
	accepted := strings.NewReplacer("= 250", "= 250\n ebs_card_index = 1", "m8a.2xlarge", "c8gn.48xlarge").Replace(twoVolumes)
	r := instanceGuard(t)
	r.Plan(accepted).MustApply()

	i, _ := catalog.Embedded().Instance("c8gn.48xlarge")
	i.Cards = nil
	newer := factory(provider.WithCatalog(catalog.Embedded().WithInstances(i)))
	fresh := prototest.New(t, newer).Resource("runnerfit_instance_storage").Plan(accepted)
	if diff := cmp.Diff([]string{"error volume[1].ebs_card_index instance-ebs-card"}, said(fresh.Diagnostics)); diff != "" {
		t.Fatalf("the newer catalogue refuses nothing, so this test shows nothing:\n%s", diff)
	}

	later := r.On(prototest.New(t, newer))
	plan := later.Plan(accepted)
	if plan.Action != prototest.NoOp {
		t.Errorf("a newer catalogue alone makes a %s", plan.Action)
	}
	if diff := cmp.Diff([]string{"warning volume[1].ebs_card_index instance-ebs-card"}, said(plan.Diagnostics)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, plan.Attr, map[string]any{"ebs_cards": 2.0})
	if changed := r.On(prototest.New(t, newer)).Plan(strings.Replace(accepted, "= 250", "= 251", 1)); len(changed.Errors()) == 0 {
		t.Error("a changed configuration is not judged anew")
	}
	if ds := later.Destroy(); len(ds.Errors()) > 0 {
		t.Errorf("destroy is blocked:\n%s", ds)
	}
}
