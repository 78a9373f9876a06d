package runnerlabel

import (
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// edit is a change of one part of a label.
type edit struct {
	at   span
	text string
	// key is the key that the part has afterwards, where it had none that is known.
	key string
	// disk says that the change is the migration of a removed key.
	disk bool
	// rules are the rules whose findings the change answers.
	rules []string
}

// edit asks for a part to be written otherwise, because of findings.
func (d *draft) edit(at span, text string, rules ...string) {
	if d.at(at) == text {
		return
	}
	// What is found later knows more: the volume that the rules repaired takes the
	// place of one that was only misspelt.
	d.edits = slices.DeleteFunc(d.edits, func(e edit) bool {
		return e.at.text == at.text && e.at.start < at.end && at.start < e.at.end
	})
	d.edits = append(d.edits, edit{at: at, text: text, rules: rules})
}

// editKey asks for a key that is not known to be written as one that is, if it
// can be nothing else.
func (d *draft) editKey(at span, key string) {
	if sameKey(lower(d.at(at)), key) {
		d.edits = append(d.edits, edit{at: at, text: key, key: key, rules: []string{RuleUnknownKey.ID}})
	}
}

// removeDisk asks for a part to be left out, and the separator before it. A
// text that is nothing but the part stays: GitHub does not take an empty label.
func (d *draft) removeDisk(at span) {
	before := strings.TrimSpace(d.texts[at.text][:at.start])
	if before == "" {
		return
	}
	at.start = strings.LastIndex(d.texts[at.text][:at.start], before) + len(before) - 1
	d.edits = append(d.edits, edit{at: at, disk: true, rules: []string{RuleDiskRemoved.ID}})
}

// passes is how often a label is read again after it was put right: a key has
// to be right before its value can be judged. Two passes do for every label
// known; the rest is to be safe.
const passes = 5

// Fix puts right what can be put right in one way: misspelt keys and values
// with one known word near them, removed keys, volumes that EC2 refuses or that
// the instance cannot use. Everything else stays as it is, byte for byte, and so
// does all of a label that would have more errors afterwards. It returns the
// texts of the label, as they are if there is nothing to do; the errors are
// those of Parse.
func (p Parser) Fix(texts ...string) ([]string, error) {
	return p.FixExcept(nil, texts...)
}

// FixExcept is Fix without the changes that findings of certain rules ask for.
func (p Parser) FixExcept(ignored func(rule string) bool, texts ...string) ([]string, error) {
	was, err := p.Parse(texts...)
	if err != nil {
		return texts, err
	}
	// If keys put right bring errors to light, the rest is still worth it.
	for _, keys := range []bool{true, false} {
		fixed, now := p.fix(was, ignored, keys)
		if errorCount(now) <= errorCount(was) {
			return fixed, nil
		}
	}
	return texts, nil
}

func errorCount(l Label) int {
	n := 0
	for _, f := range l.single {
		if f.Severity == finding.Error {
			n++
		}
	}
	return n
}

// fix makes changes until there are none to make.
func (p Parser) fix(l Label, ignored func(rule string) bool, keys bool) ([]string, Label) {
	for range passes {
		l.edits = slices.DeleteFunc(l.edits, func(e edit) bool {
			return ignored != nil && slices.ContainsFunc(e.rules, ignored) || e.key != "" && !e.disk && (!keys || !p.takes(l, e))
		})
		fixed := l.fixed()
		if slices.Equal(fixed, l.texts) {
			break
		}
		next, err := p.Parse(fixed...)
		if err != nil {
			break
		}
		l = next
	}
	return l.texts, l
}

// takes says whether a key that was put right can have the value that it then
// has: an expression may be anything.
func (p Parser) takes(l Label, e edit) bool {
	if _, written := l.keys[e.key]; written {
		return false
	}
	l.edits = []edit{e}
	again, err := p.Parse(l.fixed()...)
	if err != nil {
		return false
	}
	if s, ok := again.Get(e.key); ok && s.Dynamic {
		return false
	}
	return !slices.ContainsFunc(again.single, func(f finding.Finding) bool {
		switch f.Rule {
		case RuleUnknownValue.ID, RuleVolume.ID, ebs.RuleInstanceUnknown.ID:
			return f.Path == e.key
		}
		return false
	})
}

// fixed are the texts with the changes made that were asked for. No change
// makes a second part of the same key: of several that would, none is made.
func (l Label) fixed() []string {
	out := slices.Clone(l.texts)
	times := map[string]int{}
	for _, e := range l.edits {
		times[e.key]++
	}
	edits := slices.DeleteFunc(slices.Clone(l.edits), func(e edit) bool { return e.key != "" && times[e.key] > 1 })
	// From the end, so that the places before stay where they are.
	slices.SortFunc(edits, func(a, b edit) int { return b.at.start - a.at.start })
	for _, e := range edits {
		t := out[e.at.text]
		out[e.at.text] = t[:e.at.start] + e.text + t[e.at.end:]
	}
	return out
}
