package plan

import (
	"encoding/binary"
	"strings"
)

// What a plan says of a resource can be understood only with the configuration,
// which comes last, so it is kept until then. Nodes take ten times the space of
// the text that they were read from, so what is kept is packed: a byte for the
// kind of each node, then a text with its length before it, or what is below the
// node and a byte that ends it. In an object a name stands before each value.
// Of an object that is an attribute, a map, only the names are kept.

// packed is a value with all that is below it; empty where there is none.
type packed string

const (
	// endOfList follows the last item of a list; it is no kind.
	endOfList = 0xff
	// endOfObject follows the last member of an object: members begin with what tells
	// them from it, and then their name.
	endOfObject = 0
	aMember     = 1
)

// pack reads a value as far as wanted says, and appends it to what is packed. A
// nil wanted takes of objects the names only.
func (r *jsonReader) pack(to []byte, wanted *schema) ([]byte, error) {
	b, err := r.next()
	if err != nil {
		return to, err
	}
	switch b {
	case '"':
		err := r.readText()
		return packText(append(to, byte(textNode)), r.buf), err
	case '[':
		to = append(to, byte(listNode))
		err := r.array(func() (err error) {
			to, err = r.pack(to, wanted)
			return err
		})
		return append(to, endOfList), err
	case '{':
		to = append(to, byte(objectNode))
		err := r.object(func(key string) (err error) {
			if wanted == nil {
				to = append(packText(append(to, aMember), []byte(key)), byte(nullNode))
				return r.skip()
			}
			inner, isBlock := wanted.blocks[key]
			if _, isAttribute := wanted.attributes[key]; !isAttribute && !isBlock {
				return r.skip()
			}
			to, err = r.pack(packText(append(to, aMember), []byte(key)), inner)
			return err
		})
		return append(to, endOfObject), err
	}
	if err := r.readWord(); err != nil {
		return to, err
	}
	if string(r.buf) == "null" {
		return append(to, byte(nullNode)), nil
	}
	return packText(append(to, byte(wordNode)), r.buf), nil
}

func packText(to, text []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// packed reads a value and packs it.
func (r *jsonReader) packed(wanted *schema) (packed, error) {
	err := r.repack(wanted)
	return packed(r.packing), err
}

// marks is packed for what is unknown and what is secret, which are mostly the
// same for all resources of a type.
func (r *jsonReader) marks(wanted *schema) (packed, error) {
	err := r.repack(wanted)
	return packed(r.pool.text(r.packing)), err
}

func (r *jsonReader) repack(wanted *schema) (err error) {
	r.packing, err = r.pack(r.packing[:0], wanted)
	return err
}

// value reads a value, of the objects in it the names only.
func (r *jsonReader) value() (*node, error) {
	p, err := r.packed(nil)
	if err != nil {
		return nil, err
	}
	return p.node(), nil
}

// node unpacks a value, nil if there is none. Its texts are parts of p.
func (p packed) node() *node {
	if p == "" {
		return nil
	}
	n, _ := p.unpack()
	return n
}

// unpack gives the first value, and what follows it.
func (p packed) unpack() (*node, packed) {
	n := &node{kind: nodeKind(p[0])}
	p = p[1:]
	switch n.kind {
	case textNode, wordNode:
		n.text, p = p.text()
	case listNode:
		for p[0] != endOfList {
			var item *node
			item, p = p.unpack()
			n.items = append(n.items, item)
		}
		p = p[1:]
	case objectNode:
		for p[0] != endOfObject {
			var m member
			m.name, p = p[1:].text()
			m.node, p = p.unpack()
			n.set(m)
		}
		p = p[1:]
	case nullNode:
	}
	return n, p
}

// text gives the text at the beginning, and what follows it.
func (p packed) text() (string, packed) {
	var size, shift, i int
	for ; p[i] >= 0x80; i++ {
		size |= int(p[i]&0x7f) << shift
		shift += 7
	}
	size |= int(p[i]) << shift
	p = p[i+1:]
	return string(p[:size]), p[size:]
}

// pool has each text once that a plan repeats for every resource: names, types,
// marks. It takes what comes until it is full, so that it stays small whatever
// the plan holds.
type pool struct {
	texts map[string]string
	bytes int
}

const (
	// maxPooled bounds the bytes that a pool takes, maxPooledText those of one text.
	maxPooled     = 1 << 18
	maxPooledText = 1 << 10
	// perText is about what the map takes for each text besides the text.
	perText = 48
)

// text is b as a string.
func (p *pool) text(b []byte) string {
	if s, ok := p.texts[string(b)]; ok {
		return s
	}
	return p.add(string(b))
}

// own is s without anything that s may be a part of.
func (p *pool) own(s string) string {
	if s, ok := p.texts[s]; ok {
		return s
	}
	return p.add(strings.Clone(s))
}

func (p *pool) add(s string) string {
	size := len(s) + perText
	if len(s) > maxPooledText || p.bytes+size > maxPooled {
		return s
	}
	if p.texts == nil {
		p.texts = map[string]string{}
	}
	p.texts[s] = s
	p.bytes += size
	return s
}
