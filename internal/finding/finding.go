// Package finding says what is wrong with something, how bad it is, and what
// to write instead. Every subject reports in these terms, and every front end
// (a guard's diagnostics, a function's result, the audit's formats) shows
// nothing else.
package finding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Severity says what a finding does to a plan.
type Severity uint8

const (
	// Info is advice: it appears in results and reports, never on the screen of a plan.
	Info Severity = iota + 1
	// Warning is something that applies but is capped, wasteful or risky.
	Warning
	// Error is something that AWS refuses or that cannot do what it was written for.
	Error
)

// String is the severity as it is written in results: "info", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "unknown"
}

// ParseSeverity reads "info", "warning" or "error".
func ParseSeverity(s string) (Severity, bool) {
	for _, v := range []Severity{Info, Warning, Error} {
		if v.String() == s {
			return v, true
		}
	}
	return 0, false
}

// Finding is one fault of one object by one rule.
type Finding struct {
	// Rule is the id of the rule, which never changes.
	Rule string
	// Severity in this place: the same rule may be advice in one place and an error in another.
	Severity Severity
	// Path of the setting to change, relative to the object: "root.throughput_mib_per_s",
	// "volume[2].iops". Empty for the object as a whole.
	Path string
	// Message says the value, the limit and why. Only numbers and closed
	// vocabularies (types, regions, rule ids) are echoed, never free text.
	Message string
	// Fix is the exact change to make and its price.
	Fix string
	// MonthlySavingUSD is what the fix saves in US dollars a month; invalid when it
	// saves nothing or the price is not known.
	MonthlySavingUSD decimal.NullDecimal
}

// Sort puts findings in the order in which they are shown: worst first, then
// by path, then by rule.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity),
			strings.Compare(a.Path, b.Path),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// Merge joins the findings of one rule on one object and path into one, keeping
// the worst severity, all messages and all fixes, and sorts the result.
func Merge(fs []Finding) []Finding {
	type key struct{ rule, path string }
	out := make([]Finding, 0, len(fs))
	at := make(map[key]int, len(fs))
	for _, f := range fs {
		k := key{f.Rule, f.Path}
		i, seen := at[k]
		if !seen {
			at[k] = len(out)
			out = append(out, f)
			continue
		}
		m := &out[i]
		m.Severity = max(m.Severity, f.Severity)
		m.Message = join(m.Message, f.Message)
		m.Fix = join(m.Fix, f.Fix)
		if f.MonthlySavingUSD.Valid {
			m.MonthlySavingUSD = decimal.NewNullDecimal(m.MonthlySavingUSD.Decimal.Add(f.MonthlySavingUSD.Decimal))
		}
	}
	Sort(out)
	return out
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return a + " " + b
}

// Under moves findings of a part below the object that holds it: a path "iops"
// under "root" becomes "root.iops", an empty one "root".
func Under(prefix string, fs []Finding) []Finding {
	if prefix == "" {
		return fs
	}
	for i := range fs {
		if fs[i].Path == "" {
			fs[i].Path = prefix
		} else {
			fs[i].Path = prefix + "." + fs[i].Path
		}
	}
	return fs
}

// Worst is the highest severity among the findings, 0 if there are none.
func Worst(fs []Finding) Severity {
	var w Severity
	for _, f := range fs {
		w = max(w, f.Severity)
	}
	return w
}
