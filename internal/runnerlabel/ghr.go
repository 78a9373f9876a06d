package runnerlabel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// ghrPrefix starts every label that github-aws-runners turns into a setting of
// the EC2 fleet; "ghr-" alone starts labels of one's own.
const (
	ghrPrefix = "ghr-ec2-"
	ownPrefix = "ghr-"
)

const (
	ghrType       = "instance-type"
	ghrSize       = "ebs-volume-size"
	ghrVolumeType = "ebs-volume-type"
	ghrIOPS       = "ebs-iops"
	ghrThroughput = "ebs-throughput"
)

// ghrKeys are the keys that the module reads, without the prefix.
var ghrKeys = []string{
	ghrType, "max-price", "subnet-id", "availability-zone", "availability-zone-id", "weighted-capacity", "priority", "image-id",
	"vcpu-count-min", "vcpu-count-max", "memory-mib-min", "memory-mib-max", "memory-gib-per-vcpu-min", "memory-gib-per-vcpu-max",
	"cpu-manufacturers", "instance-generations", "excluded-instance-types", "allowed-instance-types", "burstable-performance", "bare-metal",
	"accelerator-types", "accelerator-count-min", "accelerator-count-max", "accelerator-manufacturers", "accelerator-names",
	"accelerator-total-memory-mib-min", "accelerator-total-memory-mib-max",
	"network-interface-count-min", "network-interface-count-max", "network-bandwidth-gbps-min", "network-bandwidth-gbps-max",
	"local-storage", "local-storage-types", "total-local-storage-gb-min", "total-local-storage-gb-max",
	"baseline-ebs-bandwidth-mbps-min", "baseline-ebs-bandwidth-mbps-max",
	"placement-group-name", "placement-group-id", "placement-tenancy", "placement-host-id", "placement-affinity", "placement-partition-number",
	"placement-availability-zone", "placement-availability-zone-id", "placement-spread-domain", "placement-host-resource-group-arn",
	"block-device-name", ghrSize, ghrVolumeType, ghrIOPS, ghrThroughput, "ebs-encrypted", "ebs-kms-key-id", "ebs-delete-on-termination",
	"ebs-snapshot-id", "block-device-virtual-name", "block-device-no-device",
	"spot-max-price-percentage-over-lowest-price", "on-demand-max-price-percentage-over-lowest-price",
	"max-spot-price-as-percentage-of-optimal-on-demand-price", "require-hibernate-support", "require-encryption-in-transit",
	"baseline-performance-factors-cpu-reference-families",
}

// ghrSynonyms are spellings in which the volume's figures are met and that are
// read here, though the module itself reads the shorter ones only.
var ghrSynonyms = map[string]string{"ebs-volume-iops": ghrIOPS, "ebs-volume-throughput": ghrThroughput}

var ghrSyntax = syntax{
	names: ebs.Names{
		Size: ghrPrefix + ghrSize, IOPS: ghrPrefix + ghrIOPS, Throughput: ghrPrefix + ghrThroughput,
		Type: ghrPrefix + ghrVolumeType, InstanceType: ghrType,
	},
	assigned: func(name, value string) string { return name + ":" + value },
}

func hasGHR(t string) bool { return strings.HasPrefix(t, ownPrefix) || strings.Contains(t, ghrPrefix) }

// githubAWSRunners reads labels such as ghr-ec2-ebs-iops:4000: an array, or
// one text with commas, or slashes, before each.
func (d *draft) githubAWSRunners() {
	d.label.System = GitHubAWSRunners
	g := ghrDraft{draft: d, values: map[string]span{}}
	for i, t := range d.texts {
		d.reading = i
		cut := func(i int) bool {
			rest := lower(strings.TrimLeft(t[i+1:], " "))
			return t[i] == ',' || (t[i] == '/' && strings.HasPrefix(rest, ownPrefix))
		}
		for _, s := range sections(t, i, cut) {
			g.part(d.trimmed(s))
		}
	}
	d.reading = -1
	g.judge()
}

// ghrKeyOf are the labels of a volume's settings.
var ghrKeyOf = map[string]string{
	ebs.OurNames.Size: ghrSize, ebs.OurNames.Type: ghrVolumeType, ebs.OurNames.IOPS: ghrIOPS, ebs.OurNames.Throughput: ghrThroughput,
}

type ghrDraft struct {
	*draft
	open   bool
	values map[string]span
}

func (g *ghrDraft) part(s span) {
	text := g.at(s)
	if strings.HasPrefix(text, "${{") {
		g.open = true
		return
	}
	rest, ok := strings.CutPrefix(lower(text), ghrPrefix)
	if !ok {
		return // a label of one's own
	}
	name, _, colon := strings.Cut(rest, ":")
	keyAt := span{s.text, s.start + len(ghrPrefix), s.start + len(ghrPrefix) + len(name)}
	valueAt := span{s.text, min(keyAt.end+1, s.end), s.end}
	if dynamic(name) {
		g.open = true
		return
	}
	value := g.at(valueAt)
	if g.label.keys[name] = g.reading; ghrSynonyms[name] != "" {
		g.label.keys[ghrSynonyms[name]] = g.reading
	}
	if colon && value != "" {
		g.set(Setting{Key: name, Value: value, Dynamic: dynamic(value)})
		g.values[name] = valueAt
	}
	switch {
	case ghrSynonyms[name] != "":
		short := ghrSynonyms[name]
		g.values[short] = valueAt
		g.report(RuleUnknownKey.New(finding.Info, name,
			fmt.Sprintf("%s%s is read here as %s%s, which is what the module itself reads; its own releases may ignore the longer one.", ghrPrefix, name, ghrPrefix, short),
			fmt.Sprintf("Write %s%s.", ghrPrefix, short)))
	case !slices.Contains(ghrKeys, name):
		fix := "Keys of volumes are " + strings.Join([]string{ghrSize, ghrVolumeType, ghrIOPS, ghrThroughput}, ", ") + "."
		words := nearest(name, ghrKeys)
		if len(words) > 0 {
			fix = fmt.Sprintf("Write %s%s instead, if that is what was meant.", ghrPrefix, alternatives(words))
		}
		g.report(RuleUnknownKey.New(finding.Warning, "", "A label that starts with "+ghrPrefix+" has a key that the module does not know; it is ignored.", fix))
		if _, written := g.label.Get(strings.Join(words, "")); len(words) == 1 && !written {
			g.editKey(keyAt, words[0])
		}
	case value == "":
		g.report(RuleUnknownValue.New(finding.Warning, name, ghrPrefix+name+" has no value, so that the module ignores it.", "Write a value after a colon."))
	}
}

// number is a figure of the volume.
func (g *ghrDraft) number(name string) optional.Value[decimal.Decimal] {
	at, ok := g.values[name]
	if !ok {
		return optional.Null[decimal.Decimal]()
	}
	text := strings.TrimSpace(g.at(at))
	switch {
	case dynamic(text):
		return optional.Unknown[decimal.Decimal]()
	case !isNumber(text):
		g.label.places[[2]string{RuleVolume.ID, "volume"}] = at.text
		g.report(RuleVolume.New(finding.Error, "volume", fmt.Sprintf("The value of %s%s is not a number.", ghrPrefix, name), "Write a whole number."))
		return optional.Unknown[decimal.Decimal]()
	}
	d, err := decimal.NewFromString(text)
	if err != nil {
		return optional.Unknown[decimal.Decimal]()
	}
	return optional.Known(d)
}

func (g *ghrDraft) word(name string) optional.Value[string] {
	at, ok := g.values[name]
	switch {
	case !ok:
		return optional.Null[string]()
	case dynamic(g.at(at)):
		return optional.Unknown[string]()
	}
	return optional.Known(lower(strings.TrimSpace(g.at(at))))
}

func (g *ghrDraft) judge() {
	g.label.Open = g.open
	instance, fs := g.instanceOf(ghrSyntax, g.word(ghrType))
	g.report(fs...)
	v := Volume{SizeGiB: g.number(ghrSize), Type: g.word(ghrVolumeType), IOPS: g.number(ghrIOPS), ThroughputMiBPerS: g.number(ghrThroughput)}
	written := slices.ContainsFunc([]string{ghrSize, ghrVolumeType, ghrIOPS, ghrThroughput}, func(name string) bool {
		_, ok := g.values[name]
		return ok
	})
	if !written {
		if g.open {
			g.label.Volume = optional.Unknown[Volume]()
		}
		return
	}
	g.label.Volume = optional.Known(v)
	if g.open {
		return // an expression may still bring what is missing
	}
	found := g.volumeFindings(ghrSyntax, []judged{{path: "volume", volume: v.ebsVolume()}}, instance)
	g.report(found...)
	fixed, changed := g.repaired(v, instance)
	if !changed {
		return
	}
	for _, f := range []struct {
		name    string
		was, to optional.Value[decimal.Decimal]
	}{{ghrSize, v.SizeGiB, fixed.SizeGiB}, {ghrIOPS, v.IOPS, fixed.IOPS}, {ghrThroughput, v.ThroughputMiBPerS, fixed.ThroughputMiBPerS}} {
		was, _ := f.was.Get()
		if to, ok := f.to.Get(); ok && !to.Equal(was) && g.values[f.name].end > 0 {
			g.edit(g.values[f.name], to.String(), rulesOf(found)...)
		}
	}
}
