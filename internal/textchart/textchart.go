// Package textchart draws a series as a few lines of text.
package textchart

import (
	"math"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

const (
	rows     = 4
	maxWidth = 60
)

// levels are the heights of a column within a row, from empty to full.
var levels = []rune(" ▁▂▃▄▅▆▇█")

const levelsInRow = 8

// Columns draws values, which must not be negative, as columns from zero up,
// four lines high and at most 60 wide; of a longer series neighbours are
// averaged. The highest value is written beside the top line, "0" beside the
// bottom one. A series without any value above zero has no chart.
func Columns(values []float64) []string {
	columns := shrink(values, maxWidth)
	top := 0.0
	for _, v := range columns {
		top = max(top, v)
	}
	if top <= 0 || math.IsInf(top, 0) || math.IsNaN(top) {
		return nil
	}
	label := units.Number(top)
	if top >= 100 {
		label = units.Number(math.Round(top))
	}
	out := make([]string, rows)
	for r := range rows {
		left := strings.Repeat(" ", len(label))
		switch r {
		case 0:
			left = label
		case rows - 1:
			left = left[1:] + "0"
		}
		var b strings.Builder
		b.WriteString(left + " │")
		below := (rows - 1 - r) * levelsInRow
		for _, v := range columns {
			height := int(math.Round(v / top * rows * levelsInRow))
			b.WriteRune(levels[max(0, min(levelsInRow, height-below))])
		}
		out[r] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// shrink averages neighbours until there are at most n values.
func shrink(values []float64, n int) []float64 {
	if len(values) <= n {
		return values
	}
	out := make([]float64, n)
	for i := range out {
		from, to := i*len(values)/n, (i+1)*len(values)/n
		sum := 0.0
		for _, v := range values[from:to] {
			sum += v
		}
		out[i] = sum / float64(to-from)
	}
	return out
}
