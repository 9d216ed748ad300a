package models

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unit is what a parameter is measured in.
type Unit uint8

const (
	// Duration parameters are written like 10s or 250ms.
	Duration Unit = iota
	// Count parameters are whole numbers.
	Count
	// Millionths parameters are fractions, kept as parts per million: 1 % is 10000.
	Millionths
	// Choice parameters are one of a few words, kept as the place of the word.
	Choice
)

// Param is a parameter of a lock system, with the real system's default.
type Param struct {
	Name    string
	Unit    Unit
	Default int64 // nanoseconds, a count, parts per million, or the place of a word
	Min     int64
	Max     int64    // 0 is no upper bound
	Choices []string // the words of a Choice; it has no bounds
	Doc     string
}

// Params holds the values of one run, by name.
type Params map[string]int64

// Duration returns a parameter that is a duration. Asking for one that was not
// declared is a bug of the model.
func (p Params) Duration(name string) time.Duration { return time.Duration(p.value(name)) }

// Int returns a parameter that is a count.
func (p Params) Int(name string) int { return int(p.value(name)) }

// Millionths returns a parameter that is a fraction.
func (p Params) Millionths(name string) int64 { return p.value(name) }

// Choice returns a parameter that is one of a few words, as the place of the word.
func (p Params) Choice(name string) int { return int(p.value(name)) }

// Has reports whether a parameter is declared, for what several systems share and not all declare.
func (p Params) Has(name string) bool {
	_, ok := p[name]
	return ok
}

func (p Params) value(name string) int64 {
	v, ok := p[name]
	if !ok {
		panic(fmt.Sprintf("models: parameter %q was not declared", name))
	}
	return v
}

// Defaults returns the default of every parameter.
func Defaults(declared []Param) Params {
	p := Params{}
	for _, d := range declared {
		p[d.Name] = d.Default
	}
	return p
}

// RangeError says that a value could be one of another system's, but not of this one's.
type RangeError struct{ message string }

func (e *RangeError) Error() string { return e.message }

// MaxDuration bounds every duration: far beyond any lease, and safe in every sum.
const MaxDuration = 10 * 365 * 24 * time.Hour

// maxCount is the largest count that an int holds on every architecture.
const maxCount = math.MaxInt32

// Parse reads a value of the parameter. The error says what would be right.
func (d Param) Parse(text string) (int64, error) {
	v, err := d.parse(text)
	if err != nil || d.Unit == Choice {
		return v, err
	}
	if v < d.Min || (d.Max > 0 && v > d.Max) {
		if d.Max > 0 {
			return 0, &RangeError{fmt.Sprintf("%s is out of range: %s to %s", text, d.Format(d.Min), d.Format(d.Max))}
		}
		return 0, &RangeError{fmt.Sprintf("%s is too small: at least %s", text, d.Format(d.Min))}
	}
	return v, nil
}

func (d Param) parse(text string) (int64, error) {
	switch d.Unit {
	case Duration:
		v, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: write a number and a unit, such as 250ms, 10s or 1m30s", text)
		}
		if v > MaxDuration {
			return 0, fmt.Errorf("%s is too long: at most %v", text, MaxDuration)
		}
		return int64(v), nil
	case Count:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a whole number", text)
		}
		if v > maxCount {
			return 0, fmt.Errorf("%s is too large: at most %d", text, maxCount)
		}
		return v, nil
	case Choice:
		place := slices.Index(d.Choices, text)
		if place < 0 {
			return 0, &RangeError{fmt.Sprintf("%q is none of its values: %s", text, strings.Join(d.Choices, ", "))}
		}
		return int64(place), nil
	default:
		return parsePercent(text)
	}
}

// parsePercent reads "1%" or "0.25%" exactly, without floats.
func parsePercent(text string) (int64, error) {
	bad := fmt.Errorf("%q is not a percentage: write one such as 1%% or 0.25%%, with at most four decimals", text)
	number, ok := strings.CutSuffix(text, "%")
	if !ok {
		return 0, bad
	}
	whole, fraction, point := strings.Cut(number, ".")
	if whole == "" || point == (fraction == "") || len(fraction) > 4 || len(whole) > 9 {
		return 0, bad
	}
	v, err := strconv.ParseUint(whole+fraction+"0000"[len(fraction):], 10, 63)
	if err != nil {
		return 0, bad
	}
	return int64(v), nil
}

// Format writes a value the way Parse reads it.
func (d Param) Format(v int64) string {
	switch d.Unit {
	case Choice:
		return d.Choices[v]
	case Duration:
		return time.Duration(v).String()
	case Count:
		return strconv.FormatInt(v, 10)
	default:
		text := fmt.Sprintf("%d.%04d", v/10000, v%10000)
		return strings.TrimRight(strings.TrimRight(text, "0"), ".") + "%"
	}
}

// TTL declares the parameter that every lease has.
func TTL(def time.Duration, min time.Duration, doc string) Param {
	return Param{Name: "ttl", Unit: Duration, Default: int64(def), Min: int64(min), Doc: doc}
}
