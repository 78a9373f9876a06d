package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// A plan's configuration does not have what a dynamic block makes: neither that
// there is one, nor the expressions in it. What the plan has of such a block are
// its values, and marks of those that are not known yet. A setting that may be
// left out, such as iops, has that mark in two cases: it is left out and AWS
// will fill it in, or it refers to something that is not known before the apply.
//
// The two can be told apart by relevant_attributes, which lists what of other
// resources went into the planned changes, from inside of dynamic blocks and
// through local values and modules, too. If none of that is unknown and can be
// a setting, the mark can only be the provider's own: the setting was left out,
// and a volume is created with EC2's default, which for gp3 is 3,000 IOPS and
// 125 MiB/s. Where it cannot be told, the value stays unknown and a note of the
// document says so.

// relevance is what a plan says of where values come from.
type relevance struct {
	// told says that the plan lists relevant attributes, as plans of Terraform do
	// since format 1.2 at the latest. One without any leaves the list out.
	told bool
	used map[usedAttribute]struct{}
	// pending are the resources of other types than those that are read, without
	// instance keys, with the attributes that are known after the apply.
	pending map[string][]string
	// guards are the settings of volumes that guards in the plan have judged.
	guards map[volumeSettings]struct{}
	// anyPending says that something unknown was used, settingPending that it can
	// be a setting of a volume, and guardUsed that a guard's value was.
	anyPending, settingPending, guardUsed bool
	// unsure are the resources with a setting that is unknown or left out.
	unsure []string
}

// usedAttribute is an element of relevant_attributes: a resource without
// instance keys, and the first name of the attribute's path, empty for all of it.
type usedAttribute struct{ resource, name string }

// volumeSettings are IOPS and MiB/s as text.
type volumeSettings struct{ iops, throughput string }

// volumeAttributes are the settings of a volume that are numbers or a type, of
// which no id, ARN or name is one.
var volumeAttributes = []string{"iops", "throughput", "size", "volume_size", "type", "volume_type"}

// isName says whether an attribute is a text that identifies something.
func isName(attribute string) bool {
	last := attribute[strings.LastIndexByte(attribute, '_')+1:]
	switch strings.TrimSuffix(last, "s") {
	case "id", "arn", "name":
		return true
	}
	return false
}

// relevantAttribute reads one element of relevant_attributes.
func (d *document) relevantAttribute() error {
	var u usedAttribute
	err := d.r.object(func(key string) (err error) {
		switch key {
		case "resource":
			u.resource, err = d.r.text()
			u.resource = withoutKeys(u.resource)
		case "attribute":
			var n *node
			if n, err = d.r.value(); err == nil && len(n.items) > 0 && n.items[0].kind == textNode {
				u.name = n.items[0].text
			}
		default:
			err = d.r.skip()
		}
		return err
	})
	if d.relevant.used == nil {
		d.relevant.used = map[usedAttribute]struct{}{}
	}
	d.relevant.used[u] = struct{}{}
	return err
}

// otherChange reads of a change of another type what of it is unknown.
func (d *document) otherChange(address string) error {
	var unknown []string
	action := NoChange
	reads := false
	err := d.r.object(func(key string) error {
		switch key {
		case "actions":
			n, err := d.r.value()
			if err != nil {
				return err
			}
			action = changeOf(n)
			reads = len(n.items) > 0 && n.items[0].text == "read"
			return nil
		case "after_unknown":
			return d.r.ifObject(func(name string) error {
				open, err := d.r.anyTrue()
				if open {
					unknown = append(unknown, name)
				}
				return err
			})
		}
		return d.r.skip()
	})
	if reads {
		// The result of a data source that is read at apply.
		unknown = append(unknown, "")
	}
	if (action != NoChange || reads) && len(unknown) > 0 {
		if d.relevant.pending == nil {
			d.relevant.pending = map[string][]string{}
		}
		at := withoutKeys(address)
		for _, name := range unknown {
			if !slices.Contains(d.relevant.pending[at], name) {
				d.relevant.pending[at] = append(d.relevant.pending[at], name)
			}
		}
	}
	return err
}

// guardPrefix starts the types of runnerfit's own objects.
const guardPrefix = "runnerfit_"

// guardValues adds the settings of volumes in what a guard will be.
func (r *relevance) guardValues(n *node) {
	if n == nil {
		return
	}
	iops, throughput := n.member("iops"), n.member("throughput_mib_per_s")
	if iops != nil && iops.kind == wordNode && throughput != nil && throughput.kind == wordNode {
		if r.guards == nil {
			r.guards = map[volumeSettings]struct{}{}
		}
		r.guards[volumeSettings{iops.text, throughput.text}] = struct{}{}
	}
	for _, m := range n.members {
		r.guardValues(m.node)
	}
	for _, i := range n.items {
		r.guardValues(i)
	}
}

// ifObject reads an object, and passes anything else by.
func (r *jsonReader) ifObject(member func(key string) error) error {
	if p, err := r.next(); err != nil || p != '{' {
		if err != nil {
			return err
		}
		return r.skip()
	}
	return r.object(member)
}

// anyTrue reads a value and says whether true is somewhere in it.
func (r *jsonReader) anyTrue() (found bool, err error) {
	p, err := r.next()
	if err != nil {
		return false, err
	}
	inner := func() error {
		is, err := r.anyTrue()
		found = found || is
		return err
	}
	switch p {
	case '{':
		err = r.object(func(string) error { return inner() })
	case '[':
		err = r.array(inner)
	case 't':
		found = true
		err = r.skip()
	default:
		err = r.skip()
	}
	return found, err
}

// settle finds out what was used, once all of the plan is read.
func (d *document) settleRelevance() {
	r := &d.relevant
	major, minor, _ := strings.Cut(d.version, ".")
	n, err := strconv.Atoi(minor)
	r.told = major == "1" && err == nil && n >= 2
	if len(r.used) == 0 {
		return
	}
	// Of the types that are read, what may be a setting is in their schema.
	for _, c := range d.changes {
		if strings.HasPrefix(c.typ, guardPrefix) {
			r.guardValues(c.after.node())
		}
		if c.afterUnknown == "" || c.action == NoChange {
			continue
		}
		at := withoutKeys(c.address)
		for _, m := range c.afterUnknown.node().members {
			if !m.node.holdsTrue() {
				continue
			}
			for _, u := range []usedAttribute{{at, m.name}, {at, ""}} {
				if _, used := r.used[u]; used {
					r.use(m.name)
				}
			}
		}
	}
	for u := range r.used {
		parts := splitReference(u.resource)
		if len(parts) >= 2 && strings.HasPrefix(parts[len(parts)-2], guardPrefix) && (len(parts) < 3 || parts[len(parts)-3] != "data") {
			r.guardUsed = true
		}
		for _, name := range r.pending[u.resource] {
			switch {
			case name == "": // a data source
				r.use(u.name)
			case u.name == "" || u.name == name:
				r.use(name)
			}
		}
	}
}

// use notes that something unknown was used.
func (r *relevance) use(name string) {
	r.anyPending = true
	r.settingPending = r.settingPending || !isName(name)
}

// leftOut says whether an attribute that has no expression and is not known in
// a dynamic block was left out. It is false where that cannot be told.
func (r *relevance) leftOut(attribute string) bool {
	if slices.Contains(volumeAttributes, attribute) {
		return r.told && !r.settingPending
	}
	return r.told && !r.anyPending
}

// notes of a document about what could not be told.
func (r *relevance) notes() []string {
	n := len(r.unsure)
	if n == 0 {
		return nil
	}
	const most = 3
	named := r.unsure
	more := ""
	if n > most {
		named, more = named[:most], fmt.Sprintf(" and %d more", n-most)
	}
	return []string{fmt.Sprintf("The plan does not show whether iops or throughput in a dynamic block are left out or known only after the apply, so not all rules could be checked for %s%s. Check the folder of the configuration, too.", strings.Join(named, ", "), more)}
}

// judgedByGuard says whether a volume has the settings of one that a guard has
// judged, where the values come from a local value or a dynamic block, of which
// a plan does not have the expressions.
func (r *relevance) judgedByGuard(b *body) bool {
	if !r.guardUsed {
		return false
	}
	text := func(name, preset string) string {
		a := b.attributes[name]
		if a == nil || a.scalar.IsNull() {
			return preset
		}
		s, _ := a.scalar.Get()
		return s
	}
	_, judged := r.guards[volumeSettings{text("iops", "3000"), text("throughput", "125")}]
	return judged
}

// holdsTrue says whether true is somewhere in a value.
func (n *node) holdsTrue() bool {
	if n == nil {
		return false
	}
	if n.isTrue() || slices.ContainsFunc(n.items, (*node).holdsTrue) {
		return true
	}
	for _, m := range n.members {
		if m.node.holdsTrue() {
			return true
		}
	}
	return false
}

// absent is the value of an attribute that is not known and has no expression
// in a block that a dynamic block has made.
func (m *merger) absent(name string) optional.Value[string] {
	if m.relevant.leftOut(name) {
		return optional.Null[string]()
	}
	if name == "iops" || name == "throughput" {
		m.unsure = true
	}
	return optional.Unknown[string]()
}
