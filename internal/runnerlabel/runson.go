package runnerlabel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// isRunsOnHead says whether a text in lower case starts as RunsOn's labels do:
// runs-on, runs-on=ID, runs-on/…, "runs-on,…".
func isRunsOnHead(t string) bool {
	rest, ok := strings.CutPrefix(t, headKey)
	return ok && (rest == "" || strings.ContainsRune("=/,", rune(rest[0])))
}

// isFragment says whether a text without a head is a part of a RunsOn label:
// every key=value is one that RunsOn knows or that people write for one.
func isFragment(t string) bool {
	found := false
	for _, s := range sections(t, 0, cutAtKeys(t)) {
		name, _, ok := strings.Cut(t[s.start:s.end], "=")
		if !ok {
			continue
		}
		name = lower(strings.TrimSpace(name))
		if _, known := findKey(name); !known && otherWords[name] == "" {
			return false
		}
		found = true
	}
	return found
}

// isMisspeltHead says whether a text in lower case starts with what can only be
// runs-on= misspelt: "runson=1/cpu=4". The other parts have to be RunsOn's.
func isMisspeltHead(t string) bool {
	head, rest, _ := strings.Cut(t, "=")
	head = strings.TrimSpace(head)
	if len(head) > maxKey || head == headKey || !isSlip(head, headKey) {
		return false
	}
	if _, known := findKey(head); known {
		return false
	}
	i := strings.IndexAny(rest, "/,")
	if end, ok := expression(rest, 0); ok && end > 0 {
		i = strings.IndexAny(rest[end:], "/,")
		if i >= 0 {
			i += end
		}
	}
	return i >= 0 && isFragment(rest[i+1:])
}

// isSeparator: RunsOn takes slashes and commas.
func isSeparator(c byte) bool { return c == '/' || c == ',' }

// cutAtKeys separates at a slash or comma that a key=value follows, so that
// either of them may stand in a value.
func cutAtKeys(t string) func(i int) bool {
	return func(i int) bool { return isSeparator(t[i]) && keyFollows(t[i+1:]) }
}

func keyFollows(t string) bool {
	t = strings.TrimLeft(t, " ")
	for i := range min(len(t), maxKey) {
		switch c := t[i]; {
		case c == '=':
			return i > 0
		case c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'):
		default:
			return false
		}
	}
	return false
}

// runsOnDraft is a RunsOn label while it is read.
type runsOnDraft struct {
	*draft
	// open says that an expression stands where a part could: more settings may
	// come from it.
	open    bool
	volumes []labelVolume
	// families is the value of family with its place.
	families     []string
	dynamicTypes bool
}

// labelVolume is a volume of a label and where it stands.
type labelVolume struct {
	key   string
	value span
	parts volumeParts
}

// part is one key=value of a label.
type part struct {
	number     int // counted from 1, the head included
	whole      span
	key, value span
	name       string // key in lower case
}

func (d *draft) runsOn() {
	d.label.System = RunsOn
	r := &runsOnDraft{draft: d}
	number := 0
	for i, t := range d.texts {
		d.reading = i
		head := isRunsOnHead(lower(strings.TrimSpace(t)))
		cut := cutAtKeys(t)
		if head {
			separator := separatorAfterHead(t)
			atKeys := cut
			cut = func(i int) bool { return t[i] == separator || atKeys(i) }
		}
		for n, s := range sections(t, i, cut) {
			if s = d.trimmed(s); s.start == s.end {
				continue
			}
			number++
			r.section(s, number, head, head && n == 0)
		}
	}
	d.reading = -1
	r.judge()
	d.label.Open = r.open
	if r.open && d.label.Volume.IsNull() {
		d.label.Volume = optional.Unknown[Volume]()
	}
}

// separatorAfterHead is the slash or comma that ends runs-on=ID: the label
// keeps to it.
func separatorAfterHead(t string) byte {
	for i := 0; i < len(t); {
		if end, ok := expression(t, i); ok {
			i = end
			continue
		}
		if isSeparator(t[i]) {
			return t[i]
		}
		i++
	}
	return '/'
}

// section reads one part of a label.
func (r *runsOnDraft) section(s span, number int, inLabel, isHead bool) {
	text := r.at(s)
	equals := equalsSign(text)
	if equals < 0 {
		switch {
		case isHead:
			r.set(Setting{Key: headKey})
		case dynamic(text):
			r.open = true
		case inLabel:
			r.report(RuleUnknownKey.New(finding.Warning, "",
				fmt.Sprintf("Part %d of the label is not of the form key=value, so RunsOn ignores it.", number),
				"Write key=value, or leave the part out. Keys are "+strings.Join(keyNames, ", ")+"."))
		}
		// In an array, a word is a label of one's own.
		return
	}
	p := part{
		number: number, whole: s,
		key:   r.trimmed(span{s.text, s.start, s.start + equals}),
		value: r.trimmed(span{s.text, s.start + equals + 1, s.end}),
	}
	p.name = lower(r.at(p.key))
	if dynamic(p.name) {
		r.open = true
		return
	}
	value := r.at(p.value)
	setting := Setting{Key: p.name, Value: value, Dynamic: dynamic(value)}
	k, known := findKey(p.name)
	switch {
	case !known:
		r.unknownKey(p, value)
	case k.kind == removed:
		r.removedDisk(p, lower(value))
	case value == "" && k.name != headKey:
		r.noValue(k)
	default:
		setting.Value = r.value(k, p, value)
	}
	if r.set(setting) && known {
		r.report(RuleUnknownValue.New(finding.Warning, k.name,
			fmt.Sprintf("%s is written more than once; only one of them counts.", k.name), fmt.Sprintf("Write %s once.", k.name)))
	}
}

func (r *runsOnDraft) noValue(k key) {
	r.report(RuleUnknownValue.New(finding.Warning, k.name, fmt.Sprintf("%s has no value, so RunsOn ignores it.", k.name),
		fmt.Sprintf("Write a value, or leave %s out.", k.name)))
}

// onlyJoints says whether a list holds nothing between its separators.
func onlyJoints(value string) bool { return strings.Trim(value, "+,; ") == "" }

// equalsSign is the place of the first equals sign outside expressions.
func equalsSign(t string) int {
	for i := 0; i < len(t); {
		if end, ok := expression(t, i); ok {
			i = end
			continue
		}
		if t[i] == '=' {
			return i
		}
		i++
	}
	return -1
}

func (r *runsOnDraft) unknownKey(p part, value string) {
	const ignored = "it is ignored, and the job gets a runner without it."
	words := closestKeys(p.name)
	if len(words) == 0 {
		r.report(RuleUnknownKey.New(finding.Warning, "", fmt.Sprintf("Part %d of the label has a key that RunsOn does not know; %s", p.number, ignored),
			"Keys are "+strings.Join(keyNames, ", ")+"."))
		return
	}
	message := fmt.Sprintf("Part %d of the label has a key that RunsOn does not know (the closest is %s); %s", p.number, alternatives(words), ignored)
	fix := fmt.Sprintf("Write %s instead, if that is what was meant.", alternatives(words))
	if len(words) == 1 && isNumberList(value) {
		fix = fmt.Sprintf("Write %s=%s, if that is what was meant.", words[0], value)
	}
	r.report(RuleUnknownKey.New(finding.Warning, "", message, fix))
	if len(words) == 1 && words[0] != headKey && !r.written(words[0]) {
		r.editKey(p.key, words[0])
	}
}

// written says whether any part of the label has a key.
func (r *runsOnDraft) written(name string) bool {
	for i, t := range r.texts {
		for _, s := range sections(t, i, func(i int) bool { return isSeparator(t[i]) }) {
			if k, _, ok := strings.Cut(t[s.start:s.end], "="); ok && lower(strings.TrimSpace(k)) == name {
				return true
			}
		}
	}
	return false
}

// removedDisk: v3 ignores the key, so that a job that needs 80 GiB starts with
// 30 and fails when they are full.
func (r *runsOnDraft) removedDisk(p part, value string) {
	message := fmt.Sprintf("RunsOn v3 ignores %s: the runner starts with the default volume of 30 GiB. In v2 it is deprecated.", p.name)
	volume := ""
	switch {
	case p.name == "disk":
		volume = diskVolumes[value]
	case isDigits(value) && isNumber(value):
		volume = value + "gb:gp3"
	}
	switch {
	case volume == "":
		r.report(RuleDiskRemoved.New(finding.Warning, p.name, message,
			"Write volume with a size, a type, a throughput and IOPS, such as volume="+diskVolumes["large"]+". The values of disk were default and large."))
	case r.written("volume"):
		r.report(RuleDiskRemoved.New(finding.Warning, p.name, message, fmt.Sprintf("Leave %s out: the label has a volume.", p.name)))
		r.removeDisk(p.whole)
	default:
		r.report(RuleDiskRemoved.New(finding.Warning, p.name, message,
			fmt.Sprintf("Write volume=%s instead (%s), which is what v2 made of it unless its stack was set up otherwise.", volume, r.price(volume))))
		r.edits = append(r.edits, edit{at: p.whole, text: "volume=" + volume, key: "volume", disk: true, rules: []string{RuleDiskRemoved.ID}})
	}
}

// value checks a value and returns its canonical form.
func (r *runsOnDraft) value(k key, p part, value string) string {
	bad := func(message, fix string) {
		r.report(RuleUnknownValue.New(finding.Warning, k.name, message, fix))
	}
	switch k.kind {
	case numbers:
		items := r.list(k, p, value)
		if !dynamic(value) && !isNumberList(strings.Join(items, "+")) {
			bad(fmt.Sprintf("The value of %s is not a number.", k.name), fmt.Sprintf("Write numbers joined by +: %s=4, or %s=4+8 for a range.", k.name, k.name))
		}
		return strings.Join(items, "+")
	case families:
		if onlyJoints(value) {
			r.noValue(k)
			return ""
		}
		r.families, r.dynamicTypes = r.list(k, p, lower(value)), dynamic(value)
		if dynamic(value) {
			return value
		}
		r.checkFamilies(k)
		return strings.Join(r.families, "+")
	case extrasList:
		if onlyJoints(value) {
			r.noValue(k)
			return ""
		}
		return r.extras(k, p, value)
	case boolean:
		if v := lower(value); !dynamic(value) && !slices.Contains(booleans, v) {
			bad(fmt.Sprintf("%s takes true or false.", k.name), fmt.Sprintf("Write %s=true or %s=false.", k.name, k.name))
		}
	case spotStrategy:
		r.spot(k, p, value)
	case region:
		if !dynamic(value) && !catalog.IsRegionName(value) {
			bad("The value of region is not the name of an AWS Region.", "Write a name such as region=us-east-1.")
		}
	case volume, stickyVolume:
		v := labelVolume{key: k.name, value: p.value, parts: r.readVolume(value, k.kind == stickyVolume)}
		if k.kind == volume {
			r.label.Volume = optional.Known(v.parts.Volume)
		}
		r.volumeGrammar(v)
		if len(v.parts.unreadable) > 0 {
			return value
		}
		r.volumes = append(r.volumes, v)
		return v.parts.canonical()
	case free, removed:
	}
	return value
}

// list splits a value at +. A comma in it, which only + can mean, is taken for
// one and reported.
func (r *runsOnDraft) list(k key, p part, value string) []string {
	if !dynamic(value) && strings.ContainsAny(value, ",;") {
		r.report(RuleUnknownValue.New(finding.Warning, k.name, fmt.Sprintf("Several values of %s are joined by +, not by commas.", k.name),
			fmt.Sprintf("Write the values of %s with + between them.", k.name)))
		value = strings.NewReplacer(",", "+", ";", "+").Replace(value)
		r.edit(p.value, value, RuleUnknownValue.ID)
	}
	var out []string
	for _, s := range sections(value, 0, func(i int) bool { return value[i] == '+' }) {
		if item := strings.TrimSpace(value[s.start:s.end]); item != "" {
			out = append(out, item)
		}
	}
	return out
}

func isNumberList(s string) bool {
	for item := range strings.SplitSeq(s, "+") {
		if !isNumber(item) {
			return false
		}
	}
	return true
}

// checkFamilies: a family that matches no known type is most likely a slip.
func (r *runsOnDraft) checkFamilies(k key) {
	for i, f := range r.families {
		if isExactType(f) {
			continue // the rules of instances say whether it is known
		}
		if matchesAType(r.Catalog, f) {
			continue
		}
		which := "family"
		if len(r.families) > 1 {
			which = fmt.Sprintf("value %d of family", i+1)
		}
		fix := "Write a family such as m8a, the start of one (m8) for all that begin with it, or a type such as m8a.xlarge."
		if closest := r.Catalog.ClosestInstances(f, 1); isFamilyName(f) && len(closest) == 1 {
			name, _, _ := strings.Cut(closest[0], ".")
			fix = fmt.Sprintf("If it is not newer than that, the closest family is %s.", name)
		}
		r.report(RuleUnknownValue.New(finding.Warning, k.name,
			fmt.Sprintf("%s matches no instance type in the table of %s.", upperFirst(which), r.Catalog.InstanceSource().AsOf), fix))
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// isExactType says whether a value of family is the full name of a type.
func isExactType(f string) bool { return catalog.IsTypeName(f) }

// isFamilyName says whether a text has the shape of a family's name or of the
// start of one.
func isFamilyName(f string) bool {
	return len(f) <= 20 && strings.Trim(f, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && f != ""
}

func (r *runsOnDraft) extras(k key, p part, value string) string {
	var kept []string
	for _, item := range r.list(k, p, value) {
		if slices.Contains(kept, item) {
			continue
		}
		kept = append(kept, item)
		if dynamic(item) || slices.Contains(knownExtras, lower(item)) {
			continue
		}
		// The list grows, so a word that is like none of it may be newer.
		if words := nearest(item, knownExtras); len(words) > 0 {
			r.report(RuleUnknownValue.New(finding.Warning, k.name, "One of extras is not known; RunsOn ignores it.",
				fmt.Sprintf("Write %s, if that is what was meant.", alternatives(words))))
		} else {
			r.report(RuleUnknownValue.New(finding.Info, k.name, "One of extras is not known here; RunsOn ignores what it does not know.",
				"Known are "+strings.Join(knownExtras, ", ")+"."))
		}
	}
	for _, item := range kept {
		if !dynamic(item) {
			r.label.Extras = append(r.label.Extras, item)
		}
	}
	return strings.Join(kept, "+")
}

func (r *runsOnDraft) spot(k key, p part, value string) {
	v := lower(value)
	if dynamic(value) || slices.Contains(spotValues, v) {
		return
	}
	message := "spot has a value that RunsOn does not know. It takes " + alternatives(spotValues) + "."
	words := nearest(v, spotValues)
	if len(words) == 0 || slices.Contains(noWords, v) {
		r.report(RuleUnknownValue.New(finding.Warning, k.name, message, "Write spot=false for on-demand, or leave spot out for price-capacity-optimized."))
		return
	}
	r.report(RuleUnknownValue.New(finding.Warning, k.name, message, fmt.Sprintf("Write spot=%s.", strings.Join(words, " or spot="))))
	if len(words) == 1 && isSlip(v, words[0]) {
		r.edit(p.value, words[0], RuleUnknownValue.ID)
	}
}
