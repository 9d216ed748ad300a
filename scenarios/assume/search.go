package assume

import (
	"maps"
	"slices"

	"fencepost/scenarios"
)

// Seeds are how many runs each magnitude has: seeds 1 to Seeds.
const Seeds = 6

// Finding is what came of one property under one guard.
type Finding struct {
	Property, Guard string
	// NotApplicable says why there is nothing to run.
	NotApplicable string
	// NotRun says that no run had to be made: nothing was broken without a guard.
	NotRun bool
	// Anyway says that something is broken with the same work and nothing that goes wrong, as with
	// a lock that nobody renews. Nothing was run then.
	Anyway bool

	// Smallest is the smallest magnitude that broke it, empty if none did; Seed and Replay are a
	// run that shows it.
	Smallest string
	Seed     uint64
	Replay   string
	size     int64
	// Unbroken are the larger magnitudes that were tried and did not break it.
	Unbroken []string

	// Trials are the runs that were made, Largest is the largest magnitude among them. Unknown
	// counts the runs that a bound left open, NoEffect says that the fault changed nothing in any.
	Trials, Unknown int
	Largest         string
	NoEffect        bool
}

// Broken reports whether any magnitude broke it.
func (f *Finding) Broken() bool { return f.Smallest != "" }

// find climbs the ladder, searches below the first rung that breaks the property, and looks at a
// few magnitudes above the smallest that did.
func (p *probe) find(property string) (Finding, error) {
	f := Finding{Property: property, Guard: p.guard.Name}
	low, high, err := p.climb(property)
	if err != nil {
		return f, err
	}
	if high >= 0 {
		if high, err = p.bisect(property, low, high); err != nil {
			return f, err
		}
		if err := p.above(high); err != nil {
			return f, err
		}
		o := p.seen[high]
		f.size, f.Smallest, f.Seed = high, p.kind.scale.text(high), o.broken[property]
		f.Replay = scenarios.ReplayCommand(o.plan, f.Seed)
	}
	p.tell(&f, property, high)
	return f, nil
}

// climb tries every rung and returns the first that breaks the property, -1 if none does, and the
// one below it.
func (p *probe) climb(property string) (low, high int64, err error) {
	low, high = 0, -1
	for _, size := range p.rungs {
		o, err := p.at(size)
		if err != nil {
			return 0, 0, err
		}
		switch _, broken := o.broken[property]; {
		case broken && high < 0:
			high = size
		case high < 0:
			low = size
		}
	}
	return low, high, nil
}

// bisect returns the smallest magnitude between the two that breaks the property, within the
// resolution, given that the higher one does.
func (p *probe) bisect(property string, low, high int64) (int64, error) {
	if finest := p.kind.scale.finest; low < finest {
		if o, err := p.at(finest); err != nil || o.broken[property] > 0 {
			return finest, err
		}
	}
	for {
		middle, ok := p.kind.scale.between(low, high)
		if !ok {
			return high, nil
		}
		o, err := p.at(middle)
		if err != nil {
			return 0, err
		}
		if o.broken[property] > 0 {
			high = middle
		} else {
			low = middle
		}
	}
}

// above tries two magnitudes a little above one, beside the rungs of the ladder.
func (p *probe) above(size int64) error {
	s := p.kind.scale
	if s.finest == 0 {
		return nil
	}
	for _, percent := range []int64{110, 150} {
		more := size * percent / 100 / s.finest * s.finest
		if more > size && more < s.ladder[len(s.ladder)-1] {
			if _, err := p.at(more); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell fills in what all magnitudes together say.
func (p *probe) tell(f *Finding, property string, high int64) {
	f.NoEffect = true
	sizes := slices.Sorted(maps.Keys(p.seen))
	for _, size := range sizes {
		o := p.seen[size]
		f.Trials += o.ran
		f.Unknown += o.unknown
		f.NoEffect = f.NoEffect && !o.tookEffect
		if high >= 0 && size > high && o.broken[property] == 0 && o.ran == Seeds {
			f.Unbroken = append(f.Unbroken, p.kind.scale.text(size))
		}
	}
	f.Largest = p.kind.scale.text(sizes[len(sizes)-1])
}
