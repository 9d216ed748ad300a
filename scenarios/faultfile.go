package scenarios

import "reflect"

// randomPart is the random layer of faults.
type randomPart struct {
	Swarm  *scalar     `yaml:"swarm"`
	Faults []faultPart `yaml:"faults"`
	at     spot
}

func (randomPart) describe() mapping {
	return mapping{
		name: "random",
		about: "The random layer is the weather of a scenario, where `faults` are its story. It differs in two ways: what it does need not take effect; " +
			"and a lock that cannot have a fault runs without it, while all others meet it at the same instants.",
		keys: []key{
			{name: "swarm", takes: yesOrNo, def: "false", doc: "each seed tosses a coin for each kind, which switches it off, or makes it 1/4, 1/2, 1, 2 or 4 times as frequent: the gaps of `every`, the probability of `when`. Of `at` a kind is only switched off. A joint fault goes by its first part"},
			{name: "faults", needed: true, least: 1, doc: "the faults"},
		},
	}
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
	Rare  *scalar     `yaml:"rare"`
	at    spot
}

func (faultPart) describe() mapping {
	keys := append(kindsPart{}.describe().keys,
		key{name: "joint", least: 2, doc: "two parts or more, with one kind each, which strike at once"},
		key{name: "at", takes: length, doc: "it fires at this instant of true time, drawn before the run"},
		key{name: "every", takes: length, doc: "it fires so often: the time from one firing to the next, drawn before the run; with `stay` a firing waits until the last window has been over for as long"},
		key{name: "when", doc: "it fires when a client reaches a step"},
		key{name: "from", takes: duration, def: "0s", doc: "`every` begins then"},
		key{name: "until", takes: duration, def: "the end of the run", doc: "`every` ends then"},
		key{name: "times", takes: count(1), def: "no bound", doc: "`every` fires so often at most; a firing that found nobody in a role counts"},
		key{name: "for", takes: length, doc: "how long those parts last that do not say it themselves"},
		key{name: "stay", takes: duration, def: "0s", doc: "no window of the fault is shorter than this, and neither is the time between two"},
		key{name: "rare", takes: yesOrNo, def: "false", doc: "a sweep that estimates small probabilities (`--estimate`) may draw its length, and whether it fires, otherwise than it is in the world"})
	return mapping{
		name:  "fault",
		about: "An entry is one fault: one [kind](#kinds-of-faults), or several parts under `joint`, and one trigger: `at`, `every` or `when`.",
		keys:  keys,
	}
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

func (kindsPart) describe() mapping {
	m := mapping{name: "part of a joint fault", about: "One [kind](#kinds-of-faults). What is drawn is the same for all parts, and so is a `random` target."}
	for i := range FaultKinds {
		m.keys = append(m.keys, key{name: FaultKinds[i].Name, doc: FaultKinds[i].Doc})
	}
	return m
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

func (actionPart) describe() mapping {
	return mapping{
		name: "kind of fault",
		about: "Each kind but `remove` has one target, `client`, `server` or `host`, and takes some of the other keys, as [the table of kinds](#kinds-of-faults) says. " +
			"Without peers the other ends are all other hosts; only `cut` must have them.",
		keys: []key{
			{name: "client", takes: count(1, "holder", "random"), doc: "the target is this client's host; `holder` is a client that then believes to hold the lock"},
			{name: "server", takes: count(1, "leader", "random"), doc: "the target is this server"},
			{name: "host", takes: theHost, doc: "the target is this host"},
			{name: "clients", takes: count(1, "holder", "random"), doc: "the peers, which are the other ends of the links: these clients"},
			{name: "servers", takes: count(1, "leader", "random", allOf), doc: "the peers: these servers; `all` is however many the lock has"},
			{name: "hosts", takes: theHost, doc: "the peers: these hosts"},
			{name: "for", takes: length, def: "the fault's `for`; without that, to the end of the run", doc: "how long it lasts; parts of a joint fault that have their own draw it apart"},
			{name: "by", takes: shift, doc: "how far a clock moves; of `clock-jitter`, a length: by up to how much a reading is wrong"},
			{name: "rate", takes: clockRate, doc: "how much faster clocks run, within 999999 ppm"},
			{name: "clock", takes: words("both", "wall"), def: "both", doc: "which clocks stand still"},
			{name: "message", takes: opName, def: "every class", doc: "of these messages, such as `write` or `raft.append`; `fencepost list messages` names them"},
			{name: "direction", takes: words("both", "out", "in"), def: "both", doc: "of the messages, as the target sees it"},
			{name: "resend", takes: yesOrNo, def: "true", doc: "what is swallowed is sent again, as TCP does, and arrives late. With `false` it is lost, as a datagram is, or what a library no longer wants that has closed its connection"},
			{name: "share", takes: probability, doc: "of messages"},
			{name: "later", takes: length, def: "0s", doc: "how long after the first a duplicate arrives"},
			{name: "delay", takes: length, doc: "added to the delay of each message"},
			{name: "limit", takes: bandwidth, doc: "of the links"},
			{name: "restart", takes: length, def: "never", doc: "after how long a crashed host starts anew; `0s` is at once"},
			{name: "lose", takes: words("memory", "unsynced", "disk"), def: "memory", doc: "what a crash takes: `memory` (a killed process), `unsynced` (and writes that were not synced: a machine that loses its power) or `disk` (everything)"},
			{name: "quota", takes: duration, doc: "CPU time in each period"},
			{name: "period", takes: duration, def: period.String(), doc: "that period"},
			{name: "fsync", takes: length, doc: "time of an fsync"},
		},
	}
}

// whenPart is the step that sets a fault off.
type whenPart struct {
	Client      *scalar `yaml:"client"`
	Step        *scalar `yaml:"step"`
	Nth         *scalar `yaml:"nth"`
	Probability *scalar `yaml:"probability"`
	After       *scalar `yaml:"after"`
	at          spot
}

func (whenPart) describe() mapping {
	return mapping{name: "when", about: "A step that a fault waits for need not come.", keys: []key{
		{name: "client", takes: count(1, "any"), needed: true, doc: "the client that reaches the step; with `any` the visits of all clients are counted together"},
		{name: "step", takes: stepName, needed: true, doc: "the step; `fencepost list steps` names them"},
		{name: "nth", takes: count(1, "every"), def: "1", doc: "at which visit of the step it fires"},
		{name: "probability", takes: probability, def: "100%", doc: "with which it then fires"},
		{name: "after", takes: length, def: "0s", doc: "how long after the step it strikes"},
	}}
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
