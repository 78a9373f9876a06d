package runnerlabel

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultID is what a label is given as its id if none is written: RunsOn asks
// for it, so that no other job takes the runner.
const DefaultID = "${{ github.run_id }}"

// SettingError says why a setting cannot be written into a label. The message
// has no full stop at the end and repeats nothing but known words.
type SettingError struct {
	// Key as it was given.
	Key     string
	Message string
}

// Error is the message.
func (e *SettingError) Error() string { return e.Message }

// Write is the RunsOn label of settings: runs-on=ID first, then the other keys
// in canonical order, volumes in canonical order and units. A label without an
// id gets DefaultID; an id that is the empty text is left out. What it writes,
// Parse reads as the same settings. It returns a *SettingError for a key that
// RunsOn v3 does not know or a value that a label cannot hold.
func (p Parser) Write(settings []Setting) (string, error) {
	values := map[string]string{}
	for _, s := range settings {
		name := lower(strings.TrimSpace(s.Key))
		k, known := findKey(name)
		switch {
		case !known:
			fix := "keys are " + strings.Join(keyNames, ", ")
			if words := closestKeys(name); len(words) > 0 {
				fix = "the closest is " + alternatives(words)
			}
			return "", &SettingError{s.Key, "has a key that RunsOn does not know; " + fix}
		case k.kind == removed:
			return "", &SettingError{s.Key, name + " is ignored by RunsOn v3; write volume, such as " + diskVolumes["large"]}
		}
		if _, twice := values[name]; twice {
			return "", &SettingError{s.Key, name + " is given twice"}
		}
		value, err := p.writeValue(k, s.Value)
		if err != nil {
			return "", err
		}
		values[name] = value
	}
	if _, ok := values[headKey]; !ok {
		values[headKey] = DefaultID
	}
	var b strings.Builder
	b.WriteString(headKey)
	if id := values[headKey]; id != "" {
		b.WriteString("=" + id)
	}
	for _, k := range runsOnKeys[1:] {
		if v, ok := values[k.name]; ok {
			b.WriteString("/" + k.name + "=" + v)
		}
	}
	if b.Len() > maxText {
		return "", &SettingError{headKey, fmt.Sprintf("makes a label of %d bytes; a runner label has at most %d", b.Len(), maxText)}
	}
	return b.String(), nil
}

// writeValue is a value in its canonical form.
func (p Parser) writeValue(k key, value string) (string, error) {
	value = strings.TrimSpace(value)
	fail := func(format string, args ...any) (string, error) {
		return "", &SettingError{k.name, fmt.Sprintf(format, args...)}
	}
	if value == "" && k.name != headKey {
		return fail("%s has no value; leave it out instead", k.name)
	}
	if len(value) > maxText {
		return fail("%s is too long for a label", k.name)
	}
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return fail("%s has a control character or is not UTF-8 text", k.name)
	}
	for i := 0; i < len(value); {
		end, isExpr := expression(value, i)
		switch {
		case isExpr && end < 0:
			return fail("%s has an expression that starts with ${{ and is never closed by }}", k.name)
		case isExpr:
			i = end
		case value[i] == ';' && isList(k.kind):
			return fail("%s has a semicolon; several values are joined by +", k.name)
		case isSeparator(value[i]):
			return fail("%s has a %s, which would end it in a label; several values are joined by +", k.name, map[byte]string{'/': "slash", ',': "comma"}[value[i]])
		default:
			i++
		}
	}
	switch k.kind {
	case volume, stickyVolume:
		v := p.readVolume(value, k.kind == stickyVolume)
		if len(v.unreadable) > 0 {
			return fail("part %d of %s is none of a size (80gb), a type (gp3), a throughput (750mibps) or IOPS (4000iops)", v.unreadable[0], k.name)
		}
		if len(v.twice) > 0 {
			return fail("part %d of %s sets again what an earlier part sets", v.twice[0], k.name)
		}
		return v.canonical(), nil
	case numbers, families, extrasList:
		list := canonicalList(k, value)
		if list == "" {
			return fail("%s has no value between the +; leave it out instead", k.name)
		}
		return list, nil
	default:
		return value, nil
	}
}

func isList(k kind) bool { return k == numbers || k == families || k == extrasList }

// canonicalList joins the values by + without white space; extras are each
// kept once.
func canonicalList(k key, value string) string {
	var out []string
	for _, s := range sections(value, 0, func(i int) bool { return value[i] == '+' }) {
		item := strings.TrimSpace(value[s.start:s.end])
		if k.kind == families && !dynamic(value) {
			item = lower(item)
		}
		if item == "" || (k.kind == extrasList && slices.Contains(out, item)) {
			continue
		}
		out = append(out, item)
	}
	return strings.Join(out, "+")
}

// Migrate rewrites a RunsOn v2 label for v3: a disk of the removed keys becomes
// the volume that v2 made of it. Nothing else is changed, and a label without
// such a key stays as it is. It returns a *ShapeError for a text that is no
// RunsOn label, and for a disk whose value v2 did not know or that an
// expression decides.
func (p Parser) Migrate(text string) (string, error) {
	l, err := p.Parse(text)
	if err != nil {
		return "", err
	}
	if l.System != RunsOn {
		return "", shapeError("is not a RunsOn label: it starts with runs-on")
	}
	l.edits = slices.DeleteFunc(l.edits, func(e edit) bool { return !e.disk })
	disks := 0
	for _, e := range l.edits {
		if e.key != "" {
			disks++
		}
	}
	if disks > 1 {
		return "", shapeError("asks for a disk %d times; write one volume, such as volume=%s", disks, diskVolumes["large"])
	}
	out := l.fixed()[0]
	again, err := p.Parse(out)
	if err != nil {
		return "", err
	}
	for _, k := range removedKeys {
		if _, ok := again.Get(k.name); ok {
			return "", shapeError("has a %s that cannot be migrated: v2 knew the values default and large; write volume, such as volume=%s", k.name, diskVolumes["large"])
		}
	}
	return out, nil
}
