package main

import (
	"math"
	"strings"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// A ratio is the median of the ratios of the runs, not the ratio of two medians:
// a slow minute of the machine slows both sides of one run.
func TestResult(t *testing.T) {
	ours := &work{name: "ours", kind: firstPlan, config: uses("runnerfit", "ours")}
	theirs := &work{name: "theirs", kind: firstPlan, config: uses("time", "theirs")}
	measured := measurements{
		ours.key():   {{{wall: 1, cpu: 2, peak: 10}}, {{wall: 8, cpu: 2, peak: 30}}, {{wall: 3, cpu: 2, peak: 20}}},
		theirs.key(): {{{wall: 2, cpu: 1, peak: 20}}, {{wall: 10, cpu: 1, peak: 20}}, {{wall: 2, cpu: 1, peak: 20}}},
	}
	got := row{name: "row", ours: ours, theirs: theirs, limit: 0.6}.result(measured)
	if !near(got.Ratio, 0.8) || !near(got.CPURatio, 2) || !near(got.MemoryRatio, 1) || !near(got.Ours.Seconds, 3) || !near(got.Theirs.Seconds, 2) {
		t.Errorf("got %+v", got)
	}

	base := &work{name: "base", kind: firstPlan, config: uses("runnerfit", "base")}
	measured[base.key()] = [][]measurement{{{wall: 0.5, cpu: 1}}, {{wall: 3, cpu: 1}}, {{wall: 1, cpu: 1}}}
	got = row{ours: ours, oursBase: base, theirs: theirs}.result(measured)
	if !near(got.Ratio, 0.5) || !near(got.CPURatio, 1) || got.MemoryRatio != 0 {
		t.Errorf("without its base: %+v", got)
	}

	ourFile, theirFile := &work{name: "ours", kind: fileSize, tool: "runnerfit"}, &work{name: "theirs", kind: fileSize, tool: "time"}
	measured[ourFile.key()], measured[theirFile.key()] = [][]measurement{{{size: 30e6}}}, [][]measurement{{{size: 14e6}}}
	got = row{ours: ourFile, theirs: theirFile, extra: 6}.result(measured)
	if !near(got.Ratio, 1.5) || !near(got.Theirs.Megabytes, 20) {
		t.Errorf("sizes: %+v", got)
	}
}

// What was measured in different runs is not compared, even where one side was
// measured more often, for another row.
func TestResultOfBriefWorks(t *testing.T) {
	ours := &work{name: "ours", kind: firstPlan, config: "ours"}
	often := &work{name: "often", kind: firstPlan, config: "often"}
	once := &work{name: "once", kind: firstPlan, config: "once"}
	measured := measurements{}
	for run := range 2 {
		slow := float64(1 + 9*run)
		for i := range 3 {
			measured.add(ours, run, measurement{wall: 0.1 * slow, cpu: float64(i)})
			measured.add(often, run, measurement{wall: 0.2 * slow, cpu: float64(i)})
		}
		measured.add(once, run, measurement{wall: 2 * slow})
	}
	if got := (row{ours: ours, theirs: often}).result(measured); !near(got.Ratio, 0.5) || !near(got.Ours.Seconds, 0.55) {
		t.Errorf("brief: %+v", got)
	}
	if got := (row{ours: ours, theirs: once}).result(measured); !near(got.Ratio, 0.05) {
		t.Errorf("one of them: %+v", got)
	}
	if !measured.areBrief([]*work{ours, often}) || measured.areBrief([]*work{ours, once}) {
		t.Error("brief is what takes less than a second")
	}
}

func TestTable(t *testing.T) {
	r := report{Machine: "a machine", Runs: 3, Rows: []result{
		{Name: "too slow", Ours: side{Seconds: 2}, Theirs: side{Name: "other", Seconds: 1}, Ratio: 2, Limit: 1.5},
		{Name: "fast", Ours: side{Seconds: 1, PeakBytes: 25e6}, Theirs: side{Name: "other", Seconds: 2, PeakBytes: 50e6}, Ratio: 0.5, Limit: 1.5, MemoryRatio: 0.5, MemoryLimit: 1},
	}}
	var b strings.Builder
	if err := r.table(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"medians of 3 runs, and of 5 measurements in each",
		"| too slow | 2.000 | other | 1.000 | **2.00** | 1.50 |",
		"| fast | 1.000 | other | 2.000 | 0.50 | 1.50 |  | 25 | 50 | 0.50 | 1.00 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
