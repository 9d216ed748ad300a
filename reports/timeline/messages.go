package timeline

import (
	"fmt"
	"math"
	"time"
)

// route is the visible part of a message, and how its line ends.
type route struct {
	message        Message
	x1, y1, x2, y2 float64
	arrives        bool
}

// shortOf is how far before the line of its lane an undelivered message ends.
const shortOf = 14.0

// routed returns the line of a message between the ordinates of its lanes, cut off at the
// window; visible is false if nothing of it lies inside. A message that is not delivered
// ends short of its lane: a lost one on its way, any other at the end of the window.
func routed(m Message, s scale, from, to float64) (r route, visible bool) {
	until, arrives := m.Arrived, !m.Lost
	if m.Arrived < m.Sent {
		arrives = false
		until = m.Sent
		if !m.Lost {
			until = max(m.Sent, s.end)
		}
	}
	share := 1.0
	if distance := math.Abs(to - from); !arrives && distance > 2*shortOf {
		share = 1 - shortOf/distance
		if m.Lost {
			until = m.Sent + time.Duration(share*float64(until-m.Sent))
		}
	}
	if m.Sent > s.end || until < s.start {
		return route{}, false
	}
	end := from + share*(to-from)
	y := func(at time.Duration) float64 {
		if until == m.Sent {
			return end
		}
		return from + (end-from)*float64(at-m.Sent)/float64(until-m.Sent)
	}
	r = route{message: m, x1: s.clamped(m.Sent), y1: from, x2: s.clamped(until), y2: end, arrives: arrives && until <= s.end}
	if m.Sent < s.start {
		r.y1 = y(s.start)
	}
	if until > s.end {
		r.y2 = y(s.end)
	}
	return r, true
}

func (m Message) class() string {
	switch {
	case m.Lost:
		return "lost"
	case m.Held:
		return "held"
	}
	return "message"
}

// crowd says how to draw one of so many lines: hundreds of retries must not hide what
// matters.
func crowd(count int) (width, opacity float64) {
	switch {
	case count <= 40:
		return 1.2, 0.8
	case count <= 120:
		return 0.8, 0.45
	}
	return 0.6, 0.28
}

// readableMessages is how many lines still get a broad invisible one to hover at.
const readableMessages = 60

// layer is the messages of one class that are drawn alike. Repeated ones have a label that
// many have, such as retries; they are drawn first and thinner, for there are more.
type layer struct {
	class    string
	repeated bool
}

func (p *plan) drawMessages(c *canvas) {
	layers := map[layer][]route{}
	shown := 0
	for i, repeated := range p.repeated() {
		m := p.Messages[i]
		if r, ok := routed(m, p.scale, p.lanes[m.FromLane].line, p.lanes[m.ToLane].line); ok {
			key := layer{m.class(), repeated}
			layers[key] = append(layers[key], r)
			shown++
		}
	}
	for _, repeated := range []bool{true, false} {
		for _, class := range []string{"message", "lost", "held"} {
			routes := layers[layer{class, repeated}]
			if len(routes) == 0 {
				continue
			}
			width, opacity := crowd(len(routes))
			c.element(`<g class="%s" stroke-width="%s" opacity="%s">`, class, width, opacity)
			for _, r := range routes {
				r.draw(c, p.tooltip(r.message), shown <= readableMessages)
			}
			c.element(`</g>`)
		}
	}
}

// repeated says of every message whether many have its label.
func (p *plan) repeated() []bool {
	count := map[string]int{}
	for _, m := range p.Messages {
		count[m.Label]++
	}
	out := make([]bool, len(p.Messages))
	for i, m := range p.Messages {
		out[i] = count[m.Label] > 40
	}
	return out
}

func (r route) draw(c *canvas, tooltip string, hover bool) {
	tip := ""
	if r.arrives {
		tip = ` marker-end="url(#tl-arrow)"`
		if r.message.Held {
			tip = ` marker-end="url(#tl-held)"`
		}
	}
	d := fmt.Sprintf("M%s %sL%s %s", number(r.x1), number(r.y1), number(r.x2), number(r.y2))
	c.element(`<g><title>%s</title><path d="%s"%s/>`, tooltip, markup(d), markup(tip))
	if hover {
		c.element(`<path class="hover" d="%s"/>`, markup(d))
	}
	if r.message.Lost {
		c.element(`<path style="stroke-dasharray:none" d="M%s %sm-3 -3l6 6m0 -6l-6 6"/>`, r.x2, r.y2)
	}
	c.element(`</g>`)
}

func (p *plan) tooltip(m Message) string {
	text := fmt.Sprintf("%s → %s", p.Lanes[m.FromLane].Name, p.Lanes[m.ToLane].Name)
	if m.Label != "" {
		text += ": " + m.Label
	}
	text += ", sent " + instant(m.Sent)
	switch {
	case m.Lost:
		return text + ", lost"
	case m.Arrived < m.Sent:
		text += ", did not arrive"
	default:
		text += ", arrived " + instant(m.Arrived) + ", after " + instant(m.Arrived-m.Sent)
	}
	if m.Held {
		text += ", held"
	}
	return text
}
