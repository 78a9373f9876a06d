package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
)

// build makes the embedded files, by name, from the source files. It fails
// when a source lacks its date, or when sources contradict each other.
func build(sources fs.FS) (map[string][]byte, error) {
	types, err := read[instanceTypes](sources, "instance_types.json")
	if err != nil {
		return nil, err
	}
	macs, err := read[macTypes](sources, "mac_types.json")
	if err != nil {
		return nil, err
	}
	limits, err := read[volumeLimits](sources, "volume_limits.json")
	if err != nil {
		return nil, err
	}
	volumePrices, err := read[volumePrices](sources, "volume_prices.json")
	if err != nil {
		return nil, err
	}
	hostPrices, err := read[hostPrices](sources, "mac_host_prices.json")
	if err != nil {
		return nil, err
	}
	prices, err := read[instancePrices](sources, "instance_prices.json")
	if err != nil {
		return nil, err
	}

	files := map[string][]byte{}
	for _, f := range []struct {
		name  string
		build func() ([]byte, error)
	}{
		{"instances.jsonl", types.build},
		{"instance_prices.jsonl", func() ([]byte, error) { return prices.build(types) }},
		{"macs.json", func() ([]byte, error) { return macs.build(types, hostPrices) }},
		{"volumes.json", limits.build},
		{"volume_prices.json", func() ([]byte, error) { return volumePrices.build(limits) }},
	} {
		if files[f.name], err = f.build(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return files, nil
}

func read[T any](sources fs.FS, name string) (T, error) {
	var v T
	content, err := fs.ReadFile(sources, name)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(content, &v); err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func checkSource(s record.Source) error {
	if s.Name == "" || s.AsOf == "" || s.Confidence == "" {
		return fmt.Errorf("a source needs its name, date and confidence: %+v", s)
	}
	return nil
}

// writeLines writes a header and records, one a line. Records must come sorted.
func writeLines[H, R any](header H, records []R) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(header); err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func writeTable(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return append(b, '\n'), err
}

// instanceTypes is sources/instance_types.json.
type instanceTypes struct {
	Source record.Source  `json:"source"`
	Types  []instanceType `json:"types"`
}

// instanceType is as the EC2 API has it: mbps is Mbit/s, mbs is 10^6 bytes/s.
type instanceType struct {
	Type              string    `json:"type"`
	VCPUs             int       `json:"vcpus"`
	Cores             int       `json:"cores"`
	MemoryMiB         int64     `json:"memory_mib"`
	Arch              []string  `json:"arch"`
	BaselineMbit      *int64    `json:"ebs_baseline_mbps"`
	BaselineMB        *float64  `json:"ebs_baseline_mbs"`
	BaselineIOPS      *int64    `json:"ebs_baseline_iops"`
	MaxMbit           *int64    `json:"ebs_max_mbps"`
	MaxMB             *float64  `json:"ebs_max_mbs"`
	MaxIOPS           *int64    `json:"ebs_max_iops"`
	Attachments       int       `json:"ebs_attachments"`
	BareMetal         bool      `json:"bare_metal"`
	CurrentGeneration bool      `json:"current_generation"`
	InstanceStoreGB   int64     `json:"instance_store_gb"`
	Network           string    `json:"network"`
	Cards             []ebsCard `json:"ebs_cards"`
}

type ebsCard struct {
	BaselineMbit int64 `json:"baseline_mbps"`
	BaselineIOPS int64 `json:"baseline_iops"`
	MaxMbit      int64 `json:"max_mbps"`
	MaxIOPS      int64 `json:"max_iops"`
}

func (s instanceTypes) find(typ string) (instanceType, bool) {
	for _, t := range s.Types {
		if t.Type == typ {
			return t, true
		}
	}
	return instanceType{}, false
}

func (s instanceTypes) build() ([]byte, error) {
	if err := checkSource(s.Source); err != nil {
		return nil, err
	}
	records := make([]record.Instance, 0, len(s.Types))
	for _, t := range s.Types {
		r, err := t.record()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Type, err)
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record.Instance) int { return strings.Compare(a.Type, b.Type) })
	for i := 1; i < len(records); i++ {
		if records[i-1].Type == records[i].Type {
			return nil, fmt.Errorf("%s is listed twice", records[i].Type)
		}
	}
	return writeLines(record.InstancesHeader{Source: s.Source, Count: len(records)}, records)
}

func (t instanceType) record() (record.Instance, error) {
	r := record.Instance{
		Type:            t.Type,
		VCPUs:           t.VCPUs,
		Cores:           t.Cores,
		MemoryMiB:       t.MemoryMiB,
		Architectures:   t.Arch,
		BareMetal:       t.BareMetal,
		CurrentGen:      t.CurrentGeneration,
		Network:         t.Network,
		InstanceStoreGB: t.InstanceStoreGB,
		MaxVolumes:      t.Attachments,
	}
	if !catalog.IsTypeName(t.Type) {
		return r, errors.New("not the name of a type")
	}
	if t.VCPUs < 1 || t.Cores < 1 || t.MemoryMiB < 1 || len(t.Arch) == 0 || t.Network == "" || t.Attachments < 1 {
		return r, fmt.Errorf("something is missing: %+v", r)
	}
	known := 0
	for _, there := range []bool{t.BaselineMbit != nil, t.BaselineMB != nil, t.BaselineIOPS != nil, t.MaxMbit != nil, t.MaxMB != nil, t.MaxIOPS != nil} {
		if there {
			known++
		}
	}
	switch known {
	case 0:
		return r, nil
	case 6:
	default:
		return r, errors.New("only some EBS figures are there")
	}
	r.EBS = &record.Ceiling{Mbit: *t.BaselineMbit, IOPS: *t.BaselineIOPS, MaxMbit: *t.MaxMbit, MaxIOPS: *t.MaxIOPS}
	if r.EBS.Mbit < 1 || r.EBS.IOPS < 1 || r.EBS.Mbit > r.EBS.MaxMbit || r.EBS.IOPS > r.EBS.MaxIOPS {
		return r, fmt.Errorf("the maximum is below the baseline: %+v", *r.EBS)
	}
	// The MB/s figures only serve to catch a misread column: AWS rounds some of them.
	for _, pair := range [][2]float64{{float64(*t.BaselineMbit), *t.BaselineMB}, {float64(*t.MaxMbit), *t.MaxMB}} {
		if exact := pair[0] / 8; math.Abs(pair[1]-exact) > 0.002*exact {
			return r, fmt.Errorf("%v Mbit/s is not %v MB/s", pair[0], pair[1])
		}
	}
	var sum record.Ceiling
	for _, c := range t.Cards {
		card := record.Ceiling{Mbit: c.BaselineMbit, IOPS: c.BaselineIOPS, MaxMbit: c.MaxMbit, MaxIOPS: c.MaxIOPS}
		r.Cards = append(r.Cards, card)
		sum.Mbit += card.Mbit
		sum.IOPS += card.IOPS
		sum.MaxMbit += card.MaxMbit
		sum.MaxIOPS += card.MaxIOPS
	}
	if len(t.Cards) > 0 && sum != *r.EBS {
		return r, fmt.Errorf("the EBS cards add up to %+v, not %+v", sum, *r.EBS)
	}
	return r, nil
}

// instancePrices is sources/instance_prices.json.
type instancePrices struct {
	USEast1 struct {
		Source record.Source              `json:"source"`
		Prices map[string]decimal.Decimal `json:"prices"`
	} `json:"us_east_1"`
	Elsewhere struct {
		Source   record.Source `json:"source"`
		Inferred map[string]struct {
			Regions []string `json:"regions"`
			From    string   `json:"from"`
		} `json:"inferred"`
		// Prices by type and region.
		Prices map[string]map[string]decimal.Decimal `json:"prices"`
	} `json:"elsewhere"`
}

func (s instancePrices) build(types instanceTypes) ([]byte, error) {
	h := record.InstancePricesHeader{
		CompleteRegion: catalog.DefaultRegion,
		CompleteSource: s.USEast1.Source,
		OtherSource:    s.Elsewhere.Source,
		References:     map[string]string{},
	}
	for _, source := range []record.Source{h.CompleteSource, h.OtherSource} {
		if err := checkSource(source); err != nil {
			return nil, err
		}
	}
	records := map[string]record.InstancePrice{}
	for typ, usd := range s.USEast1.Prices {
		records[typ] = record.InstancePrice{Type: typ, USDPerHour: map[string]decimal.Decimal{h.CompleteRegion: usd}}
	}
	for _, typ := range slices.Sorted(maps.Keys(s.Elsewhere.Prices)) {
		family, _, _ := strings.Cut(typ, ".")
		if other, taken := h.References[family]; taken {
			return nil, fmt.Errorf("both %s and %s are listed for other regions", other, typ)
		}
		h.References[family] = typ
		if t, ok := types.find(typ); !ok || t.BareMetal {
			return nil, fmt.Errorf("%s: only a known virtual type can be scaled", typ)
		}
		r, ok := records[typ]
		if !ok {
			return nil, fmt.Errorf("%s is not in the complete table", typ)
		}
		for region, usd := range s.Elsewhere.Prices[typ] {
			if both, listed := r.USDPerHour[region]; listed && !both.Equal(usd) {
				return nil, fmt.Errorf("%s in %s costs both %s and %s", typ, region, both, usd)
			}
			r.USDPerHour[region] = usd
		}
		inferred := s.Elsewhere.Inferred[typ]
		for _, region := range inferred.Regions {
			if r.InferredFrom == nil {
				r.InferredFrom = map[string]string{}
			}
			r.InferredFrom[region] = inferred.From
		}
		records[typ] = r
	}
	sorted := make([]record.InstancePrice, 0, len(records))
	for _, typ := range slices.Sorted(maps.Keys(records)) {
		r := records[typ]
		if !catalog.IsTypeName(typ) {
			return nil, fmt.Errorf("%q is not the name of a type", typ)
		}
		for region, usd := range r.USDPerHour {
			if !catalog.IsRegionName(region) || !usd.IsPositive() {
				return nil, fmt.Errorf("%s in %s: %s is no price", typ, region, usd)
			}
		}
		sorted = append(sorted, r)
	}
	h.Count = len(sorted)
	return writeLines(h, sorted)
}

// volumeLimits is what is used of sources/volume_limits.json.
type volumeLimits struct {
	Source record.Source `json:"source"`
	GP3    struct {
		Classic gp3Limits `json:"classic"`
		Current gp3Limits `json:"current"`
	} `json:"gp3"`
	GP2 struct {
		SizeGiB       record.Range `json:"size_gib"`
		IOPS          record.Range `json:"iops"`
		IOPSPerGiB    int64        `json:"iops_per_gib"`
		BurstIOPS     int64        `json:"burst_iops"`
		BurstCredits  int64        `json:"burst_credits"`
		ThroughputMiB record.Range `json:"throughput_mib_s"`
		BurstFrom     int64        `json:"burst_to_250_from_gib"`
		FullFrom      int64        `json:"throughput_250_from_gib"`
	} `json:"gp2"`
	IO1 struct {
		SizeGiB    record.Range `json:"size_gib"`
		IOPS       record.Range `json:"iops"`
		Max        float64      `json:"throughput_mib_s_max"`
		MaxTo32000 float64      `json:"throughput_mib_s_up_to_32000_iops"`
		IOPSPerGiB int64        `json:"iops_per_gib"`
	} `json:"io1"`
	IO2 struct {
		SizeGiB    record.Range `json:"size_gib"`
		IOPS       record.Range `json:"iops"`
		Max        float64      `json:"throughput_mib_s_max"`
		IOPSPerGiB int64        `json:"iops_per_gib"`
		MiBPerIOPS float64      `json:"throughput_mib_s_per_iops"`
		TiersUpTo  []int64      `json:"iops_price_tiers_up_to"`
	} `json:"io2"`
	ST1      hddLimits `json:"st1"`
	SC1      hddLimits `json:"sc1"`
	Standard struct {
		SizeGiB       record.Range `json:"size_gib"`
		ThroughputMiB record.Range `json:"throughput_mib_s"`
	} `json:"standard"`
}

type gp3Limits struct {
	From          string          `json:"from"`
	SizeGiB       record.Range    `json:"size_gib"`
	IOPS          record.Range    `json:"iops"`
	ThroughputMiB record.Range    `json:"throughput_mib_s"`
	IOPSPerGiB    int64           `json:"iops_per_gib"`
	MiBPerIOPS    decimal.Decimal `json:"throughput_mib_s_per_iops"`
}

type hddLimits struct {
	SizeGiB  record.Range `json:"size_gib"`
	Max      float64      `json:"throughput_mib_s_max"`
	Bootable bool         `json:"bootable"`
}

// io1Step is the count of IOPS up to which io1 carries less, as the name of
// the field in the source says.
const io1Step = 32000

func (s volumeLimits) build() ([]byte, error) {
	if err := checkSource(s.Source); err != nil {
		return nil, err
	}
	out := record.Volumes{
		Source: s.Source,
		GP3:    map[string]record.GP3{},
		GP2: record.GP2{
			IOPS:                s.GP2.IOPS,
			IOPSPerGiB:          s.GP2.IOPSPerGiB,
			BurstIOPS:           s.GP2.BurstIOPS,
			BurstCredits:        s.GP2.BurstCredits,
			ThroughputMiB:       s.GP2.ThroughputMiB,
			BurstThroughputOver: s.GP2.BurstFrom,
			FullThroughputFrom:  s.GP2.FullFrom,
		},
		Types: []record.VolumeType{
			{Name: "gp2", SizeGiB: s.GP2.SizeGiB, IOPSPerGiB: s.GP2.IOPSPerGiB, MaxThroughputMiB: float64(s.GP2.ThroughputMiB[1]), Bootable: true},
			{
				Name: "io1", SizeGiB: s.IO1.SizeGiB, IOPS: &s.IO1.IOPS, IOPSPerGiB: s.IO1.IOPSPerGiB, MaxThroughputMiB: s.IO1.Max, Bootable: true,
				ThroughputSteps: []record.ThroughputStep{{UpToIOPS: io1Step, ThroughputMiB: s.IO1.MaxTo32000}},
			},
			{Name: "io2", SizeGiB: s.IO2.SizeGiB, IOPS: &s.IO2.IOPS, IOPSPerGiB: s.IO2.IOPSPerGiB, MaxThroughputMiB: s.IO2.Max, MiBPerIOPS: s.IO2.MiBPerIOPS, Bootable: true},
			{Name: "sc1", SizeGiB: s.SC1.SizeGiB, MaxThroughputMiB: s.SC1.Max, Bootable: s.SC1.Bootable},
			{Name: "st1", SizeGiB: s.ST1.SizeGiB, MaxThroughputMiB: s.ST1.Max, Bootable: s.ST1.Bootable},
			{Name: "standard", SizeGiB: s.Standard.SizeGiB, MaxThroughputMiB: float64(s.Standard.ThroughputMiB[1]), Bootable: true},
		},
	}
	for set, g := range map[catalog.LimitSet]gp3Limits{catalog.CurrentLimits: s.GP3.Current, catalog.ClassicLimits: s.GP3.Classic} {
		if !g.MiBPerIOPS.IsPositive() {
			return nil, fmt.Errorf("gp3 %s: no ratio of throughput to IOPS", set)
		}
		perMiB := decimal.NewFromInt(1).Div(g.MiBPerIOPS)
		if !perMiB.IsInteger() {
			return nil, fmt.Errorf("gp3 %s: a MiB/s takes %s IOPS, not a whole number", set, perMiB)
		}
		out.GP3[string(set)] = record.GP3{
			From: g.From, SizeGiB: g.SizeGiB, IOPS: g.IOPS, ThroughputMiB: g.ThroughputMiB,
			IOPSPerGiB: g.IOPSPerGiB, IOPSPerMiB: perMiB.IntPart(),
		}
		for _, r := range []record.Range{g.SizeGiB, g.IOPS, g.ThroughputMiB} {
			if r[0] < 1 || r[0] >= r[1] {
				return nil, fmt.Errorf("gp3 %s: %v is no range", set, r)
			}
		}
	}
	for _, t := range out.Types {
		if t.SizeGiB[0] < 1 || t.SizeGiB[0] >= t.SizeGiB[1] || t.MaxThroughputMiB <= 0 {
			return nil, fmt.Errorf("%s: something is missing: %+v", t.Name, t)
		}
	}
	return writeTable(out)
}

// volumePrices is what is used of sources/volume_prices.json.
type volumePrices struct {
	Source  record.Source           `json:"source"`
	Regions map[string]regionPrices `json:"regions"`
	// SeenElsewhere are prices from other publications, to check the table by.
	SeenElsewhere []struct {
		Region string              `json:"region"`
		GiB    decimal.NullDecimal `json:"gb_month"`
		IOPS   decimal.NullDecimal `json:"iops_month"`
		MiB    decimal.NullDecimal `json:"mibps_month"`
	} `json:"seen_elsewhere"`
}

type regionPrices struct {
	Currency string          `json:"currency"`
	GiB      decimal.Decimal `json:"gb_month"`
	IOPS     decimal.Decimal `json:"iops_month_above_3000"`
	MiB      decimal.Decimal `json:"mibps_month_above_125"`
	GP2      *otherPrices    `json:"gp2"`
	IO1      *otherPrices    `json:"io1"`
	IO2      *otherPrices    `json:"io2"`
	ST1      *otherPrices    `json:"st1"`
	SC1      *otherPrices    `json:"sc1"`
}

type otherPrices struct {
	GiB   decimal.Decimal     `json:"GBMonth"`
	IOPS  decimal.NullDecimal `json:"IOPSMonth"`
	Tier1 decimal.NullDecimal `json:"Tier1IOPSMonth"`
	Tier2 decimal.NullDecimal `json:"Tier2IOPSMonth"`
	Tier3 decimal.NullDecimal `json:"Tier3IOPSMonth"`
}

func (s volumePrices) build(limits volumeLimits) ([]byte, error) {
	if err := checkSource(s.Source); err != nil {
		return nil, err
	}
	out := record.VolumePrices{Source: s.Source, Regions: map[string]record.RegionPrices{}}
	for region, p := range s.Regions {
		if !catalog.IsRegionName(region) || len(p.Currency) != 3 {
			return nil, fmt.Errorf("%s (%s): not a region or currency", region, p.Currency)
		}
		r := record.RegionPrices{
			Currency: p.Currency,
			GP3:      record.GP3Prices{GiB: p.GiB, IOPS: p.IOPS, MiB: p.MiB},
			Others:   map[string]record.OtherPrices{},
		}
		for _, usd := range []decimal.Decimal{p.GiB, p.IOPS, p.MiB} {
			if !usd.IsPositive() {
				return nil, fmt.Errorf("%s: %s is no price", region, usd)
			}
		}
		for name, o := range map[string]*otherPrices{"gp2": p.GP2, "io1": p.IO1, "io2": p.IO2, "st1": p.ST1, "sc1": p.SC1} {
			if o == nil {
				continue
			}
			tiers, err := o.tiers(limits.IO2.TiersUpTo)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", region, name, err)
			}
			r.Others[name] = record.OtherPrices{GiB: o.GiB, IOPS: tiers}
		}
		out.Regions[region] = r
	}
	for _, seen := range s.SeenElsewhere {
		p := s.Regions[seen.Region]
		for _, pair := range []struct {
			other decimal.NullDecimal
			table decimal.Decimal
		}{{seen.GiB, p.GiB}, {seen.IOPS, p.IOPS}, {seen.MiB, p.MiB}} {
			if pair.other.Valid && !pair.other.Decimal.Equal(pair.table) {
				return nil, fmt.Errorf("%s: %s was seen elsewhere, the table has %s", seen.Region, pair.other.Decimal, pair.table)
			}
		}
	}
	return writeTable(out)
}

// tiers are the prices of IOPS: none, one without end (io1), or three (io2).
func (o otherPrices) tiers(upTo []int64) ([]record.IOPSTier, error) {
	if !o.GiB.IsPositive() {
		return nil, errors.New("no price of storage")
	}
	switch {
	case o.IOPS.Valid:
		return []record.IOPSTier{{Month: o.IOPS.Decimal}}, nil
	case !o.Tier1.Valid:
		return nil, nil
	case !o.Tier2.Valid || !o.Tier3.Valid || len(upTo) != 2:
		return nil, errors.New("a tier of IOPS is missing")
	}
	return []record.IOPSTier{
		{UpTo: upTo[0], Month: o.Tier1.Decimal},
		{UpTo: upTo[1], Month: o.Tier2.Decimal},
		{Month: o.Tier3.Decimal},
	}, nil
}

// macTypes is what is used of sources/mac_types.json.
type macTypes struct {
	Source record.Source `json:"source"`
	Rules  struct {
		MinimumAllocationHours int          `json:"minimum_allocation_hours"`
		InstancesPerHost       int          `json:"instances_per_host"`
		LaunchMinutes          record.Range `json:"launch_minutes"`
		Scrub                  struct {
			Intel         int `json:"x86_64_mac"`
			IntelFirmware int `json:"x86_64_mac_with_firmware_update"`
			AppleCurrent  int `json:"arm64_mac_current_doc"`
			AppleOlder    int `json:"arm64_mac_older_doc"`
		} `json:"scrub_minutes_max"`
		Recommended struct {
			IOPS          int64 `json:"iops"`
			ThroughputMiB int64 `json:"throughput_mib_s"`
		} `json:"aws_recommended_volume_for_mac"`
	} `json:"host_rules"`
	Types []macType `json:"types"`
}

type macType struct {
	Type         string   `json:"type"`
	HostFamily   string   `json:"host_family"`
	Chip         string   `json:"chip"`
	Machine      string   `json:"machine"`
	DocCPUCores  *int     `json:"doc_cpu_cores"`
	VCPUs        int      `json:"api_vcpus"`
	Cores        int      `json:"api_cores"`
	MemoryMiB    int64    `json:"memory_mib"`
	Arch         []string `json:"arch"`
	BaselineMbit int64    `json:"ebs_baseline_mbps"`
	BaselineIOPS int64    `json:"ebs_baseline_iops"`
	MaxMbit      int64    `json:"ebs_max_mbps"`
	MaxIOPS      int64    `json:"ebs_max_iops"`
	Attachments  int      `json:"ebs_max_attachments"`
	Regions      []string `json:"regions_offered"`
}

// hostPrices is sources/mac_host_prices.json.
type hostPrices struct {
	Regions map[string]struct {
		Source record.Source              `json:"source"`
		Prices map[string]decimal.Decimal `json:"prices"`
		// DayMinimum is the published price of the shortest allocation, a day.
		DayMinimum map[string]decimal.Decimal `json:"day_minimum_usd"`
	} `json:"regions"`
}

func (s macTypes) build(types instanceTypes, prices hostPrices) ([]byte, error) {
	if err := checkSource(s.Source); err != nil {
		return nil, err
	}
	scrub := s.Rules.Scrub
	out := record.Macs{
		Source: s.Source,
		Rules: record.HostRules{
			MinimumAllocationHours:    s.Rules.MinimumAllocationHours,
			InstancesPerHost:          s.Rules.InstancesPerHost,
			LaunchMinutes:             s.Rules.LaunchMinutes,
			ScrubMinutesIntel:         scrub.Intel,
			ScrubMinutesIntelFirmware: scrub.IntelFirmware,
			ScrubMinutesAppleCurrent:  scrub.AppleCurrent,
			ScrubMinutesAppleOlder:    scrub.AppleOlder,
			RecommendedIOPS:           s.Rules.Recommended.IOPS,
			RecommendedThroughputMiB:  s.Rules.Recommended.ThroughputMiB,
		},
		HostPrices: map[string]record.HostPrices{},
	}
	for _, t := range s.Types {
		if err := t.agrees(types); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Type, err)
		}
		r := record.Mac{
			Type: t.Type, HostFamily: t.HostFamily, Chip: t.Chip, Machine: t.Machine,
			CPUCores: t.DocCPUCores, ScrubMinutesMax: scrub.AppleCurrent, Regions: slices.Sorted(slices.Values(t.Regions)),
		}
		if slices.Contains(t.Arch, "x86_64_mac") {
			r.ScrubMinutesMax = scrub.Intel
		}
		if r.HostFamily == "" || r.Chip == "" || r.ScrubMinutesMax == 0 || len(r.Regions) == 0 {
			return nil, fmt.Errorf("%s: something is missing: %+v", t.Type, r)
		}
		out.Types = append(out.Types, r)
	}
	slices.SortFunc(out.Types, func(a, b record.Mac) int { return strings.Compare(a.Type, b.Type) })

	for region, p := range prices.Regions {
		if err := checkSource(p.Source); err != nil {
			return nil, fmt.Errorf("host prices of %s: %w", region, err)
		}
		for typ, usd := range p.Prices {
			if !slices.ContainsFunc(s.Types, func(t macType) bool { return t.Type == typ }) || !usd.IsPositive() {
				return nil, fmt.Errorf("host prices of %s: %s at %s", region, typ, usd)
			}
			if day, ok := p.DayMinimum[typ]; ok && !usd.Mul(decimal.NewFromInt(24)).Equal(day) {
				return nil, fmt.Errorf("host prices of %s: %s costs %s an hour but %s a day", region, typ, usd, day)
			}
		}
		out.HostPrices[region] = record.HostPrices{Source: p.Source, USDPerHour: p.Prices}
	}
	return writeTable(out)
}

// agrees fails when the table of Macs and that of instance types differ.
func (t macType) agrees(types instanceTypes) error {
	i, ok := types.find(t.Type)
	if !ok {
		return errors.New("not in the table of instance types")
	}
	r, err := i.record()
	if err != nil {
		return err
	}
	if r.EBS == nil || *r.EBS != (record.Ceiling{Mbit: t.BaselineMbit, IOPS: t.BaselineIOPS, MaxMbit: t.MaxMbit, MaxIOPS: t.MaxIOPS}) {
		return errors.New("the table of instance types has other EBS figures")
	}
	if i.VCPUs != t.VCPUs || i.Cores != t.Cores || i.MemoryMiB != t.MemoryMiB || i.Attachments != t.Attachments || !slices.Equal(i.Arch, t.Arch) {
		return errors.New("the table of instance types differs")
	}
	return nil
}
