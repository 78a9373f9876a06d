// Package chart draws the pictures of reports and guides as SVG: bars on a
// common axis, and lines over two axes. A picture is laid out for a width in
// pixels; who shows it on a phone and on a screen draws it twice, because text
// that is scaled down cannot be read.
//
// Nothing is measured with a real font. Text is taken to be as wide as in DejaVu
// Sans, which is wider than the usual ones, so that labels neither overlap nor
// leave the picture with those either. The same input gives the same bytes.
package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Colour is what a mark stands for, not how it looks: the style sheet decides
// that, for light and dark.
type Colour string

// The colours. Adjacent ones also differ in lightness.
const (
	Blue   Colour = "c1"
	Purple Colour = "c2"
	Orange Colour = "c3"
	Green  Colour = "c4"
	Grey   Colour = "c5"
	Red    Colour = "c6"
)

// Palette are colours for things that have no meaning of their own.
var Palette = []Colour{Blue, Purple, Orange, Green, Grey}

// Line is a reference across a picture, such as a limit.
type Line struct {
	At     float64
	Label  string
	Colour Colour
}

// Style is the style sheet of the pictures. It sets no font: a picture takes
// that of the page, or of Standalone.
const Style = `.chart{--bg:#fff;--fg:#1f2328;--mut:#57606a;--grid:#d8dee4;--track:#eef1f4;--in:#fff;--c1:#0969da;--c2:#8250df;--c3:#bc4c00;--c4:#1a7f37;--c5:#6e7781;--c6:#cf222e}` +
	`@media (prefers-color-scheme:dark){.chart{--bg:#0d1117;--fg:#e6edf3;--mut:#9da7b1;--grid:#30363d;--track:#1c222a;--in:#0d1117;--c1:#58a6ff;--c2:#bc8cff;--c3:#f0883e;--c4:#3fb950;--c5:#8b949e;--c6:#ff7b72}}` +
	`@media print{.chart{--bg:#fff;--fg:#1f2328;--mut:#57606a;--grid:#d8dee4;--track:#eef1f4;--in:#fff;--c1:#0969da;--c2:#8250df;--c3:#bc4c00;--c4:#1a7f37;--c5:#6e7781;--c6:#cf222e}}` +
	`.chart text{font-size:12px;fill:var(--fg);stroke:var(--bg);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}.chart .b{font-weight:600}.chart .b.c1,.chart .b.c2,.chart .b.c3,.chart .b.c4,.chart .b.c5,.chart .b.c6{fill:var(--c)}.chart .m{fill:var(--mut)}.chart .in{fill:var(--in);font-weight:600;stroke:none}` +
	`.chart .grid{stroke:var(--grid)}.chart .track{fill:var(--track)}.chart .ref{stroke-width:1.6;stroke-dasharray:5 3;fill:none}` +
	`.chart .line{fill:none;stroke-width:2.2;stroke-linejoin:round}.chart .dash{stroke-dasharray:7 5}.chart .dash.c4{stroke-dasharray:2 5}.chart .area{fill-opacity:.22}.chart .beyond{fill:var(--c6);fill-opacity:.08}.chart .dot{stroke:var(--bg);stroke-width:2}` +
	`.chart .c1{--c:var(--c1)}.chart .c2{--c:var(--c2)}.chart .c3{--c:var(--c3)}.chart .c4{--c:var(--c4)}.chart .c5{--c:var(--c5)}.chart .c6{--c:var(--c6)}` +
	`.chart rect.mark,.chart circle,.chart .area,.chart rect.key{fill:var(--c)}.chart .line,.chart .ref{stroke:var(--c)}`

// Drawing is a finished picture.
type Drawing struct {
	Width, Height float64
	// Labels are the texts with the room that they take.
	Labels []Label
	// Marks is how many shapes stand for data.
	Marks int
	// SVG is the svg element. It has the class "chart" and needs Style.
	SVG string
}

// Label is a text and its box.
type Label struct {
	Text                string
	X, Y, Width, Height float64
}

// overlaps says whether two boxes share room.
func (l Label) overlaps(o Label) bool {
	return l.X < o.X+o.Width && o.X < l.X+l.Width && l.Y < o.Y+o.Height && o.Y < l.Y+l.Height
}

// Standalone is a picture as a file of its own, which shows what it needs.
func (d Drawing) Standalone() string {
	const margin = 14
	_, rest, _ := strings.Cut(d.SVG, "viewBox=")
	_, rest, _ = strings.Cut(rest, " role=")
	head, rest, _ := strings.Cut(rest, ">")
	w, h := px(d.Width+2*margin), px(d.Height+2*margin)
	head = fmt.Sprintf(`<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="-%d -%d %s %s" role=%s>`, w, h, margin, margin, w, h, head)
	return head + "<style>svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;background:var(--bg)}" + Style + "</style>" + rest + "\n"
}

// Measures in pixels.
const (
	fontSize   = 12.0
	lineHeight = 17.0
	ascent     = 12.0 // from the top of a line to the baseline
	barHeight  = 22.0
	pad        = 6.0
)

// canvas collects shapes and labels.
type canvas struct {
	strings.Builder
	texts  strings.Builder // stand above all shapes
	width  float64
	y      float64 // the next free line
	labels []Label
	marks  int
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// text writes a line of text whose box begins at x, y.
func (c *canvas) text(x, y float64, class, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	fmt.Fprintf(&c.texts, `<text x="%s" y="%s"`, px(x), px(y+ascent))
	if class != "" {
		fmt.Fprintf(&c.texts, ` class="%s"`, class)
	}
	fmt.Fprintf(&c.texts, `>%s</text>`, html.EscapeString(s))
	c.labels = append(c.labels, Label{s, x, y, textWidth(s, bold(class)), lineHeight - 2})
}

// right is text that ends at x, moved so that it stays in the picture.
func (c *canvas) right(x, y float64, class, s string) {
	c.text(max(0, x-textWidth(s, bold(class))), y, class, s)
}

// within moves a box of a width so that it stays in the picture.
func (c *canvas) within(x, w float64) float64 { return max(0, min(x, c.width-w)) }

func bold(class string) bool { return strings.HasPrefix(class, "b") || class == "in" }

// paragraph writes text in as many lines as it takes.
func (c *canvas) paragraph(class, s string) {
	for _, l := range wrap(s, c.width, bold(class)) {
		c.text(0, c.y, class, l)
		c.y += lineHeight
	}
}

// key is an entry of a legend.
type key struct {
	name   string
	colour Colour
	line   bool
}

// legend writes the keys in as many lines as they take.
func (c *canvas) legend(keys []key) {
	if len(keys) == 0 {
		return
	}
	const swatch, between = 18.0, 14.0
	x := 0.0
	for _, k := range keys {
		name := clip(k.name, c.width-swatch)
		w := swatch + textWidth(name, false)
		if x > 0 && x+w > c.width {
			x = 0
			c.y += lineHeight
		}
		if k.line {
			c.add(`<path class="ref %s" d="M%s %sh14"/>`, k.colour, px(x), px(c.y+8))
		} else {
			c.add(`<rect class="key %s" x="%s" y="%s" width="12" height="12" rx="2"/>`, k.colour, px(x), px(c.y+2))
		}
		c.text(x+swatch, c.y, "m", name)
		x += w + between
	}
	c.y += lineHeight + pad
}

// lineLabels writes the labels of upright lines above the plot, each in the
// first row in which there is room, and returns the y from which each line is
// drawn.
func (c *canvas) lineLabels(lines []Line, x func(float64) float64) []float64 {
	var rows [][]Label
	from := make([]float64, len(lines))
	for i, l := range lines {
		s := clip(l.Label, c.width)
		w := textWidth(s, false)
		box := Label{Text: s, X: c.within(x(l.At)-w/2, w), Width: w, Height: lineHeight}
		row := 0
		for ; row < len(rows); row++ {
			if !slices.ContainsFunc(rows[row], func(o Label) bool { return box.X < o.X+o.Width+8 && o.X < box.X+box.Width+8 }) {
				break
			}
		}
		if row == len(rows) {
			rows = append(rows, nil)
		}
		rows[row] = append(rows[row], box)
		from[i] = c.y + float64(row+1)*lineHeight
		c.text(box.X, c.y+float64(row)*lineHeight, "", s)
	}
	c.y += float64(len(rows)) * lineHeight
	if len(rows) > 0 {
		c.y += pad
	}
	return from
}

// finish closes the picture.
func (c *canvas) finish(id, title, desc string) Drawing {
	d := Drawing{Width: c.width, Height: math.Ceil(c.y), Labels: c.labels, Marks: c.marks}
	d.SVG = fmt.Sprintf(`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>%s%s</svg>`,
		px(d.Width), px(d.Height), id, id, id, html.EscapeString(title), id, html.EscapeString(desc), c.String(), c.texts.String())
	return d
}

// px writes a length with at most one decimal.
func px(f float64) string {
	s := fmt.Sprintf("%.1f", f)
	return strings.TrimSuffix(s, ".0")
}

// textWidth is how wide a text is at most, in the metrics of DejaVu Sans.
func textWidth(s string, bold bool) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("iljI|.,:;'!` ", r):
			w += 0.32
		case strings.ContainsRune("ftr()[]{}-/\\\"·", r):
			w += 0.4
		case strings.ContainsRune("mwMW%@–—…", r):
			w += 0.98
		case r >= 'A' && r <= 'Z' || r == '_' || r == '+' || r == '=' || r == '<' || r == '>' || r == '→':
			w += 0.8
		case r < 0x2000:
			w += 0.64
		default:
			w += 1.1
		}
	}
	if bold {
		w *= 1.12
	}
	return w * fontSize
}

// clip shortens a text to a width.
func clip(s string, width float64) string {
	if textWidth(s, true) <= width {
		return s
	}
	rs := []rune(s)
	for len(rs) > 0 && textWidth(string(rs)+"…", true) > width {
		rs = rs[:len(rs)-1]
	}
	return string(rs) + "…"
}

// wrap breaks a text into lines of a width.
func wrap(s string, width float64, bold bool) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		word = clip(word, width)
		switch {
		case line == "":
			line = word
		case textWidth(line+" "+word, bold) <= width:
			line += " " + word
		default:
			out = append(out, line)
			line = word
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// scale is a round axis from 0: its end, and the distance of its ticks, of which
// there are at most as many as asked for.
func scale(most float64, ticks int) (step, end float64) {
	if most <= 0 || math.IsNaN(most) || math.IsInf(most, 0) {
		return 1, 1
	}
	raw := most / float64(ticks)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * power; step >= raw*(1-1e-9) {
			break
		}
	}
	return step, step * math.Ceil(most/step*(1-1e-9))
}
