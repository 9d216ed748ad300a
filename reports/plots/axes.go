package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axes returns the empty plot of the chart: axes, ticks and ranges.
func (c Chart) axes(curves []curve) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding = 0
		axis.Label.TextStyle = restyled(axis.Label.TextStyle, 10.5)
		axis.Tick.Label = restyled(axis.Tick.Label, 9.5)
		axis.Tick.Length = 5
		axis.Label.Padding = 4
	}
	low, high := c.rangeX(curves)
	p.X.Min, p.X.Max = low, high
	if c.LogX {
		p.X.Scale = plot.LogScale{}
	}
	p.X.Tick.Marker = plot.ConstantTicks(c.ticksX(low, high))
	// The margin keeps markers at 0 and 100 % whole.
	p.Y.Min, p.Y.Max = -0.03, 1.03
	p.Y.Tick.Marker = plot.ConstantTicks(percentTicks())
	return p
}

func restyled(s text.Style, size vg.Length) text.Style {
	own := textStyle(size, ink)
	own.XAlign, own.YAlign, own.Rotation = s.XAlign, s.YAlign, s.Rotation
	return own
}

func percentTicks() []plot.Tick {
	var ticks []plot.Tick
	for percent := 0; percent <= 100; percent += 10 {
		tick := plot.Tick{Value: float64(percent) / 100}
		if percent%20 == 0 {
			tick.Label = strconv.Itoa(percent) + " %"
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// rangeX covers all points and lines, with a margin for rows of markers.
func (c Chart) rangeX(curves []curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, k := range curves {
		low, high = min(low, k.points[0].X), max(high, k.points[len(k.points)-1].X)
	}
	for _, v := range c.VLines {
		low, high = min(low, v.X), max(high, v.X)
	}
	const margin = 0.05
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
	crowded := math.Log10(high/low) > 4
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
