package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// instanceType is one type that a machine may be launched as.
type instanceType struct {
	name     string
	instance optional.Value[catalog.Instance]
	value    plan.Value[string]
	by       *plan.Object
}

// typesOf are the instance types that a machine is launched as, each once, in
// the order in which they are written. There may be others that are not known.
func (a *auditor) typesOf(m *plan.Machine) []instanceType {
	var types []instanceType
	add := func(v plan.Value[string], by *plan.Object) {
		name, known := v.Get()
		if !known || slices.ContainsFunc(types, func(t instanceType) bool { return t.name == name }) {
			return
		}
		types = append(types, instanceType{name: name, value: v, by: by, instance: a.instance(name)})
	}
	if !m.OwnTypeUnused {
		add(m.InstanceType, &m.Object)
	}
	for _, u := range m.OtherTypes {
		add(u.Type, u.By)
	}
	return types
}

// isMac says whether a type is an EC2 Mac, one that is newer than the table, too.
func (t instanceType) isMac() bool {
	if i, ok := t.instance.Get(); ok {
		return i.IsMac()
	}
	return strings.HasPrefix(t.name, "mac") && strings.HasSuffix(t.name, ".metal")
}

// macOf is the Mac type of a machine; false if it is none for sure.
func (a *auditor) macOf(m *plan.Machine) (instanceType, bool) {
	types := a.typesOf(m)
	for _, t := range types {
		if t.isMac() {
			return t, true
		}
	}
	return instanceType{}, false
}

// machine judges the volumes of an instance or a template, alone, against its
// types and together.
func (a *auditor) machine(m *plan.Machine) {
	types := a.typesOf(m)
	j := a.judge(&m.Object, "volume_type", "volume_size")
	for _, t := range types {
		if i, known := t.instance.Get(); known && !i.EBS.IsNull() {
			continue
		}
		_, fs := j.Instance(optional.Known(t.name))
		for _, f := range fs {
			a.report(t.by, t.value.Place(), f)
		}
	}
	macType, isMac := a.macOf(m)
	var all []ebs.Volume
	for _, v := range m.Volumes {
		// A guard has judged a volume that takes its settings from it.
		if v.Guarded() {
			all = append(all, waiting)
			continue
		}
		b := a.bound(m, v, types)
		if isMac {
			a.macVolume(m, v, &b, macType)
		}
		a.volume(&m.Object, v, b)
		all = append(all, b.volume)
	}
	for _, s := range a.c.Volumes {
		if slices.Contains(s.Machines, m) {
			b := a.bound(m, &s.Volume, types)
			if s.Guarded() {
				b.volume = waiting
			}
			all = append(all, b.volume)
		}
	}
	if !m.MoreVolumes && m.Template == nil && len(all) > 1 {
		a.budget(m, all, types, isMac)
	}
	if isMac {
		a.macRoot(m)
		a.macHost(m, macType)
	}
	a.zone(&m.Object, m.Zone)
	a.replacement(m, macType, isMac)
	a.hostOf(m, macType, isMac)
}

// waiting is a volume of which nothing is known.
var waiting = ebs.Volume{
	Type: optional.Unknown[string](), SizeGiB: optional.Unknown[decimal.Decimal](),
	IOPS: optional.Unknown[decimal.Decimal](), ThroughputMiBPerS: optional.Unknown[decimal.Decimal](),
}

// bound is a volume with what it is judged against.
type bound struct {
	volume ebs.Volume
	judge  ebs.Judge
	types  []instanceType
	// toGP3 says that another finding asks for gp3 with settings of its own.
	toGP3 bool
}

func (a *auditor) bound(m *plan.Machine, v *plan.Volume, types []instanceType) bound {
	return bound{volume: volumeOf(v), judge: a.judge(&m.Object, v.TypeAttribute, v.SizeAttribute), types: types}
}

// volumeOf is a volume as the rules see it. 0 is what many modules write for
// "unset".
func volumeOf(v *plan.Volume) ebs.Volume {
	return ebs.Volume{
		Type: v.Type.OrElse(v.DefaultType), SizeGiB: unlessZero(v.SizeGiB), IOPS: unlessZero(v.IOPS), ThroughputMiBPerS: unlessZero(v.Throughput),
	}
}

func unlessZero(v plan.Value[decimal.Decimal]) optional.Value[decimal.Decimal] {
	if d, ok := v.Get(); ok && d.IsZero() {
		return optional.Null[decimal.Decimal]()
	}
	return v.Value
}

// volume judges one volume.
func (a *auditor) volume(o *plan.Object, v *plan.Volume, b bound) {
	fs := b.judge.Volume(b.volume, optional.Null[catalog.Instance]())
	fs = append(fs, byType(fs, b)...)
	if v.Before != nil {
		fs = append(fs, b.judge.Migration(volumeOf(v.Before), b.volume)...)
	}
	for _, f := range merged(fs, len(b.types) > 1) {
		if b.toGP3 && f.Rule == ebs.RuleVolumeTypeLegacy.ID {
			continue
		}
		a.reportVolume(o, v, b, f)
	}
	a.zeros(o, v)
}

// merged is finding.Merge; with several types, what is worse for one of them
// than for another stays apart.
func merged(fs []finding.Finding, apart bool) []finding.Finding {
	if !apart {
		return finding.Merge(fs)
	}
	var out []finding.Finding
	for _, s := range []finding.Severity{finding.Error, finding.Warning, finding.Info} {
		out = append(out, finding.Merge(slices.DeleteFunc(slices.Clone(fs), func(f finding.Finding) bool { return f.Severity != s }))...)
	}
	return out
}

// reportVolume reports a finding about a volume at the line of the setting.
func (a *auditor) reportVolume(o *plan.Object, v *plan.Volume, b bound, f finding.Finding) {
	place, x := placeOf(v, f.Path), fixOf(v, b, f)
	setting := f.Path
	f.Path = under(v.Path, setting)
	if setting == deviceAttribute {
		f.Path = under(strings.TrimSuffix(v.Path, ".ebs"), setting)
	}
	a.report(o, place, f)
	found := &a.findings[len(a.findings)-1]
	found.fix = x
	if name, ok := v.DeviceName.Get(); ok && v.Kind == plan.Mapping && deviceName().MatchString(name) {
		found.Device = name
	}
}

// deviceName keeps whatever else stands there out of the baseline.
var deviceName = lazyregexp.New(`^(/dev/)?(sd|xvd|hd|nvme)[a-z0-9]{0,6}$`)

const deviceAttribute = "device_name"

// placeOf is where a setting of a volume stands, or the block that it is missing
// from.
func placeOf(v *plan.Volume, setting string) plan.Place {
	switch setting {
	case "iops":
		return v.IOPS.Place()
	case "throughput":
		return v.Throughput.Place()
	case v.TypeAttribute:
		return v.Type.Place()
	case v.SizeAttribute:
		return v.SizeGiB.Place()
	case deviceAttribute:
		return v.DeviceName.Place()
	case snapshotAttribute:
		return v.SnapshotID.Place()
	}
	return v.Block
}

const snapshotAttribute = "snapshot_id"

// byType judges a volume against each type that it is launched with. What is
// said of every type is said once.
func byType(alone []finding.Finding, b bound) []finding.Finding {
	type said struct {
		typ string
		f   finding.Finding
	}
	// What is worse for one type than for another is said apart.
	type kind struct {
		rule     string
		severity finding.Severity
	}
	byKind := map[kind][]said{}
	concerned := map[string]map[string]bool{} // types by rule
	var kinds []kind
	for _, t := range b.types {
		for _, f := range b.judge.Volume(b.volume, t.instance) {
			if slices.ContainsFunc(alone, func(o finding.Finding) bool { return o.Rule == f.Rule && o.Message == f.Message }) {
				continue
			}
			k := kind{f.Rule, f.Severity}
			if byKind[k] == nil {
				kinds = append(kinds, k)
			}
			byKind[k] = append(byKind[k], said{t.name, f})
			if concerned[f.Rule] == nil {
				concerned[f.Rule] = map[string]bool{}
			}
			concerned[f.Rule][t.name] = true
		}
	}
	var out []finding.Finding
	for _, k := range kinds {
		ss := byKind[k]
		// The one that gives up least first: it fits all types.
		slices.SortStableFunc(ss, func(x, y said) int {
			return x.f.MonthlySavingUSD.Decimal.Cmp(y.f.MonthlySavingUSD.Decimal)
		})
		f := ss[0].f
		if len(b.types) > 1 {
			var names []string
			for _, s := range ss {
				names = append(names, s.typ)
			}
			if len(ss) < len(b.types) {
				f.MonthlySavingUSD = decimal.NullDecimal{}
				switch without := fmt.Sprintf("leave %s out of them, or give the volume less.", list(names, "or")); {
				case len(concerned[k.rule]) < len(b.types) && f.Severity > finding.Info:
					f.Fix = "It is right for the other types; " + without
				case f.Severity > finding.Info:
					f.Fix = "The types differ in what they can use; " + without
				default:
					f.Fix = "No one setting is the best for all of the types."
				}
			}
			if len(ss) > 1 {
				f.Message += fmt.Sprintf(" The same goes for %s.", list(names[1:], "and"))
			}
		}
		out = append(out, f)
	}
	return out
}

// mostNamed is how many types are named in a sentence.
const mostNamed = 4

// list writes names in a sentence; only those that are instance types.
func list(names []string, and string) string {
	var out []string
	for _, n := range names {
		if catalog.IsTypeName(n) {
			out = append(out, n)
		}
	}
	if len(out) > mostNamed {
		return strings.Join(out[:mostNamed], ", ") + fmt.Sprintf(" %s %d more", and, len(out)-mostNamed)
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " " + and + " " + out[len(out)-1]
}

// budget judges the volumes of a machine together, against the type that has
// least for them.
func (a *auditor) budget(m *plan.Machine, all []ebs.Volume, types []instanceType, isMac bool) {
	j := a.judge(&m.Object, "volume_type", "volume_size")
	var worst []finding.Finding
	for _, t := range types {
		fs := j.Budget(all, t.instance, !isMac)
		if finding.Worst(fs) > finding.Worst(worst) {
			worst = fs
		}
	}
	for _, f := range worst {
		a.report(&m.Object, m.InstanceType.Place(), f)
	}
}

// zeros: many modules write 0 for "unset".
func (a *auditor) zeros(o *plan.Object, v *plan.Volume) {
	for _, s := range []struct {
		name  string
		value plan.Value[decimal.Decimal]
	}{{"iops", v.IOPS}, {"throughput", v.Throughput}} {
		if d, ok := s.value.Get(); ok && d.IsZero() && s.value.Written {
			a.report(o, s.value.Place(), RuleSettingZero.New(finding.Info, under(v.Path, s.name),
				fmt.Sprintf("%s is 0, which is taken for unset here. hashicorp/aws leaves a 0 out of the request to EC2, but shows it in plans and states.", s.name),
				fmt.Sprintf("Write %s = null, or leave it out.", s.name)))
		}
	}
}

// standalone judges a volume that is a resource of its own, against the
// instances that it is attached to.
func (a *auditor) standalone(v *plan.StandaloneVolume) {
	a.zone(&v.Object, v.Zone)
	if v.Guarded() {
		return
	}
	b := bound{volume: volumeOf(&v.Volume), judge: a.judge(&v.Object, v.TypeAttribute, v.SizeAttribute)}
	for _, m := range v.Machines {
		types := a.typesOf(m)
		b.types = append(b.types, types...)
		if t, ok := a.macOf(m); ok {
			b.volume.IOPSBound = true
			for _, f := range macData(&v.Volume, &b, t) {
				a.reportVolume(&v.Object, &v.Volume, b, f)
			}
		}
	}
	a.volume(&v.Object, &v.Volume, b)
}

// macVolume applies the rules of a Mac's volumes to one of them.
func (a *auditor) macVolume(m *plan.Machine, v *plan.Volume, b *bound, t instanceType) {
	if !isMacRoot(v) {
		b.volume.IOPSBound = true // VMs do random I/O on it
		for _, f := range macData(v, b, t) {
			a.reportVolume(&m.Object, v, *b, f)
		}
		return
	}
	b.volume.ThroughputJudged = true
	fs := mac.RootSize(b.judge.Names, b.volume)
	// Where the type is left out it is the image's, and Apple's images from AWS are
	// gp3, with 125 MiB/s if no throughput is written either.
	assumed := b.volume
	if v.Type.IsNull() {
		assumed.Type = optional.Known(ebs.TypeGP3)
	}
	if rate, ok := assumed.Throughput(a.Catalog, b.judge.Limits).Get(); ok {
		fs = append(fs, mac.RootThroughput(b.judge, b.volume, rate, ceilingOf(t), mac.NewModel(optional.Known(t.name), optional.Null[mac.Calibration]()), finding.Warning)...)
	}
	for i, f := range fs {
		if f.Rule != mac.RuleRootThroughput.ID {
			continue
		}
		if v.Type.IsNull() {
			fs[i].Message += " The type is left out, so it is the image's, which is not visible here; images from AWS are gp3, and that has 125 MiB/s where nothing else is written."
		}
		// It says to make the volume a gp3, with more than the old type had.
		b.toGP3 = f.Path == v.TypeAttribute
	}
	for _, f := range fs {
		a.reportVolume(&m.Object, v, *b, f)
	}
}

func ceilingOf(t instanceType) optional.Value[catalog.EBSCeiling] {
	return optional.Then(t.instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS })
}

// isMacRoot says whether a Mac's volume is its root.
func isMacRoot(v *plan.Volume) bool {
	name, _ := v.DeviceName.Get()
	return v.Kind == plan.RootBlock || v.Kind == plan.Mapping && name == mac.RootDeviceName
}

// macData applies the rules of a data volume of a Mac.
func macData(v *plan.Volume, b *bound, t instanceType) []finding.Finding {
	var fs []finding.Finding
	if v.SnapshotID.IsKnown() || v.SnapshotID.IsUnknown() && v.SnapshotID.Written {
		fs = append(fs, mac.RuleVMDataSnapshot.New(finding.Warning, snapshotAttribute,
			"Blocks of a volume restored from a snapshot are fetched from S3 when they are first touched, so VMs run at the speed of that fetch and not of the volume.",
			"Leave snapshot_id out, and pull the images at boot."))
	}
	s, ok := b.volume.Settings(b.judge.Catalog.GP3(b.judge.Limits)).Get()
	if !ok {
		return fs
	}
	disk := mac.PredictVMDisk(s.IOPS, mac.DefaultVMsPerHost, t.name, ceilingOf(t))
	useful := usefulSetting(*b, s, t)
	if s.IOPS <= useful.IOPS {
		return fs
	}
	severity := finding.Info
	if s.IOPS > mac.MostUsefulIOPS {
		severity = finding.Warning
	}
	f := mac.RuleVMDataIOPS.New(severity, "iops",
		fmt.Sprintf("If VMs run on this volume, the random I/O of two reaches %s IOPS on the host and no more, because the virtualisation layer is the limit (measured on %s); %s are provisioned.",
			units.Count(disk.UsefulIOPS), mac.MeasuredType, units.Count(s.IOPS)),
		fmt.Sprintf("Write %s (%s).", b.judge.Set(s, useful), b.judge.Change(s, useful)))
	f.MonthlySavingUSD = b.judge.Saving(s, useful)
	return append(fs, f)
}

// usefulSetting has the IOPS that two VMs can use, or the throughput needs.
func usefulSetting(b bound, s ebs.GP3, t instanceType) ebs.GP3 {
	disk := mac.PredictVMDisk(s.IOPS, mac.DefaultVMsPerHost, t.name, ceilingOf(t))
	l := b.judge.Catalog.GP3(b.judge.Limits)
	return ebs.GP3{ThroughputMiBPerS: s.ThroughputMiBPerS, IOPS: max(disk.UsefulIOPS, ebs.MinIOPS(l, s.ThroughputMiBPerS))}
}

// macRoot judges whether the settings of a Mac's root reach it at all.
func (a *auditor) macRoot(m *plan.Machine) {
	if m.MoreVolumes || m.Template != nil {
		return // there may be a mapping that is not seen here
	}
	var mappings []mac.Mapping
	for _, v := range m.Volumes {
		if isMacRoot(v) {
			return
		}
		mappings = append(mappings, mac.Mapping{DeviceName: v.DeviceName.Value})
	}
	if stray := mac.RootDevice(mappings, deviceAttribute); len(stray) > 0 {
		for _, v := range m.Volumes {
			if len(mac.RootDevice([]mac.Mapping{{DeviceName: v.DeviceName.Value}}, "")) > 0 {
				a.reportVolume(&m.Object, v, a.bound(m, v, nil), stray[0])
				break
			}
		}
		return
	}
	if slices.ContainsFunc(mappings, func(d mac.Mapping) bool { return d.DeviceName.IsUnknown() }) {
		return
	}
	path := "block_device_mappings"
	if m.Type != "aws_launch_template" {
		path = "root_block_device"
	}
	a.report(&m.Object, m.Place, mac.ImageDefault(path))
}
