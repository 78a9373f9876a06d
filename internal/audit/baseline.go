package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
)

// Baseline are findings that are known. A finding is the same if rule, object
// and setting are; its line, its words and the value may change, and its severity
// may get better, but not worse.
type Baseline struct {
	known map[baselineKey]finding.Severity
}

type baselineKey struct{ rule, address, file, path string }

// baselineSchema is the version of the file's format.
const baselineSchema = 1

type baselineFile struct {
	SchemaVersion int             `json:"schema_version"`
	Findings      []baselineEntry `json:"findings"`
}

type baselineEntry struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Address  string `json:"address"`
	File     string `json:"file"`
	Path     string `json:"path"`
}

// keyOf names a block by its device and not by its number, which changes when
// another is put above it.
func keyOf(f output.Located) baselineKey {
	k := baselineKey{f.Rule, f.Address, f.File, f.Path}
	if open, end := strings.IndexByte(f.Path, '['), strings.IndexByte(f.Path, ']'); f.Device != "" && open >= 0 && end > open {
		k.path = f.Path[:open+1] + strconv.Quote(f.Device) + f.Path[end:]
	}
	return k
}

// NewBaseline takes findings for known.
func NewBaseline(fs []output.Located) *Baseline {
	b := &Baseline{known: map[baselineKey]finding.Severity{}}
	for _, f := range fs {
		b.known[keyOf(f)] = max(b.known[keyOf(f)], f.Severity)
	}
	return b
}

// New are the findings that are not known.
func (b *Baseline) New(fs []output.Located) []output.Located {
	return slices.DeleteFunc(slices.Clone(fs), func(f output.Located) bool { return f.Severity <= b.known[keyOf(f)] })
}

// Text is the baseline as a file, sorted, so that a change of it can be read.
func (b *Baseline) Text() ([]byte, error) {
	out := baselineFile{SchemaVersion: baselineSchema, Findings: []baselineEntry{}}
	for k, s := range b.known {
		out.Findings = append(out.Findings, baselineEntry{Rule: k.rule, Severity: s.String(), Address: k.address, File: k.file, Path: k.path})
	}
	slices.SortFunc(out.Findings, func(a, b baselineEntry) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Address, b.Address), strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule))
	})
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(out)
	return buf.Bytes(), err
}

// ErrNotBaseline says that a file is something else.
var ErrNotBaseline = errors.New("this is no baseline; write one with --write-baseline")

// ReadBaseline reads a file that Text wrote.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	var in baselineFile
	if err := json.NewDecoder(r).Decode(&in); err != nil {
		return nil, ErrNotBaseline
	}
	if in.SchemaVersion != baselineSchema {
		if in.SchemaVersion == 0 {
			return nil, ErrNotBaseline
		}
		return nil, fmt.Errorf("its schema_version is %d, and %d is known here", in.SchemaVersion, baselineSchema)
	}
	b := &Baseline{known: map[baselineKey]finding.Severity{}}
	for _, e := range in.Findings {
		s, ok := finding.ParseSeverity(e.Severity)
		if !ok {
			return nil, ErrNotBaseline
		}
		k := baselineKey{e.Rule, e.Address, e.File, e.Path}
		b.known[k] = max(b.known[k], s)
	}
	return b, nil
}
