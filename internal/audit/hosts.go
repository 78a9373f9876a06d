package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// The configurations of a resource group of hosts (AWS Resource Groups user
// guide, service configurations for resource groups).
const (
	hostManagement = "AWS::EC2::HostManagement"
	generic        = "AWS::ResourceGroups::Generic"
)

// defaultGrace is what hashicorp/aws sends where the grace period is left out,
// defaultHook the heartbeat timeout of a lifecycle hook without one, in seconds.
const (
	defaultGrace = 300
	defaultHook  = 3600
	launching    = "autoscaling:EC2_INSTANCE_LAUNCHING"
)

// zone: a region where a zone belongs.
func (a *auditor) zone(o *plan.Object, v plan.Value[string]) {
	name, ok := v.Get()
	if !ok || !catalog.IsRegionName(name) {
		return
	}
	path := "availability_zone"
	switch o.Type {
	case "aws_autoscaling_group":
		path = "availability_zones"
	case "aws_launch_template":
		path = "placement.availability_zone"
	}
	a.report(o, v.Place(), RuleHostZone.New(finding.Error, path,
		fmt.Sprintf("%s is a Region, and an availability zone is wanted: EC2 refuses it.", name),
		fmt.Sprintf("Write a zone of the Region, such as %q.", name+"a")))
}

// price of a Mac host in a region.
func (a *auditor) price(o *plan.Object, typ string) (perHour decimal.Decimal, known bool) {
	region := o.Region
	if region == "" {
		region = a.Region
	}
	p, ok := a.Catalog.MacHostPrice(region, typ)
	return p.USDPerHour, ok
}

// day is what a host costs at least, ", $37.44 at least"; empty without a price.
func (a *auditor) day(o *plan.Object, typ, format string) string {
	p, ok := a.price(o, typ)
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, units.USD(p.Mul(decimal.NewFromInt(int64(a.Catalog.MacHostRules().MinimumAllocationHours)))))
}

// scrub is how long a host is out of use between two instances.
func (a *auditor) scrub(t instanceType) string {
	minutes := a.Catalog.MacHostRules().ScrubMinutesAppleCurrent
	if m, ok := a.Catalog.Mac(t.name); ok {
		minutes = m.ScrubMinutesMax
	}
	if minutes < 2*60 {
		return fmt.Sprintf("up to %d minutes", minutes)
	}
	return fmt.Sprintf("up to %s hours", units.Number(float64(minutes)/60))
}

// group judges a group of Macs.
func (a *auditor) group(g *plan.Group) {
	for _, z := range g.Zones {
		a.zone(&g.Object, z)
	}
	for _, m := range g.Machines {
		t, isMac := a.macOf(m)
		if !isMac {
			continue
		}
		for _, p := range g.Policies {
			a.scaleIn(g, p, t)
		}
		a.replacedGroup(g, t)
		a.refresh(g, t)
		a.grace(g, m, t)
		a.leak(g, m, t)
		return // one Mac template says enough of the group
	}
}

// scaleIn: load comes and goes within minutes, a host is paid for a day.
func (a *auditor) scaleIn(g *plan.Group, p *plan.Policy, t instanceType) {
	if enabled, ok := p.Enabled.Or(true).Get(); !ok || !enabled {
		return
	}
	off, offKnown := p.DisableScaleIn.Or(false).Get()
	place, path := p.Place, ""
	var fix string
	switch {
	case p.TargetTracking && offKnown && !off:
		path = "target_tracking_configuration.disable_scale_in"
		fix = "Write disable_scale_in = true, and change the group's size by hand or by a schedule that leaves a host for a day."
		if p.DisableScaleIn.Place().File != nil {
			place = p.DisableScaleIn.Place()
		}
	case !p.TargetTracking && slices.ContainsFunc(p.Adjustments, func(v plan.Value[decimal.Decimal]) bool { return shrinks(g, p, v) }):
		fix = "Leave the policy out, and change the group's size by hand or by a schedule that leaves a host for a day."
	default:
		return
	}
	a.report(&p.Object, place, RuleScaleInChurn.New(finding.Warning, path,
		fmt.Sprintf("The policy ends instances of %s when the load falls, but a Mac host is billed for 24 hours%s whatever runs on it, and is not free for another instance while it is scrubbed (%s). Scaling out again takes another host.",
			t.name, a.day(&g.Object, t.name, " (%s)"), a.scrub(t)), fix))
}

// shrinks says whether a policy's adjustment makes its group smaller: by a
// negative number, or to a size that is below the largest one.
func shrinks(g *plan.Group, p *plan.Policy, v plan.Value[decimal.Decimal]) bool {
	d, ok := v.Get()
	if kind, _ := p.AdjustmentType.Get(); kind == "ExactCapacity" {
		most, known := g.Max.Get()
		return ok && known && d.LessThan(most)
	}
	return ok && d.IsNegative()
}

// refresh: an instance refresh that keeps all instances healthy needs hosts
// besides those in use.
func (a *auditor) refresh(g *plan.Group, t instanceType) {
	r := g.Refresh
	if r == nil {
		return
	}
	least, leastKnown := r.MinHealthy.Or(decimal.NewFromInt(90)).Get()
	if !leastKnown {
		return
	}
	if least.LessThan(decimal.NewFromInt(100)) {
		a.report(&g.Object, r.Place, RuleReplaceGap.New(finding.Info, "instance_refresh",
			fmt.Sprintf("Each instance that a refresh replaces leaves its host scrubbing (%s), so its successor waits, or takes another host for 24 hours%s.", a.scrub(t), a.day(&g.Object, t.name, " (%s)")),
			"Refresh when the Macs are not needed, and have spare hosts."))
		return
	}
	a.report(&g.Object, firstPlace(r.MinHealthy.Place(), r.Place), RuleReplaceGap.New(finding.Warning, "instance_refresh.preferences.min_healthy_percentage",
		fmt.Sprintf("A refresh at %s %% starts each new instance before the old one ends, on another host, which is billed for 24 hours%s; without a spare host it fails.", units.Decimal(least), a.day(&g.Object, t.name, " (%s)")),
		"Write min_healthy_percentage = 90 or less and accept the gap, or keep a spare host."))
}

func firstPlace(places ...plan.Place) plan.Place {
	for _, p := range places {
		if p.File != nil {
			return p
		}
	}
	return plan.Place{}
}

// grace: the prediction from the root volume alone against the time that the
// group allows. It is a warning: what the image does is not seen here.
func (a *auditor) grace(g *plan.Group, m *plan.Machine, t instanceType) {
	if !g.AutoScaling || g.Grace.Guarded {
		return
	}
	allowed, path, place := allowedSeconds(g)
	var root *plan.Volume
	for _, v := range m.Volumes {
		if isMacRoot(v) {
			root = v
		}
	}
	if root == nil || root.Guarded() || allowed.IsUnknown() {
		return
	}
	v := volumeOf(root)
	l := a.Catalog.GP3(catalog.CurrentLimits)
	if typ, known := v.Type.Get(); !known {
		return
	} else if typ == ebs.TypeGP3 {
		v.ThroughputMiBPerS = v.ThroughputMiBPerS.Or(decimal.NewFromInt(l.ThroughputMiB.Min))
	}
	r := mac.EvaluateStorage(a.Catalog, mac.Storage{
		InstanceType: optional.Known(t.name), Region: catalog.DefaultRegion, GracePeriodSeconds: allowed,
		Root: optional.Known(mac.StorageVolume{Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS}),
	})
	for _, f := range r.Findings {
		if f.Rule == mac.RuleGracePeriod.ID {
			f.Severity, f.Path = finding.Warning, path
			f.Message += " Images that the host pulls come on top."
			a.report(&g.Object, place, f)
		}
	}
}

// allowedSeconds is the time that a group allows an instance until it is ready,
// with the attribute that says so and its place: the heartbeat timeout of a hook
// that holds the launch, else the grace period; what hashicorp/aws sends if it was
// left out.
func allowedSeconds(g *plan.Group) (seconds optional.Value[decimal.Decimal], attribute string, place plan.Place) {
	seconds, attribute, place = g.Grace.Or(decimal.NewFromInt(defaultGrace)), "health_check_grace_period", g.Grace.Place()
	for _, h := range g.Hooks {
		if transition, _ := h.Transition.Get(); transition == launching {
			seconds, attribute, place = h.Timeout.Or(decimal.NewFromInt(defaultHook)), "heartbeat_timeout", h.Place
		}
	}
	return seconds, attribute, place
}

// leak: hosts outside a group that releases them.
func (a *auditor) leak(g *plan.Group, m *plan.Machine, t instanceType) {
	tenancy, _ := m.Tenancy.Get()
	if tenancy != "host" || !m.HostGroup.IsNull() || m.Host.IsUnknown() && m.HostObject == nil {
		return
	}
	least, leastKnown := g.Min.Get()
	most, mostKnown := g.Max.Get()
	if !leastKnown || !mostKnown || !least.LessThan(most) {
		return
	}
	a.report(&g.Object, g.Place, RuleHostLeak.New(finding.Warning, "",
		fmt.Sprintf("Instances of this group run on hosts that are allocated one by one, outside a host resource group. When the group shrinks, nobody releases the host%s.", a.month(&g.Object, t.name, ", which costs %s a month")),
		"Launch into a host resource group with auto-release-host = true (placement.host_resource_group_arn), or release hosts as part of shrinking the group."))
}

// month is what a host costs a month; empty without a price.
func (a *auditor) month(o *plan.Object, typ, format string) string {
	p, ok := a.price(o, typ)
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, units.USD(p.Mul(decimal.NewFromInt(units.HoursPerMonth))))
}

// replacedGroup: a group that is there twice takes hosts twice.
func (a *auditor) replacedGroup(g *plan.Group, t instanceType) {
	if first, _ := g.CreateBeforeDestroy.Get(); !first && g.Change != plan.ReplaceFirst {
		return
	}
	a.report(&g.Object, firstPlace(g.CreateBeforeDestroy.Place(), g.Place), RuleReplaceGap.New(finding.Warning, "lifecycle.create_before_destroy",
		fmt.Sprintf("With create_before_destroy the new group launches its Macs while those of the old one are still on their hosts, so each takes another host for 24 hours%s, or fails to start.", a.day(&g.Object, t.name, " (%s)")),
		"Have as many free hosts as the group has Macs, or leave create_before_destroy out and accept the gap."))
}

// replacedHost: a host that is replaced is paid for twice, or cannot be released.
func (a *auditor) replacedHost(h *plan.Host, typ string) {
	t := a.typeNamed(typ)
	switch first, _ := h.CreateBeforeDestroy.Get(); {
	case first || h.Change == plan.ReplaceFirst:
		a.report(&h.Object, firstPlace(h.CreateBeforeDestroy.Place(), h.Place), RuleReplaceGap.New(finding.Warning, "lifecycle.create_before_destroy",
			fmt.Sprintf("With create_before_destroy a second host is allocated before the first one is released. It is billed for 24 hours at least%s, and the quota has to allow both.", a.day(&h.Object, typ, " (%s)")),
			"Raise the quota for it, or leave create_before_destroy out and accept the gap."))
	case h.Change == plan.Replace:
		a.report(&h.Object, h.Place, RuleReplaceGap.New(finding.Warning, "",
			fmt.Sprintf("The plan replaces the host. It cannot be released within 24 hours of its allocation, nor while an instance is on it or it is scrubbed (%s), and the apply fails until then.", a.scrub(t)),
			"Apply when the host is a day old and free, or allocate the new host as a resource of its own first."))
	}
}

// replacement: an instance on a Mac that is replaced.
func (a *auditor) replacement(m *plan.Machine, t instanceType, isMac bool) {
	if !isMac || m.Type != "aws_instance" {
		return
	}
	second := fmt.Sprintf("another host, for 24 hours at least%s", a.day(&m.Object, t.name, " (%s)"))
	first, _ := m.CreateBeforeDestroy.Get()
	switch {
	case m.Change == plan.ReplaceFirst || first:
		place := firstPlace(m.CreateBeforeDestroy.Place(), m.Place)
		message := "With create_before_destroy the new instance starts while the old one is still on its host."
		if m.Change == plan.ReplaceFirst {
			message = "The plan creates the new instance while the old one is still on its host."
		}
		a.report(&m.Object, place, RuleReplaceGap.New(finding.Warning, "lifecycle.create_before_destroy",
			message+fmt.Sprintf(" A Mac host holds one instance, so that takes %s; on the same host it fails.", second),
			"Have a free host for it, or leave create_before_destroy out and accept the gap."))
	case m.Change == plan.Replace:
		a.report(&m.Object, m.Place, RuleReplaceGap.New(finding.Warning, "",
			fmt.Sprintf("The plan replaces the instance. Its host is scrubbed first (%s), and a launch on it fails until then.", a.scrub(t)),
			fmt.Sprintf("Apply when the Mac is not needed and expect to apply twice, or take %s.", second)))
	case (m.HostObject != nil || m.Host.IsKnown()) && !m.IgnoresChange("ami"):
		a.report(&m.Object, m.Host.Place(), RuleReplaceGap.New(finding.Info, "host_id",
			fmt.Sprintf("The instance is bound to one host. Whatever replaces it, such as a new image, waits until the host is scrubbed (%s) or takes %s.", a.scrub(t), second),
			"Write ignore_changes = [ami] in its lifecycle block if the image comes from a data source, and replace it on purpose."))
	}
}

// macHost judges what a Mac is launched on.
func (a *auditor) macHost(m *plan.Machine, t instanceType) {
	if state, _ := m.State.Get(); state == "stopped" && m.StateObject != nil {
		a.report(m.StateObject, firstPlace(m.State.Place(), m.StateObject.Place), RuleHostLeak.New(finding.Warning, "state",
			fmt.Sprintf("A stopped Mac saves nothing: the host is billed and not the instance, until it is released%s.", a.month(m.StateObject, t.name, ", %s a month")),
			"End the instance and release the host, once it is 24 hours old, or keep the instance running."))
	}
}

// hostOf judges the host group that a machine is launched into.
func (a *auditor) hostOf(m *plan.Machine, _ instanceType, _ bool) {
	g := m.HostGroupObject
	if g == nil {
		return
	}
	families, ok := g.Parameter(hostManagement, "allowed-host-families").Get()
	if !ok || len(families) == 0 {
		return
	}
	types := a.typesOf(m)
	for _, t := range types {
		family := a.familyOf(t.name)
		if !catalog.IsTypeName(t.name) || slices.Contains(families, family) {
			continue
		}
		a.report(t.by, t.value.Place(), RuleHostGroupFamily.New(finding.Error, "instance_type",
			fmt.Sprintf("%s is of the family %s, which the host resource group does not allow (allowed-host-families), so no instance starts.", t.name, family),
			fmt.Sprintf("Add %q to the group's allowed-host-families, or choose a type of a family that is there.", family)))
	}
}

// familyOf is the family of hosts that a type runs on.
func (a *auditor) familyOf(typ string) string {
	if m, ok := a.Catalog.Mac(typ); ok {
		return m.HostFamily
	}
	family, _, _ := strings.Cut(typ, ".")
	return family
}

// hostGroup judges a resource group that is, or is taken for, one of hosts.
func (a *auditor) hostGroup(g *plan.HostGroup) {
	managed := g.Has(hostManagement)
	is, known := managed.Get()
	if len(g.Machines) > 0 && known {
		if !is {
			a.report(&g.Object, g.Place, RuleHostGroupKind.New(finding.Error, "configuration",
				fmt.Sprintf("Instances are launched into this group by its ARN, but it has no configuration %s: EC2 cannot allocate or find hosts in it, and no instance starts.%s", hostManagement, queryNote(g)),
				fmt.Sprintf("Add configuration blocks of the types %s and %s (allowed-resource-types AWS::EC2::Host, deletion-protection UNLESS_EMPTY).", hostManagement, generic)))
			return
		}
	}
	if is {
		if has, ok := g.Has(generic).Get(); ok && !has {
			a.report(&g.Object, g.Place, RuleHostGroupKind.New(finding.Error, "configuration",
				fmt.Sprintf("A group with %s needs the configuration %s, too; AWS refuses it without.", hostManagement, generic),
				fmt.Sprintf("Add a configuration block of the type %s with allowed-resource-types AWS::EC2::Host and deletion-protection UNLESS_EMPTY.", generic)))
		}
	}
	typ, isMac := a.macGroup(g)
	if !is || !isMac {
		return
	}
	a.autoRelease(g, typ)
	a.report(&g.Object, g.Place, RuleDestroy24h.New(finding.Info, "",
		"A Mac host cannot be released within 24 hours of its allocation, and a host resource group cannot be deleted while a host is in it: terraform destroy within a day of the last launch fails at the group.",
		"Destroy in two steps: end the instances, and destroy the rest when the hosts are a day old and released."))
}

func queryNote(g *plan.HostGroup) string {
	if g.Query {
		return " A resource_query only collects what has the same tags."
	}
	return ""
}

// macGroup is a Mac type whose hosts a group is for.
func (a *auditor) macGroup(g *plan.HostGroup) (typ string, ok bool) {
	for _, m := range g.Machines {
		if t, isMac := a.macOf(m); isMac {
			return t.name, true
		}
	}
	families, _ := g.Parameter(hostManagement, "allowed-host-families").Get()
	for _, m := range a.Catalog.Macs() {
		if slices.Contains(families, m.HostFamily) {
			return m.Type, true
		}
	}
	return "", false
}

// autoRelease: hosts are allocated by themselves and released by hand.
func (a *auditor) autoRelease(g *plan.HostGroup, typ string) {
	release := g.Parameter(hostManagement, "auto-release-host")
	if !is(g.Parameter(hostManagement, "auto-allocate-host"), "true") || !is(release, "false") {
		return
	}
	cost := a.month(&g.Object, typ, ", at %s a month each") + a.day(&g.Object, typ, " (%s a day)")
	a.report(&g.Object, release.Place(), hostpool.RuleAutoRelease.New(finding.Warning, "auto-release-host",
		fmt.Sprintf("A launch that finds no free host allocates one (auto-allocate-host), and hosts stay until somebody releases them by hand%s. The most hosts that were ever in use at a time are paid for.", cost),
		"Write \"true\" for auto-release-host, so that hosts are given back when they are free and a day old. Where hosts are kept on purpose, because they are hard to get, ignore the rule with that as the reason."))
}

func is(v plan.Value[[]string], want string) bool {
	list, _ := v.Get()
	return len(list) == 1 && strings.EqualFold(list[0], want)
}

// host judges a host that Terraform allocates.
func (a *auditor) host(h *plan.Host) {
	a.zone(&h.Object, h.Zone)
	typ, _ := h.InstanceType.Get()
	if family, ok := h.InstanceFamily.Get(); ok && typ == "" {
		typ = family + ".metal"
	}
	if t := a.typeNamed(typ); !t.isMac() {
		return
	}
	a.replacedHost(h, typ)
	a.report(&h.Object, h.Place, RuleDestroy24h.New(finding.Info, "",
		fmt.Sprintf("A Mac host cannot be released within 24 hours of its allocation, nor while it is scrubbed: terraform destroy fails until then, and the host costs%s whatever it was used for.", or(a.day(&h.Object, typ, " %s at least"), " a day at least")),
		"Apply when the host is needed for a day, and destroy after that."))
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (a *auditor) typeNamed(name string) instanceType {
	return instanceType{name: name, instance: a.instance(name)}
}

// deleted: hosts that a plan gives up.
func (a *auditor) deleted() {
	for _, h := range a.c.DeletedHosts {
		a.host(h)
	}
}

// The ways of counting that License Manager has and dedicated hosts have not.
var notForHosts = []string{"Instance", "vCPU"}

// licences judges licence configurations against the hosts that they are for.
func (a *auditor) licences() {
	for _, l := range a.c.Licences {
		machines, inferred := a.licensed(l)
		var macs []*plan.Machine
		for _, m := range machines {
			if _, ok := a.macOf(m); ok {
				macs = append(macs, m)
			}
		}
		if len(macs) == 0 {
			continue
		}
		a.counting(l, inferred)
		a.cores(l, macs, inferred)
	}
}

// licensed are the machines that a licence is for. If nothing refers to any
// licence, the only one is taken to be for all Macs; that is inferred.
func (a *auditor) licensed(l *plan.Licence) (machines []*plan.Machine, inferred bool) {
	if l.Linked || len(a.c.Licences) > 1 {
		return l.Machines, false
	}
	return a.c.Machines, true
}

func severityOf(inferred bool) finding.Severity {
	if inferred {
		return finding.Warning
	}
	return finding.Error
}

const inferredNote = " Nothing refers to the licence; it is taken to be for the Macs here."

func (a *auditor) counting(l *plan.Licence, inferred bool) {
	typ, _ := l.CountingType.Get()
	if !slices.Contains(notForHosts, typ) {
		return
	}
	message := fmt.Sprintf("A licence that counts by %s cannot be used on dedicated hosts: launches fail.", typ)
	if inferred {
		message += inferredNote
	}
	a.report(&l.Object, l.CountingType.Place(), RuleHostLicence.New(severityOf(inferred), "license_counting_type", message, `Write license_counting_type = "Core", or "Socket".`))
}

func (a *auditor) cores(l *plan.Licence, macs []*plan.Machine, inferred bool) {
	typ, _ := l.CountingType.Get()
	count, ok := l.Count.Get()
	if typ != "Core" || !ok || !count.IsInteger() {
		return
	}
	var need, each, hosts int64
	name := ""
	for _, m := range macs {
		t, _ := a.macOf(m)
		chip, ok := a.Catalog.Mac(t.name)
		cores, known := chip.CPUCores.Get()
		if !ok || !known {
			return
		}
		n := a.hostsFor(m)
		need += n * int64(cores)
		hosts += n
		if int64(cores) > each {
			each, name = int64(cores), t.name
		}
	}
	if hosts == 0 || !count.LessThan(decimal.NewFromInt(need)) || each == 0 {
		return
	}
	hard, hardKnown := l.Hard.Or(false).Get()
	severity, consequence := finding.Warning, "License Manager reports launches beyond that."
	if hard && hardKnown {
		severity, consequence = severityOf(inferred), "The limit is a hard one, so launches beyond that fail."
	}
	message := fmt.Sprintf("%s cores are enough for %s of %s (%s cores each); up to %s are launched, which are %s cores. %s",
		units.Decimal(count), hostCount(count.IntPart()/each), name, units.Count(each), hostCount(hosts), units.Count(need), consequence)
	if inferred {
		message += inferredNote
	}
	a.report(&l.Object, l.Count.Place(), RuleHostLicence.New(severity, "license_count", message, fmt.Sprintf("Write license_count = %d: hosts times cores of each.", need)))
}

func hostCount(n int64) string {
	switch n {
	case 0:
		return "no host"
	case 1:
		return "1 host"
	}
	return units.Count(n) + " hosts"
}

// hostsFor is how many hosts a machine may run on at a time, as far as that is
// known: the largest size of its groups, or one.
func (a *auditor) hostsFor(m *plan.Machine) int64 {
	var n int64
	for _, g := range m.Groups {
		most, _ := g.Max.Get()
		for _, s := range g.Schedules {
			if d, ok := s.Max.Get(); ok {
				most = decimal.Max(most, d)
			}
		}
		n += max(0, most.IntPart())
	}
	if n == 0 && m.Type == "aws_instance" {
		return 1
	}
	return n
}
