// Package report makes a page to look at of what the audit reads: for each
// fleet its start-up, what its volumes cost and could cost, what they share, what
// becomes of its hosts, and the findings with their fixes. The page is one file
// of HTML that needs nothing beside it. The same input gives the same bytes.
//
// It shows what the audit's rules and the models behind them say, and judges
// nothing itself. What is not known is said to be unknown and left out of
// pictures and sums, never drawn as zero.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
)

// Input is what a report is made of.
type Input struct {
	// Source is what was read, as the user named it.
	Source string
	// Configurations are read and changed: report works out what is left to find
	// once the fixes are written.
	Configurations []*plan.Configuration
	// Problems are what could not be read, Notes what a reader should know of what was.
	Problems []output.Problem
	Notes    []string
	Audit    audit.Options
	// Rules explain the findings.
	Rules *finding.Registry
	// Version of the program, and a date to be shown; none if empty.
	Version, Date string
}

// Report is a page in work: what it shows, before it is drawn.
type Report struct {
	Input
	Fleets []*Fleet
	// Others are findings about what is no part of a fleet.
	Others []output.Located
	// All are all findings.
	All []output.Located
	// More is how many fleets are not drawn.
	More int
}

// mostFleets are drawn. A page with more is not looked at, and takes long to load.
const mostFleets = 100

// Fleet is what is launched in the same way: a template with its groups, an
// instance, volumes that belong to nothing that is known.
type Fleet struct {
	// Name is the address of what is launched, Kind what that is.
	Name, Kind string
	// Types are the instance types. There may be others that are not known.
	Types  []string
	Region string
	// Same is how many others are the same in all that is shown, as those of a count.
	Same int
	// Members are the addresses that belong to it, its own first.
	Members []string
	Volumes []*Volume
	// MoreVolumes says that there may be volumes that are not known.
	MoreVolumes bool
	// Instances is how many there are when all is well, and who says so.
	Instances     optional.Value[int64]
	InstancesFrom string
	Findings      []output.Located
	Notes         []string

	isMac bool
	// unjudged says that no rule could be applied, so nothing found means nothing.
	unjudged bool
	storage  *storages
	pool     *pool
}

// storages are a Mac host's volumes before and after the fixes, in the terms of
// the start-up model.
type storages struct {
	now, after mac.Storage
	// images says that it is known what the host pulls.
	images bool
	// graceFrom is where the allowed time comes from.
	graceFrom string
}

// pool is what is known of a fleet's hosts.
type pool struct {
	hostpool.Pool
	// scenario says that the failures are assumed, because nobody says how many there are.
	scenario bool
	// quota says that the quota is known.
	quota bool
	// from is the address that says most of it.
	from string
}

// Build works out what there is to show. It changes the configurations.
func Build(in Input) *Report {
	if in.Audit.Region == "" {
		in.Audit.Region = catalog.DefaultRegion
	}
	r := &Report{Input: in}
	var found []audit.Finding
	for _, c := range in.Configurations {
		found = append(found, audit.Run(c, in.Audit)...)
	}
	for _, f := range audit.Distinct(found) {
		r.All = append(r.All, f.Located)
	}
	for _, c := range in.Configurations {
		b := builder{Report: r, c: c}
		b.build()
	}
	r.place()
	r.merge()
	slices.SortStableFunc(r.Fleets, func(a, b *Fleet) int {
		return cmp.Compare(worst(b.Findings), worst(a.Findings))
	})
	if n := len(r.Fleets) - mostFleets; n > 0 {
		r.More, r.Fleets = n, r.Fleets[:mostFleets]
	}
	return r
}

func worst(fs []output.Located) finding.Severity { return output.Report{Findings: fs}.Worst() }

// place gives each finding to the first fleet that its object belongs to.
func (r *Report) place() {
	of := map[string]*Fleet{}
	for _, f := range r.Fleets {
		for _, m := range f.Members {
			if of[m] == nil {
				of[m] = f
			}
		}
	}
	sorted := slices.Clone(r.All)
	slices.SortStableFunc(sorted, func(a, b output.Located) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Address, b.Address), strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message))
	})
	r.All = sorted
	for _, f := range sorted {
		if fleet := of[f.Address]; fleet != nil {
			fleet.Findings = append(fleet.Findings, f)
			continue
		}
		r.Others = append(r.Others, f)
	}
}

// merge draws fleets that differ in their instance key alone once.
func (r *Report) merge() {
	first := map[string]*Fleet{}
	r.Fleets = slices.DeleteFunc(r.Fleets, func(f *Fleet) bool {
		k := r.fingerprint(f)
		if o := first[k]; o != nil {
			o.Same++
			return true
		}
		first[k] = f
		return false
	})
}

// fingerprint is all that a fleet shows but its own address.
func (r *Report) fingerprint(f *Fleet) string {
	cat := r.Audit.Catalog
	name := f.Name
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		name = name[:i]
	}
	parts := []any{name, f.Kind, f.Types, f.Region, f.Instances, f.Notes, f.MoreVolumes, f.Members[1:]}
	for _, v := range f.Volumes {
		for _, e := range []ebs.Volume{v.Now, v.After} {
			parts = append(parts, v.Name, typeOf(e), gib(e), iopsOf(v, e, cat), rateOf(v, e, cat))
		}
	}
	for _, l := range f.Findings {
		parts = append(parts, l.Rule, l.Path, l.Message)
	}
	if s := f.storage; s != nil {
		for _, m := range []mac.Storage{s.now, s.after} {
			start, why := StartOf(cat, m, s.images)
			grace, _ := m.GracePeriodSeconds.Get()
			parts = append(parts, start, why, grace.String())
		}
	}
	return fmt.Sprintf("%q", parts)
}

// Count is how many findings of a severity there are.
func (r *Report) Count(s finding.Severity) int {
	n := 0
	for _, f := range r.All {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Money is an amount before and after the fixes. Each is null where a price or a
// setting is not known.
type Money struct {
	Now, After optional.Value[decimal.Decimal]
}

func (m Money) plus(o Money) Money {
	return Money{optional.Map2(m.Now, o.Now, decimal.Decimal.Add), optional.Map2(m.After, o.After, decimal.Decimal.Add)}
}

func (m Money) times(n int64) Money {
	f := func(d decimal.Decimal) decimal.Decimal { return d.Mul(decimal.NewFromInt(n)) }
	return Money{optional.Map(m.Now, f), optional.Map(m.After, f)}
}

var nothing = Money{optional.Known(decimal.Zero), optional.Known(decimal.Zero)}

// one is what the volumes of one instance cost a month.
func (f *Fleet) one(cat *catalog.Catalog) Money {
	m := nothing
	for _, v := range f.Volumes {
		m = m.plus(v.cost(cat, f.Region))
	}
	if f.MoreVolumes || len(f.Volumes) == 0 {
		return Money{}
	}
	return m
}

// total is what the volumes of all fleets cost whose price and number are known,
// and how many fleets are left out.
func (r *Report) total() (sum Money, counted, left int) {
	sum = nothing
	for _, f := range r.Fleets {
		m := f.one(r.Audit.Catalog)
		n, known := f.Instances.Get()
		if !m.Now.IsKnown() || !m.After.IsKnown() || !known {
			left += 1 + f.Same
			continue
		}
		sum = sum.plus(m.times(n * int64(1+f.Same)))
		counted += 1 + f.Same
	}
	return sum, counted, left + r.More
}
