package workflow

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

// byteOrderMark may start a file; no column counts it.
const byteOrderMark = "\uFEFF"

// line is a line of a source, without its end. A file may be a single line with
// thousands of jobs, so its text is made once and shared by all that show it,
// and a column is found without counting from the start each time.
type line struct {
	start int // byte of the source
	text  string
	// marks are the bytes of the text at which every markEvery-th column starts;
	// nil until a column is asked for.
	marks []int
}

// markEvery is how many columns are counted at most to find one.
const markEvery = 64

// splitLines are the lines of a source. A line ends as the library counts them:
// LF, CR LF, CR, and the three line breaks of Unicode.
func splitLines(source []byte) []*line {
	var out []*line
	start := 0
	if bytes.HasPrefix(source, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	for i := start; i < len(source); {
		n := lineBreak(source[i:])
		if n == 0 {
			i++
			continue
		}
		out = append(out, &line{start: start, text: string(source[start:i])})
		i += n
		start = i
	}
	return append(out, &line{start: start, text: string(source[start:])})
}

// column is the byte of the text at which a column starts, counted from 1;
// false if the line is shorter.
func (l *line) column(number int) (int, bool) {
	if l.marks == nil {
		at := 0
		for i := 0; ; i++ {
			if i%markEvery == 0 {
				l.marks = append(l.marks, at)
			}
			if at == len(l.text) {
				break
			}
			_, size := utf8.DecodeRuneInString(l.text[at:])
			at += size
		}
	}
	mark := (number - 1) / markEvery
	if number < 1 || mark >= len(l.marks) {
		return 0, false
	}
	at := l.marks[mark]
	for range (number - 1) % markEvery {
		_, size := utf8.DecodeRuneInString(l.text[at:])
		if size == 0 {
			return 0, false
		}
		at += size
	}
	return at, true
}

// lineBreak is the length of the line break at the start of b, 0 if there is
// none.
func lineBreak(b []byte) int {
	for _, s := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.HasPrefix(b, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// excerpt is a line of the source.
func (f *File) excerpt(number int) string {
	if number < 1 || number > len(f.lines) {
		return ""
	}
	return f.lines[number-1].text
}

// place is where a scalar stands in the source and how it is quoted.
type place struct {
	start, end int
	quote      byte // ' or ", 0 for none
}

// locate finds the bytes of a scalar that stands on one line. It is false for a
// block scalar, for one over several lines, and wherever the source does not
// read as the value that the library made of it.
func (f *File) locate(n *yaml.Node) (place, bool) {
	if n.Kind != yaml.ScalarNode || n.Line < 1 || n.Line > len(f.lines) {
		return place{}, false
	}
	l := f.lines[n.Line-1]
	column, ok := l.column(n.Column)
	if !ok {
		return place{}, false
	}
	rest, at := l.text[column:], l.start+column
	// An anchor or a tag may stand before the value.
	for strings.HasPrefix(rest, "&") || strings.HasPrefix(rest, "!") {
		i := strings.IndexAny(rest, " \t")
		if i < 0 {
			return place{}, false
		}
		i += len(rest[i:]) - len(strings.TrimLeft(rest[i:], " \t"))
		rest, at = rest[i:], at+i
	}
	p := place{start: at}
	var raw string
	switch {
	case n.Style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(rest, "'"):
		p.quote = '\''
		i := 1
		for ; i < len(rest); i++ {
			if rest[i] == '\'' {
				if i+1 < len(rest) && rest[i+1] == '\'' {
					i++
					continue
				}
				break
			}
		}
		if i >= len(rest) {
			return place{}, false
		}
		p.end, raw = at+i+1, strings.ReplaceAll(rest[1:i], "''", "'")
	case n.Style&yaml.DoubleQuotedStyle != 0 && strings.HasPrefix(rest, `"`):
		p.quote = '"'
		i := 1
		for ; i < len(rest) && rest[i] != '"'; i++ {
			if rest[i] == '\\' {
				i++
			}
		}
		if i >= len(rest) {
			return place{}, false
		}
		// Escapes are rare in labels; a text with one is changed as a whole.
		if p.end, raw = at+i+1, rest[1:i]; strings.Contains(raw, `\`) {
			raw = n.Value
		}
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 && strings.HasPrefix(rest, n.Value):
		p.end, raw = at+len(n.Value), n.Value
	}
	return p, p.end > p.start && raw == n.Value
}

// write is a value in quotes, or as it is.
func write(value string, quote byte) string {
	switch quote {
	case '\'':
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	case '"':
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return value
}

// maxSingly bounds how many changes are tried one by one.
const maxSingly = 200

// Change is a new value for a label.
type Change struct {
	Text *Text
	To   string
}

// Apply makes changes and returns the new source with the changes that were
// made. A change is left out where the label does not stand on one line, or
// where the file would not read as meant afterwards.
func (f *File) Apply(changes []Change) (source []byte, made []Change) {
	source = f.source
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		_, ok := f.locate(c.Text.node)
		return !ok
	})
	if len(changes) == 0 {
		return source, nil
	}
	// Each try reads the file, so all changes are tried together first.
	for _, quote := range quotes {
		all := make([]quoted, len(changes))
		for i, c := range changes {
			all[i] = quoted{c, quote}
		}
		if out, ok := f.try(all); ok {
			return out, changes
		}
	}
	var done []quoted
	for _, c := range changes[:min(len(changes), maxSingly)] {
		for _, quote := range quotes {
			if out, ok := f.try(append(slices.Clone(done), quoted{c, quote})); ok {
				source, made, done = out, append(made, c), append(done, quoted{c, quote})
				break
			}
		}
	}
	return source, made
}

// quoted is a change with the quotes that a value gets that had none.
type quoted struct {
	Change
	quote byte
}

// quotes are tried in this order.
var quotes = []byte{0, '\''}

// try makes all changes and checks that the file then reads as it did but for
// them.
func (f *File) try(changes []quoted) ([]byte, bool) {
	type replacement struct {
		place
		text string
	}
	want := map[*yaml.Node]string{}
	var replacements []replacement
	for _, c := range changes {
		p, ok := f.locate(c.Text.node)
		if !ok {
			return nil, false
		}
		q := p.quote
		if q == 0 {
			q = c.quote
		}
		want[c.Text.node] = c.To
		replacements = append(replacements, replacement{p, write(c.To, q)})
	}
	slices.SortFunc(replacements, func(a, b replacement) int { return a.start - b.start })
	var out bytes.Buffer
	last := 0
	for _, r := range replacements {
		if r.start < last {
			return nil, false
		}
		out.Write(f.source[last:r.start])
		out.WriteString(r.text)
		last = r.end
	}
	out.Write(f.source[last:])

	before, err := load(f.source)
	if err != nil {
		return nil, false
	}
	after, err := load(out.Bytes())
	if err != nil || len(before) != len(after) {
		return nil, false
	}
	// The nodes of the file are those of an earlier load: found again by place.
	at := map[[2]int]string{}
	for n, v := range want {
		at[[2]int{n.Line, n.Column}] = v
	}
	for i := range before {
		if !same(before[i], after[i], at) {
			return nil, false
		}
	}
	return out.Bytes(), true
}

// same says whether two trees are equal but for the values that were changed.
func same(a, b *yaml.Node, changed map[[2]int]string) bool {
	if a.Kind != b.Kind || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode {
		want, tag := a.Value, a.Tag
		if v, ok := changed[[2]int{a.Line, a.Column}]; ok {
			want, tag = v, "!!str"
		}
		if b.Value != want || b.Tag != tag {
			return false
		}
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i], changed) {
			return false
		}
	}
	return true
}
