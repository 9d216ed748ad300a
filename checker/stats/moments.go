package stats

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// moments adds numbers up, and their squares, without any rounding: a finite float64 is a whole
// number of 2^-1074, and its square one of 2^-2148, so both sums are whole numbers and the order of
// additions cannot matter. Only what is asked of the sums is rounded, once. The zero value is
// empty. It must not be copied once it is used.
type moments struct {
	count        int64
	sum, squares big.Int // of 2^-sumBits and of 2^-squareBits
	largest      float64
}

const sumBits, squareBits = 1074, 2 * 1074

// add counts x, which is finite and not negative.
func (m *moments) add(x float64) {
	m.count++
	if x == 0 {
		return
	}
	m.largest = max(m.largest, x)
	fraction, exponent := math.Frexp(x) // x = fraction * 2^exponent, fraction in [1/2, 1)
	var mantissa, square big.Int
	mantissa.SetUint64(uint64(fraction * (1 << 53)))
	square.Mul(&mantissa, &mantissa)
	shift(&mantissa, exponent-53+sumBits)
	shift(&square, 2*(exponent-53)+squareBits)
	m.sum.Add(&m.sum, &mantissa)
	m.squares.Add(&m.squares, &square)
}

// shift multiplies x by 2^by. What it drops of a subnormal's mantissa is zeros.
func shift(x *big.Int, by int) {
	if by >= 0 {
		x.Lsh(x, uint(by))
	} else {
		x.Rsh(x, uint(-by))
	}
}

func (m *moments) merge(other *moments) {
	m.count += other.count
	m.sum.Add(&m.sum, &other.sum)
	m.squares.Add(&m.squares, &other.squares)
	m.largest = max(m.largest, other.largest)
}

// mean is that of n numbers, of which all but count are zero.
func (m *moments) mean(n int64) float64 {
	return quotient(&m.sum, new(big.Int).Lsh(big.NewInt(n), sumBits))
}

// standardError is the estimated standard deviation of [moments.mean], the square root of
// (n Σx² - (Σx)²) / (n² (n-1)); 0 of fewer than two.
func (m *moments) standardError(n int64) float64 {
	if n < 2 {
		return 0
	}
	spread := new(big.Int).Mul(&m.squares, big.NewInt(n))
	spread.Sub(spread, new(big.Int).Mul(&m.sum, &m.sum))
	below := new(big.Int).Mul(big.NewInt(n), big.NewInt(n))
	below.Mul(below, big.NewInt(n-1)).Lsh(below, squareBits)
	// The root is taken before the number is made a float64, in which the square of a small
	// one could vanish.
	const bits = 128
	ratio := new(big.Float).SetPrec(bits).SetRat(new(big.Rat).SetFrac(spread, below))
	root, _ := ratio.Sqrt(ratio).Float64()
	return root
}

// effective is Kish's effective sample size (Σx)²/Σx²: how many equal numbers vary as little; 0 of
// none but zeros.
func (m *moments) effective() float64 {
	if m.squares.Sign() == 0 {
		return 0
	}
	return quotient(new(big.Int).Mul(&m.sum, &m.sum), &m.squares)
}

// share is that of the largest number in the sum; 0 of none but zeros.
func (m *moments) share() float64 {
	if m.sum.Sign() == 0 {
		return 0
	}
	var one moments
	one.add(m.largest)
	return quotient(&one.sum, &m.sum)
}

// quotient is a/b, rounded once.
func quotient(a, b *big.Int) float64 {
	q, _ := new(big.Rat).SetFrac(a, b).Float64()
	return q
}

// words encodes the moments as count, sum, sum of squares and largest number. The sums are exact, as
// an odd hexadecimal number and a power of two: 3p-2 is 0.75.
func (m *moments) words() []string {
	return []string{strconv.FormatInt(m.count, 10), dyadic(&m.sum, sumBits), dyadic(&m.squares, squareBits),
		strconv.FormatFloat(m.largest, 'g', -1, 64)}
}

func dyadic(x *big.Int, bits int) string {
	if x.Sign() == 0 {
		return "0"
	}
	zeros := x.TrailingZeroBits()
	return fmt.Sprintf("%xp%d", new(big.Int).Rsh(x, zeros), int(zeros)-bits)
}

// readWords reads what words encoded into empty moments, with numbers from 0 to most. Other ways to write the same
// are for the caller to refuse.
func (m *moments) readWords(words []string, most float64) error {
	var err error
	if m.count, err = readCount("count", words[0], 0, math.MaxInt64); err != nil {
		return err
	}
	if err = readDyadic(&m.sum, words[1], sumBits); err != nil {
		return err
	}
	if err = readDyadic(&m.squares, words[2], squareBits); err != nil {
		return err
	}
	m.largest, err = strconv.ParseFloat(words[3], 64)
	if err != nil || !(0 <= m.largest && m.largest <= most) {
		return fmt.Errorf("largest %.20q: it is a number from 0 to %v", words[3], most)
	}
	if !m.possible() {
		return fmt.Errorf("no %d numbers up to %v have that sum and those squares", m.count, m.largest)
	}
	return nil
}

func readDyadic(x *big.Int, text string, bits int) error {
	if text == "0" {
		return nil
	}
	number, power, _ := strings.Cut(text, "p")
	// No sum of 2^63 numbers is larger.
	exponent, err := strconv.Atoi(power)
	if err != nil || exponent < -bits || exponent > bits+64 {
		return fmt.Errorf("sum %.20q: it is a hexadecimal number, p, and a power of two from %d to %d", text, -bits, bits+64)
	}
	if _, ok := x.SetString(number, 16); !ok || x.Sign() <= 0 {
		return fmt.Errorf("sum %.20q: it begins with a hexadecimal number above 0", text)
	}
	x.Lsh(x, uint(exponent+bits))
	return nil
}

// possible says whether the sums can be those of count numbers of which the largest is largest.
func (m *moments) possible() bool {
	if m.count == 0 || m.largest == 0 {
		return m.largest == 0 && m.sum.Sign() == 0 && m.squares.Sign() == 0
	}
	var one moments
	one.add(m.largest)
	n := big.NewInt(m.count)
	least := func(a, b *big.Int) bool { return a.Cmp(b) <= 0 }
	product := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	// That the sum is from largest to count times largest follows.
	return least(&one.squares, &m.squares) && least(&m.squares, product(&one.sum, &m.sum)) &&
		least(product(&m.sum, &m.sum), product(n, &m.squares))
}
