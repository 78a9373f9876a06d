package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// report is what was measured, as it is written to the JSON file.
type report struct {
	Machine   string   `json:"machine"`
	Terraform string   `json:"terraform"`
	Go        string   `json:"go"`
	Runs      int      `json:"runs"`
	Rows      []result `json:"rows"`
}

// result is a row with its figures, medians of the runs.
type result struct {
	Name   string `json:"name"`
	Ours   side   `json:"ours"`
	Theirs side   `json:"theirs"`
	// Ratio of the time (of the size, for files), CPURatio of processor time,
	// MemoryRatio of peak memory; 0 where there is nothing to compare.
	Ratio       float64 `json:"ratio"`
	CPURatio    float64 `json:"cpu_ratio,omitempty"`
	MemoryRatio float64 `json:"memory_ratio,omitempty"`
	// Limits are the largest ratios that are good enough, 0 where there is none.
	Limit       float64 `json:"limit,omitempty"`
	MemoryLimit float64 `json:"memory_limit,omitempty"`
}

// side is one of the two works of a row.
type side struct {
	Name      string  `json:"name"`
	Seconds   float64 `json:"seconds,omitempty"`
	CPU       float64 `json:"cpu_seconds,omitempty"`
	PeakBytes int64   `json:"peak_bytes,omitempty"`
	Megabytes float64 `json:"megabytes,omitempty"`
}

// result works a row out of the measurements.
func (r row) result(measured measurements) result {
	ours, theirs := r.pairs(measured)
	out := result{Name: r.name, Limit: r.limit, MemoryLimit: r.memoryLimit, Ours: sideOf(r.ours, ours), Theirs: sideOf(r.theirs, theirs)}
	if r.ours.kind == fileSize {
		out.Theirs.Megabytes += r.extra
		out.Ratio = out.Ours.Megabytes / out.Theirs.Megabytes
		return out
	}
	ratio := func(get func(measurement) float64) float64 {
		var each []float64
		for i := range ours {
			each = append(each, get(ours[i])/get(theirs[i]))
		}
		return median(each)
	}
	out.Ratio = ratio(func(m measurement) float64 { return m.wall })
	out.CPURatio = ratio(func(m measurement) float64 { return m.cpu })
	if out.Ours.PeakBytes > 0 && out.Theirs.PeakBytes > 0 {
		out.MemoryRatio = ratio(func(m measurement) float64 { return float64(m.peak) })
	}
	return out
}

// pairs are the measurements of the two sides that were made in the same run, one
// after the other, without those of their bases.
func (r row) pairs(measured measurements) (ours, theirs []measurement) {
	for run := range measured[r.ours.key()] {
		times := briefTimes
		for _, w := range r.works() {
			times = min(times, len(measured[w.key()][run]))
		}
		of := func(w, base *work, i int) measurement {
			m := measured[w.key()][run][i]
			if base != nil {
				b := measured[base.key()][run][i]
				// Memory of calls that are told apart from their base says nothing.
				m.wall, m.cpu, m.peak = m.wall-b.wall, m.cpu-b.cpu, 0
			}
			return m
		}
		for i := range times {
			ours, theirs = append(ours, of(r.ours, r.oursBase, i)), append(theirs, of(r.theirs, r.theirsBase, i))
		}
	}
	return ours, theirs
}

func sideOf(w *work, ms []measurement) side {
	of := func(get func(measurement) float64) float64 {
		var all []float64
		for _, m := range ms {
			all = append(all, get(m))
		}
		return median(all)
	}
	return side{
		Name:      w.name,
		Seconds:   of(func(m measurement) float64 { return m.wall }),
		CPU:       of(func(m measurement) float64 { return m.cpu }),
		PeakBytes: int64(of(func(m measurement) float64 { return float64(m.peak) })),
		Megabytes: of(func(m measurement) float64 { return float64(m.size) / 1e6 }),
	}
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	if n == 0 {
		return 0
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// table prints the rows as a Markdown table.
func (r report) table(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s; %s; medians of %d runs, and of %d measurements in each where all is done within a second.\n\n", r.Machine, r.Terraform, r.Go, r.Runs, briefTimes)
	b.WriteString("| work | s | against | s | ratio | at most | CPU ratio | peak MB | against | ratio | at most |\n")
	b.WriteString("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, x := range r.Rows {
		figure := func(s side) string {
			if s.Megabytes > 0 {
				return fmt.Sprintf("%.1f MB", s.Megabytes)
			}
			return fmt.Sprintf("%.3f", s.Seconds)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			x.Name, figure(x.Ours), x.Theirs.Name, figure(x.Theirs), judged(x.Ratio, x.Limit), number(x.Limit), number(x.CPURatio),
			megabytes(x.Ours.PeakBytes), megabytes(x.Theirs.PeakBytes), judged(x.MemoryRatio, x.MemoryLimit), number(x.MemoryLimit))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// judged is a ratio, in bold where it is above its limit.
func judged(ratio, limit float64) string {
	if limit > 0 && ratio > limit {
		return "**" + number(ratio) + "**"
	}
	return number(ratio)
}

func number(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

func megabytes(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", float64(n)/1e6)
}

// String is how a work begins in a sentence.
func (k workKind) String() string {
	switch k {
	case apply:
		return "apply of"
	case unchangedPlan:
		return "unchanged plan of"
	case audit:
		return "audit,"
	case fileSize:
		return "size of"
	case firstPlan:
	}
	return "first plan of"
}
