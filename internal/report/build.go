package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Volume is one volume before and after the fixes.
type Volume struct {
	Name       string
	Now, After ebs.Volume
	Limits     catalog.LimitSet

	planned *plan.Volume
	root    bool
}

func (v *Volume) cost(cat *catalog.Catalog, region string) Money {
	of := func(e ebs.Volume) optional.Value[decimal.Decimal] {
		c := optional.Map(e.Cost(cat, v.Limits, region), ebs.Cost.TotalUSD)
		if !c.IsKnown() {
			return optional.Null[decimal.Decimal]()
		}
		return c
	}
	return Money{of(v.Now), of(v.After)}
}

// builder makes the fleets of one configuration.
type builder struct {
	*Report
	c *plan.Configuration
	// made are the fleets of this configuration.
	made []*Fleet
	used map[string]bool
}

func (b *builder) build() {
	b.used = map[string]bool{}
	guarded := map[any]bool{}
	for _, m := range b.c.Machines {
		if m.Template != nil && len(m.Volumes) == 0 && slices.Contains(b.c.Machines, m.Template) {
			continue // it is shown with its template
		}
		if m.Storage != nil {
			guarded[m.Storage] = true
		}
		if m.InstanceStorage != nil {
			guarded[m.InstanceStorage] = true
		}
		b.machine(m)
	}
	for _, s := range b.c.MacStorages {
		b.judgeStorage(s)
		if !guarded[s] {
			b.guardedMac(s)
		}
	}
	for _, s := range b.c.InstanceStorages {
		b.judgeInstance(s)
		if !guarded[s] {
			b.guardedInstance(s)
		}
	}
	for _, p := range b.c.MacPools {
		b.judgePool(p)
		b.poolAlone(p)
	}
	for _, v := range b.c.Volumes {
		if !b.used[v.Address] {
			b.alone(v)
		}
	}
	b.settle()
	b.Fleets = append(b.Fleets, b.made...)
}

// newFleet makes a fleet of an object.
func (b *builder) newFleet(o *plan.Object, kind string) *Fleet {
	f := &Fleet{Name: o.Address, Kind: kind, Members: []string{o.Address}, Region: o.Region}
	if f.Region == "" {
		f.Region = b.Audit.Region
	}
	b.made = append(b.made, f)
	return f
}

func (f *Fleet) note(s string) { f.Notes = append(f.Notes, s) }

func (f *Fleet) member(o *plan.Object) {
	if !slices.Contains(f.Members, o.Address) {
		f.Members = append(f.Members, o.Address)
	}
}

// kinds of what is launched.
var kinds = map[string]string{
	"aws_launch_template": "launch template", "aws_launch_configuration": "launch configuration", "aws_instance": "instance",
	"aws_spot_instance_request": "spot instance request", "aws_spot_fleet_request": "spot fleet",
}

func (b *builder) machine(m *plan.Machine) {
	f := b.newFleet(&m.Object, kinds[m.Type])
	f.Types = audit.TypesOf(b.Audit.Catalog, m)
	f.MoreVolumes = m.MoreVolumes
	f.isMac = slices.ContainsFunc(f.Types, func(t string) bool { return audit.IsMac(b.Audit.Catalog, t) })
	b.belongings(f, m)
	b.count(f, m)
	switch {
	case m.Storage != nil:
		f.member(&m.Storage.Object)
		b.fromStorage(f, m.Storage)
	case m.InstanceStorage != nil && !known(m):
		f.member(&m.InstanceStorage.Object)
		b.fromInstanceStorage(f, m.InstanceStorage)
	default:
		b.volumesOf(f, m)
		if f.isMac {
			b.inferred(f, m)
		}
	}
	if f.isMac {
		b.poolOf(f, m)
	}
	if len(f.Types) == 0 {
		f.note("The instance type is not known here, so there is no ceiling to compare with.")
	}
}

// known says whether the settings of all volumes are there to be read.
func known(m *plan.Machine) bool {
	return m.InstanceType.IsKnown() && !slices.ContainsFunc(m.Volumes, func(v *plan.Volume) bool { return v.SizeGiB.IsUnknown() })
}

// belongings are the objects whose findings are shown with a machine.
func (b *builder) belongings(f *Fleet, m *plan.Machine) {
	for _, g := range m.Groups {
		f.member(&g.Object)
		for _, p := range g.Policies {
			f.member(&p.Object)
		}
		for _, s := range g.Schedules {
			f.member(&s.Object)
		}
		for _, h := range g.Hooks {
			f.member(&h.Object)
		}
		if g.Pool != nil {
			f.member(&g.Pool.Object)
		}
	}
	if g := m.HostGroupObject; g != nil {
		f.member(&g.Object)
		if g.Pool != nil {
			f.member(&g.Pool.Object)
		}
	}
	if m.HostObject != nil {
		f.member(&m.HostObject.Object)
	}
	for _, l := range m.LicenceObjects {
		f.member(&l.Object)
	}
	if m.StateObject != nil {
		f.member(m.StateObject)
	}
	for _, o := range b.c.Machines {
		if o.Template == m && len(o.Volumes) == 0 {
			f.member(&o.Object)
		}
	}
}

// count is how many instances there are when all is well.
func (b *builder) count(f *Fleet, m *plan.Machine) {
	switch {
	case len(m.Groups) > 0:
		n := optional.Known(decimal.Zero)
		for _, g := range m.Groups {
			size := g.Desired.Value
			if !size.IsKnown() && g.Pool != nil {
				size = g.Pool.Pool.DesiredHosts
			}
			if size.IsNull() {
				size = g.Min.Value // what a group starts with
			}
			n = optional.Map2(n, size, decimal.Decimal.Add)
		}
		f.Instances = optional.Then(n, countable)
		f.InstancesFrom = "the size of " + m.Groups[0].Address
		if len(m.Groups) > 1 {
			f.InstancesFrom = fmt.Sprintf("the sizes of %d groups", len(m.Groups))
		}
	case m.Type == "aws_instance" || m.Type == "aws_spot_instance_request":
		f.Instances, f.InstancesFrom = optional.Known(int64(1)), "it is one instance"
	default:
		launched := int64(0)
		for _, o := range b.c.Machines {
			if o.Template == m {
				launched++
			}
		}
		if launched > 0 {
			f.Instances, f.InstancesFrom = optional.Known(launched), "the instances that are launched from it here"
		}
	}
	if !f.Instances.IsKnown() {
		f.note("How many instances are launched is not known here, so costs are those of one.")
	}
}

// countable is a number of instances; one that cannot be is not known.
func countable(d decimal.Decimal) optional.Value[int64] {
	if !d.IsInteger() || d.IsNegative() || d.GreaterThan(decimal.NewFromInt(mostInstances)) {
		return optional.Unknown[int64]()
	}
	return optional.Known(d.IntPart())
}

// mostInstances is far above every group of runners.
const mostInstances = 1_000_000

// volumesOf are the volumes of a machine, and those that are attached to it.
func (b *builder) volumesOf(f *Fleet, m *plan.Machine) {
	names := map[string]int{}
	add := func(name string, v *plan.Volume, root bool) {
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, names[name])
		}
		f.Volumes = append(f.Volumes, &Volume{Name: name, Now: audit.VolumeOf(v), planned: v, root: root})
	}
	for _, v := range m.Volumes {
		isRoot := v.Kind == plan.RootBlock || f.isMac && audit.IsMacRoot(v)
		name, named := v.DeviceName.Get()
		switch {
		case isRoot:
			name = "root"
		case !named:
			name = v.Path
		}
		add(name, v, isRoot)
	}
	for _, s := range b.c.Volumes {
		if slices.Contains(s.Machines, m) {
			b.used[s.Address] = true
			f.member(&s.Object)
			add(s.Address, &s.Volume, false)
		}
	}
	if m.Template != nil {
		f.note("The volumes of its launch template come on top and are shown there.")
	}
	if f.MoreVolumes {
		f.note("There may be volumes that are not known here; sums are left out.")
	}
	if slices.ContainsFunc(m.Volumes, (*plan.Volume).Guarded) && m.Storage == nil {
		f.note("Values that come from a guard are judged by the guard.")
	}
}

// alone is a volume that is attached to nothing that is known.
func (b *builder) alone(s *plan.StandaloneVolume) {
	f := b.newFleet(&s.Object, "volume")
	f.Volumes = []*Volume{{Name: "volume", Now: audit.VolumeOf(&s.Volume), planned: &s.Volume}}
	f.Instances, f.InstancesFrom = optional.Known(int64(1)), "it is one volume"
	f.note("Nothing here attaches it to an instance, so there is no ceiling to compare with.")
}

// settle writes the fixes into the model, looks again until nothing is left to
// write, and takes the volumes as they are then.
func (b *builder) settle() {
	const rounds = 4
	for range rounds {
		changed := false
		for _, f := range audit.Run(b.c, b.Audit) {
			changed = f.Apply() != nil || changed
		}
		if !changed {
			break
		}
	}
	for _, f := range b.made {
		for _, v := range f.Volumes {
			if v.planned != nil {
				v.After = audit.VolumeOf(v.planned)
			}
		}
		if f.storage != nil && f.Volumes != nil && f.Volumes[0].planned != nil {
			f.storage.after = f.storage.now
			f.storage.after.Root, f.storage.after.VMData = macVolumes(f.Volumes, func(v *Volume) ebs.Volume { return v.After })
		}
	}
}

// macVolumes are a Mac's root and the only other volume.
func macVolumes(vs []*Volume, of func(*Volume) ebs.Volume) (root, vmdata optional.Value[mac.StorageVolume]) {
	for _, v := range vs {
		e := of(v)
		s := optional.Known(mac.StorageVolume{Type: e.Type, SizeGiB: e.SizeGiB, IOPS: e.IOPS, ThroughputMiBPerS: e.ThroughputMiBPerS})
		if v.root {
			root = s
		} else {
			vmdata = s
		}
	}
	return root, vmdata
}

// inferred is the start-up of a Mac that no guard tells of: what the root and
// the group say. Which images are pulled is not known.
func (b *builder) inferred(f *Fleet, m *plan.Machine) {
	s := &storages{}
	s.now.InstanceType, s.now.Region = firstMac(b.Audit.Catalog, f.Types), f.Region
	for _, g := range m.Groups {
		if g.AutoScaling {
			s.now.GracePeriodSeconds, s.graceFrom = audit.AllowedSeconds(g)
			if g.Grace.IsNull() && s.graceFrom == "health_check_grace_period" {
				s.graceFrom += ", which hashicorp/aws sends where it is left out"
			}
			break
		}
	}
	// What is left out of a gp3 volume here is AWS's default, which no guard fills in.
	defaults := func(v *Volume) ebs.Volume {
		e := v.Now
		if t, ok := e.Type.Get(); ok && t == ebs.TypeGP3 {
			l := b.Audit.Catalog.GP3(catalog.CurrentLimits)
			e.ThroughputMiBPerS = e.ThroughputMiBPerS.Or(decimal.NewFromInt(l.ThroughputMiB.Min))
			e.IOPS = e.IOPS.Or(decimal.NewFromInt(l.IOPS.Min))
		}
		return e
	}
	s.now.Root, s.now.VMData = macVolumes(f.Volumes, defaults)
	f.storage = s
}

func firstMac(cat *catalog.Catalog, types []string) optional.Value[string] {
	for _, t := range types {
		if audit.IsMac(cat, t) {
			return optional.Known(t)
		}
	}
	return optional.Unknown[string]()
}

// guardedMac is a fleet of which there is only the guard.
func (b *builder) guardedMac(s *plan.MacStorage) {
	f := b.newFleet(&s.Object, "guard of a Mac host's volumes")
	f.note("No launch template here takes its values from this guard. How many hosts there are is not known, so costs are those of one.")
	b.fromStorage(f, s)
}

// fromStorage takes over what a guard says.
func (b *builder) fromStorage(f *Fleet, s *plan.MacStorage) {
	f.isMac = true
	if typ, ok := s.Storage.InstanceType.Get(); ok && len(f.Types) == 0 {
		f.Types = []string{typ}
	}
	now := s.Storage
	if now.Region == "" {
		now.Region = f.Region
	}
	if p, is := mac.NotMac(b.Audit.Catalog, now.InstanceType); is {
		f.note(p.Message + ".")
		f.unjudged = true
		return
	}
	if len(now.Problems()) > 0 {
		f.cannotBe()
		return
	}
	images := now.Images.IsKnown() || now.Images.IsNull()
	f.storage = &storages{now: now, after: b.mended(now, s.Ignored), images: images, graceFrom: "grace_period_seconds of the guard"}
	before, after := mac.EvaluateStorage(b.Audit.Catalog, now), mac.EvaluateStorage(b.Audit.Catalog, f.storage.after)
	f.waits(before.FindingsWaitForAnUnknown)
	add := func(name string, of func(mac.Storage) optional.Value[mac.StorageVolume], filled func(mac.StorageResult) (iops, throughput optional.Value[decimal.Decimal])) {
		was, present := of(now).Get()
		if !present {
			if of(now).IsUnknown() {
				f.MoreVolumes = true
			}
			return
		}
		is, _ := of(f.storage.after).Get()
		e := func(v mac.StorageVolume, r mac.StorageResult) ebs.Volume {
			iops, throughput := filled(r)
			return ebs.Volume{Type: v.Type, SizeGiB: v.SizeGiB, IOPS: iops, ThroughputMiBPerS: throughput}
		}
		f.Volumes = append(f.Volumes, &Volume{Name: name, Now: e(was, before), After: e(is, after), root: name == "root"})
	}
	add("root", func(s mac.Storage) optional.Value[mac.StorageVolume] { return s.Root }, func(r mac.StorageResult) (a, b optional.Value[decimal.Decimal]) {
		return r.RootIOPS, r.RootThroughputMiBPerS
	})
	add("VMData", func(s mac.Storage) optional.Value[mac.StorageVolume] { return s.VMData }, func(r mac.StorageResult) (a, b optional.Value[decimal.Decimal]) {
		return r.VMDataIOPS, r.VMDataThroughputMiBPerS
	})
}

// cannotBe says of a guard that it was not judged.
func (f *Fleet) cannotBe() {
	f.note("The guard's figures cannot be, and its own plan says which; nothing is predicted from them.")
	f.unjudged = true
}

// waits says that some rules could not be applied.
func (f *Fleet) waits(unknown bool) {
	if unknown {
		f.note("Some of what the rules look at is not known here; a plan knows more than a folder.")
	}
}

// mended is a guard's storage with the settings that an error or a warning is
// about as the finding says: left to the guard to fill in, or what VMs can use.
func (b *builder) mended(s mac.Storage, ignored []string) mac.Storage {
	const rounds = 4
	l := b.Audit.Catalog.GP3(catalog.CurrentLimits)
	for range rounds {
		changed := false
		for _, f := range mac.EvaluateStorage(b.Audit.Catalog, s).Findings {
			if f.Severity < finding.Warning || slices.Contains(ignored, f.Rule) || b.Audit.Ignores[f.Rule] != "" {
				continue
			}
			name, setting, _ := strings.Cut(f.Path, ".")
			at := &s.Root
			if name == "vmdata" {
				at = &s.VMData
			}
			v, ok := at.Get()
			if !ok || (setting != "iops" && setting != "throughput_mib_per_s" && setting != "type") {
				continue
			}
			was := v
			switch {
			case f.Rule == mac.RuleVMDataIOPS.ID:
				typ, _ := s.InstanceType.Get()
				i, _ := b.Audit.Catalog.Instance(typ)
				vms, _ := s.VMsPerHost.Or(decimal.NewFromInt(mac.DefaultVMsPerHost)).Get()
				iops, _ := v.IOPS.Get()
				useful := mac.PredictVMDisk(iops.IntPart(), vms.IntPart(), typ, i.EBS).UsefulIOPS
				if t, ok := v.ThroughputMiBPerS.Get(); ok {
					useful = max(useful, ebs.MinIOPS(l, t.IntPart()))
				}
				v.IOPS = optional.Known(decimal.NewFromInt(useful))
			case setting == "type":
				v.Type = optional.Known(ebs.TypeGP3)
				v.IOPS, v.ThroughputMiBPerS = optional.Null[decimal.Decimal](), optional.Null[decimal.Decimal]()
			case setting == "iops":
				v.IOPS = optional.Null[decimal.Decimal]()
			default:
				v.ThroughputMiBPerS = optional.Null[decimal.Decimal]()
				if f.Rule != mac.RuleRootThroughput.ID {
					v.IOPS = optional.Null[decimal.Decimal]()
				}
			}
			if v != was {
				*at, changed = optional.Known(v), true
			}
		}
		if !changed {
			break
		}
	}
	return s
}

// found adds what a guard reports of itself.
func (b *builder) found(g plan.Guard, fs []finding.Finding) {
	for _, f := range fs {
		if slices.Contains(g.Ignored, f.Rule) || len(b.Audit.Ignores.Filter([]finding.Finding{f})) == 0 || g.Place.Ignored(f.Rule) {
			continue
		}
		l := output.Located{Finding: f, Address: g.Address, File: g.Source}
		if g.Place.File != nil {
			l.File, l.Line, l.Column = g.Place.File.Name, g.Place.Line, g.Place.Column
		}
		if !slices.ContainsFunc(b.All, func(o output.Located) bool { return o.Address == l.Address && o.Rule == l.Rule && o.Path == l.Path }) {
			b.All = append(b.All, l)
		}
	}
}

func (b *builder) judgeStorage(s *plan.MacStorage) {
	in := s.Storage
	if in.Region == "" {
		in.Region = b.Audit.Region
	}
	if len(in.Problems()) == 0 {
		b.found(s.Guard, mac.EvaluateStorage(b.Audit.Catalog, in).Findings)
	}
}

func (b *builder) judgeInstance(s *plan.InstanceStorage) {
	in := s.Storage
	in.Region = in.Region.Or(b.Audit.Region)
	if len(in.Problems()) == 0 {
		b.found(s.Guard, ebs.EvaluateInstanceStorage(b.Audit.Catalog, in).Findings)
	}
}

func (b *builder) guardedInstance(s *plan.InstanceStorage) {
	f := b.newFleet(&s.Object, "guard of an instance's volumes")
	f.note("How many instances take their values from this guard is not known here, so costs are those of one.")
	b.fromInstanceStorage(f, s)
}

func (b *builder) fromInstanceStorage(f *Fleet, s *plan.InstanceStorage) {
	in := s.Storage
	in.Region = in.Region.Or(f.Region)
	if typ, ok := in.InstanceType.Get(); ok && len(f.Types) == 0 {
		f.Types = []string{typ}
	}
	if len(in.Problems()) > 0 {
		f.cannotBe()
		return
	}
	volumes, isKnown := in.Volumes.Get()
	f.MoreVolumes = !isKnown
	set, _ := in.Limits.Or(string(catalog.CurrentLimits)).Get()
	result := ebs.EvaluateInstanceStorage(b.Audit.Catalog, in)
	f.waits(result.FindingsWaitForAnUnknown)
	for i, r := range result.Volumes {
		v := volumes[i]
		name, ok := v.Name.Get()
		if !ok {
			name = fmt.Sprintf("volume[%d]", i)
		}
		e := ebs.Volume{Type: v.Type, SizeGiB: v.SizeGiB, IOPS: r.IOPS, ThroughputMiBPerS: r.ThroughputMiBPerS}
		f.Volumes = append(f.Volumes, &Volume{Name: name, Now: e, After: e, Limits: catalog.LimitSet(set)})
	}
}

// joined is a pool's guard with what it takes from the guard of the volumes.
func (b *builder) joined(p *plan.MacPool) hostpool.Pool {
	out := p.Pool
	out.Region = out.Region.Or(b.Audit.Region)
	if p.Storage == nil {
		return out
	}
	s := p.Storage.Storage
	take := func(name string, to *optional.Value[decimal.Decimal], from optional.Value[decimal.Decimal]) {
		if p.Passed[name] && to.IsUnknown() {
			*to = from
		}
	}
	if p.Passed["instance_type"] && out.InstanceType.IsUnknown() {
		out.InstanceType = s.InstanceType
	}
	take("grace_period_seconds", &out.GracePeriodSeconds, s.GracePeriodSeconds)
	take("launch_seconds", &out.LaunchSeconds, s.LaunchSeconds)
	if len(s.Problems()) == 0 {
		ready := mac.EvaluateStorage(b.Audit.Catalog, s).ReadySeconds
		take("boot_to_ready_seconds", &out.BootToReadySeconds, optional.Map(ready, func(f float64) decimal.Decimal { return decimal.NewFromFloat(f).Round(1) }))
	}
	return out
}

func (b *builder) judgePool(p *plan.MacPool) {
	in := b.joined(p)
	if len(in.Problems()) == 0 {
		b.found(p.Guard, hostpool.Evaluate(b.Audit.Catalog, in).Findings)
	}
}

// poolAlone is a pool that no fleet shows: it belongs to the fleet of the guard
// that it takes its values from, or is one of its own.
func (b *builder) poolAlone(p *plan.MacPool) {
	shown := func(f *Fleet) bool { return slices.Contains(f.Members, p.Address) }
	if slices.ContainsFunc(b.made, shown) {
		return
	}
	if p.Storage != nil {
		for _, f := range b.made {
			if slices.Contains(f.Members, p.Storage.Address) {
				f.member(&p.Object)
				if f.pool == nil {
					f.pool = b.guardPool(p)
				}
				if n := optional.Then(p.Pool.DesiredHosts, countable); n.IsKnown() && !f.Instances.IsKnown() {
					f.Instances, f.InstancesFrom = n, "desired_hosts of "+p.Address
					f.Notes = slices.DeleteFunc(f.Notes, func(s string) bool { return strings.Contains(s, "costs are those of one") })
				}
				return
			}
		}
	}
	f := b.newFleet(&p.Object, "guard of a pool of Mac hosts")
	f.isMac = true
	in := b.joined(p)
	if typ, ok := in.InstanceType.Get(); ok {
		f.Types = []string{typ}
	}
	if f.pool = b.guardPool(p); f.pool == nil {
		f.cannotBe()
		return
	}
	f.waits(hostpool.Evaluate(b.Audit.Catalog, in).FindingsWaitForAnUnknown)
}

// assumedFailures a day are drawn where nobody says how many launches fail.
const assumedFailures = 2

// guardPool is a guard's pool as it is drawn; nil if its figures cannot be.
func (b *builder) guardPool(p *plan.MacPool) *pool {
	in := b.joined(p)
	if len(in.Problems()) > 0 {
		return nil
	}
	out := &pool{Pool: in, quota: true, from: p.Address}
	out.assume()
	return out
}

// assume makes a scenario of a pool of which nobody says how many launches fail.
func (p *pool) assume() {
	loops := false
	if ready, ok := p.BootToReadySeconds.Get(); ok {
		if allowed, ok := p.GracePeriodSeconds.Get(); ok {
			launch, _ := p.LaunchSeconds.Or(decimal.Zero).Get()
			loops = ready.Add(launch).GreaterThan(allowed)
		}
	}
	if !p.FailedLaunchesPerDay.IsKnown() && !loops {
		p.FailedLaunchesPerDay, p.scenario = optional.Known(decimal.NewFromInt(assumedFailures)), true
	}
}

// poolOf is the pool of hosts that a Mac's instances run on.
func (b *builder) poolOf(f *Fleet, m *plan.Machine) {
	var guard *plan.MacPool
	for _, g := range m.Groups {
		if g.Pool != nil {
			guard = g.Pool
		}
	}
	g := m.HostGroupObject
	if guard == nil && g != nil {
		guard = g.Pool
	}
	if guard != nil {
		f.pool = b.guardPool(guard)
		return
	}
	n, counted := f.Instances.Get()
	typ := firstMac(b.Audit.Catalog, f.Types)
	switch {
	case g == nil && m.HostObject != nil:
		f.note("The instance runs on a host that Terraform allocates: no other is allocated when a launch fails, so there is no pool to draw.")
		return
	case g == nil:
		f.note("No host resource group is known here, so what becomes of the hosts is not drawn.")
		return
	case !counted || n == 0:
		f.note("The hosts are not drawn, because how many there are is not known.")
		return
	}
	release, allocate := audit.HostParameter(g, "auto-release-host"), audit.HostParameter(g, "auto-allocate-host")
	if release.IsUnknown() || allocate.IsUnknown() {
		f.note("The hosts are not drawn, because what the host resource group does by itself is not known.")
		return
	}
	p := &pool{from: g.Address, Pool: hostpool.Pool{
		InstanceType: typ, Region: optional.Known(f.Region), DesiredHosts: optional.Known(decimal.NewFromInt(n)),
		AutoReleaseHosts: release.Or(false), AutoAllocateHosts: allocate.Or(false),
		// More than the scenario takes within the picture.
		MaxHosts: optional.Known(decimal.NewFromInt(n + 4*assumedFailures)),
	}}
	if len(p.Problems()) > 0 {
		return
	}
	p.assume()
	f.pool = p
}

// seconds prints a time as the guards do, to half a second.
func seconds(s float64) string { return units.Number(roundHalf(s)) + " s" }
