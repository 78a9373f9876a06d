// Package snapshot compares what people build on (names, types, flags, JSON)
// with a committed file of one line a promise, so that a change which breaks
// somebody's configuration is seen in the diff of that file.
package snapshot

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Check compares lines with a file. A line that is gone or differs breaks what
// was promised; a new one is an addition, which has to be written down as well.
// With the flag -update, which the caller's package declares as for its other
// golden files, the file is written anew.
func Check(t *testing.T, file string, lines []string) {
	t.Helper()
	update := flag.Lookup("update")
	if update == nil {
		t.Fatal("the package declares no flag -update")
	}
	if update.Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	promised := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), "\n")
	gone, added := Difference(promised, lines)
	for _, l := range gone {
		t.Errorf("promised in %s and gone or changed, which breaks what people have: %s", file, l)
	}
	for _, l := range added {
		t.Errorf("not yet promised in %s: %s", file, l)
	}
	if len(gone)+len(added) == 0 && !slices.Equal(promised, lines) {
		t.Errorf("the lines of %s are in another order", file)
	}
	if t.Failed() {
		t.Log("If that is meant, run the test with -update, and say it in CHANGELOG.md.")
	}
}

// Difference returns the lines that only the first has, and those that only the
// second has.
func Difference(before, after []string) (gone, added []string) {
	missing := func(from, in []string) (out []string) {
		count := map[string]int{}
		for _, l := range in {
			count[l]++
		}
		for _, l := range from {
			if count[l]--; count[l] < 0 {
				out = append(out, l)
			}
		}
		return out
	}
	return missing(before, after), missing(after, before)
}

// JSON describes the JSON that a type is written as, one line a member, such as
//
//	audit.findings[].line: number or null
//
// A member that omitempty can leave out is called optional. The type's own
// MarshalJSON is not asked, except for times: a type that has one is what its
// kind is.
func JSON(at string, typ reflect.Type) []string {
	if typ == reflect.TypeFor[time.Time]() {
		return []string{at + ": string, RFC 3339"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		inner := JSON(at, typ.Elem())
		inner[0] += " or null"
		return inner
	case reflect.Slice, reflect.Array:
		return append([]string{at + ": list"}, JSON(at+"[]", typ.Elem())...)
	case reflect.Map:
		return append([]string{at + ": map"}, JSON(at+"{}", typ.Elem())...)
	case reflect.Struct:
		out := []string{at + ": object"}
		for f := range typ.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			members := JSON(at+"."+name, f.Type)
			if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
				members[0] += ", optional"
			}
			out = append(out, members...)
		}
		return out
	case reflect.Bool:
		return []string{at + ": bool"}
	case reflect.String:
		if typ.PkgPath() == "encoding/json" { // json.Number
			return []string{at + ": number"}
		}
		return []string{at + ": string"}
	case reflect.Interface:
		return []string{at + ": any"}
	default:
		return []string{at + ": number"}
	}
}
