package textchart_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/textchart"
)

func TestColumns(t *testing.T) {
	for name, tc := range map[string]struct {
		values []float64
		want   []string
	}{
		"steps": {
			[]float64{0, 1, 2, 4, 8, 16, 32},
			[]string{"32 │      █", "   │      █", "   │     ██", " 0 │ ▁▂▄███"},
		},
		"flat": {
			[]float64{6000, 6000, 6001},
			[]string{"6,001 │███", "      │███", "      │███", "    0 │███"},
		},
		"small figures keep their decimals": {
			[]float64{0.5, 0.25},
			[]string{"0.5 │█", "    │█", "    │██", "  0 │██"},
		},
		"nothing":          {nil, nil},
		"nothing happened": {[]float64{0, 0, 0}, nil},
		"not a number":     {[]float64{1, math.NaN()}, nil},
		"infinite":         {[]float64{1, math.Inf(1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, textchart.Columns(tc.values)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A chart is four lines high, at most 60 columns wide, and the highest column is
// full, however long the series.
func TestSize(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 500).Draw(rt, "values")
		values[rapid.IntRange(0, len(values)-1).Draw(rt, "at")] = 2e8 // the highest, even of an average
		lines := textchart.Columns(values)
		if len(lines) != 4 || !strings.ContainsRune(lines[0], '█') {
			rt.Fatalf("%q", lines)
		}
		for _, l := range lines {
			_, columns, _ := strings.Cut(l, "│")
			if n := utf8.RuneCountInString(columns); n > 60 || n > len(values) {
				rt.Errorf("%d columns of %d values", n, len(values))
			}
		}
	})
}
