package plan

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

type number = decimal.Decimal

// linker finds the objects that values refer to.
type linker struct {
	// by address, by address without the last instance key, and without any key.
	byAddress map[string]*instances
	byName    map[string]map[string]*instances // type, then id, ARN or name
	is        map[*Object]any
}

func newLinker() *linker {
	return &linker{byAddress: map[string]*instances{}, byName: map[string]map[string]*instances{}, is: map[*Object]any{}}
}

// instances are the objects of one address or name. Where there are several they
// can be found by their keys: of thousands that each refer to one of thousands,
// each takes the one at once.
type instances struct {
	all   []*Object
	byKey map[string][]*Object // nil for less than two
}

// addTo adds an object to those of an address or name.
func addTo(to map[string]*instances, name string, o *Object) {
	i := to[name]
	switch {
	case i == nil:
		to[name] = &instances{all: []*Object{o}}
		return
	case i.byKey == nil && i.all[0] == o, slices.Contains(i.byKey[o.key], o):
		return
	case i.byKey == nil:
		i.byKey = map[string][]*Object{i.all[0].key: i.all[:1:1]}
	}
	i.all = append(i.all, o)
	i.byKey[o.key] = append(i.byKey[o.key], o)
}

// meant are those that an object means when it refers to them: of several the
// one with its own key, as each.key and count.index do.
func (i *instances) meant(from *Object) []*Object {
	if i == nil {
		return nil
	}
	if from.key != "" && len(i.byKey[from.key]) > 0 {
		return i.byKey[from.key]
	}
	return i.all
}

func (l *linker) add(o *Object, is any) {
	l.is[o] = is
	seen := ""
	for _, a := range []string{o.Address, o.config, withoutKeys(o.Address)} {
		if a != "" && a != seen {
			addTo(l.byAddress, a, o)
		}
		seen = a
	}
	names := l.byName[o.Type]
	if names == nil {
		names = map[string]*instances{}
		l.byName[o.Type] = names
	}
	for _, n := range o.names {
		addTo(names, n, o)
	}
}

// withoutKeys is an address without instance keys.
func withoutKeys(address string) string {
	var b strings.Builder
	quoted, depth := false, 0
	for i := 0; i < len(address); i++ {
		switch c := address[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '[':
			depth++
		case !quoted && c == ']':
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// find is what a value refers to: by reference where there is one, else by an
// id, ARN or name that is the same.
func (l *linker) find(v Value[string], from *Object, types ...string) []*Object {
	var out []*Object
	add := func(some *instances) {
		for _, o := range some.meant(from) {
			if slices.Contains(types, o.Type) && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	for _, ref := range v.refs() {
		add(l.byAddress[string(ref)])
	}
	if len(out) > 0 {
		return out
	}
	if s, ok := v.Get(); ok {
		for _, t := range types {
			add(l.byName[t][s])
		}
	}
	return out
}

// found is find for objects that the model has as T.
func found[T any](l *linker, v Value[string], from *Object, types ...string) []T {
	var out []T
	for _, o := range l.find(v, from, types...) {
		if t, ok := l.is[o].(T); ok {
			out = append(out, t)
		}
	}
	return out
}

const (
	typeLaunchTemplate      = "aws_launch_template"
	typeLaunchConfiguration = "aws_launch_configuration"
	typeGroup               = "aws_autoscaling_group"
	typeInstance            = "aws_instance"
	typeSpotInstance        = "aws_spot_instance_request"
	typeHost                = "aws_ec2_host"
	typeHostGroup           = "aws_resourcegroups_group"
	typeLicence             = "aws_licensemanager_license_configuration"
	typeVolume              = "aws_ebs_volume"
)

// link connects the objects. The order matters only in that templates are known
// before what they pass on.
func (b *builder) link() {
	b.linkVolumes()
	for _, m := range b.c.Machines {
		for _, v := range m.template {
			if ts := found[*Machine](b.l, v, &m.Object, typeLaunchTemplate); len(ts) > 0 {
				m.Template = ts[0]
			}
		}
	}
	b.linkGroups()
	b.linkTemplatesToInstances()
	for _, m := range b.c.Machines {
		b.linkMachine(m)
	}
	for _, g := range b.c.HostGroups {
		b.linkAllowedLicences(g)
	}
	b.linkGroupParts()
	for _, ms := range b.memberships {
		b.linkMembership(ms)
	}
	for _, s := range b.states {
		for _, m := range found[*Machine](b.l, s.instance, &s.Object, typeInstance, typeSpotInstance) {
			m.State, m.StateObject = s.state, &s.Object
		}
	}
	b.linkGuards()
	for _, m := range b.c.Machines {
		for _, v := range m.Volumes {
			v.settle()
			if v.Before != nil {
				v.Before.settle()
			}
		}
	}
	for _, v := range b.c.Volumes {
		v.settle()
		if v.Before != nil {
			v.Before.settle()
		}
	}
}

// linkVolumes connects volumes with the instances that they are attached to. A
// state shows an attached volume on the instance, too; it is judged once.
func (b *builder) linkVolumes() {
	for _, m := range b.c.Machines {
		m.Volumes = slices.DeleteFunc(m.Volumes, func(v *Volume) bool {
			return len(b.l.find(v.volumeID, &m.Object, typeVolume)) > 0
		})
	}
	for _, a := range b.attachments {
		for _, v := range found[*StandaloneVolume](b.l, a.volume, &a.Object, typeVolume) {
			for _, m := range found[*Machine](b.l, a.instance, &a.Object, typeInstance, typeSpotInstance) {
				if !slices.Contains(v.Machines, m) {
					v.Machines = append(v.Machines, m)
				}
			}
		}
	}
}

func (b *builder) linkGroups() {
	type use struct{ all, overridden int }
	uses := map[*Machine]*use{}
	for _, g := range b.c.Groups {
		for _, la := range g.launches {
			var machines []*Machine
			for _, v := range la.template {
				for _, m := range found[*Machine](b.l, v, &g.Object, typeLaunchTemplate, typeLaunchConfiguration) {
					if !slices.Contains(machines, m) {
						machines = append(machines, m)
					}
				}
			}
			for _, m := range machines {
				if !slices.Contains(m.Groups, g) {
					m.Groups = append(m.Groups, g)
					g.Machines = append(g.Machines, m)
				}
				u := uses[m]
				if u == nil {
					u = &use{}
					uses[m] = u
				}
				u.all++
				if len(la.types) > 0 || la.unknownTypes {
					u.overridden++
				}
				for _, t := range la.types {
					m.OtherTypes = append(m.OtherTypes, TypeUse{Type: t, By: &g.Object})
				}
			}
		}
	}
	for m, u := range uses {
		m.OwnTypeUnused = u.all == u.overridden
	}
}

// linkTemplatesToInstances tells templates of the types of instances that are
// launched from them, and instances of the type of their template.
func (b *builder) linkTemplatesToInstances() {
	inherited := map[*Machine]bool{}
	for _, m := range b.c.Machines {
		t := m.Template
		if t == nil {
			continue
		}
		if m.InstanceType.IsNull() {
			m.InstanceType = t.InstanceType
			inherited[t] = true
			continue
		}
		t.OwnTypeUnused = t.OwnTypeUnused || len(t.Groups) == 0
		t.OtherTypes = append(t.OtherTypes, TypeUse{Type: m.InstanceType, By: &m.Object})
	}
	for t := range inherited {
		t.OwnTypeUnused = false
	}
}

func (b *builder) linkMachine(m *Machine) {
	for _, g := range found[*HostGroup](b.l, m.HostGroup, &m.Object, typeHostGroup) {
		m.HostGroupObject = g
		g.Machines = append(g.Machines, m)
	}
	for _, h := range found[*Host](b.l, m.Host, &m.Object, typeHost) {
		m.HostObject = h
		h.Machines = append(h.Machines, m)
	}
	for _, v := range m.Licences {
		for _, l := range found[*Licence](b.l, v, &m.Object, typeLicence) {
			l.Linked = true
			m.LicenceObjects = append(m.LicenceObjects, l)
			l.Machines = append(l.Machines, m)
		}
	}
}

// linkAllowedLicences: a group may name the licences that it is for.
func (b *builder) linkAllowedLicences(g *HostGroup) {
	for _, c := range g.Configuration {
		for _, p := range c.Parameters {
			if n, _ := p.Name.Get(); n != "allowed-host-based-license-configurations" {
				continue
			}
			values, _ := p.Values.Get()
			for _, arn := range append(values, "") {
				v := refsOf(p.Values)
				if arn != "" {
					v.Value = optional.Known(arn)
				}
				for _, l := range found[*Licence](b.l, v, &g.Object, typeLicence) {
					l.Linked = true
					for _, m := range g.Machines {
						if !slices.Contains(l.Machines, m) {
							l.Machines = append(l.Machines, m)
							m.LicenceObjects = append(m.LicenceObjects, l)
						}
					}
				}
			}
		}
	}
}

func (b *builder) linkGroupParts() {
	for _, p := range b.policies {
		gs := found[*Group](b.l, p.group, &p.Object, typeGroup)
		for _, g := range gs {
			p.Group = g
			g.Policies = append(g.Policies, p)
		}
		if len(gs) == 0 {
			b.c.Orphans = append(b.c.Orphans, p)
		}
	}
	for _, s := range b.schedules {
		for _, g := range found[*Group](b.l, s.group, &s.Object, typeGroup) {
			g.Schedules = append(g.Schedules, s)
		}
	}
	for _, h := range b.hooks {
		for _, g := range found[*Group](b.l, h.group, &h.Object, typeGroup) {
			g.Hooks = append(g.Hooks, h)
		}
	}
}

// linkMembership: a host in a group, or a licence for something.
func (b *builder) linkMembership(ms membership) {
	for _, g := range found[*HostGroup](b.l, ms.group, &ms.Object, typeHostGroup) {
		for _, h := range found[*Host](b.l, ms.member, &ms.Object, typeHost) {
			h.Groups = append(h.Groups, g)
		}
	}
	for _, l := range found[*Licence](b.l, ms.group, &ms.Object, typeLicence) {
		l.Linked = true
	}
}
