package plan

import (
	"fmt"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// build makes the model of what a reader found.
func build(resources []*resource) *Configuration {
	b := newBuilder()
	for _, r := range resources {
		b.add(r)
	}
	return b.finish()
}

func newBuilder() *builder { return &builder{c: &Configuration{}, l: newLinker()} }

// finish connects what was added.
func (b *builder) finish() *Configuration {
	b.link()
	return b.c
}

type builder struct {
	c           *Configuration
	l           *linker
	policies    []*Policy
	schedules   []*Schedule
	hooks       []*Hook
	attachments []attachment
	memberships []membership
	states      []stateOf
}

// attachment, membership and stateOf are resources that only connect others.
type attachment struct {
	Object
	volume, instance Value[string]
}

type membership struct {
	Object
	group, member Value[string]
}

type stateOf struct {
	Object
	instance, state Value[string]
}

func (b *builder) add(r *resource) {
	if r.Change == Delete {
		if r.Type == typeHost && r.before != nil {
			b.c.DeletedHosts = append(b.c.DeletedHosts, host(r.Object, r.before))
		}
		return
	}
	o := r.Object
	if region, ok := r.body.text("region").Get(); ok && catalog.IsRegionName(region) {
		o.Region = region
	}
	if zone, ok := r.body.text("availability_zone").Get(); ok && o.Region == "" {
		o.Region = regionOf(zone)
	}
	for _, n := range nameAttributes {
		if s, ok := r.body.text(n).Get(); ok {
			o.names = append(o.names, s)
		}
	}
	switch r.Type {
	case "aws_instance", "aws_spot_instance_request":
		b.instance(o, r)
	case "aws_launch_configuration":
		m := &Machine{Object: o, InstanceType: r.body.text("instance_type"), Tenancy: r.body.text("placement_tenancy")}
		b.blockDevices(m, r)
		b.machine(m)
	case "aws_launch_template":
		b.launchTemplate(o, r)
	case "aws_spot_fleet_request":
		b.spotFleet(o, r)
	case "aws_autoscaling_group":
		b.autoScalingGroup(o, r)
	case "aws_ec2_fleet":
		g := &Group{Object: o}
		configs, _ := r.body.all("launch_template_config")
		for _, c := range configs {
			g.launches = append(g.launches, fleetLaunch(c, "override"))
		}
		b.group(g)
	case "aws_eks_node_group":
		g := &Group{Object: o}
		var open bool
		g.types, open = r.body.each("instance_types")
		g.launches = append(g.launches, launch{template: templateOf(r.body.first("launch_template")), types: g.types, unknownTypes: open})
		b.group(g)
	case "aws_autoscaling_policy":
		b.policy(o, r)
	case "aws_autoscaling_schedule":
		b.schedules = append(b.schedules, &Schedule{
			Object: o, Min: r.body.number("min_size"), Max: r.body.number("max_size"), Desired: r.body.number("desired_capacity"),
			group: r.body.text("autoscaling_group_name"),
		})
	case "aws_autoscaling_lifecycle_hook":
		b.hooks = append(b.hooks, &Hook{
			Object: o, Transition: r.body.text("lifecycle_transition"), Timeout: r.body.number("heartbeat_timeout"), group: r.body.text("autoscaling_group_name"),
		})
	case "aws_ebs_volume":
		v := &StandaloneVolume{Object: o, Zone: r.body.text("availability_zone"), Volume: *volume(r.body, Standalone)}
		if r.before != nil {
			v.Before = volume(r.before, Standalone)
		}
		b.c.Volumes = append(b.c.Volumes, v)
		b.l.add(&v.Object, v)
	case "aws_volume_attachment":
		b.attachments = append(b.attachments, attachment{Object: o, volume: r.body.text("volume_id"), instance: r.body.text("instance_id")})
	case "aws_ec2_host":
		h := host(o, r.body)
		b.c.Hosts = append(b.c.Hosts, h)
		b.l.add(&h.Object, h)
	case "aws_ec2_instance_state":
		b.states = append(b.states, stateOf{Object: o, instance: r.body.text("instance_id"), state: r.body.text("state")})
	case "aws_resourcegroups_group":
		b.hostGroup(o, r)
	case "aws_resourcegroups_resource":
		b.memberships = append(b.memberships, membership{Object: o, group: r.body.text("group_arn"), member: r.body.text("resource_arn")})
	case "aws_licensemanager_license_configuration":
		l := &Licence{
			Object: o, CountingType: r.body.text("license_counting_type"),
			Count: r.body.number("license_count"), Hard: r.body.boolean("license_count_hard_limit"),
		}
		b.c.Licences = append(b.c.Licences, l)
		b.l.add(&l.Object, l)
	case typeMacStorage, typeMacPool, typeInstanceStorage:
		b.guard(o, r)
	case "aws_licensemanager_association":
		b.memberships = append(b.memberships, membership{Object: o, group: r.body.text("license_configuration_arn"), member: r.body.text("resource_arn")})
	}
}

// regionOf is the region of an availability zone, as far as its name says.
func regionOf(zone string) string {
	if n := len(zone); n > 0 && zone[n-1] >= 'a' && zone[n-1] <= 'z' && catalog.IsRegionName(zone[:n-1]) {
		return zone[:n-1]
	}
	return ""
}

func (b *builder) machine(m *Machine) {
	b.c.Machines = append(b.c.Machines, m)
	b.l.add(&m.Object, m)
}

func (b *builder) group(g *Group) {
	b.c.Groups = append(b.c.Groups, g)
	b.l.add(&g.Object, g)
}

func (b *builder) instance(o Object, r *resource) {
	m := &Machine{
		Object: o, InstanceType: r.body.text("instance_type"), Tenancy: r.body.text("tenancy"),
		Host: r.body.text("host_id"), HostGroup: r.body.text("host_resource_group_arn"), Zone: r.body.text("availability_zone"),
	}
	if t := r.body.first("launch_template"); t.unknown || len(t.attributes) > 0 {
		m.template = templateOf(t)
	}
	b.blockDevices(m, r)
	b.machine(m)
}

// blockDevices reads the volumes of an instance or a launch configuration.
func (b *builder) blockDevices(m *Machine, r *resource) {
	for _, kind := range []VolumeKind{RootBlock, Mapping} {
		name := map[VolumeKind]string{RootBlock: "root_block_device", Mapping: "ebs_block_device"}[kind]
		bodies, open := r.body.all(name)
		m.MoreVolumes = m.MoreVolumes || open
		for i, d := range bodies {
			if off, _ := d.boolean("no_device").Get(); off {
				continue
			}
			v := volume(d, kind)
			v.Path = fmt.Sprintf("%s[%d]", name, i)
			if kind == RootBlock {
				v.Path = name
			}
			if r.before != nil {
				v.Before = before(r.before, name, kind, v)
			}
			m.Volumes = append(m.Volumes, v)
		}
	}
}

// before is what a volume was: the block of the same device.
func before(b *body, name string, kind VolumeKind, v *Volume) *Volume {
	bodies, _ := b.all(name)
	for _, d := range bodies {
		old := volume(d, kind)
		was, _ := old.DeviceName.Get()
		is, _ := v.DeviceName.Get()
		if kind == RootBlock || was == is && was != "" {
			return old
		}
	}
	return nil
}

func templateOf(b *body) []Value[string] {
	return []Value[string]{b.text("id"), b.text("name")}
}

func (b *builder) launchTemplate(o Object, r *resource) {
	placement := r.body.first("placement")
	m := &Machine{
		Object: o, InstanceType: r.body.text("instance_type"), Tenancy: placement.text("tenancy"),
		Host: placement.text("host_id"), HostGroup: placement.text("host_resource_group_arn"), Zone: placement.text("availability_zone"),
	}
	licences, _ := r.body.all("license_specification")
	for _, l := range licences {
		m.Licences = append(m.Licences, l.text("license_configuration_arn"))
	}
	mappings, open := r.body.all("block_device_mappings")
	m.MoreVolumes = open
	for i, d := range mappings {
		v, more := mappedVolume(d)
		m.MoreVolumes = m.MoreVolumes || more
		if v == nil {
			continue
		}
		v.Path = fmt.Sprintf("block_device_mappings[%d].ebs", i)
		if r.before != nil {
			olds, _ := r.before.all("block_device_mappings")
			for _, o := range olds {
				if old, _ := mappedVolume(o); old != nil && sameDevice(old, v) {
					v.Before = old
				}
			}
		}
		m.Volumes = append(m.Volumes, v)
	}
	b.machine(m)
}

func sameDevice(a, b *Volume) bool {
	x, known := a.DeviceName.Get()
	y, _ := b.DeviceName.Get()
	return known && x == y
}

// mappedVolume is the volume of a launch template's mapping; nil if the mapping
// is about something else than a volume. more says that it may be about one.
func mappedVolume(d *body) (v *Volume, more bool) {
	if off := d.text("no_device"); off.IsKnown() || off.IsUnknown() && off.Written {
		return nil, off.IsUnknown()
	}
	if virtual := d.text("virtual_name"); virtual.IsKnown() {
		return nil, false // a local disk
	}
	ebs, open := d.all("ebs")
	if open {
		return nil, true
	}
	inner := emptyBody(d.place)
	if len(ebs) > 0 {
		inner = ebs[0]
	}
	v = volume(inner, Mapping)
	v.DeviceName = d.text("device_name")
	v.DefaultType = defaultType(v)
	return v, false
}

// volume reads the settings of a volume.
func volume(b *body, kind VolumeKind) *Volume {
	v := &Volume{
		Block: b.place, Kind: kind, TypeAttribute: "volume_type", SizeAttribute: "volume_size",
		IOPS: b.number("iops"), Throughput: b.number("throughput"), SnapshotID: b.text("snapshot_id"), DeviceName: b.text("device_name"),
		volumeID: b.text("volume_id"),
	}
	if kind == Standalone {
		v.TypeAttribute, v.SizeAttribute = "type", "size"
	}
	v.Type, v.SizeGiB = b.text(v.TypeAttribute), b.number(v.SizeAttribute)
	v.DefaultType = defaultType(v)
	return v
}

// defaultType is the type of a volume whose type was left out. A resource of
// its own and a device that no image uses get EC2's default, gp2 (CreateVolume).
// The root, and whatever else the image maps, keeps the image's type.
func defaultType(v *Volume) optional.Value[string] {
	name, known := v.DeviceName.Get()
	if v.Kind == Standalone || v.Kind == Mapping && known && isDataDevice(name) && v.SnapshotID.IsNull() {
		return optional.Known("gp2")
	}
	return optional.Unknown[string]()
}

// isDataDevice says whether a device name is one of those that AWS recommends
// for further volumes, /dev/sdf to /dev/sdp (EC2 user guide, device names).
func isDataDevice(name string) bool {
	for _, prefix := range []string{"/dev/sd", "/dev/xvd", "sd", "xvd"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return len(rest) == 1 && rest[0] >= 'f' && rest[0] <= 'p'
		}
	}
	return false
}

func (b *builder) spotFleet(o Object, r *resource) {
	g := &Group{Object: o}
	specs, _ := r.body.all("launch_specification")
	for i, s := range specs {
		m := &Machine{Object: o, InstanceType: s.text("instance_type")}
		m.Place = s.place
		b.blockDevices(m, &resource{Object: o, body: s})
		for _, v := range m.Volumes {
			v.Path = fmt.Sprintf("launch_specification[%d].%s", i, v.Path)
		}
		m.Groups = []*Group{g}
		b.c.Machines = append(b.c.Machines, m)
	}
	configs, _ := r.body.all("launch_template_config")
	for _, c := range configs {
		g.launches = append(g.launches, fleetLaunch(c, "overrides"))
	}
	b.group(g)
}

// fleetLaunch is the template that a fleet uses, with the types of its overrides.
func fleetLaunch(c *body, overrides string) launch {
	s := c.first("launch_template_specification")
	l := launch{template: []Value[string]{s.text("launch_template_id"), s.text("launch_template_name"), s.text("id"), s.text("name")}}
	bodies, open := c.all(overrides)
	l.unknownTypes = open
	for _, o := range bodies {
		l.addType(o)
	}
	return l
}

func (l *launch) addType(override *body) {
	switch t := override.text("instance_type"); {
	case !t.IsNull():
		l.types = append(l.types, t)
	case override.has("instance_requirements"):
		l.unknownTypes = true
	}
}

func (b *builder) autoScalingGroup(o Object, r *resource) {
	g := &Group{
		Object: o, AutoScaling: true,
		Min: r.body.number("min_size"), Max: r.body.number("max_size"), Desired: r.body.number("desired_capacity"),
		Grace: r.body.number("health_check_grace_period"),
	}
	g.Zones, _ = r.body.each("availability_zones")
	if bodies, open := r.body.all("launch_template"); open || len(bodies) > 0 {
		g.launches = append(g.launches, launch{template: templateOf(r.body.first("launch_template"))})
	}
	if c := r.body.text("launch_configuration"); !c.IsNull() {
		g.launches = append(g.launches, launch{template: []Value[string]{c}})
	}
	policies, _ := r.body.all("mixed_instances_policy")
	for _, p := range policies {
		g.launches = append(g.launches, mixedLaunches(p.first("launch_template"))...)
	}
	if refreshes, open := r.body.all("instance_refresh"); !open && len(refreshes) > 0 {
		p := refreshes[0].first("preferences")
		g.Refresh = &Refresh{Place: refreshes[0].place, MinHealthy: p.number("min_healthy_percentage"), MaxHealthy: p.number("max_healthy_percentage")}
	}
	hooks, _ := r.body.all("initial_lifecycle_hook")
	for _, h := range hooks {
		hook := &Hook{Object: o, Transition: h.text("lifecycle_transition"), Timeout: h.number("heartbeat_timeout")}
		hook.Place = h.place
		g.Hooks = append(g.Hooks, hook)
	}
	b.group(g)
}

// mixedLaunches are the templates of a mixed instances policy: the policy's own
// with the types of its overrides, and those that an override names.
func mixedLaunches(t *body) []launch {
	if t.unknown {
		return nil
	}
	ids := func(s *body) []Value[string] {
		return []Value[string]{s.text("launch_template_id"), s.text("launch_template_name")}
	}
	main := launch{template: ids(t.first("launch_template_specification"))}
	overrides, open := t.all("override")
	main.unknownTypes = open
	out := []launch{main}
	for _, o := range overrides {
		if own := o.first("launch_template_specification"); len(own.attributes) > 0 {
			l := launch{template: ids(own)}
			l.addType(o)
			out = append(out, l)
			continue
		}
		out[0].addType(o)
	}
	return out
}

func (b *builder) policy(o Object, r *resource) {
	p := &Policy{
		Object: o, Kind: r.body.text("policy_type"), AdjustmentType: r.body.text("adjustment_type"), Enabled: r.body.boolean("enabled"),
		TargetTracking: r.body.has("target_tracking_configuration"), Predictive: r.body.has("predictive_scaling_configuration"),
		group: r.body.text("autoscaling_group_name"),
	}
	p.DisableScaleIn = r.body.first("target_tracking_configuration").boolean("disable_scale_in")
	if a := r.body.number("scaling_adjustment"); !a.IsNull() {
		p.Adjustments = append(p.Adjustments, a)
	}
	steps, _ := r.body.all("step_adjustment")
	for _, s := range steps {
		p.Adjustments = append(p.Adjustments, s.number("scaling_adjustment"))
	}
	b.policies = append(b.policies, p)
}

func (b *builder) hostGroup(o Object, r *resource) {
	g := &HostGroup{Object: o, Query: r.body.has("resource_query")}
	configurations, open := r.body.all("configuration")
	g.MoreConfiguration = open
	for _, c := range configurations {
		gc := GroupConfiguration{Place: c.place, Type: c.text("type")}
		parameters, more := c.all("parameters")
		gc.MoreParameters = more
		for _, p := range parameters {
			gc.Parameters = append(gc.Parameters, GroupParameter{Name: p.text("name"), Values: p.texts("values")})
		}
		g.Configuration = append(g.Configuration, gc)
	}
	b.c.HostGroups = append(b.c.HostGroups, g)
	b.l.add(&g.Object, g)
}

func host(o Object, b *body) *Host {
	return &Host{
		Object: o, InstanceType: b.text("instance_type"), InstanceFamily: b.text("instance_family"),
		Zone: b.text("availability_zone"), AutoPlacement: b.text("auto_placement"),
	}
}

// settle leaves out what is said of a volume but does not stand in the
// configuration: the IOPS that AWS reports of a gp2 volume are no setting.
func (v *Volume) settle() {
	typ, known := v.Type.OrElse(v.DefaultType).Get()
	if !known {
		return
	}
	if v.Before != nil {
		// What the old type had by itself is not a setting of the new one.
		if was, ok := v.Before.Type.Get(); ok && was != typ {
			if !v.Throughput.Written {
				v.Throughput.Value = optional.Null[number]()
			}
			if !v.IOPS.Written {
				v.IOPS.Value = optional.Null[number]()
			}
		}
	}
	if typ == ebs.TypeGP3 {
		return
	}
	if !v.Throughput.Written {
		v.Throughput.Value = optional.Null[number]()
	}
	if !v.IOPS.Written && typ != "io1" && typ != "io2" {
		v.IOPS.Value = optional.Null[number]()
	}
}
