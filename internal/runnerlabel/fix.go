package runnerlabel

import (
	"slices"
	"strings"
)

// edit is a change of one part of a label.
type edit struct {
	at   span
	text string
	// disk says that the change is the migration of a removed key.
	disk bool
}

// edit asks for a part to be written otherwise.
func (d *draft) edit(at span, text string) {
	if d.at(at) == text {
		return
	}
	// What is found later knows more: the volume that the rules repaired takes the
	// place of one that was only misspelt.
	d.edits = slices.DeleteFunc(d.edits, func(e edit) bool {
		return e.at.text == at.text && e.at.start < at.end && at.start < e.at.end
	})
	d.edits = append(d.edits, edit{at: at, text: text})
}

// removeDisk asks for a part to be left out, and the separator before it. A
// text that is nothing but the part stays: GitHub does not take an empty label.
func (d *draft) removeDisk(at span) {
	before := strings.TrimSpace(d.texts[at.text][:at.start])
	if before == "" {
		return
	}
	at.start = strings.LastIndex(d.texts[at.text][:at.start], before) + len(before) - 1
	d.edits = append(d.edits, edit{at: at, disk: true})
}

// passes is how often a label is read again after it was put right: a key has
// to be right before its value can be judged. Two passes do for every label
// known; the rest is to be safe.
const passes = 5

// Fix puts right what can be put right in one way: misspelt keys and values
// with one known word near them, removed keys, volumes that EC2 refuses or that
// the instance cannot use. Everything else stays as it is, byte for byte. It
// returns the texts of the label, as they are if there is nothing to do; the
// errors are those of Parse.
func (p Parser) Fix(texts ...string) ([]string, error) {
	for range passes {
		l, err := p.Parse(texts...)
		if err != nil {
			return texts, err
		}
		fixed := l.fixed()
		if slices.Equal(fixed, texts) {
			break
		}
		texts = fixed
	}
	return texts, nil
}

// fixed are the texts with the changes made that were asked for.
func (l Label) fixed() []string {
	out := slices.Clone(l.texts)
	edits := slices.Clone(l.edits)
	// From the end, so that the places before stay where they are.
	slices.SortFunc(edits, func(a, b edit) int { return b.at.start - a.at.start })
	for _, e := range edits {
		t := out[e.at.text]
		out[e.at.text] = t[:e.at.start] + e.text + t[e.at.end:]
	}
	return out
}
