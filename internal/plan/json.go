package plan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads JSON as a stream, and skips what nobody asked for without
// keeping it: a plan of ten thousand resources is hundreds of megabytes, most of
// it said three times, and some of it secret.
type jsonReader struct {
	in   *bufio.Reader
	line int
	// column counts bytes.
	column int
	depth  int
	// buf holds the text or word that was read last, packing the value.
	buf, packing []byte
	pool         pool
}

// JSONError says where a text stops being JSON.
type JSONError struct {
	Line, Column int
	Message      string
}

// Error is the message with its place.
func (e *JSONError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

const (
	// maxDepth is far beyond what Terraform writes.
	maxDepth = 1_000
	// maxText bounds a text that is kept; longer ones are never of interest.
	maxText = 1 << 16
	// readAhead is how much is read at a time.
	readAhead = 1 << 16
)

func newJSONReader(in io.Reader) *jsonReader {
	r := &jsonReader{in: bufio.NewReaderSize(in, readAhead), line: 1}
	if b, _ := r.in.Peek(len(bom)); string(b) == bom {
		_, _ = r.in.Discard(len(bom))
	}
	return r
}

// bom may start a file that was written on Windows.
const bom = "\uFEFF"

func (r *jsonReader) fail(format string, args ...any) error {
	return &JSONError{Line: r.line, Column: max(1, r.column), Message: fmt.Sprintf(format, args...)}
}

// failed turns an error of the input into one with a place.
func (r *jsonReader) failed(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return r.fail("The file ends in the middle of a JSON value; it was cut off.")
	case err != nil:
		return err
	}
	return nil
}

func (r *jsonReader) byte() (byte, error) {
	b, err := r.in.ReadByte()
	if err != nil {
		return 0, r.failed(err)
	}
	if b == '\n' {
		r.line++
		r.column = 0
	} else {
		r.column++
	}
	return b, nil
}

// next is the next byte that is no white space, still to be read.
func (r *jsonReader) next() (byte, error) {
	for {
		p, err := r.in.Peek(1)
		if err != nil {
			return 0, r.failed(err)
		}
		switch p[0] {
		case ' ', '\t', '\r', '\n':
			if _, err := r.byte(); err != nil {
				return 0, err
			}
		default:
			return p[0], nil
		}
	}
}

func (r *jsonReader) expect(want byte) error {
	b, err := r.next()
	if err != nil {
		return err
	}
	if b != want {
		_, _ = r.byte()
		return r.fail("This is not JSON: %q was expected here.", string(want))
	}
	_, err = r.byte()
	return err
}

func (r *jsonReader) enter() error {
	r.depth++
	if r.depth > maxDepth {
		return r.fail("The JSON is nested more than %d levels deep.", maxDepth)
	}
	return nil
}

// object calls member for each key of an object, which must read the value.
func (r *jsonReader) object(member func(key string) error) error {
	if err := r.expect('{'); err != nil {
		return err
	}
	if err := r.enter(); err != nil {
		return err
	}
	defer func() { r.depth-- }()
	for first := true; ; first = false {
		b, err := r.next()
		if err != nil {
			return err
		}
		if b == '}' {
			_, err = r.byte()
			return err
		}
		if !first {
			if err := r.expect(','); err != nil {
				return err
			}
			if _, err = r.next(); err != nil {
				return err
			}
		}
		key, err := r.name()
		if err != nil {
			return err
		}
		if err := r.expect(':'); err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
}

// array calls element for each element of an array, which must read it.
func (r *jsonReader) array(element func() error) error {
	if err := r.expect('['); err != nil {
		return err
	}
	if err := r.enter(); err != nil {
		return err
	}
	defer func() { r.depth-- }()
	for first := true; ; first = false {
		b, err := r.next()
		if err != nil {
			return err
		}
		if b == ']' {
			_, err = r.byte()
			return err
		}
		if !first {
			if err := r.expect(','); err != nil {
				return err
			}
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// text reads a string.
func (r *jsonReader) text() (string, error) {
	if err := r.readText(); err != nil {
		return "", err
	}
	return string(r.buf), nil
}

// name reads a string that is likely to come again.
func (r *jsonReader) name() (string, error) {
	if err := r.readText(); err != nil {
		return "", err
	}
	return r.pool.text(r.buf), nil
}

// readText reads a string into buf.
func (r *jsonReader) readText() error {
	if err := r.expect('"'); err != nil {
		return err
	}
	r.buf = r.buf[:0]
	for {
		if err := r.plainText(true); err != nil {
			return err
		}
		b, err := r.byte()
		switch {
		case err != nil:
			return err
		case b == '"':
			return nil
		case b == '\\':
			if err := r.escape(); err != nil {
				return err
			}
		default:
			return r.fail("This is not JSON: a string holds a control character.")
		}
	}
}

// plainText reads to the end of a string, an escape or a control character, in
// large steps: user data is most of a plan.
func (r *jsonReader) plainText(kept bool) error {
	for {
		if r.in.Buffered() == 0 {
			if _, err := r.in.Peek(1); err != nil {
				return r.failed(err)
			}
		}
		p, _ := r.in.Peek(r.in.Buffered())
		i := 0
		for i < len(p) && p[i] != '"' && p[i] != '\\' && p[i] >= ' ' {
			i++
		}
		if kept {
			r.keep(p[:min(i, max(0, maxText-len(r.buf)))]...)
		}
		_, _ = r.in.Discard(i)
		r.column += i
		if i < len(p) {
			return nil
		}
	}
}

func (r *jsonReader) keep(b ...byte) {
	if len(r.buf) < maxText {
		r.buf = append(r.buf, b...)
	}
}

func (r *jsonReader) escape() error {
	b, err := r.byte()
	if err != nil {
		return err
	}
	switch b {
	case '"', '\\', '/':
		r.keep(b)
	case 'b':
		r.keep('\b')
	case 'f':
		r.keep('\f')
	case 'n':
		r.keep('\n')
	case 'r':
		r.keep('\r')
	case 't':
		r.keep('\t')
	case 'u':
		c, err := r.hex()
		if err != nil {
			return err
		}
		if utf16.IsSurrogate(c) {
			if p, _ := r.in.Peek(2); string(p) != `\u` {
				c = utf8.RuneError
			} else {
				_, _ = r.byte()
				_, _ = r.byte()
				low, err := r.hex()
				if err != nil {
					return err
				}
				c = utf16.DecodeRune(c, low)
			}
		}
		r.keep(utf8.AppendRune(nil, c)...)
	default:
		return r.fail("This is not JSON: there is no escape of this kind in a string.")
	}
	return nil
}

func (r *jsonReader) hex() (rune, error) {
	var digits [4]byte
	for i := range digits {
		b, err := r.byte()
		if err != nil {
			return 0, err
		}
		digits[i] = b
	}
	n, err := strconv.ParseInt(string(digits[:]), 16, 32)
	if err != nil {
		return 0, r.fail("This is not JSON: an escape in a string has no four digits.")
	}
	return rune(n), nil
}

// readWord reads a number or one of true, false and null into buf.
func (r *jsonReader) readWord() error {
	if _, err := r.next(); err != nil {
		return err
	}
	r.buf = r.buf[:0]
	for {
		p, err := r.in.Peek(1)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || !isWord(p[0]) {
			break
		}
		b, _ := r.byte()
		r.keep(b)
	}
	switch string(r.buf) {
	case "true", "false", "null":
		return nil
	case "":
		_, _ = r.byte()
		return r.fail("This is not JSON: a value was expected here.")
	}
	if _, err := strconv.ParseFloat(string(r.buf), 64); err != nil && !errors.Is(err, strconv.ErrRange) || !isNumber(r.buf) {
		return r.fail("This is not JSON: a value was expected here.")
	}
	return nil
}

func isWord(b byte) bool {
	return b == '-' || b == '+' || b == '.' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// isNumber leaves out what only Go takes for a number: hexadecimal, infinity.
func isNumber(w []byte) bool {
	for _, b := range w {
		if b != '-' && b != '+' && b != '.' && b != 'e' && b != 'E' && (b < '0' || b > '9') {
			return false
		}
	}
	return w[0] != '+' && w[0] != '.'
}

// skip reads a value and forgets it. What is skipped has to be whole, but is
// not looked at more closely.
func (r *jsonReader) skip() error {
	level := 0
	for {
		b, err := r.next()
		if err != nil {
			return err
		}
		switch b {
		case '{', '[':
			if _, err := r.byte(); err != nil {
				return err
			}
			if level++; r.depth+level > maxDepth {
				return r.fail("The JSON is nested more than %d levels deep.", maxDepth)
			}
			continue
		case '}', ']':
			if level == 0 {
				_, _ = r.byte()
				return r.fail("This is not JSON: a value was expected here.")
			}
			level--
			if _, err := r.byte(); err != nil {
				return err
			}
		case ',', ':':
			if level == 0 {
				_, _ = r.byte()
				return r.fail("This is not JSON: a value was expected here.")
			}
			if _, err := r.byte(); err != nil {
				return err
			}
			continue
		case '"':
			if err := r.skipText(); err != nil {
				return err
			}
		default:
			if err := r.readWord(); err != nil {
				return err
			}
		}
		if level == 0 {
			return nil
		}
	}
}

// skipText passes a string by.
func (r *jsonReader) skipText() error {
	if _, err := r.byte(); err != nil {
		return err
	}
	for {
		if err := r.plainText(false); err != nil {
			return err
		}
		b, err := r.byte()
		switch {
		case err != nil:
			return err
		case b == '"':
			return nil
		case b == '\\':
			if _, err := r.byte(); err != nil {
				return err
			}
		default:
			return r.fail("This is not JSON: a string holds a control character.")
		}
	}
}

// end makes sure that nothing but white space is left.
func (r *jsonReader) end() error {
	for {
		p, err := r.in.Peek(1)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch p[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = r.byte()
		default:
			_, _ = r.byte()
			return r.fail("Something follows the end of the JSON value.")
		}
	}
}

// node is a value of JSON that was kept: a scalar's text, or what is below it.
type node struct {
	kind nodeKind
	// text of a scalar.
	text    string
	items   []*node
	members []member
}

// member is what an object has under a name.
type member struct {
	name string
	node *node
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	textNode
	wordNode
	listNode
	objectNode
)

// isTrue says whether a node of after_unknown or after_sensitive marks all of a
// value.
func (n *node) isTrue() bool { return n != nil && n.kind == wordNode && n.text == "true" }

// member is what an object has under a name, nil if nothing.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.node
		}
	}
	return nil
}

// set puts a member into an object. Of a name that is there twice, the last
// counts.
func (n *node) set(m member) {
	for i, o := range n.members {
		if o.name == m.name {
			n.members[i] = m
			return
		}
	}
	n.members = append(n.members, m)
}

// item is an element of a list, nil if there is none.
func (n *node) item(i int) *node {
	if n == nil || i >= len(n.items) {
		return nil
	}
	return n.items[i]
}
