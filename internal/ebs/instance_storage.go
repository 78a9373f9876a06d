package ebs

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// InstanceStorage are the volumes of one EC2 instance as somebody wrote them.
// Unknown members are waited for: nothing is said of them and what depends on
// them is unknown, while the rest is judged.
type InstanceStorage struct {
	InstanceType optional.Value[string]
	// Region whose prices are used; catalog.DefaultRegion if null.
	Region optional.Value[string]
	// Limits is the generation of gp3's limits, a catalog.LimitSet: the current ones
	// if null, the classic ones on Outposts.
	Limits optional.Value[string]
	// Volumes in the order in which they were written; unknown while their number is.
	Volumes optional.Value[[]InstanceVolume]
}

// InstanceVolume is one volume of an instance.
type InstanceVolume struct {
	// Name is what the volume is referred to by; it is never repeated in messages.
	Name optional.Value[string]
	Type optional.Value[string]
	// Left-out throughput of gp3 is filled in with the free baseline, left-out IOPS
	// with the fewest that carry the throughput.
	SizeGiB, IOPS, ThroughputMiBPerS optional.Value[decimal.Decimal]
	// CardIndex is the EBS card that the volume is attached to, on types that have
	// more than one; 0 if null, as AWS attaches it if nobody says.
	CardIndex optional.Value[decimal.Decimal]
}

// InstanceStorageResult is what follows from an InstanceStorage. A null member
// does not apply or is not in the table; an unknown one waits for an input.
type InstanceStorageResult struct {
	// Volumes in the order of the input; empty while their number is unknown.
	Volumes []InstanceVolumeResult
	// ProvisionedThroughput and ProvisionedIOPS are the sums over the volumes, free
	// baselines included.
	ProvisionedThroughput optional.Value[units.MiBPerS]
	ProvisionedIOPS       optional.Value[int64]
	// Ceiling is what the instance moves to and from all volumes together; of a type
	// with several EBS cards, what they do together.
	Ceiling optional.Value[catalog.EBSCeiling]
	// Cards is how many EBS cards the type has.
	Cards                    optional.Value[int64]
	MonthlyCostUSD           optional.Value[decimal.Decimal]
	Findings                 []finding.Finding
	FindingsWaitForAnUnknown bool
}

// InstanceVolumeResult is one volume with what was filled in.
type InstanceVolumeResult struct {
	IOPS, ThroughputMiBPerS optional.Value[decimal.Decimal]
	MonthlyCostUSD          optional.Value[decimal.Decimal]
}

// MostVolumes is the most volumes that are looked at. No type attaches as many.
const MostVolumes = 200

// Problems are the faults of shape that need no catalogue: numbers that cannot
// be, and names that are not unique. EvaluateInstanceStorage is for storages
// without problems.
func (s InstanceStorage) Problems() []shape.Problem {
	var ps shape.Problems
	ps.NotEmpty("instance_type", s.InstanceType)
	if set, ok := s.Limits.Get(); ok {
		if _, ok := catalog.ParseLimitSet(set); !ok {
			ps.Add("limits", "limits must be %q, or %q on Outposts", catalog.CurrentLimits, catalog.ClassicLimits)
		}
	}
	volumes, known := s.Volumes.Get()
	if len(volumes) == 0 && (known || s.Volumes.IsNull()) {
		ps.Add("volume", "at least one volume is required")
	}
	if len(volumes) > MostVolumes {
		ps.Add("volume", "there are %d volumes; more than %d are a mistake here", len(volumes), MostVolumes)
		return ps
	}
	// Sizes and speeds are judged by rules where they are whole numbers.
	figure := shape.PositiveWhole(mostOfAnything)
	card := shape.NotNegative(mostCards)
	card.Whole = true
	first := map[string]int{}
	for i, v := range volumes {
		at := volumePath(i)
		ps.NotEmpty(at+".name", v.Name)
		if name, ok := v.Name.Get(); ok && name != "" {
			if j, taken := first[name]; taken {
				ps.Add(at+".name", "%s.name is also the name of %s; names must be unique, because by_name refers to volumes by them", at, volumePath(j))
			} else {
				first[name] = i
			}
		}
		ps.Number(at+".size_gib", v.SizeGiB, figure)
		ps.Number(at+".iops", v.IOPS, figure)
		ps.Number(at+".throughput_mib_per_s", v.ThroughputMiBPerS, figure)
		ps.Number(at+".ebs_card_index", v.CardIndex, card)
	}
	return ps
}

const (
	mostOfAnything = 1_000_000_000
	mostCards      = 100
)

// volumePath is the path of a volume, by which messages name it, too: its own
// name is free text.
func volumePath(i int) string { return fmt.Sprintf("volume[%d]", i) }

// instanceStorage is an InstanceStorage in work.
type instanceStorage struct {
	InstanceStorage
	judge    Judge
	instance optional.Value[catalog.Instance]
	volumes  []Volume
	cards    []optional.Value[int64] // of each volume
}

// EvaluateInstanceStorage fills in what was left out, adds up and applies the
// rules.
func EvaluateInstanceStorage(cat *catalog.Catalog, s InstanceStorage) InstanceStorageResult {
	w := &instanceStorage{InstanceStorage: s}
	set, setKnown := s.Limits.Or(string(catalog.CurrentLimits)).Get()
	// An unknown Region has no prices, and messages say so.
	region, _ := s.Region.Or(catalog.DefaultRegion).Get()
	w.judge = Judge{Catalog: cat, Limits: catalog.LimitSet(set), Region: region, Names: OurNames}
	var instanceFindings []finding.Finding
	w.instance, instanceFindings = w.judge.Instance(s.InstanceType)
	w.fillIn()

	r := w.result()
	r.Findings = instanceFindings
	if setKnown {
		r.Findings = append(r.Findings, w.findings()...)
	}
	r.Findings = finding.Merge(r.Findings)
	return r
}

// fillIn completes the gp3 volumes.
func (w *instanceStorage) fillIn() {
	l := w.judge.limits()
	volumes, _ := w.Volumes.Get()
	for i, in := range volumes {
		v := Volume{Name: volumePath(i), Type: in.Type, SizeGiB: in.SizeGiB, IOPS: in.IOPS, ThroughputMiBPerS: in.ThroughputMiBPerS}
		switch name, known := in.Type.Or(TypeGP3).Get(); {
		case !known:
			// Nobody can say yet whether what was left out will be filled in.
			v.IOPS = v.IOPS.OrElse(optional.Unknown[decimal.Decimal]())
			v.ThroughputMiBPerS = v.ThroughputMiBPerS.OrElse(optional.Unknown[decimal.Decimal]())
		case name == TypeGP3:
			v.ThroughputMiBPerS = v.ThroughputMiBPerS.Or(decimal.NewFromInt(l.ThroughputMiB.Min))
			v.IOPS = v.IOPS.OrElse(w.carrying(v))
		}
		w.volumes = append(w.volumes, v)
		w.cards = append(w.cards, whole(in.CardIndex.Or(decimal.Zero)))
	}
}

// carrying are the fewest IOPS that carry a volume's throughput, as far as its
// size allows. Where it does not allow them, the throughput that was written is
// at fault and not what is filled in here.
func (w *instanceStorage) carrying(v Volume) optional.Value[decimal.Decimal] {
	l := w.judge.limits()
	return optional.Then(whole(v.ThroughputMiBPerS), func(t int64) optional.Value[decimal.Decimal] {
		return optional.Map(IOPSWithin(l, v.WholeSize(), MinIOPS(l, t)), decimal.NewFromInt)
	})
}

func (w *instanceStorage) result() InstanceStorageResult {
	r := InstanceStorageResult{
		ProvisionedThroughput: optional.Known(units.MiBPerS(0)),
		ProvisionedIOPS:       optional.Known(int64(0)),
		MonthlyCostUSD:        optional.Known(decimal.Zero),
		Ceiling:               optional.Then(w.instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS }),
		Cards:                 optional.Map(w.instance, func(i catalog.Instance) int64 { return int64(max(1, len(i.Cards))) }),
	}
	cat, l := w.judge.Catalog, w.judge.limits()
	for _, v := range w.volumes {
		cost := optional.Map(v.Cost(cat, w.judge.Limits, w.judge.Region), Cost.TotalUSD)
		if w.Region.IsUnknown() {
			cost = optional.Unknown[decimal.Decimal]()
		}
		r.Volumes = append(r.Volumes, InstanceVolumeResult{IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS, MonthlyCostUSD: cost})
		r.MonthlyCostUSD = optional.Map2(r.MonthlyCostUSD, cost, decimal.Decimal.Add)
		r.ProvisionedThroughput = optional.Map2(r.ProvisionedThroughput, v.Throughput(cat, w.judge.Limits), func(a, b units.MiBPerS) units.MiBPerS { return a + b })
		r.ProvisionedIOPS = optional.Map2(r.ProvisionedIOPS, v.ProvisionedIOPS(cat, l), func(a, b int64) int64 { return a + b })
	}
	if w.Volumes.IsUnknown() {
		r.ProvisionedThroughput, r.ProvisionedIOPS = optional.Unknown[units.MiBPerS](), optional.Unknown[int64]()
		r.MonthlyCostUSD = optional.Unknown[decimal.Decimal]()
	}
	r.FindingsWaitForAnUnknown = w.waits()
	return r
}

// findings applies every rule whose inputs are known, each volume by itself and
// all of an EBS card together.
func (w *instanceStorage) findings() []finding.Finding {
	var fs []finding.Finding
	byCard := map[int64][]Volume{}
	sumKnown := true
	for i, v := range w.volumes {
		at := volumePath(i)
		card, known := w.cards[i].Get()
		instance := optional.Unknown[catalog.Instance]()
		if known {
			var missing []finding.Finding
			instance, missing = w.card(card)
			fs = append(fs, finding.Under(at, at, missing)...)
			byCard[card] = append(byCard[card], v)
		}
		sumKnown = sumKnown && known
		fs = append(fs, finding.Under(at, at, w.judge.Volume(v, instance))...)
	}
	if sumKnown && !w.Volumes.IsUnknown() {
		for card, volumes := range byCard {
			instance, _ := w.card(card)
			fs = append(fs, w.judge.Budget(volumes, instance, true)...)
		}
		fs = append(fs, w.tooMany()...)
	}
	return fs
}

// card is the instance as volumes on one of its EBS cards see it: with that
// card's ceiling. A card that the instance does not have is reported.
func (w *instanceStorage) card(index int64) (optional.Value[catalog.Instance], []finding.Finding) {
	i, ok := w.instance.Get()
	if !ok {
		return w.instance, nil
	}
	have := int64(max(1, len(i.Cards)))
	switch {
	case index >= have:
		cards := fmt.Sprintf("%d EBS cards, 0 to %d", have, have-1)
		if have == 1 {
			cards = "one EBS card, 0"
		}
		return optional.Null[catalog.Instance](), []finding.Finding{RuleInstanceEBSCard.New(finding.Error, "ebs_card_index",
			fmt.Sprintf("%s has %s: AWS refuses to attach a volume to card %d.", i.Type, cards, index),
			fmt.Sprintf("Write ebs_card_index = %d, or leave it out.", have-1))}
	case have > 1:
		i.EBS = optional.Known(i.Cards[index])
		i.Type = fmt.Sprintf("EBS card %d of %s", index, i.Type)
	}
	return optional.Known(i), nil
}

// tooMany: more volumes than can be attached.
func (w *instanceStorage) tooMany() []finding.Finding {
	i, ok := w.instance.Get()
	if !ok || i.MaxVolumes == 0 || len(w.volumes) <= i.MaxVolumes {
		return nil
	}
	return []finding.Finding{RuleInstanceVolumeCount.New(finding.Error, "volume",
		fmt.Sprintf("%d volumes are written, but at most %d EBS volumes can be attached to %s; on some types network interfaces count, too.", len(w.volumes), i.MaxVolumes, i.Type),
		"Join volumes to larger ones, or choose an instance type that takes more.")}
}

// waits says whether any input is unknown that findings depend on.
func (w *instanceStorage) waits() bool {
	unknown := w.InstanceType.IsUnknown() || w.Limits.IsUnknown() || w.Region.IsUnknown() || w.Volumes.IsUnknown()
	volumes, _ := w.Volumes.Get()
	for _, v := range volumes {
		unknown = unknown || v.Type.IsUnknown() || v.SizeGiB.IsUnknown() || v.IOPS.IsUnknown() ||
			v.ThroughputMiBPerS.IsUnknown() || v.CardIndex.IsUnknown()
	}
	return unknown
}
