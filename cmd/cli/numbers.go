package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// whole is a flag that is a whole number. Go's own flags take 010 for eight and 0x10 for sixteen, and
// their errors name the functions that have read them.
type whole int

func wholeVar(flags *pflag.FlagSet, to *int, name string, initial int, usage string) {
	*to = initial
	flags.Var((*whole)(to), name, usage)
}

func (w *whole) String() string { return strconv.Itoa(int(*w)) }

// Type implements [pflag.Value].
func (w *whole) Type() string { return "int" }

// Set implements [pflag.Value].
func (w *whole) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errors.New("it is too large")
	case err != nil || strconv.Itoa(n) != text:
		return errors.New("write a whole number without zeros before it, such as 100")
	}
	*w = whole(n)
	return nil
}

// decimal is a flag that is a number.
type decimal float64

func decimalVar(flags *pflag.FlagSet, to *float64, name string, initial float64, usage string) {
	*to = initial
	flags.Var((*decimal)(to), name, usage)
}

func (d *decimal) String() string { return strconv.FormatFloat(float64(*d), 'g', -1, 64) }

// Type implements [pflag.Value].
func (d *decimal) Type() string { return "float64" }

// Set implements [pflag.Value].
func (d *decimal) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXnN_") { // hexadecimal, infinite, none
		return errors.New("write a number, such as 0.2 or 1e-3")
	}
	*d = decimal(n)
	return nil
}
