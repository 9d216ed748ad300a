package timeline

// legendItem explains one sign that the figure uses. Its drawing starts at x, centred on y.
type legendItem struct {
	text string
	draw func(c *canvas, x, y float64)
}

const (
	legendRowHeight = 18.0
	legendSign      = 26.0
	legendItemGap   = 18.0
)

var barMeanings = [...]string{
	Promise: "promise: the service lets nobody else in",
	Belief:  "belief: the client thinks it holds the lock",
	Pause:   "pause",
	Crash:   "crash",
	Cut:     "link cut",
	Job:     "job that goes on",
}

var markMeanings = [...]string{
	Accepted: "write accepted",
	Rejected: "rejected, or given up",
	Read:     "read",
	Left:     "mark: a holder leaves its token",
	Done:     "job begun",
	Fault:    "fault",
	Grant:    "lock granted",
}

// legendItems returns the items in a fixed order, only those that are on show.
func (p *plan) legendItems() []legendItem {
	var items []legendItem
	bars, marks, open := map[BarKind]bool{}, map[MarkKind]bool{}, false
	for _, lane := range p.lanes {
		for _, b := range lane.bars {
			bars[b.bar.Kind] = true
			open = open || b.openLeft || b.openRight
		}
		for _, m := range lane.marks {
			marks[m.mark.Kind] = true
		}
	}
	for kind := Promise; kind <= Job; kind++ {
		if bars[kind] {
			items = append(items, barItem(kind, barMeanings[kind], false))
		}
	}
	if open {
		items = append(items, barItem(Promise, "open edge: goes on beyond", true))
	}
	for kind := Accepted; kind <= Grant; kind++ {
		if marks[kind] {
			items = append(items, legendItem{markMeanings[kind], func(c *canvas, x, y float64) {
				c.element(`%s`, kind.sign(x+14, y))
			}})
		}
	}
	return append(items, p.messageItems()...)
}

func barItem(kind BarKind, text string, open bool) legendItem {
	return legendItem{text, func(c *canvas, x, y float64) {
		bar := placedBar{bar: Bar{Kind: kind}, from: x, to: x + 22, openRight: open}
		c.element(`<rect class="%s inside" x="%s" y="%s" width="22" height="%s"/>`, kind.String(), x, y-barHeight/2, barHeight)
		c.element(`<path class="%s edge" d="%s"/>`, kind.String(), bar.outline(y-barHeight/2, x+22))
	}}
}

func (p *plan) messageItems() []legendItem {
	used := map[string]bool{}
	for _, m := range p.Messages {
		used[m.class()] = true
	}
	var items []legendItem
	for _, entry := range []struct{ class, text, end string }{
		{"message", "message", ` marker-end="url(#tl-arrow)"`},
		{"held", "message held back", ` marker-end="url(#tl-held)"`},
		{"lost", "message lost", ""},
	} {
		if used[entry.class] {
			items = append(items, legendItem{entry.text, func(c *canvas, x, y float64) {
				c.element(`<path class="%s" stroke-width="1.2" d="M%s %sh22"%s/>`, entry.class, x, y, markup(entry.end))
				if entry.class == "lost" {
					c.element(`<path class="lost" stroke-width="1.2" style="stroke-dasharray:none" d="M%s %sm-3 -3l6 6m0 -6l-6 6"/>`, x+22, y)
				}
			}})
		}
	}
	return items
}

// eachLegendItem calls f with the offset of each item, and returns the number of rows.
func (p *plan) eachLegendItem(f func(item legendItem, x float64, row int)) int {
	x, row := margin, 0
	for _, item := range p.legendItems() {
		need := legendSign + textWidth(item.text, smallSize)
		if x > margin && x+need > width-margin {
			x, row = margin, row+1
		}
		f(item, x, row)
		x += need + legendItemGap
	}
	return row + 1
}

func (p *plan) legendHeight() float64 {
	return legendRowHeight * float64(p.eachLegendItem(func(legendItem, float64, int) {}))
}

func (p *plan) drawLegend(c *canvas) {
	top := p.lanesBottom + axisHeight + 12
	p.eachLegendItem(func(item legendItem, x float64, row int) {
		y := top + legendRowHeight*float64(row)
		item.draw(c, x, y)
		c.text("note", x+legendSign+2, y+3, "start", item.text)
	})
	y := top + p.legendHeight() + 2
	for _, note := range p.notes {
		c.text("note", margin, y, "start", note)
		y += 13
	}
}
