package scenarios

import (
	"fmt"
	"time"

	"fencepost/checker"
)

// boundaryPart is a value of a parameter at which a verdict flips. The scenario has two
// variants more, one on either side of it, and each expects its side of the flip: a model that
// is off by more than the distance between the two fails one of them.
type boundaryPart struct {
	Param    *scalar   `yaml:"param"`
	Under    *scalar   `yaml:"under"`
	Over     *scalar   `yaml:"over"`
	Property *scalar   `yaml:"property"`
	Breaks   *scalar   `yaml:"breaks"`
	Locks    []*scalar `yaml:"locks"`
	Guards   []*scalar `yaml:"guards"`
	at       spot
}

func (boundaryPart) describe() mapping {
	return mapping{
		name: "boundary",
		about: "A value of a parameter at which a verdict flips. It makes two variants, `just-under` and `just-over`, which differ from the scenario in the value of one parameter, " +
			"and expect nothing but their side of the flip. See [boundaries](scenarios.md#boundaries).",
		keys: []key{
			{name: "param", takes: text, needed: true, fixed: true, doc: "the parameter, one of `params`"},
			{name: "under", takes: text, needed: true, fixed: true, doc: "its value just under the boundary"},
			{name: "over", takes: text, needed: true, fixed: true, doc: "its value just over it"},
			{name: "property", takes: words(checker.Properties...), needed: true, fixed: true, doc: "the property whose verdict flips between `ok` and `violated`"},
			{name: "breaks", takes: words(breaksOver, breaksUnder), def: breaksOver, fixed: true, doc: "on which side it is violated"},
			{name: "locks", takes: lockName, def: "all", doc: "locks that have this boundary"},
			{name: "guards", takes: guardName, def: "all", doc: "guards under which they have it"},
		},
	}
}

// Sides of a boundary, and the variants on them.
const (
	breaksOver, breaksUnder = "over", "under"
	justOver, justUnder     = "just-over", "just-under"
)

// addBoundary adds the two variants of a boundary to a file.
func (r *reader) addBoundary(f *file) {
	b := f.Boundary
	if b == nil {
		return
	}
	at := b.at.scalar()
	if !b.Param.set() || !b.Under.set() || !b.Over.set() || !b.Property.set() {
		r.fail(at, "a boundary needs `param:`, `under:`, `over:` and `property:`")
		return
	}
	property, breaks := r.word(b.Property, "", checker.Properties), r.word(b.Breaks, breaksOver, []string{breaksOver, breaksUnder})
	if f.Params[b.Param.raw()] == nil {
		r.fail(b.Param, "$%s is not a parameter of this scenario; %s", b.Param.raw(), declared(f.Params))
	}
	b.checkSides(r)
	variants := map[string]*file{}
	for _, name := range sortedKeys(f.Variants) {
		variants[name] = f.Variants[name]
	}
	for _, side := range []struct {
		name, side, told string
		value            *scalar
	}{{justUnder, breaksUnder, "just under the boundary", b.Under}, {justOver, breaksOver, "just over the boundary", b.Over}} {
		if variants[side.name] != nil {
			r.fail(at, "the variant %s is made from `boundary:`: give your own another name", side.name)
		}
		variants[side.name] = b.variant(f, side.value, side.told, property, side.side == breaks)
	}
	f.Variants = variants
}

// checkSides fails if the sides are at one value, or the other way round. Only lengths are compared as
// what they mean.
func (b *boundaryPart) checkSides(r *reader) {
	under, errUnder := time.ParseDuration(b.Under.raw())
	over, errOver := time.ParseDuration(b.Over.raw())
	lengths := errUnder == nil && errOver == nil
	switch {
	case b.Under.raw() == b.Over.raw(), lengths && under == over:
		r.fail(b.Over, "both sides of the boundary are at %s", b.Over.raw())
	case lengths && under > over:
		r.fail(b.Over, "`over: %s` is less than `under: %s`: give the smaller value to `under:`, and say with `breaks:` on which side it breaks", b.Over.raw(), b.Under.raw())
	}
}

// variant is the scenario on one side of a boundary.
func (b *boundaryPart) variant(f *file, value *scalar, side, property string, breaks bool) *file {
	here := func(text string) *scalar { return &scalar{text: text, line: value.line, column: value.column} }
	expected := expectPart{Locks: b.Locks, Guards: b.Guards}
	status := here(string(checker.OK))
	if breaks {
		status.text = string(checker.Violated)
	}
	expected.expects(property, status)
	title := fmt.Sprintf("%s %s (%s)", b.Param.raw(), side, value.raw())
	if f.Title.set() {
		title = f.Title.raw() + ": " + title
	}
	return &file{
		Title:  here(title),
		Params: map[string]*scalar{b.Param.raw(): value},
		Expect: []expectPart{expected},
	}
}

// expects sets what is expected of a property.
func (p *expectPart) expects(property string, status *scalar) {
	switch property {
	case checker.Grants:
		p.Grants = status
	case checker.Exclusion:
		p.Exclusion = status
	case checker.ResourceName:
		p.Resource = status
	case checker.Progress:
		p.Progress = status
	case checker.Tokens:
		p.Tokens = status
	case checker.LinearLock:
		p.Linearizable = &linearPart{Lock: status}
	case checker.LinearResource:
		p.Linearizable = &linearPart{Resource: status}
	}
}
