package audit

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
)

// What the audit sees of a configuration, for those who show it.

// VolumeOf is a volume as the rules see it.
func VolumeOf(v *plan.Volume) ebs.Volume { return volumeOf(v) }

// IsMacRoot says whether a volume of a Mac is its root.
func IsMacRoot(v *plan.Volume) bool { return isMacRoot(v) }

// TypesOf are the names of the instance types that a machine is launched as,
// each once, in the order in which they are written. There may be others that
// are not known.
func TypesOf(cat *catalog.Catalog, m *plan.Machine) []string {
	a := &auditor{Options: Options{Catalog: cat}}
	var out []string
	for _, t := range a.typesOf(m) {
		out = append(out, t.name)
	}
	return out
}

// IsMac says whether a type is an EC2 Mac, one that is newer than the table, too.
func IsMac(cat *catalog.Catalog, typ string) bool {
	return (&auditor{Options: Options{Catalog: cat}}).typeNamed(typ).isMac()
}

// AllowedSeconds is the time that a group allows an instance until it is ready,
// and the attribute that says so.
func AllowedSeconds(g *plan.Group) (seconds optional.Value[decimal.Decimal], attribute string) {
	seconds, attribute, _ = allowedSeconds(g)
	return seconds, attribute
}

// HostParameter is a switch of a host resource group, "auto-release-host"; null
// if it is not there.
func HostParameter(g *plan.HostGroup, name string) optional.Value[bool] {
	return optional.Then(g.Parameter(hostManagement, name).Value, func(values []string) optional.Value[bool] {
		if len(values) != 1 {
			return optional.Unknown[bool]()
		}
		return optional.Known(strings.EqualFold(values[0], "true"))
	})
}

// Apply puts the finding right in the model, in the first way that it names, as
// --fix does in the configuration. It returns the volume that it changed, nil if
// the finding has no one right value.
func (f Finding) Apply() *plan.Volume {
	if f.fix == nil {
		return nil
	}
	v := f.fix.volume
	for _, s := range f.fix.ways[0] {
		number := func(to *plan.Value[decimal.Decimal]) {
			if d, err := decimal.NewFromString(s.value); err == nil {
				to.Value, to.Written = optional.Known(d), true
			}
		}
		switch s.name {
		case "iops":
			number(&v.IOPS)
		case "throughput":
			number(&v.Throughput)
		case v.SizeAttribute:
			number(&v.SizeGiB)
		case v.TypeAttribute:
			v.Type.Value, v.Type.Written = optional.Known(s.value), true
			if s.value == ebs.TypeGP3 && !slices.ContainsFunc(f.fix.ways[0], func(o setting) bool { return o.name == "iops" }) {
				v.IOPS.Value = optional.Null[decimal.Decimal]() // those of another type
			}
		case deviceAttribute:
			v.DeviceName.Value = optional.Known(s.value)
		}
	}
	return v
}
