package edn

import (
	"math/big"
	"strconv"
	"strings"
)

// mostPlain is how many digits are written out before a number gets an exponent.
const mostPlain = 21

// Number writes a decimal number so that equal numbers are written alike, exactly, however
// large: 1.0, 10e-1 and 1 become 1. The text is that of an integer or a decimal, as EDN and
// JSON write them.
func Number(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign = "-"
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(strings.TrimLeft(text, "+-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	exponent := new(big.Int)
	if power != "" {
		exponent.SetString(strings.TrimPrefix(power, "+"), 10)
	}
	short := strings.TrimRight(digits, "0")
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(short)-len(fraction))))
	return sign + placed(short, exponent)
}

// placed writes digits times a power of ten.
func placed(digits string, exponent *big.Int) string {
	most := big.NewInt(mostPlain)
	if exponent.CmpAbs(most) > 0 {
		return digits + "e" + exponent.String()
	}
	n := int(exponent.Int64())
	point := len(digits) + n
	switch {
	case n >= 0 && point <= mostPlain:
		return digits + strings.Repeat("0", n)
	case n < 0 && point > 0:
		return digits[:point] + "." + digits[point:]
	case n < 0:
		return "0." + strings.Repeat("0", -point) + digits
	}
	return digits + "e" + strconv.Itoa(n)
}
