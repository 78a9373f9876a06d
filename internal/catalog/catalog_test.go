package catalog_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Decimals are equal when their values are, and optional values when both
// what they hold and whether they hold it are.
var compare = cmp.Options{
	cmp.Comparer(decimal.Decimal.Equal),
	optionals[int](),
	optionals[catalog.Range](),
	optionals[catalog.EBSCeiling](),
}

func optionals[T comparable]() cmp.Option {
	return cmp.Comparer(func(a, b optional.Value[T]) bool { return a == b })
}

func checkSource(t *testing.T, what string, s catalog.Source) {
	t.Helper()
	if s.Name == "" || !strings.HasPrefix(s.AsOf, "20") || s.Confidence == "" {
		t.Errorf("%s: source without name, date or confidence: %+v", what, s)
	}
}

func ceiling(mbit units.MbitPerS, iops int64, maxMbit units.MbitPerS, maxIOPS int64) catalog.EBSCeiling {
	return catalog.EBSCeiling{
		Sustained: catalog.EBSRate{Bandwidth: mbit, IOPS: iops},
		Maximum:   catalog.EBSRate{Bandwidth: maxMbit, IOPS: maxIOPS},
	}
}

func TestInstance(t *testing.T) {
	source := catalog.Embedded().InstanceSource()
	for _, want := range []catalog.Instance{
		{
			Type: "a1.2xlarge", VCPUs: 8, Cores: 8, MemoryMiB: 16384, Architectures: []string{"arm64"},
			Network: "Up to 10 Gigabit", MaxVolumes: 27, Source: source,
			EBS: optional.Known(ceiling(1750, 10000, 3500, 20000)),
		},
		{
			Type: "c1.medium", VCPUs: 2, Cores: 2, MemoryMiB: 1740, Architectures: []string{"i386", "x86_64"},
			Network: "Moderate", InstanceStoreGB: 350, MaxVolumes: 39, Source: source,
		},
		{
			Type: "c8gb.48xlarge", VCPUs: 192, Cores: 192, MemoryMiB: 393216, Architectures: []string{"arm64"},
			CurrentGen: true, Network: "400 Gigabit", MaxVolumes: 128, Source: source,
			EBS:   optional.Known(ceiling(300000, 1440000, 300000, 1440000)),
			Cards: []catalog.EBSCeiling{ceiling(150000, 720000, 150000, 720000), ceiling(150000, 720000, 150000, 720000)},
		},
		{
			Type: "mac2-m2pro.metal", VCPUs: 12, Cores: 12, MemoryMiB: 32768, Architectures: []string{"arm64_mac"},
			BareMetal: true, CurrentGen: true, Network: "10 Gigabit", MaxVolumes: 10, Source: source,
			EBS: optional.Known(ceiling(8000, 55000, 8000, 55000)),
		},
		{
			Type: "z1d.xlarge", VCPUs: 4, Cores: 2, MemoryMiB: 32768, Architectures: []string{"x86_64"},
			CurrentGen: true, Network: "Up to 10 Gigabit", InstanceStoreGB: 150, MaxVolumes: 26, Source: source,
			EBS: optional.Known(ceiling(1580, 6667, 3170, 13333)),
		},
	} {
		t.Run(want.Type, func(t *testing.T) {
			got, ok := catalog.Embedded().Instance(want.Type)
			if !ok {
				t.Fatal("not known")
			}
			if diff := cmp.Diff(want, got, compare); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCeilings(t *testing.T) {
	for _, test := range []struct {
		typ                    string
		mbit                   units.MbitPerS
		mb                     units.MBPerS
		mib                    units.MiBPerS
		iops                   int64
		burst                  bool
		burstMiB               units.MiBPerS
		burstIOPS              int64
		wantMac, wantBareMetal bool
	}{
		{typ: "mac2.metal", mbit: 10000, mb: 1250, mib: 1192.0928955078125, iops: 55000, wantMac: true, wantBareMetal: true},
		{typ: "mac2-m2pro.metal", mbit: 8000, mb: 1000, mib: 953.67431640625, iops: 55000, wantMac: true, wantBareMetal: true},
		{typ: "mac1.metal", mbit: 14000, mb: 1750, mib: 1668.9300537109375, iops: 80000, wantMac: true, wantBareMetal: true},
		{typ: "m8a.xlarge", mbit: 1250, mb: 156.25, mib: 149.01161193847656, iops: 6000, burst: true, burstMiB: 1192.0928955078125, burstIOPS: 40000},
		{typ: "m8a.2xlarge", mbit: 2500, mb: 312.5, mib: 298.0232238769531, iops: 12000, burst: true, burstMiB: 1192.0928955078125, burstIOPS: 40000},
		// The API rounds this one to 156.2504 MB/s; Mbit/s are not rounded.
		{typ: "m7g.xlarge", mbit: 1250, mb: 156.25, mib: 149.01161193847656, iops: 6000, burst: true, burstMiB: 1192.0928955078125, burstIOPS: 40000},
	} {
		t.Run(test.typ, func(t *testing.T) {
			i, ok := catalog.Embedded().Instance(test.typ)
			if !ok {
				t.Fatal("not known")
			}
			ebs, ok := i.EBS.Get()
			if !ok {
				t.Fatal("no EBS figures")
			}
			if ebs.Sustained.Bandwidth != test.mbit || ebs.Sustained.Bandwidth.MB() != test.mb || ebs.Sustained.Throughput() != test.mib || ebs.Sustained.IOPS != test.iops {
				t.Errorf("sustained %v, %v, %v, %d IOPS", ebs.Sustained.Bandwidth, ebs.Sustained.Bandwidth.MB(), ebs.Sustained.Throughput(), ebs.Sustained.IOPS)
			}
			if ebs.CanBurst() != test.burst {
				t.Errorf("can burst: %v", ebs.CanBurst())
			}
			if test.burst && (ebs.Maximum.Throughput() != test.burstMiB || ebs.Maximum.IOPS != test.burstIOPS) {
				t.Errorf("bursts to %v, %d IOPS", ebs.Maximum.Throughput(), ebs.Maximum.IOPS)
			}
			if i.IsMac() != test.wantMac || i.BareMetal != test.wantBareMetal {
				t.Errorf("Mac %v, bare metal %v", i.IsMac(), i.BareMetal)
			}
		})
	}
}

func TestUnknownInstance(t *testing.T) {
	for _, typ := range []string{
		"", ".", "mac9.metal", "m8a", "m8a.", "m8a.xlarg", "m8a.xlargee", "M8A.XLARGE", " m8a.xlarge", "m8a.xlarge\n",
		"a", "zzzz.large", "\x00", "\xff", `m8a.xlarge"`, `{"type":"m8a.xlarge"`, strings.Repeat("m", 1<<20),
	} {
		if i, ok := catalog.Embedded().Instance(typ); ok {
			t.Errorf("%.30q is known as %+v", typ, i)
		}
	}
}

func TestInstances(t *testing.T) {
	c := catalog.Embedded()
	var types []string
	var macs, burst, noEBS, cards int
	for i := range c.Instances() {
		types = append(types, i.Type)
		checkSource(t, i.Type, i.Source)
		if !catalog.IsTypeName(i.Type) {
			t.Errorf("%s does not have the shape of a type's name", i.Type)
		}
		found, ok := c.Instance(i.Type)
		if diff := cmp.Diff(i, found, compare); !ok || diff != "" {
			t.Errorf("%s: found %v, %s", i.Type, ok, diff)
		}
		ebs, ok := i.EBS.Get()
		if !ok {
			noEBS++
		}
		if ebs.CanBurst() {
			burst++
		}
		if i.IsMac() {
			macs++
			if ebs.CanBurst() {
				t.Errorf("%s bursts", i.Type)
			}
		}
		if len(i.Cards) > 0 {
			cards++
			var sum catalog.EBSCeiling
			for _, card := range i.Cards {
				sum.Sustained.Bandwidth += card.Sustained.Bandwidth
				sum.Sustained.IOPS += card.Sustained.IOPS
				sum.Maximum.Bandwidth += card.Maximum.Bandwidth
				sum.Maximum.IOPS += card.Maximum.IOPS
			}
			if len(i.Cards) != 2 || sum != ebs {
				t.Errorf("%s: %d cards add up to %+v, not %+v", i.Type, len(i.Cards), sum, ebs)
			}
		}
	}
	if !slices.IsSorted(types) || len(slices.Compact(slices.Clone(types))) != len(types) {
		t.Error("not sorted, or a type twice")
	}
	got := []int{len(types), c.InstanceCount(), macs, burst, noEBS, cards}
	if diff := cmp.Diff([]int{1373, 1373, 9, 532, 19, 33}, got); diff != "" {
		t.Errorf("types, count, Macs, bursting, without EBS figures, with two cards: %s", diff)
	}
	if s := c.InstanceSource(); s.AsOf != "2026-08-02" {
		t.Errorf("as of %s", s.AsOf)
	}
}

func TestInstancesCanStop(t *testing.T) {
	n := 0
	for range catalog.Embedded().Instances() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("stopped after %d", n)
	}
}

// What one caller does to what it got does not reach the next.
func TestResultsAreNotShared(t *testing.T) {
	c := catalog.Embedded()

	i, _ := c.Instance("c8gb.48xlarge")
	i.Architectures[0] = "changed"
	i.Cards[0].Maximum.IOPS = 1
	if again, _ := c.Instance("c8gb.48xlarge"); again.Architectures[0] != "arm64" || again.Cards[0].Maximum.IOPS != 720000 {
		t.Errorf("instance changed: %+v", again)
	}

	m, _ := c.Mac("mac2.metal")
	m.Regions[0] = "changed"
	c.Macs()[0].Regions[0] = "changed"
	for _, again := range c.Macs() {
		if slices.Contains(again.Regions, "changed") {
			t.Errorf("%s changed: %v", again.Type, again.Regions)
		}
	}

	v, _ := c.VolumeType("io1")
	v.ThroughputSteps[0].Throughput = 1
	if again, _ := c.VolumeType("io1"); again.ThroughputSteps[0].Throughput != 500 {
		t.Errorf("io1 changed: %+v", again)
	}

	p, _ := c.VolumePrices("us-east-1")
	p.Others["io2"].IOPSTiers[0].Month = decimal.Zero
	delete(p.Others, "gp2")
	again, _ := c.VolumePrices("us-east-1")
	if _, ok := again.Others["gp2"]; !ok || again.Others["io2"].IOPSTiers[0].Month.IsZero() {
		t.Errorf("prices changed: %+v", again)
	}

	hosts := map[string]decimal.Decimal{"mac2.metal": decimal.NewFromInt(1)}
	own := c.WithPrices(catalog.PriceOverrides{MacHostHour: hosts})
	hosts["mac2.metal"] = decimal.NewFromInt(2)
	if p, _ := own.MacHostPrice("us-east-1", "mac2.metal"); !p.USDPerHour.Equal(decimal.NewFromInt(1)) {
		t.Errorf("override changed: %s", p.USDPerHour)
	}
}

func TestClosestInstances(t *testing.T) {
	for _, test := range []struct {
		typ  string
		n    int
		want []string
	}{
		{"m8a.xlarg", 2, []string{"m8a.xlarge", "m8a.2xlarge"}},
		{"M8A.XLARGE ", 1, []string{"m8a.xlarge"}},
		{"m8a.9xlarge", 3, []string{"m8a.2xlarge", "m8a.4xlarge", "m8a.8xlarge"}},
		{"mac9.metal", 2, []string{"mac1.metal", "mac2.metal"}},
		{"mac2-m2-pro.metal", 1, []string{"mac2-m2pro.metal"}},
		// The family exists and counts more than letters: m4.metal does not exist,
		// and m5.metal is but a letter away.
		{"m4.metal", 1, []string{"m4.large"}},
		{"m8a.xlarge", 0, nil},
		{"m8a.xlarge", -1, nil},
	} {
		if diff := cmp.Diff(test.want, catalog.Embedded().ClosestInstances(test.typ, test.n)); diff != "" {
			t.Errorf("%q: %s", test.typ, diff)
		}
	}
	// Same family first, though m8g.large is nearer to m8a.lxrge than m8a.12xlarge is.
	closest := catalog.Embedded().ClosestInstances("m8a.lxrge", 12)
	for _, typ := range closest {
		if !strings.HasPrefix(typ, "m8a.") {
			t.Errorf("%s comes before the family's own types: %v", typ, closest)
		}
	}
	if all := catalog.Embedded().ClosestInstances("x", 1<<40); len(all) != 1373 {
		t.Errorf("%d types in all", len(all))
	}
}

func TestNames(t *testing.T) {
	for s, want := range map[string]bool{
		"m8a.xlarge": true, "mac2-m2pro.metal": true, "u-12tb1.112xlarge": true, "m8gn.metal-48xl": true, "mac9.metal": true,
		"": false, ".": false, "m8a": false, "m8a.": false, ".xlarge": false, "M8A.xlarge": false, "m8a.xlarge\n": false,
		"m8a xlarge": false, "8a.xlarge": false, "m8a.x.large": false, "m8a.<b>": false, "é.large": false,
		strings.Repeat("m", 40) + ".large": false, "m8a." + strings.Repeat("x", 21): false,
	} {
		if catalog.IsTypeName(s) != want {
			t.Errorf("IsTypeName(%q) = %v", s, !want)
		}
	}
	for s, want := range map[string]bool{
		"us-east-1": true, "us-gov-west-1": true, "cn-northwest-1": true, "eusc-de-east-1": true, "us-isob-east-1": true, "usw2-lax1-az1": true, "use1-az4": true,
		"": false, "us-east": false, "us-east-1a": false, "US-EAST-1": false, "us-east-1\n": false, "us_east_1": false, "-1": false,
		"us-east-1; drop": false, "my-secret-key": false, "us-east-123": false,
	} {
		if catalog.IsRegionName(s) != want {
			t.Errorf("IsRegionName(%q) = %v", s, !want)
		}
	}
}

func TestMacs(t *testing.T) {
	c := catalog.Embedded()
	cores := map[string]optional.Value[int]{}
	scrub := map[string]int{}
	for _, m := range c.Macs() {
		checkSource(t, m.Type, m.Source)
		cores[m.Type] = m.CPUCores
		scrub[m.Type] = m.ScrubMinutesMax
		found, ok := c.Mac(m.Type)
		if diff := cmp.Diff(m, found, compare); !ok || diff != "" {
			t.Errorf("%s: found %v, %s", m.Type, ok, diff)
		}
		if m.HostFamily+".metal" != m.Type || m.Chip == "" || !slices.IsSorted(m.Regions) || !slices.Contains(m.Regions, "us-east-1") {
			t.Errorf("%+v", m)
		}
		if i, ok := c.Instance(m.Type); !ok || !i.IsMac() {
			t.Errorf("%s is not a Mac in the table of instance types", m.Type)
		}
	}
	wantCores := map[string]optional.Value[int]{
		"mac1.metal": optional.Known(6), "mac2.metal": optional.Known(8), "mac2-m1ultra.metal": optional.Known(20),
		"mac2-m2.metal": optional.Known(8), "mac2-m2pro.metal": optional.Known(12), "mac-m4.metal": optional.Known(10),
		"mac-m4pro.metal": optional.Known(14), "mac-m4max.metal": optional.Null[int](), "mac-m3ultra.metal": optional.Null[int](),
	}
	if diff := cmp.Diff(wantCores, cores, compare); diff != "" {
		t.Errorf("cores: %s", diff)
	}
	if scrub["mac1.metal"] != 50 || scrub["mac2.metal"] != 270 {
		t.Errorf("scrub minutes: %v", scrub)
	}

	m, _ := c.Mac("mac2-m2pro.metal")
	want := catalog.Mac{
		Type: "mac2-m2pro.metal", HostFamily: "mac2-m2pro", Chip: "Apple M2 Pro", Machine: "2023 Mac mini", CPUCores: optional.Known(12),
		ScrubMinutesMax: 270, Regions: []string{"ap-southeast-2", "us-east-1", "us-east-2", "us-west-2"}, Source: m.Source,
	}
	if diff := cmp.Diff(want, m, compare); diff != "" {
		t.Error(diff)
	}
	for _, typ := range []string{"", "m8a.xlarge", "mac9.metal"} {
		if _, ok := c.Mac(typ); ok {
			t.Errorf("%q is known as a Mac", typ)
		}
	}
}

func TestMacHostRules(t *testing.T) {
	got := catalog.Embedded().MacHostRules()
	checkSource(t, "host rules", got.Source)
	want := catalog.MacHostRules{
		MinimumAllocationHours: 24, InstancesPerHost: 1, LaunchMinutesMin: 6, LaunchMinutesMax: 20,
		ScrubMinutesIntel: 50, ScrubMinutesIntelFirmware: 180, ScrubMinutesAppleCurrent: 270, ScrubMinutesAppleOlder: 110,
		RecommendedIOPS: 10000, RecommendedThroughput: 400, Source: got.Source,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGP3(t *testing.T) {
	c := catalog.Embedded()
	source := c.GP3(catalog.CurrentLimits).Source
	checkSource(t, "gp3", source)
	current := catalog.GP3Limits{
		Set: catalog.CurrentLimits, From: "2025-09-26", SizeGiB: catalog.Range{Min: 1, Max: 65536}, IOPS: catalog.Range{Min: 3000, Max: 80000},
		ThroughputMiB: catalog.Range{Min: 125, Max: 2000}, IOPSPerGiB: 500, IOPSPerMiB: 4, Source: source,
	}
	classic := catalog.GP3Limits{
		Set: catalog.ClassicLimits, From: "2020-12-01", SizeGiB: catalog.Range{Min: 1, Max: 16384}, IOPS: catalog.Range{Min: 3000, Max: 16000},
		ThroughputMiB: catalog.Range{Min: 125, Max: 1000}, IOPSPerGiB: 500, IOPSPerMiB: 4, Source: source,
	}
	for set, want := range map[catalog.LimitSet]catalog.GP3Limits{
		catalog.CurrentLimits: current, catalog.ClassicLimits: classic, "": current, "future": current,
	} {
		if diff := cmp.Diff(want, c.GP3(set)); diff != "" {
			t.Errorf("%q: %s", set, diff)
		}
	}
	for s, want := range map[string]bool{"current": true, "classic": true, "": false, "Current": false, "future": false} {
		if set, ok := catalog.ParseLimitSet(s); ok != want || ok && string(set) != s {
			t.Errorf("ParseLimitSet(%q) = %q, %v", s, set, ok)
		}
	}
}

func TestGP2(t *testing.T) {
	got := catalog.Embedded().GP2()
	checkSource(t, "gp2", got.Source)
	want := catalog.GP2Limits{
		IOPSPerGiB: 3, IOPS: catalog.Range{Min: 100, Max: 16000}, BurstIOPS: 3000, BurstCredits: 5400000,
		ThroughputMiB: catalog.Range{Min: 128, Max: 250}, BurstThroughputOverGiB: 170, FullThroughputFromGiB: 334, Source: got.Source,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVolumeTypes(t *testing.T) {
	c := catalog.Embedded()
	if diff := cmp.Diff([]string{"gp2", "gp3", "io1", "io2", "sc1", "st1", "standard"}, c.VolumeTypeNames()); diff != "" {
		t.Error(diff)
	}
	source := c.GP2().Source
	provisioned := func(lowest, highest int64) optional.Value[catalog.Range] {
		return optional.Known(catalog.Range{Min: lowest, Max: highest})
	}
	for _, want := range []catalog.VolumeType{
		{Name: "gp2", SizeGiB: catalog.Range{Min: 1, Max: 16384}, IOPSPerGiB: 3, MaxThroughput: 250, Bootable: true, Source: source},
		{
			Name: "io1", SizeGiB: catalog.Range{Min: 4, Max: 16384}, IOPS: provisioned(100, 64000), IOPSPerGiB: 50, MaxThroughput: 1000, Bootable: true, Source: source,
			ThroughputSteps: []catalog.ThroughputStep{{UpToIOPS: 32000, Throughput: 500}},
		},
		{Name: "io2", SizeGiB: catalog.Range{Min: 4, Max: 65536}, IOPS: provisioned(100, 256000), IOPSPerGiB: 1000, MaxThroughput: 4000, MiBPerSPerIOPS: 0.256, Bootable: true, Source: source},
		{Name: "st1", SizeGiB: catalog.Range{Min: 125, Max: 16384}, MaxThroughput: 500, Source: source},
		{Name: "sc1", SizeGiB: catalog.Range{Min: 125, Max: 16384}, MaxThroughput: 250, Source: source},
		{Name: "standard", SizeGiB: catalog.Range{Min: 1, Max: 1024}, MaxThroughput: 90, Bootable: true, Source: source},
	} {
		got, ok := c.VolumeType(want.Name)
		if diff := cmp.Diff(want, got, compare); !ok || diff != "" {
			t.Errorf("%s: known %v, %s", want.Name, ok, diff)
		}
	}
	for _, name := range []string{"", "gp3", "GP2", "io3"} {
		if _, ok := c.VolumeType(name); ok {
			t.Errorf("%q is known", name)
		}
	}
	for _, test := range []struct {
		name string
		iops int64
		want units.MiBPerS
	}{
		{"io1", 100, 500},
		{"io1", 32000, 500},
		{"io1", 32001, 1000},
		{"io2", 1000, 256},
		{"io2", 15625, 4000},
		{"io2", 256000, 4000},
		{"io2", -1, 0},
		{"gp2", 0, 250},
		{"st1", 0, 500},
	} {
		v, _ := c.VolumeType(test.name)
		if got := v.ThroughputAt(test.iops); got != test.want {
			t.Errorf("%s at %d IOPS: %v, want %v", test.name, test.iops, got, test.want)
		}
	}
}

// Look-ups from many goroutines at once, for the race detector: the tables
// are decoded by whoever comes first.
func TestConcurrentLookups(t *testing.T) {
	c := catalog.Embedded()
	types := []string{"m8a.xlarge", "mac2.metal", "c1.medium", "mac9.metal"}
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			for _, typ := range types {
				if _, ok := c.Instance(typ); ok != (typ != "mac9.metal") {
					t.Errorf("%s: %v", typ, ok)
				}
				_, _ = c.InstancePrice("eu-west-1", typ)
				_, _ = c.MacHostPrice("us-east-1", typ)
			}
			if p, ok := c.VolumePrices("us-east-1"); !ok || len(p.Others) != 5 {
				t.Errorf("prices: %v", p)
			}
			if len(c.Macs()) != 9 || c.GP3(catalog.CurrentLimits).IOPSPerMiB != 4 {
				t.Error("tables differ")
			}
			own := c.WithPrices(catalog.PriceOverrides{InstanceHour: map[string]decimal.Decimal{"m8a.xlarge": decimal.NewFromInt(int64(n))}})
			if p, _ := own.InstancePrice("us-east-1", "m8a.xlarge"); p.USDPerHour.IntPart() != int64(n) {
				t.Errorf("own price %s, want %d", p.USDPerHour, n)
			}
		})
	}
	group.Wait()
}

// A look-up finds exactly the types that an iteration yields, whatever is
// asked for: names that exist, and names made by changing one.
func TestInstanceProperty(t *testing.T) {
	c := catalog.Embedded()
	known := map[string]bool{}
	var types []string
	for i := range c.Instances() {
		known[i.Type] = true
		types = append(types, i.Type)
	}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		cut := rapid.IntRange(0, len(typ)).Draw(t, "cut")
		typ = typ[:cut] + rapid.StringMatching(`[ -~]{0,2}`).Draw(t, "insert") + typ[cut:]
		i, ok := c.Instance(typ)
		if ok != known[typ] || ok && i.Type != typ {
			t.Fatalf("Instance(%q) = %q, %v", typ, i.Type, ok)
		}
		closest := c.ClosestInstances(typ, 1)
		if len(closest) != 1 || !known[closest[0]] || known[typ] && closest[0] != typ {
			t.Fatalf("closest to %q: %v", typ, closest)
		}
	})
}

func FuzzInstance(f *testing.F) {
	for _, typ := range []string{"m8a.xlarge", "", "\n", `"`, `{"type":"`, "mac9.metal", "zzz", "\xff\xfe", strings.Repeat("é", 100)} {
		f.Add(typ)
	}
	c := catalog.Embedded()
	f.Fuzz(func(t *testing.T, typ string) {
		i, ok := c.Instance(typ)
		if ok && (i.Type != typ || !catalog.IsTypeName(typ)) {
			t.Errorf("Instance(%q) is %q", typ, i.Type)
		}
		if _, listed := c.InstancePrice("us-east-1", typ); listed && !catalog.IsTypeName(typ) {
			t.Errorf("%q has a price", typ)
		}
		for _, closest := range c.ClosestInstances(typ, 3) {
			if _, ok := c.Instance(closest); !ok {
				t.Errorf("closest to %q is %q, which is not known", typ, closest)
			}
		}
	})
}

func TestWithInstances(t *testing.T) {
	slow := catalog.Instance{
		Type: "mac2-m2pro.metal", Architectures: []string{"arm64_mac"},
		EBS: optional.Known(catalog.EBSCeiling{Sustained: catalog.EBSRate{Bandwidth: 1000, IOPS: 5000}, Maximum: catalog.EBSRate{Bandwidth: 1000, IOPS: 5000}}),
	}
	brandNew := catalog.Instance{Type: "mac9.metal", Architectures: []string{"arm64_mac"}}
	first := catalog.Instance{Type: "a0.large"}
	c := catalog.Embedded().WithInstances(slow, brandNew, first)
	for _, want := range []catalog.Instance{slow, brandNew, first} {
		got, ok := c.Instance(want.Type)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(optional.Value[catalog.EBSCeiling]{})); !ok || diff != "" {
			t.Errorf("Instance(%q), %t: (-want +got)\n%s", want.Type, ok, diff)
		}
	}
	if _, ok := catalog.Embedded().Instance("mac9.metal"); ok {
		t.Error("the embedded catalogue has changed")
	}
	var names []string
	for i := range c.Instances() {
		names = append(names, i.Type)
	}
	if len(names) != catalog.Embedded().InstanceCount()+2 || !slices.IsSorted(names) {
		t.Errorf("%d types, sorted %t; want two more than the table's %d, sorted", len(names), slices.IsSorted(names), catalog.Embedded().InstanceCount())
	}
	if got := c.ClosestInstances("mac9.metl", 1); !slices.Equal(got, []string{"mac9.metal"}) {
		t.Errorf("the closest to mac9.metl is %v, want the newer mac9.metal", got)
	}
	if _, ok := c.WithPrices(catalog.PriceOverrides{}).Instance("mac9.metal"); !ok {
		t.Error("a view with prices has lost the newer types")
	}
}
