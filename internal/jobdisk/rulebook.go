package jobdisk

import (
	"embed"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

//go:embed rules/*.md
var pages embed.FS

func rule(id, summary string, severities ...finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}

// The rules of a CI job's disk. Each has a page of the same name under rules/.
var (
	RuleVolumeBound   = rule("job-volume-bound", "CI job waits for its volume", finding.Warning)
	RuleInstanceBound = rule("job-instance-bound", "CI job waits for its instance's EBS limit", finding.Warning, finding.Info)
	RuleTmpfsMemory   = rule("job-tmpfs-memory", "CI job does not fit into memory with tmpfs", finding.Warning)
	RuleSwapOnVolume  = rule("swap-on-volume", "Swap lies on a volume that the job needs", finding.Warning)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{RuleVolumeBound, RuleInstanceBound, RuleTmpfsMemory, RuleSwapOnVolume}
}

func (e *evaluation) findings(chosen Option) []finding.Finding {
	fs := e.instanceFindings
	v := e.Volume
	v.IOPSBound, v.ThroughputJudged = true, true // what it is for is judged here
	for _, f := range finding.Under("volume", "", e.judge.Volume(v, e.instance)) {
		if f.Severity > finding.Info { // advice about bursts is given with the job's own figures
			fs = append(fs, f)
		}
	}
	switch e.bound.name {
	case BoundVolumeIOPS:
		fs = append(fs, RuleVolumeBound.New(finding.Warning, "volume.iops", "The job waits for its volume: "+e.bound.reached(e)+".", e.wayOut(chosen)))
	case BoundVolumeThroughput:
		fs = append(fs, RuleVolumeBound.New(finding.Warning, "volume.throughput_mib_per_s", "The job waits for its volume: "+e.bound.reached(e)+".", e.wayOut(chosen)))
	case BoundInstanceIOPS, BoundInstanceThroughput:
		message := "The job waits for its instance: " + e.bound.reached(e) + "."
		if c, ok := e.ceiling.Get(); ok && c.CanBurst() && !e.bursts() {
			message += fmt.Sprintf(" It takes %s minutes, and the burst lasts for %d minutes in 24 hours at least.", amount(e.minutes), burstMinutes)
		}
		fs = append(fs, RuleInstanceBound.New(finding.Warning, "instance_type", message, e.wayOut(chosen)))
	default:
		if note := e.burstNote(); note != "" {
			fs = append(fs, RuleInstanceBound.New(finding.Info, "instance_type", note, "Right for jobs of half an hour, once a day and instance; a runner that serves job after job has what is sustained."))
		}
	}
	if i, ok := e.instance.Get(); ok && e.bound.name != BoundNone {
		if fits, why := e.tmpfsFits(i); !fits {
			fs = append(fs, RuleTmpfsMemory.New(finding.Warning, "instance_type", sentence("its files in memory", false, why), e.tmpfsWay(chosen)))
		}
	}
	if gib, ok := e.SwapGiB.Get(); ok && gib.IsPositive() {
		fs = append(fs, Swap(gib, e.settings)...)
	}
	return fs
}

// wayOut is the verdict as a fix, with its price.
func (e *evaluation) wayOut(chosen Option) string {
	local := ""
	if i, ok := e.instance.Get(); ok && i.InstanceStoreGB > 0 {
		local = fmt.Sprintf(" %s has %s GB of local NVMe: put /tmp and Docker's data there first, it costs nothing.", i.Type, units.Count(i.InstanceStoreGB))
	}
	label, ok := chosen.Label.Get()
	if chosen.Name == Keep || !ok {
		return "None of the ways out fits: take a larger instance, or split the job." + local
	}
	name := chosen.Name
	if !isTrue(chosen.Fits) {
		name += ", and measure again"
	}
	price := "price not known"
	if usd, ok := chosen.CostPerJobUSD.Get(); ok {
		price = "$" + usd.StringFixed(4) + " a job"
	}
	if chosen.MinutesAssumed {
		price += ", if it takes as long"
	}
	return fmt.Sprintf("Write %s (%s: %s).%s", label, name, price, local)
}

// tmpfsWay says what to do instead of a tmpfs that does not fit.
func (e *evaluation) tmpfsWay(chosen Option) string {
	typ, _ := chosen.InstanceType.Get()
	switch chosen.Name {
	case TmpfsMoreMemory:
		return fmt.Sprintf("Do not add extras=tmpfs on %s; %s has the memory.", e.InstanceType, typ)
	case FasterVolume:
		return fmt.Sprintf("Do not add extras=tmpfs on %s; a faster volume is the way out.", e.InstanceType)
	}
	return fmt.Sprintf("Do not add extras=tmpfs on %s.", e.InstanceType)
}

// Swap judges swap on a volume: filling it takes all of the volume's
// throughput, just when the job is short of memory.
func Swap(gib decimal.Decimal, volume ebs.GP3) []finding.Finding {
	if volume.ThroughputMiBPerS <= 0 {
		return nil
	}
	seconds := gib.Mul(decimal.NewFromInt(units.MiBPerGiB)).DivRound(decimal.NewFromInt(volume.ThroughputMiBPerS), 1)
	return []finding.Finding{RuleSwapOnVolume.New(finding.Warning, "swap_gib",
		fmt.Sprintf("%s GiB of swap take %s s to fill at the volume's %s MiB/s, and all that time the job's own reads and writes wait behind it.",
			amount(gib), units.Decimal(seconds), units.Count(volume.ThroughputMiBPerS)),
		"Compress swap in memory instead (zram, which costs nothing), or take a type with more memory; keep swap on a volume for what must never be killed.")}
}
