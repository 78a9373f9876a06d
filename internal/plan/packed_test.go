package plan

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPacked(t *testing.T) {
	text := func(s string) *node { return &node{kind: textNode, text: s} }
	word := func(s string) *node { return &node{kind: wordNode, text: s} }
	list := func(items ...*node) *node { return &node{kind: listNode, items: items} }
	object := func(ms ...member) *node { return &node{kind: objectNode, members: ms} }
	long := strings.Repeat("x", maxText)
	s := reads("a state", block("b", "c"))
	for in, want := range map[string]*node{
		`null`:                   {},
		`true`:                   word("true"),
		`-1.50e3`:                word("-1.50e3"),
		`""`:                     text(""),
		`"\u00e4\n\ud83d\ude00"`: text("ä\n😀"),
		`"` + long + `and more"`: text(long),
		`[]`:                     list(),
		`[[1,[]],null,"x"]`:      list(list(word("1"), list()), &node{}, text("x")),
		`{}`:                     object(),
		`{"other":{"a":1}}`:      object(),
		`{"state":"on","a":null,"b":[{"c":[1],"d":2}]}`: object(
			member{"state", text("on")}, member{"a", &node{}}, member{"b", list(object(member{"c", list(word("1"))}))}),
		// Of an attribute's object only the names are kept.
		`{"a":{"x":"secret","y":{"z":1}}}`: object(member{"a", object(member{"x", &node{}}, member{"y", &node{}})}),
		`{"a":{"` + long[:255] + `":1}}`:   object(member{"a", object(member{long[:255], &node{}})}),
		`{"a":1,"b":[],"a":2}`:             object(member{"a", word("2")}, member{"b", list()}),
		`[{"a":1},{"state":2}]`:            list(object(member{"a", word("1")}), object(member{"state", word("2")})),
	} {
		p, err := newJSONReader(strings.NewReader(in)).packed(s)
		if err != nil {
			t.Errorf("%.40s: %v", in, err)
			continue
		}
		if d := cmp.Diff(want, p.node(), cmp.AllowUnexported(node{}, member{})); d != "" {
			t.Errorf("%.40s (-want +got):\n%s", in, d)
		}
	}
	if n := packed("").node(); n != nil {
		t.Errorf("nothing is %v", n)
	}
	if n, err := newJSONReader(strings.NewReader(`["cut off`)).value(); err == nil {
		t.Errorf("a value that was cut off is %v", n)
	}
}

// Whatever a plan holds, a pool stays small, and gives back what it was given.
func TestPoolIsBounded(t *testing.T) {
	var p pool
	for i := range 100_000 {
		s := "text " + strconv.Itoa(i)
		if got := p.text([]byte(s)); got != s {
			t.Fatalf("%q became %q", s, got)
		}
	}
	if long := strings.Repeat("x", maxPooledText+1); p.own(long) != long || p.texts[long] != "" {
		t.Error("a long text is changed or kept")
	}
	if p.bytes > maxPooled || len(p.texts) > maxPooled/perText {
		t.Errorf("%d texts, %d bytes", len(p.texts), p.bytes)
	}
}
