package chart

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Bars is a picture of horizontal bars on a common axis from 0: phases of a
// start-up, or shares of a budget.
type Bars struct {
	Title string
	// Desc tells the picture's content to those who do not see it.
	Desc string
	// Axis says what the axis shows, with its unit.
	Axis  string
	Rows  []Row
	Lines []Line
}

// Row is one bar of segments.
type Row struct {
	// Name and Value are written above the bar, Note below.
	Name, Value, Note string
	Segments          []Segment
}

// Segment is a part of a bar.
type Segment struct {
	// Name explains the colour. Segments of the same name have the same colour.
	Name     string
	From, To float64
	Colour   Colour
	// Label is written into the segment if there is room for it.
	Label string
}

// Draw lays the picture out. The id must be unique in the page.
func (b Bars) Draw(id string, width float64) Drawing {
	c := &canvas{width: width}
	c.legend(b.keys())
	most := 0.0
	for _, r := range b.Rows {
		for _, s := range r.Segments {
			most = max(most, s.To)
		}
	}
	for _, l := range b.Lines {
		most = max(most, l.At)
	}
	step, _ := scale(most, int(max(3, width/110)))
	end := most * 1.02
	if end == 0 {
		end = 1
	}
	x := func(v float64) float64 { return 1 + v/end*(width-2) }

	froms := c.lineLabels(b.Lines, x)
	top := c.y
	body := &canvas{width: width, y: c.y}
	for _, r := range b.Rows {
		r.draw(body, x)
	}
	for v := 0.0; v <= end; v += step {
		c.add(`<path class="grid" d="M%s %sV%s"/>`, px(x(v)), px(top), px(body.y))
	}
	c.add("%s", body.String())
	c.texts.WriteString(body.texts.String())
	for i, l := range b.Lines {
		c.add(`<path class="ref %s" d="M%s %sV%s"><title>%s</title></path>`, l.Colour, px(x(l.At)), px(froms[i]), px(body.y), html.EscapeString(l.Label))
	}
	c.y, c.labels, c.marks = body.y+2, append(c.labels, body.labels...), body.marks
	c.ticks(step, end, x)
	c.y += lineHeight
	c.right(width, c.y, "m", clip(b.Axis, width))
	c.y += lineHeight
	return c.finish(id, b.Title, b.Desc)
}

// ticks writes the figures of a horizontal axis, those that have room.
func (c *canvas) ticks(step, end float64, x func(float64) float64) {
	free := math.Inf(-1)
	for v := 0.0; v <= end*(1+1e-9); v += step {
		s := units.Number(v)
		w := textWidth(s, false)
		at := c.within(x(v)-w/2, w)
		if at < free {
			continue
		}
		c.text(at, c.y, "m", s)
		free = at + w + 8
	}
}

func (b Bars) keys() []key {
	var keys []key
	seen := map[string]bool{}
	for _, r := range b.Rows {
		for _, s := range r.Segments {
			if s.Name != "" && !seen[s.Name] {
				seen[s.Name] = true
				keys = append(keys, key{name: s.Name, colour: s.Colour})
			}
		}
	}
	return keys
}

func (r Row) draw(c *canvas, x func(float64) float64) {
	c.paragraph("b", r.Name)
	// The value stands beside the name if there is room, else below it.
	lines := wrap(r.Name, c.width, true)
	n := len(lines)
	if n > 0 && textWidth(lines[n-1], true)+10+textWidth(r.Value, false) <= c.width {
		c.text(textWidth(lines[n-1], true)+10, c.y-lineHeight, "", r.Value)
	} else {
		c.paragraph("", r.Value)
	}
	c.y++
	c.add(`<rect class="track" x="1" y="%s" width="%s" height="%s" rx="3"/>`, px(c.y), px(c.width-2), px(barHeight))
	for _, s := range r.Segments {
		from, w := x(s.From), x(s.To)-x(s.From)
		// A gap parts neighbours, also for those who see no difference of colour.
		c.add(`<rect class="mark %s" x="%s" y="%s" width="%s" height="%s" rx="2"><title>%s</title></rect>`,
			s.Colour, px(from), px(c.y), px(max(1.5, w-1.5)), px(barHeight), html.EscapeString(strings.TrimSpace(fmt.Sprintf("%s %s", s.Name, s.Label))))
		c.marks++
		if lw := textWidth(s.Label, true); s.Label != "" && lw+8 <= w {
			c.text(from+(w-1.5-lw)/2, c.y+3, "in", s.Label)
		}
	}
	c.y += barHeight + 2
	if r.Note != "" {
		c.paragraph("m", r.Note)
	}
	c.y += pad + 2
}
