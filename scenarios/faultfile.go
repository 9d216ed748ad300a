package scenarios

import "reflect"

// randomPart is the random layer of faults.
type randomPart struct {
	Swarm  *scalar     `yaml:"swarm"`
	Faults []faultPart `yaml:"faults"`
}

// faultPart is one fault: exactly one kind or a joint fault of several, and one trigger.
type faultPart struct {
	Kinds kindsPart   `yaml:",inline"`
	Joint []kindsPart `yaml:"joint"`
	At    *scalar     `yaml:"at"`
	Every *scalar     `yaml:"every"`
	When  *whenPart   `yaml:"when"`
	From  *scalar     `yaml:"from"`
	Until *scalar     `yaml:"until"`
	Times *scalar     `yaml:"times"`
	For   *scalar     `yaml:"for"`
	Stay  *scalar     `yaml:"stay"`
}

// kindsPart has a field for each kind of fault, under the kind's name.
type kindsPart struct {
	Pause       *actionPart `yaml:"pause"`
	Suspend     *actionPart `yaml:"suspend"`
	Throttle    *actionPart `yaml:"throttle"`
	Crash       *actionPart `yaml:"crash"`
	ClockStep   *actionPart `yaml:"clock-step"`
	ClockSlew   *actionPart `yaml:"clock-slew"`
	ClockRate   *actionPart `yaml:"clock-rate"`
	ClockFreeze *actionPart `yaml:"clock-freeze"`
	ClockJitter *actionPart `yaml:"clock-jitter"`
	Cut         *actionPart `yaml:"cut"`
	Isolate     *actionPart `yaml:"isolate"`
	Split       *actionPart `yaml:"split"`
	Hang        *actionPart `yaml:"hang"`
	Reset       *actionPart `yaml:"reset"`
	Loss        *actionPart `yaml:"loss"`
	Duplicate   *actionPart `yaml:"duplicate"`
	Slow        *actionPart `yaml:"slow"`
	Bandwidth   *actionPart `yaml:"bandwidth"`
	Hold        *actionPart `yaml:"hold"`
	SlowDisk    *actionPart `yaml:"slow-disk"`
	DiskStall   *actionPart `yaml:"disk-stall"`
	Remove      *actionPart `yaml:"remove"`
}

// given is one of the kinds that stand in a fault.
type given struct {
	kind   string
	action *actionPart
}

// given returns the kinds that stand there.
func (k *kindsPart) given() (list []given) {
	v := reflect.ValueOf(k).Elem()
	for i := range v.NumField() {
		if a := v.Field(i).Interface().(*actionPart); a != nil {
			list = append(list, given{v.Type().Field(i).Tag.Get("yaml"), a})
		}
	}
	return list
}

// actionPart holds the fields of all kinds; which of them a kind takes is checked
// when the fault is compiled.
type actionPart struct {
	Client    *scalar   `yaml:"client"`
	Server    *scalar   `yaml:"server"`
	Host      *scalar   `yaml:"host"`
	Clients   []*scalar `yaml:"clients"`
	Servers   []*scalar `yaml:"servers"`
	Hosts     []*scalar `yaml:"hosts"`
	For       *scalar   `yaml:"for"`
	By        *scalar   `yaml:"by"`
	Rate      *scalar   `yaml:"rate"`
	Clock     *scalar   `yaml:"clock"`
	Message   *scalar   `yaml:"message"`
	Direction *scalar   `yaml:"direction"`
	Resend    *scalar   `yaml:"resend"`
	Share     *scalar   `yaml:"share"`
	Later     *scalar   `yaml:"later"`
	Delay     *scalar   `yaml:"delay"`
	Limit     *scalar   `yaml:"limit"`
	Restart   *scalar   `yaml:"restart"`
	Lose      *scalar   `yaml:"lose"`
	Quota     *scalar   `yaml:"quota"`
	Period    *scalar   `yaml:"period"`
	Fsync     *scalar   `yaml:"fsync"`
}

// whenPart is the step that sets a fault off.
type whenPart struct {
	Client      *scalar `yaml:"client"`
	Step        *scalar `yaml:"step"`
	Nth         *scalar `yaml:"nth"`
	Probability *scalar `yaml:"probability"`
	After       *scalar `yaml:"after"`
}

// values are the scalars of an action, by name.
func (a *actionPart) values() map[string]*scalar {
	values := map[string]*scalar{}
	v := reflect.ValueOf(a).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		switch f := v.Field(i).Interface().(type) {
		case *scalar:
			if f.set() {
				values[name] = f
			}
		case []*scalar:
			if len(f) > 0 {
				values[name] = f[0]
			}
		}
	}
	return values
}

// anchorOfFault is some place inside a fault, for errors about all of it.
func anchorOfFault(f *faultPart) *scalar {
	for _, s := range []*scalar{f.At, f.Every, f.For} {
		if s.set() {
			return s
		}
	}
	for _, part := range append([]kindsPart{f.Kinds}, f.Joint...) {
		for _, g := range part.given() {
			if s := anchorOfAction(g.action); s.set() {
				return s
			}
		}
	}
	if f.When != nil {
		for _, s := range []*scalar{f.When.Client, f.When.Step} {
			if s.set() {
				return s
			}
		}
	}
	return nil
}

// anchorOfAction is the first of an action's values in the file.
func anchorOfAction(a *actionPart) (first *scalar) {
	values := a.values()
	for _, name := range sortedKeys(values) {
		s := values[name]
		if first == nil || s.line < first.line || s.line == first.line && s.column < first.column {
			first = s
		}
	}
	return first
}
