package timeline

import (
	"fmt"
	"strconv"
	"strings"
)

// draw draws from the back to the front: lanes, grid, messages, bars, marks, texts.
func (p *plan) draw() string {
	c := &canvas{}
	c.element(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="tl-title tl-desc">`, width, p.height, width, p.height)
	c.element(`<title id="tl-title">%s</title>`, p.Title)
	c.element(`<desc id="tl-desc">%s</desc>`, p.description())
	c.WriteString(styleSheet)
	c.element(`<rect width="%s" height="%s" fill="#fff"/>`, width, p.height)
	p.drawHead(c)
	p.drawGround(c)
	p.drawAxes(c)
	p.drawMessages(c)
	for _, lane := range p.lanes {
		lane.draw(c)
	}
	for _, lane := range p.lanes {
		lane.drawTexts(c)
	}
	p.drawLegend(c)
	c.element(`</svg>`)
	return c.String()
}

func (p *plan) description() string {
	var parts []string
	if p.Subtitle != "" {
		parts = append(parts, p.Subtitle+".")
	}
	parts = append(parts, fmt.Sprintf("Timeline to scale from %s to %s.", instant(p.Start), instant(p.End)))
	for _, lane := range p.Lanes {
		parts = append(parts, fmt.Sprintf("%s: %s, %s.", lane.Name, counted(len(lane.Bars), "bar", "bars"), counted(len(lane.Marks), "mark", "marks")))
	}
	return strings.Join(append(parts, counted(len(p.Messages), "message", "messages")+"."), " ")
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

func (p *plan) drawHead(c *canvas) {
	y := margin
	for _, line := range p.title {
		c.text("title", margin, y+13, "start", line)
		y += 20
	}
	for _, line := range p.subtitle {
		c.text("subtitle", margin, y+10, "start", line)
		y += 14
	}
}

// drawGround draws the lanes, and shades them where nobody is at home.
func (p *plan) drawGround(c *canvas) {
	for _, lane := range p.lanes {
		kind := lane.lane.Kind
		if kind != "client" && kind != "service" && kind != "resource" {
			kind = "other"
		}
		c.element(`<rect class="%s" stroke="#ccc" stroke-width=".7" x="%s" y="%s" width="%s" height="%s"/>`, kind, margin, lane.top, width-2*margin, lane.height)
		for _, b := range lane.bars {
			if b.bar.Kind == Pause || b.bar.Kind == Crash {
				c.element(`<rect class="away" x="%s" y="%s" width="%s" height="%s"/>`, b.from, lane.top, max(b.to-b.from, thinnestBar), lane.height)
			}
		}
	}
	for _, lane := range p.lanes {
		c.line("life", p.scale.left, lane.line, p.scale.right, lane.line)
	}
}

func (p *plan) drawAxes(c *canvas) {
	step, unit := p.scale.step(), p.scale.unit()
	if step%5 == 0 {
		for _, at := range p.scale.ticks(step / 5) {
			c.line("minor", p.scale.x(at), p.lanesTop, p.scale.x(at), p.lanesBottom)
		}
	}
	for _, at := range p.scale.ticks(step) {
		x := p.scale.x(at)
		c.line("grid", x, p.lanesTop-4, x, p.lanesBottom+4)
		c.text("tick", x, p.lanesTop-7, "middle", unit.in(at)+" "+unit.name)
		c.text("tick", x, p.lanesBottom+13, "middle", unit.in(at)+" "+unit.name)
	}
	c.line("axis", p.scale.left, p.lanesTop, p.scale.right, p.lanesTop)
	c.line("axis", p.scale.left, p.lanesBottom, p.scale.right, p.lanesBottom)
	c.text("tick", margin, p.lanesBottom+13, "start", "true time")
}

func (l lanePlan) draw(c *canvas) {
	left := margin + 8
	name := shortened(l.lane.Name, nameSize*1.06, 190)
	c.element(`<text class="name" x="%s" y="%s"><title>%s</title>%s</text>`, left, l.line+4, l.lane.Name, name)
	c.text("kind", left, l.line+16, "start", shortened(l.lane.Kind, smallSize, 190))
	for _, b := range l.bars {
		b.draw(c, l.barTop)
	}
	for _, f := range l.flags {
		if !f.dropped {
			f.drawPole(c, l.flagBottom, l.line)
		}
	}
	for _, m := range l.marks {
		m.draw(c, l.line)
	}
}

func (l lanePlan) drawTexts(c *canvas) {
	for _, b := range l.bars {
		b.drawText(c, l.barTop)
	}
	for _, f := range l.flags {
		if !f.dropped {
			f.drawText(c, l.flagBottom)
		}
	}
}
