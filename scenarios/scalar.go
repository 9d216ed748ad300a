package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"fencepost/models"
	"fencepost/sim/rng"
)

// scalar is a value in a scenario file that remembers where it stands. Its text may
// name parameters of the scenario, as in "$ttl" or "uniform(0s, $ttl)".
type scalar struct {
	text         string
	line, column int
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (s *scalar) UnmarshalYAML(n ast.Node) error {
	at := n.GetToken().Position
	s.line, s.column = at.Line, at.Column
	switch v := n.(type) {
	case *ast.StringNode:
		s.text = v.Value
	case *ast.LiteralNode:
		s.text = v.Value.Value
	case ast.ScalarNode:
		s.text = v.GetToken().Value
	default:
		return &Error{Line: s.line, Column: s.column, Message: "expected one value here, not a list or a mapping"}
	}
	return nil
}

// raw is the text as it stands, for what is not a value: a title, say.
func (s *scalar) raw() string {
	if !s.set() {
		return ""
	}
	return s.text
}

func (s *scalar) set() bool { return s != nil && s.line != 0 }

// reader reads scalars of one scenario under given parameter values. It goes on after a
// mistake, so that callers can read a whole structure and ask once, and lists them all.
type reader struct {
	file     string
	values   map[string]string
	mistakes []*Error
}

func (r *reader) fail(s *scalar, format string, args ...any) {
	e := &Error{File: r.file, Message: fmt.Sprintf(format, args...)}
	if s.set() {
		e.Line, e.Column = s.line, s.column
	}
	r.mistakes = append(r.mistakes, e)
}

// failed reports whether there was a mistake.
func (r *reader) failed() bool { return len(r.mistakes) > 0 }

// err is the first mistake.
func (r *reader) err() error {
	if !r.failed() {
		return nil
	}
	return r.mistakes[0]
}

var reference = regexp.MustCompile(`\$[a-z][a-z0-9-]*(\.[a-z0-9-]+)*`)

// text returns the scalar's text with parameters filled in.
func (r *reader) text(s *scalar) string {
	if !s.set() {
		return ""
	}
	return reference.ReplaceAllStringFunc(s.text, func(ref string) string {
		name := ref[1:]
		value, ok := r.values[name]
		if !ok {
			r.fail(s, "$%s is not a parameter of this scenario; %s", name, declared(r.values))
		}
		return value
	})
}

// declared lists the parameters that there are.
func declared[V any](values map[string]V) string {
	if len(values) == 0 {
		return "it declares none under `params:`"
	}
	return oneOf(sortedKeys(values))
}

// duration reads a duration that is at least min.
func (r *reader) duration(s *scalar, def, min time.Duration) time.Duration {
	if !s.set() {
		return def
	}
	text := r.text(s)
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		r.fail(s, "%q is not a duration: write a number and a unit, such as 250ms, 10s or 1m30s", text)
	case d < min:
		r.fail(s, "%v is too short: at least %v", d, min)
	case d > models.MaxDuration:
		r.fail(s, "%v is too long: at most %v", d, models.MaxDuration)
	}
	return d
}

// dist reads a distribution of durations.
func (r *reader) dist(s *scalar, def rng.Dist) rng.Dist {
	if !s.set() {
		return def
	}
	text := r.text(s)
	d, err := rng.Parse(text)
	switch {
	case err == nil:
	case !strings.ContainsAny(text, "(/"): // meant as a plain duration
		r.fail(s, "%q is not a duration: write a number and a unit, such as 250ms, 10s or 1m30s, or a distribution such as uniform(1s, 2s)", text)
	default:
		r.fail(s, "%s", strings.TrimPrefix(err.Error(), "rng: "))
	}
	return d
}

// maxCount bounds every count.
const maxCount = 1_000_000

// count reads a whole number that is at least min.
func (r *reader) count(s *scalar, def, min int) int { return r.countTo(s, def, min, maxCount) }

// countTo reads a whole number within bounds.
func (r *reader) countTo(s *scalar, def, min, most int) int {
	if !s.set() {
		return def
	}
	text := r.text(s)
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		r.fail(s, "%q is not a whole number", text)
	case n < min || n > most:
		r.fail(s, "%d is out of range: %d to %d", n, min, most)
	}
	return n
}

// word reads one of the accepted words.
func (r *reader) word(s *scalar, def string, accepted []string) string {
	if !s.set() {
		return def
	}
	text := r.text(s)
	for _, a := range accepted {
		if text == a {
			return text
		}
	}
	r.fail(s, "%q is not known here; %s", text, oneOf(accepted))
	return def
}

// ppb reads a clock rate such as "100ppm" or "-50ppb", in parts per billion; a bound on
// rates has no sign.
func (r *reader) ppb(s *scalar, limit int64, signed bool) int64 {
	if !s.set() {
		return 0
	}
	text := r.text(s)
	number, factor := text, int64(0)
	if n, ok := strings.CutSuffix(text, "ppb"); ok {
		number, factor = n, 1
	} else if n, ok := strings.CutSuffix(text, "ppm"); ok {
		number, factor = n, 1000
	}
	v, err := strconv.ParseInt(number, 10, 32)
	switch {
	case factor == 0 || err != nil:
		r.fail(s, "%q is not a rate: write a whole number of ppm or ppb, such as 100ppm", text)
	case v < 0 && !signed:
		r.fail(s, "%s is negative: a bound is at least 0ppm", text)
	case v*factor > limit || v*factor < -limit:
		r.fail(s, "%s is out of range: at most %d ppm either way", text, limit/1000)
	}
	return v * factor
}
