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
	// Subject names the part of the object that the finding is about where there
	// are several, "root"; it heads the message when findings are merged.
	Subject string
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
// by path, then by rule. What is left decides ties, so that the order in which
// rules ran never shows.
func Sort(fs []Finding) { slices.SortStableFunc(fs, compare) }

func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity),
		strings.Compare(a.Path, b.Path),
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Subject, b.Subject),
		strings.Compare(a.Message, b.Message),
		strings.Compare(a.Fix, b.Fix),
		compareSavings(a.MonthlySavingUSD, b.MonthlySavingUSD),
	)
}

// compareSavings puts an invalid saving before all others.
func compareSavings(a, b decimal.NullDecimal) int {
	switch {
	case a.Valid && b.Valid:
		return a.Decimal.Cmp(b.Decimal)
	case a.Valid:
		return 1
	case b.Valid:
		return -1
	}
	return 0
}

// Merge joins what is said twice about one object and sorts the result. Errors
// are joined only where rule and path are the same, so that each faulty line is
// pointed at; warnings and advice of one rule become one finding, at the path
// of the worst of them, because a rule that is broken by each of four volumes is
// one thing to be told. Messages that are the same for several subjects are
// written once, headed by the subjects, and what is the same in every respect
// counts once. The result does not depend on the order of the findings.
func Merge(fs []Finding) []Finding {
	fs = slices.Clone(fs)
	Sort(fs)
	fs = slices.CompactFunc(fs, func(a, b Finding) bool { return compare(a, b) == 0 })
	type key struct {
		rule, path string
		isError    bool
	}
	var order []key
	groups := map[key][]Finding{}
	for _, f := range fs {
		k := key{rule: f.Rule}
		if f.Severity == Error {
			k.path, k.isError = f.Path, true
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], f)
	}
	out := make([]Finding, 0, len(order))
	for _, k := range order {
		out = append(out, mergeGroup(groups[k]))
	}
	Sort(out)
	return out
}

// mergeGroup makes one finding of several of the same rule.
func mergeGroup(group []Finding) Finding {
	m := group[0] // the worst comes first
	if len(group) == 1 {
		return m
	}
	for _, f := range group[1:] {
		if f.MonthlySavingUSD.Valid {
			m.MonthlySavingUSD = decimal.NewNullDecimal(m.MonthlySavingUSD.Decimal.Add(f.MonthlySavingUSD.Decimal))
		}
	}
	m.Message = bySubject(group, func(f Finding) string { return f.Message })
	m.Fix = bySubject(group, func(f Finding) string { return f.Fix })
	m.Subject = ""
	return m
}

// bySubject writes each distinct text once, headed by the subjects it is about.
func bySubject(group []Finding, text func(Finding) string) string {
	var texts []string
	subjects := map[string][]string{}
	for _, f := range group {
		t := text(f)
		if t == "" {
			continue
		}
		if _, seen := subjects[t]; !seen {
			texts = append(texts, t)
			subjects[t] = nil
		}
		if f.Subject != "" && !slices.Contains(subjects[t], f.Subject) {
			subjects[t] = append(subjects[t], f.Subject)
		}
	}
	for i, t := range texts {
		if s := subjects[t]; len(s) > 0 {
			texts[i] = strings.Join(s, ", ") + ": " + t
		}
	}
	return strings.Join(texts, " ")
}

// Under moves findings of a part below the object that holds it: a path "iops"
// under "root" becomes "root.iops", an empty one "root". The findings get the
// subject if they have none.
func Under(prefix, subject string, fs []Finding) []Finding {
	for i := range fs {
		if fs[i].Subject == "" {
			fs[i].Subject = subject
		}
		if prefix == "" {
			continue
		}
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
