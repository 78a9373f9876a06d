package catalog

import (
	"iter"
	"strings"
)

// lines is a table of JSON lines: a header, then one record a line, sorted by
// the instance type that each record starts with.
type lines string

// recordStart is what every record begins with; the type follows, up to a
// quotation mark. The generator writes no escapes into a type.
const recordStart = `{"type":"`

// header splits the table into its first line and the records.
func (l lines) header() (first, records string) {
	first, records, _ = strings.Cut(string(l), "\n")
	return first, records
}

// find returns the record of a type, not decoded.
func (l lines) find(typ string) (string, bool) {
	_, records := l.header()
	for records != "" {
		// Look at the line in the middle: it starts after the newline before the
		// middle byte and ends at the one after it.
		start := strings.LastIndexByte(records[:len(records)/2], '\n') + 1
		line, after, _ := strings.Cut(records[start:], "\n")
		switch name := typeOf(line); {
		case typ == name:
			return line, true
		case typ < name:
			records = records[:start]
		default:
			records = after
		}
	}
	return "", false
}

// all yields the records in order, not decoded.
func (l lines) all() iter.Seq[string] {
	_, records := l.header()
	return strings.Lines(records)
}

// typeOf reads the instance type off the start of a record.
func typeOf(line string) string {
	rest, _ := strings.CutPrefix(line, recordStart)
	typ, _, _ := strings.Cut(rest, `"`)
	return typ
}
