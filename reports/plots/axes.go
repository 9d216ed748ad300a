package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axes returns the empty plot of the chart: axes, ticks and ranges. The labels of the axes are
// drawn apart, see [axisLabels]: the library makes a plot smaller that is not as wide as they are.
func (c Chart) axes(low, high float64, y yaxis) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding = 0
		axis.Tick.Label = restyled(axis.Tick.Label, 9.5)
		axis.Tick.Length = 5
	}
	p.X.Min, p.X.Max = low, high
	if c.LogX {
		p.X.Scale = plot.LogScale{}
	}
	p.X.Tick.Marker = plot.ConstantTicks(c.ticksX(low, high))
	y.set(&p.Y)
	return p
}

func restyled(s text.Style, size vg.Length) text.Style {
	own := textStyle(size, ink)
	own.XAlign, own.YAlign, own.Rotation = s.XAlign, s.YAlign, s.Rotation
	return own
}

// rangeX covers all points and lines, with a margin for rows of markers.
func (c Chart) rangeX(curves []curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, k := range curves {
		for _, p := range k.points {
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	for _, v := range c.VLines {
		low, high = min(low, v.X), max(high, v.X)
	}
	const margin = 0.07
	if c.LogX {
		widen := math.Pow(high/low, margin)
		if low == high {
			widen = 2
		}
		return low / widen, high * widen
	}
	widen := margin * (high - low)
	if low == high {
		widen = max(1, math.Abs(low)) / 2
	}
	return low - widen, high + widen
}

func (c Chart) ticksX(low, high float64) []plot.Tick {
	if len(c.XTicks) > 0 {
		var ticks []plot.Tick
		for _, v := range c.XTicks {
			ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
		}
		return ticks
	}
	if c.LogX && high/low >= 5 {
		return logTicks(low, high)
	}
	return linearTicks(low, high)
}

// linearTicks labels multiples of 1, 2 or 5 times a power of ten, five to ten of them.
func linearTicks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, finer := range []float64{0.5, 0.2, 0.1} {
		if (high-low)/step >= 5 {
			break
		}
		step = finer * math.Pow(10, math.Floor(math.Log10(high-low)))
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		v := i*step + 0 // no negative zero
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return ticks
}

// logTicks has a tick at every digit times a power of ten, and labels 1, 2 and 5, or only
// the powers when they are many.
func logTicks(low, high float64) []plot.Tick {
	crowded := math.Log10(high/low) > 2.5
	var ticks []plot.Tick
	for decade := math.Floor(math.Log10(low)); decade <= math.Log10(high); decade++ {
		for digit := 1; digit <= 9; digit++ {
			v, err := strconv.ParseFloat(strconv.Itoa(digit)+"e"+strconv.Itoa(int(decade)), 64)
			if err != nil || v < low || v > high {
				continue
			}
			tick := plot.Tick{Value: v}
			if digit == 1 || !crowded && (digit == 2 || digit == 5) {
				tick.Label = strconv.FormatFloat(v, 'g', 6, 64)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// grid draws the rules at the labelled ticks.
type grid struct{}

// Plot makes grid a [plot.Plotter].
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: rule, Width: 0.6}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.Label != "" {
			c.StrokeLine2(line, c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
		}
	}
	for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if tick.Label != "" {
			c.StrokeLine2(line, x(tick.Value), c.Min.Y, x(tick.Value), c.Max.Y)
		}
	}
}

// axisLabels are what the axes measure: below the plot, and at its left.
type axisLabels struct{ x, y string }

const (
	axisLabelLeft  vg.Length = 16
	axisLabelBelow vg.Length = 12
)

// within is the part of an area that they leave to the plot.
func (axisLabels) within(area vg.Rectangle) vg.Rectangle {
	return vg.Rectangle{Min: area.Min.Add(vg.Point{X: axisLabelLeft, Y: axisLabelBelow}), Max: area.Max}
}

// draw centres them on the axes of the plot, as large as there is room.
func (a axisLabels) draw(c draw.Canvas, area, data vg.Rectangle) {
	x := fitted(a.x, data.Max.X-area.Min.X)
	x.XAlign, x.YAlign = draw.XCenter, draw.YBottom
	middle := (data.Min.X + data.Max.X) / 2
	half := x.Width(a.x) / 2
	c.FillText(x, vg.Point{X: max(middle, area.Min.X+half), Y: area.Min.Y}, a.x)
	y := fitted(a.y, data.Max.Y-data.Min.Y)
	y.XAlign, y.YAlign, y.Rotation = draw.XCenter, draw.YTop, math.Pi/2
	c.FillText(y, vg.Point{X: area.Min.X, Y: (data.Min.Y + data.Max.Y) / 2}, a.y)
}

// fitted is the style in which a text is no longer than the room for it.
func fitted(label string, room vg.Length) text.Style {
	size := vg.Length(10.5)
	for size > 7 && widthOf(label, textStyle(size, ink)) > room {
		size -= 0.5
	}
	return textStyle(size, ink)
}
