package scenarios

import (
	"slices"
	"strings"

	"fencepost/sim/rng"
)

// What is written down and does nothing is refused: its author thinks that it does something.
// A parameter may come to nothing, as the one end of a sweep does.

// nothing refuses a value that comes to nothing, unless a parameter says so.
func (r *reader) nothing(s *scalar, none bool, why string) {
	if s.set() && none && !reference.MatchString(s.text) {
		r.fail(s, "%s says nothing: %s", s.text, why)
	}
}

// isZero reports whether a distribution is always zero.
func isZero(d rng.Dist) bool {
	constant, is := d.IsConstant()
	return is && constant == 0
}

// stays refuses a least time for windows of which there is one whose length is fixed.
func (r *faultReader) stays(p *faultPart, kinds []given) {
	if !p.Stay.set() || p.Every.set() || p.When != nil && r.text(p.When.Nth) == "every" {
		return
	}
	lengths := []*scalar{p.For}
	for _, g := range kinds {
		lengths = append(lengths, g.action.For, g.action.Restart)
	}
	drawn := slices.ContainsFunc(lengths, func(s *scalar) bool {
		return s.set() && strings.ContainsAny(r.text(s), "(/")
	})
	if !drawn {
		r.fail(p.Stay, "`stay:` says nothing here: the fault fires once, and how long it lasts is not drawn")
	}
}
