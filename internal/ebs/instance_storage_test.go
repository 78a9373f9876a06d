package ebs_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func TestInstanceStorage(t *testing.T) {
	for _, c := range testcases.InstanceStorages {
		t.Run(c.Name, func(t *testing.T) {
			if ps := c.Storage.Problems(); len(ps) > 0 {
				t.Fatalf("problems: %v", ps)
			}
			r := ebs.EvaluateInstanceStorage(catalog.Embedded(), c.Storage)
			type facts struct {
				IOPS, Throughput                               []optional.Value[string]
				SumMiBPerS, SumIOPS, Monthly, Sustained, Burst optional.Value[string]
				Waits                                          bool
			}
			written := func(v optional.Value[decimal.Decimal]) optional.Value[string] {
				return optional.Map(v, decimal.Decimal.String)
			}
			rate := func(get func(catalog.EBSCeiling) catalog.EBSRate) optional.Value[string] {
				return optional.Map(r.Ceiling, func(e catalog.EBSCeiling) string { return fmt.Sprintf("%.2f", float64(get(e).Throughput())) })
			}
			got := facts{
				SumMiBPerS: optional.Map(r.ProvisionedThroughput, func(m units.MiBPerS) string { return fmt.Sprint(float64(m)) }),
				SumIOPS:    optional.Map(r.ProvisionedIOPS, func(n int64) string { return strconv.FormatInt(n, 10) }),
				Monthly:    optional.Map(r.MonthlyCostUSD, func(d decimal.Decimal) string { return d.StringFixed(2) }),
				Sustained:  rate(func(e catalog.EBSCeiling) catalog.EBSRate { return e.Sustained }),
				Burst:      rate(func(e catalog.EBSCeiling) catalog.EBSRate { return e.Maximum }),
				Waits:      r.FindingsWaitForAnUnknown,
			}
			for _, v := range r.Volumes {
				got.IOPS = append(got.IOPS, written(v.IOPS))
				got.Throughput = append(got.Throughput, written(v.ThroughputMiBPerS))
			}
			want := facts{c.IOPS, c.ThroughputMiBPerS, c.SumMiBPerS, c.SumIOPS, c.MonthlyUSD, c.Sustained, c.Burst, c.Waits}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(optional.Value[string]{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			testcases.CheckFindings(t, c.Findings, r.Findings)
		})
	}
}

func TestInstanceStorageProblems(t *testing.T) {
	whole := testcases.InstanceStorages[0].Storage
	change := func(changes ...func(v []ebs.InstanceVolume)) ebs.InstanceStorage {
		s := whole
		volumes, _ := s.Volumes.Get()
		volumes = slices.Clone(volumes)
		for _, c := range changes {
			c(volumes)
		}
		s.Volumes = optional.Known(volumes)
		return s
	}
	for _, c := range []struct {
		name    string
		storage ebs.InstanceStorage
		want    []shape.Problem
	}{
		{"nothing", whole, nil},
		{
			"a name twice", change(func(v []ebs.InstanceVolume) { v[2].Name = optional.Known("a") }),
			[]shape.Problem{{Path: "volume[2].name", Message: "volume[2].name is also the name of volume[0]; names must be unique, because by_name refers to volumes by them"}},
		},
		{"a name that may be the same yet", change(func(v []ebs.InstanceVolume) { v[2].Name = optional.Unknown[string]() }), nil},
		{
			"an empty name", change(func(v []ebs.InstanceVolume) { v[1].Name = optional.Known("") }),
			[]shape.Problem{{Path: "volume[1].name", Message: "volume[1].name must not be empty"}},
		},
		{
			"IOPS unset by 0", change(func(v []ebs.InstanceVolume) { v[3].IOPS = testcases.Number("0") }),
			[]shape.Problem{{Path: "volume[3].iops", Message: "volume[3].iops is 0, but must be at least 1; where it is meant to be unset, write null or leave it out"}},
		},
		{
			"a fraction", change(func(v []ebs.InstanceVolume) { v[0].ThroughputMiBPerS = testcases.Number("750.5") }),
			[]shape.Problem{{Path: "volume[0].throughput_mib_per_s", Message: "volume[0].throughput_mib_per_s must be a whole number, not 750.5"}},
		},
		{
			"a card between two", change(func(v []ebs.InstanceVolume) { v[0].CardIndex = testcases.Number("0.5") }),
			[]shape.Problem{{Path: "volume[0].ebs_card_index", Message: "volume[0].ebs_card_index must be a whole number, not 0.5"}},
		},
		{
			"no volume",
			ebs.InstanceStorage{Volumes: optional.Known[[]ebs.InstanceVolume](nil)},
			[]shape.Problem{{Path: "volume", Message: "at least one volume is required"}},
		},
		{"no number of volumes yet", ebs.InstanceStorage{Volumes: optional.Unknown[[]ebs.InstanceVolume]()}, nil},
		{
			"limits of another age", func() ebs.InstanceStorage { s := whole; s.Limits = optional.Known("new"); return s }(),
			[]shape.Problem{{Path: "limits", Message: `limits must be "current", or "classic" on Outposts`}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.storage.Problems()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// More volumes than the type attaches.
func TestInstanceStorageTooManyVolumes(t *testing.T) {
	i, _ := catalog.Embedded().Instance("mac2-m2pro.metal")
	for extra, want := range map[int]int{0: 0, 1: 1} {
		s := ebs.InstanceStorage{InstanceType: optional.Known(i.Type)}
		var volumes []ebs.InstanceVolume
		for n := range i.MaxVolumes + extra {
			volumes = append(volumes, ebs.InstanceVolume{Name: optional.Known(strconv.Itoa(n)), SizeGiB: testcases.Number("10")})
		}
		s.Volumes = optional.Known(volumes)
		got := 0
		for _, f := range ebs.EvaluateInstanceStorage(catalog.Embedded(), s).Findings {
			if f.Rule == ebs.RuleInstanceVolumeCount.ID {
				got++
			}
		}
		if got != want {
			t.Errorf("%d volumes where %d can be attached: %d findings, want %d", len(volumes), i.MaxVolumes, got, want)
		}
	}
}

// Each card is judged by its own ceiling. The real ones are equal, so here they
// are not.
func TestInstanceStorageCards(t *testing.T) {
	i, _ := catalog.Embedded().Instance("c8gn.48xlarge")
	slow := catalog.EBSRate{Bandwidth: 800, IOPS: 10_000}
	i.Cards = []catalog.EBSCeiling{i.Cards[0], {Sustained: slow, Maximum: slow}}
	cat := catalog.Embedded().WithInstances(i)
	for card, want := range map[string][]testcases.Finding{
		"0": nil,
		"1": {{Rule: "instance-throughput", Severity: finding.Warning, Path: "volume[0].throughput_mib_per_s", Says: []string{"EBS card 1 of c8gn.48xlarge", "95.37 MiB/s"}}},
	} {
		r := ebs.EvaluateInstanceStorage(cat, ebs.InstanceStorage{InstanceType: optional.Known(i.Type), Volumes: optional.Known([]ebs.InstanceVolume{
			{Name: optional.Known("data"), SizeGiB: testcases.Number("100"), ThroughputMiBPerS: testcases.Number("500"), CardIndex: testcases.Number(card)},
		})})
		testcases.CheckFindings(t, want, r.Findings)
	}
}

func anyVolume(t *rapid.T, i int) ebs.InstanceVolume {
	number := func(name string, from, upTo int64) optional.Value[decimal.Decimal] {
		switch rapid.IntRange(0, 3).Draw(t, name+" state") {
		case 0:
			return optional.Null[decimal.Decimal]()
		case 1:
			return optional.Unknown[decimal.Decimal]()
		}
		return optional.Known(decimal.NewFromInt(rapid.Int64Range(from, upTo).Draw(t, name)))
	}
	v := ebs.InstanceVolume{
		Name: optional.Known(strconv.Itoa(i)), SizeGiB: number("size", 1, 20_000),
		IOPS: number("iops", 1, 100_000), ThroughputMiBPerS: number("throughput", 1, 2_500), CardIndex: number("card", 0, 2),
	}
	switch typ := rapid.SampledFrom([]string{"", "?", "gp3", "gp3", "gp2", "io1", "io2", "st1", "sc1", "standard", "gp4"}).Draw(t, "type"); typ {
	case "":
	case "?":
		v.Type = optional.Unknown[string]()
	default:
		v.Type = optional.Known(typ)
	}
	return v
}

// settle gives every unknown member a value.
func settle(t *rapid.T, v ebs.InstanceVolume) ebs.InstanceVolume {
	for _, m := range []struct {
		v    *optional.Value[decimal.Decimal]
		most int64
	}{{&v.SizeGiB, 20_000}, {&v.IOPS, 100_000}, {&v.ThroughputMiBPerS, 2_500}, {&v.CardIndex, 2}} {
		if m.v.IsUnknown() {
			*m.v = optional.Known(decimal.NewFromInt(rapid.Int64Range(1, m.most).Draw(t, "turned out")))
			if rapid.Bool().Draw(t, "turned out null") {
				*m.v = optional.Null[decimal.Decimal]()
			}
		}
	}
	if v.Type.IsUnknown() {
		v.Type = optional.Known(rapid.SampledFrom([]string{"gp3", "gp2", "io2", "st1"}).Draw(t, "turned out type"))
	}
	return v
}

// Whatever is written, in whatever state, is answered: sums are those of what was
// filled in, what is said while something is unknown stays true, and nothing is
// repeated that somebody typed.
func TestInstanceStorageAnswersEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := ebs.InstanceStorage{InstanceType: optional.Known(rapid.SampledFrom([]string{"m5.xlarge", "m8a.2xlarge", "c8gn.48xlarge", "c1.medium", "nope.large"}).Draw(t, "instance"))}
		later := s
		var volumes, settled []ebs.InstanceVolume
		for i := range rapid.IntRange(0, 5).Draw(t, "volumes") {
			v := anyVolume(t, i)
			v.Name = optional.Known(fmt.Sprintf("secret-%d", i))
			volumes, settled = append(volumes, v), append(settled, settle(t, v))
		}
		s.Volumes, later.Volumes = optional.Known(volumes), optional.Known(settled)
		before, after := ebs.EvaluateInstanceStorage(catalog.Embedded(), s), ebs.EvaluateInstanceStorage(catalog.Embedded(), later)
		if after.FindingsWaitForAnUnknown {
			t.Fatal("waits although everything is known")
		}
		kept := func(what string, before, after optional.Value[string]) {
			if b, ok := before.Get(); !before.IsUnknown() {
				if a, _ := after.Get(); a != b || ok != after.IsKnown() {
					t.Errorf("%s was %v and became %v", what, before, after)
				}
			}
		}
		text := func(v optional.Value[decimal.Decimal]) optional.Value[string] {
			return optional.Map(v, decimal.Decimal.String)
		}
		for i := range volumes {
			kept("iops", text(before.Volumes[i].IOPS), text(after.Volumes[i].IOPS))
			kept("throughput", text(before.Volumes[i].ThroughputMiBPerS), text(after.Volumes[i].ThroughputMiBPerS))
			kept("cost", text(before.Volumes[i].MonthlyCostUSD), text(after.Volumes[i].MonthlyCostUSD))
		}
		kept("cost", text(before.MonthlyCostUSD), text(after.MonthlyCostUSD))
		kept("sum", optional.Map(before.ProvisionedThroughput, units.MiBPerS.String), optional.Map(after.ProvisionedThroughput, units.MiBPerS.String))
		for _, f := range before.Findings {
			if f.Severity == finding.Error && !slices.ContainsFunc(after.Findings, func(g finding.Finding) bool { return g.Rule == f.Rule && g.Path == f.Path }) {
				t.Errorf("an error that was shown before everything was known is gone: %s %s", f.Path, f.Message)
			}
		}
		for _, f := range slices.Concat(before.Findings, after.Findings) {
			if f.Message == "" || strings.Contains(f.Message+f.Fix+f.Path, "secret") || strings.Contains(f.Message+f.Fix, "%!") {
				t.Errorf("said: %+v", f)
			}
		}
		// gp3 volumes that were completed are never short of IOPS for their throughput,
		// unless their size allows no more.
		for i, v := range settled {
			typ, _ := v.Type.Or("gp3").Get()
			if typ != "gp3" || !v.IOPS.IsNull() {
				continue
			}
			iops, _ := after.Volumes[i].IOPS.Get()
			throughput, _ := after.Volumes[i].ThroughputMiBPerS.Get()
			l := catalog.Embedded().GP3(catalog.CurrentLimits)
			size, _ := v.SizeGiB.Get()
			most := decimal.NewFromInt(ebs.MaxIOPS(l, size.IntPart()))
			if (iops.LessThan(throughput.Mul(decimal.NewFromInt(4))) && !iops.Equal(most)) || iops.LessThan(decimal.NewFromInt(3000)) {
				t.Errorf("filled in %s IOPS for %s MiB/s", iops, throughput)
			}
		}
	})
}

// The order of volumes does not matter for what is said of them together.
func TestInstanceStorageOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var volumes []ebs.InstanceVolume
		for i := range rapid.IntRange(2, 5).Draw(t, "volumes") {
			volumes = append(volumes, settle(t, anyVolume(t, i)))
		}
		shuffled := rapid.Permutation(volumes).Draw(t, "order")
		rules := func(v []ebs.InstanceVolume) (out []string) {
			r := ebs.EvaluateInstanceStorage(catalog.Embedded(), ebs.InstanceStorage{InstanceType: optional.Known("c8gn.48xlarge"), Volumes: optional.Known(v)})
			for _, f := range r.Findings {
				out = append(out, f.Rule+" "+f.Severity.String())
			}
			slices.Sort(out)
			cost, _ := r.MonthlyCostUSD.Get()
			sum, _ := r.ProvisionedThroughput.Get()
			return append(out, cost.String(), sum.String())
		}
		if diff := cmp.Diff(rules(volumes), rules(shuffled)); diff != "" {
			t.Error(diff)
		}
	})
}
