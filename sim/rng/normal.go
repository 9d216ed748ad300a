package rng

import "math"

// The rational approximations of algorithm AS 241, routine PPND16: M. J. Wichura, "The
// Percentage Points of the Normal Distribution", Applied Statistics 37(3), 1988, pages
// 477-484. Each pair is numerator and denominator, constant term first.
var (
	as241Centre = [2][8]float64{
		{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
			4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
		{1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
			2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3},
	}
	as241Tail = [2][8]float64{
		{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
		{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
	as241FarTail = [2][8]float64{
		{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
		{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15},
	}
)

// ratioOf evaluates a pair of polynomials of degree 7 at r and divides them.
func ratioOf(pair *[2][8]float64, r float64) float64 {
	num, den := pair[0][7], pair[1][7]
	for i := 6; i >= 0; i-- {
		num = float64(num*r) + pair[0][i]
		den = float64(den*r) + pair[1][i]
	}
	return num / den
}

// normalQuantile returns z with P(Z <= z) = p for a standard normal Z and 0 < p < 1, to
// about 1e-15. One draw gives one deviate, so the number of draws of a sample never
// depends on a value, unlike polar or ziggurat methods.
//
// It reads a table, from which one draw of 256 falls out.
func normalQuantile(p float64) float64 {
	q := p - 0.5
	tail := min(p, 1-p)
	// The exponent and the top bits of the mantissa say which cell it is.
	at := math.Float64bits(tail)>>cellShift - firstCell
	if at >= uint64(len(quantileCells)) {
		return wichura(p)
	}
	c := &quantileCells[at]
	x := tail - cellMiddle(at)

	// A polynomial of degree 7, in pairs that the processor can evaluate side by side.
	square := float64(x * x)
	p01, p23 := c[0]+float64(x*c[1]), c[2]+float64(x*c[3])
	p45, p67 := c[4]+float64(x*c[5]), c[6]+float64(x*c[7])
	low, high := p01+float64(square*p23), p45+float64(square*p67)
	z := low + float64(float64(square*square)*high)
	return math.Float64frombits(math.Float64bits(z) | math.Float64bits(q)&(1<<63)) // with q's sign
}

// A cell is a 32nd of an octave of the tail's probability, and there are cells from 2**-9
// to 1/2.
const (
	cellShift = 52 - 5
	firstCell = (1023 - 9) << 5
	cells     = 8 << 5
)

// cellMiddle is the middle of a cell: the bit after those that number it.
func cellMiddle(at uint64) float64 {
	return math.Float64frombits((at+firstCell)<<cellShift | 1<<(cellShift-1))
}

// quantileCells are, by cell, Taylor's series of the upper quantile about the middle. A
// cell's half is at most a 64th of its distance from the singularity at 0, so eight terms
// leave less than 1e-15.
var quantileCells = func() (table [cells][8]float64) {
	for at := range table {
		table[at] = quantileSeries(cellMiddle(uint64(at)))
	}
	return table
}()

// quantileSeries is Taylor's series of the quantile z of an upper tail p < 1/2. With d =
// dz/dp = -1/density(z), the n-th derivative is P_n(z) d**n, where P_1 = 1 and P_n+1 =
// P_n' + n z P_n, since dd/dp = z d**2 (G. Steinbrecher and W. Shaw, "Quantile
// Mechanics", European Journal of Applied Mathematics 19(2), 2008).
func quantileSeries(p float64) (series [8]float64) {
	z := -wichura(p)
	d := -rootTwoPi / expOf(float64(-z*z)/2)
	polynomial := [8]float64{1} // P_n, constant term first
	factor := 1.0               // d**n / n!
	series[0] = z
	for n := 1; n < len(series); n++ {
		factor = float64(factor*d) / float64(n)
		value := 0.0
		for i := n - 1; i >= 0; i-- {
			value = float64(value*z) + polynomial[i]
		}
		series[n] = float64(factor * value)
		var next [8]float64
		for i := range n {
			next[i+1] += float64(float64(n) * polynomial[i])
			if i > 0 {
				next[i-1] += float64(float64(i) * polynomial[i])
			}
		}
		polynomial = next
	}
	return series
}

// wichura is the quantile to about 1e-15 relative, without a table (AS 241).
func wichura(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return float64(q * ratioOf(&as241Centre, 0.180625-float64(q*q)))
	}
	r := math.Sqrt(-logOf(min(p, 1-p)))
	var z float64
	if r <= 5 {
		z = ratioOf(&as241Tail, r-1.6)
	} else {
		z = ratioOf(&as241FarTail, r-5)
	}
	if q < 0 {
		return -z
	}
	return z
}

const rootTwoPi = 2.50662827463100050242

// normalTail returns P(Z > z) for a standard normal Z, to 3e-13 relative also far
// out in the tail. It favours few constants over speed (about a microsecond), as no draw
// needs it.
func normalTail(z float64) float64 {
	if z < 0 {
		return 1 - normalTail(-z)
	}
	if z > 37 {
		return 0
	}
	density := expOf(float64(-z*z)/2) / rootTwoPi
	if z < 2 {
		// 1/2 - density (z + z^3/3 + z^5/(3*5) + ...), all terms of one sign
		sum, term := 0.0, z
		for odd := 3.0; term > 1e-17; odd += 2 {
			sum += term
			term = float64(term*float64(z*z)) / odd
		}
		return 0.5 - float64(density*sum)
	}
	// Laplace's continued fraction density / (z + 1/(z + 2/(z + 3/(z + ...)))); from
	// z = 2 on, 120 levels are enough for float64.
	f := z
	for i := 120.0; i >= 1; i-- {
		f = z + i/f
	}
	return density / f
}
