package chart

import (
	"html"
	"math"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Lines is a picture of lines over two axes: cost against throughput, or hosts
// over hours.
type Lines struct {
	Title, Desc  string
	XAxis, YAxis string
	// XStep is the distance of ticks of the x axis; 0 for a round one.
	XStep float64
	// Whole says that the y axis counts things.
	Whole  bool
	Series []Series
	Points []Point
	// Upright lines stand at an x, Level ones lie at a y.
	Upright, Level []Line
	// Beyond is the x from which on the plot is shaded; 0 for none.
	Beyond float64
	// Money says that the y axis is in US dollars.
	Money bool
}

// Series is one line.
type Series struct {
	Name   string
	XY     [][2]float64
	Colour Colour
	// Area fills what is below the line. Step says that a value holds until the
	// next one. Dashed lets a line below it be seen.
	Area, Step, Dashed bool
}

// Point is a single point with a label.
type Point struct {
	X, Y   float64
	Label  string
	Colour Colour
}

// plot is the inner rectangle with its scales.
type plot struct {
	left, right, top, bottom float64
	x, y                     func(float64) float64
}

// Draw lays the picture out. The id must be unique in the page.
func (l Lines) Draw(id string, width float64) Drawing {
	c := &canvas{width: width}
	var keys []key
	for _, s := range l.Series {
		keys = append(keys, key{name: s.Name, colour: s.Colour})
	}
	c.legend(keys)
	c.text(0, c.y, "m", clip(l.YAxis, width))
	c.y += lineHeight + 8 // the uppermost figure of the axis reaches above the plot

	mostX, mostY := l.most()
	xStep := l.XStep
	if xStep == 0 {
		xStep, _ = scale(mostX, int(max(3, width/110)))
	}
	yStep, yEnd := scale(mostY*1.05, 5)
	if l.Whole && yStep != math.Trunc(yStep) {
		yStep = math.Ceil(yStep)
		yEnd = yStep * math.Ceil(mostY*1.05/yStep)
	}
	number := func(v float64) string {
		if l.Money {
			return "$" + units.Number(v)
		}
		return units.Number(v)
	}
	p := plot{right: width - 4}
	for v := 0.0; v <= yEnd*(1+1e-9); v += yStep {
		p.left = max(p.left, textWidth(number(v), false)+8)
	}
	p.x = func(v float64) float64 { return p.left + v/mostX*(p.right-p.left) }
	froms := c.lineLabels(l.Upright, p.x)
	p.top = c.y
	p.bottom = p.top + max(150, min(260, width*0.42))
	p.y = func(v float64) float64 { return p.bottom - v/yEnd*(p.bottom-p.top) }

	for v := 0.0; v <= yEnd*(1+1e-9); v += yStep {
		c.add(`<path class="grid" d="M%s %sH%s"/>`, px(p.left), px(p.y(v)), px(p.right))
		s := number(v)
		c.right(p.left-8, max(p.top-9, p.y(v)-8), "m", s)
	}
	if l.Beyond > 0 && l.Beyond < mostX {
		c.add(`<rect class="beyond" x="%s" y="%s" width="%s" height="%s"/>`, px(p.x(l.Beyond)), px(p.top), px(p.right-p.x(l.Beyond)), px(p.bottom-p.top))
	}
	for _, s := range l.Series {
		s.draw(c, p)
	}
	for i, u := range l.Upright {
		c.add(`<path class="ref %s" d="M%s %sV%s"><title>%s</title></path>`, u.Colour, px(p.x(u.At)), px(froms[i]), px(p.bottom), html.EscapeString(u.Label))
	}
	for _, u := range l.Level {
		c.add(`<path class="ref %s" d="M%s %sH%s"><title>%s</title></path>`, u.Colour, px(p.left), px(p.y(u.At)), px(p.right), html.EscapeString(u.Label))
	}
	for _, o := range l.Points {
		c.add(`<circle class="mark dot %s" cx="%s" cy="%s" r="6"><title>%s</title></circle>`, o.Colour, px(p.x(o.X)), px(p.y(o.Y)), html.EscapeString(o.Label))
		c.marks++
	}
	l.placeLabels(c, p)
	c.y = p.bottom + 4
	c.ticks(xStep, mostX, p.x)
	c.y += lineHeight
	c.right(width, c.y, "m", clip(l.XAxis, width))
	c.y += lineHeight
	return c.finish(id, l.Title, l.Desc)
}

func (l Lines) most() (x, y float64) {
	for _, s := range l.Series {
		for _, v := range s.XY {
			x, y = max(x, v[0]), max(y, v[1])
		}
	}
	for _, o := range l.Points {
		x, y = max(x, o.X), max(y, o.Y)
	}
	for _, u := range l.Upright {
		x = max(x, u.At)
	}
	for _, u := range l.Level {
		y = max(y, u.At)
	}
	if x == 0 {
		x = 1
	}
	return x, y
}

func (s Series) draw(c *canvas, p plot) {
	if len(s.XY) == 0 {
		return
	}
	var d strings.Builder
	for i, v := range s.XY {
		x, y := px(p.x(v[0])), px(p.y(v[1]))
		switch {
		case i == 0:
			d.WriteString("M" + x + " " + y)
		case s.Step:
			d.WriteString("H" + x + "V" + y)
		default:
			d.WriteString("L" + x + " " + y)
		}
	}
	if s.Area {
		first, last := s.XY[0], s.XY[len(s.XY)-1]
		c.add(`<path class="area %s" d="%sL%s %sH%sZ"/>`, s.Colour, d.String(), px(p.x(last[0])), px(p.bottom), px(p.x(first[0])))
	}
	class := "mark line"
	if s.Dashed {
		class += " dash"
	}
	c.add(`<path class="%s %s" d="%s"><title>%s</title></path>`, class, s.Colour, d.String(), html.EscapeString(s.Name))
	c.marks++
}

// placeLabels writes the labels of points and of level lines where nothing
// else stands, away from the lines if there is such a place.
func (l Lines) placeLabels(c *canvas, p plot) {
	obstacles := l.obstacles(p)
	place := func(s, class string, boxes []Label, extra func(Label) float64) {
		best, worst := -1, math.Inf(1)
		for i, b := range boxes {
			if b.X < p.left || b.X+b.Width > p.right || b.Y < p.top || b.Y+b.Height > p.bottom ||
				slices.ContainsFunc(c.labels, b.overlaps) {
				continue
			}
			cost := float64(i) + extra(b) // the first places are the nearest
			for _, o := range obstacles {
				if b.overlaps(o) {
					cost += 2
				}
			}
			if cost < worst {
				best, worst = i, cost
			}
		}
		if best >= 0 {
			c.text(boxes[best].X, boxes[best].Y, class, s)
		}
	}
	for i, o := range l.Points {
		s := clip(o.Label, p.right-p.left)
		w := textWidth(s, true)
		var boxes []Label
		for _, dy := range []float64{-24, 8, -44, 28, -64, 48, -84, 68, -104, 88, -124, 108} {
			for _, dx := range []float64{-w / 2, 8, -w - 8} {
				x := max(p.left+2, min(p.x(o.X)+dx, p.right-w))
				boxes = append(boxes, Label{X: x, Y: p.y(o.Y) + dy, Width: w, Height: lineHeight - 2})
			}
		}
		place(s, "b "+string(o.Colour), boxes, func(b Label) float64 { return l.wrongSide(i, p, b) })
	}
	for _, u := range l.Level {
		s := clip(u.Label, p.right-p.left)
		w := textWidth(s, true)
		var boxes []Label
		for _, dy := range []float64{-lineHeight, 3} {
			for _, x := range []float64{p.right - w, p.left + 4, (p.left + p.right - w) / 2} {
				boxes = append(boxes, Label{X: x, Y: p.y(u.At) + dy, Width: w, Height: lineHeight - 2})
			}
		}
		place(s, "b", boxes, func(Label) float64 { return 0 })
	}
}

// wrongSide is the cost of a label that stands between its point and another
// one near by, and might be taken for the other's.
func (l Lines) wrongSide(i int, p plot, b Label) float64 {
	const near, cost = 60, 30
	o := l.Points[i]
	for j, other := range l.Points {
		dx, dy := p.x(other.X)-p.x(o.X), p.y(other.Y)-p.y(o.Y)
		if j == i || math.Hypot(dx, dy) > near {
			continue
		}
		below := b.Y+b.Height/2 > p.y(o.Y)
		if below == (dy > 0 || dy == 0 && j > i) {
			return cost
		}
	}
	return 0
}

// obstacles are what labels should not stand on: points, and the lines in
// small pieces.
func (l Lines) obstacles(p plot) []Label {
	var out []Label
	dot := func(x, y, r float64) { out = append(out, Label{X: x - r, Y: y - r, Width: 2 * r, Height: 2 * r}) }
	for _, o := range l.Points {
		for range 20 { // standing on a point is worse than on a line
			dot(p.x(o.X), p.y(o.Y), 7)
		}
	}
	along := func(x0, y0, x1, y1 float64) {
		n := int(math.Hypot(x1-x0, y1-y0)/6) + 1
		for i := range n + 1 {
			f := float64(i) / float64(n)
			dot(x0+(x1-x0)*f, y0+(y1-y0)*f, 2)
		}
	}
	for _, s := range l.Series {
		for i := 1; i < len(s.XY); i++ {
			a, b := s.XY[i-1], s.XY[i]
			if s.Step {
				along(p.x(a[0]), p.y(a[1]), p.x(b[0]), p.y(a[1]))
				along(p.x(b[0]), p.y(a[1]), p.x(b[0]), p.y(b[1]))
				continue
			}
			along(p.x(a[0]), p.y(a[1]), p.x(b[0]), p.y(b[1]))
		}
	}
	for _, u := range l.Upright {
		along(p.x(u.At), p.top, p.x(u.At), p.bottom)
	}
	for _, u := range l.Level {
		along(p.left, p.y(u.At), p.right, p.y(u.At))
	}
	return out
}
