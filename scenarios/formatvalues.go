package scenarios

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fencepost/models"
	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// value is what a key takes: one YAML scalar, of some form.
type value struct {
	name string // as the reference calls it
	// written says how it is written, for the forms that the reference explains.
	written  string
	examples []string
	form     form
}

// form is what is accepted, as far as it can be told of a value alone. Without any of these
// it is any text.
type form struct {
	pattern  string   // a regular expression that Go and JavaScript read alike
	words    []string // one of these
	from     func(*models.Registry) []string
	min, max int  // of a whole number, if max is not 0
	zero     bool // 0 may stand without a unit
	number   bool // a number from 0 to 1 is one, too
	numeric  bool // and so is any number
	truth    bool // and so is true or false
}

const (
	durationPattern = `[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)`
	lengthPattern   = `\+?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)`
	familyPattern   = `(?:constant|uniform|loguniform|exponential|halfnormal|lognormal|pareto|mixture|empirical|histogram|scaled|shifted)\s*\(.*\)`
	presetPattern   = `[a-z]+/[a-z0-9-]+(?:\s*\(.*\))?`
	distPattern     = `\s*(?:` + lengthPattern + `|` + familyPattern + `|` + presetPattern + `)\s*`
)

// Values that have a form of their own.
var (
	text     = value{name: "text", written: "any text", examples: []string{"A worker that stalls once"}}
	duration = value{name: "duration", written: "a number and a unit, several may follow each other: `ns`, `us`, `ms`, `s`, `m`, `h`; at most ten years",
		examples: []string{"250ms", "1m30s"}, form: form{pattern: durationPattern, zero: true}}
	distribution = value{name: "distribution", written: "see [distributions](scenarios.md#distributions); a duration is one. Between `{` and `}` one with commas needs quotes, since YAML takes the commas for its own",
		examples: []string{"15s", "uniform(1s, 2s)", "net/az"}, form: form{pattern: distPattern, zero: true}}
	length = value{name: "length", written: "a distribution, or a share of the lock's takeover, or of one of its parameters of time, as they are in this run",
		examples: []string{"exponential(5s)", "150% of takeover", "99% of ttl"}, form: form{pattern: distPattern + `|\d+% of [a-z][a-z0-9-]*`, zero: true}}
	shift = value{name: "shift", written: "a distribution with a sign, `±` or `+-` for a drawn one; or `for` and `-for`: the length of the fault",
		examples: []string{"-5s", "±uniform(1ms, 1s)", "-for"}, form: form{pattern: `(?:±|\+-|-|\+)?(?:for|` + distPattern + `)`, zero: true}}
	clockRate = value{name: "clock rate", written: "a whole number of `ppm` or `ppb`",
		examples: []string{"100ppm", "-50ppb"}, form: form{pattern: `[-+]?\d+pp[mb]`}}
	probability = value{name: "probability", written: "a percentage, a fraction or a decimal",
		examples: []string{"0.1%", "1/1000", "0.001"}, form: form{pattern: `\s*[\d.]+(?:\s*/\s*[\d.]+)?%?\s*`, number: true}}
	percentage = value{name: "percentage", written: "a number with at most four decimals and `%`",
		examples: []string{"1%", "0.25%"}, form: form{pattern: `\d{1,9}(?:\.\d{1,4})?%`}}
	bandwidth = value{name: "bandwidth", written: "a number from 1 B/s to 1 TB/s with `B/s`, `kB/s`, `MB/s`, `kbit/s`, `Mbit/s` or `Gbit/s`",
		examples: []string{"10Mbit/s"}, form: form{pattern: `[\d.eE+-]+(?:[kMG]bit/s|[kM]?B/s)`}}
	scenarioName = value{name: "name", written: "lower-case letters, digits and hyphens; begins with a letter or digit",
		examples: []string{"stalled-worker"}, form: form{pattern: `[a-z0-9][a-z0-9-]*`, max: anyCount, truth: true}}
	reasonText = value{name: "reason", form: form{pattern: `[\s\S]*\S[\s\S]*`, numeric: true, truth: true}}
	yesOrNo    = words("true", "false")
)

// valueForms are those that the reference explains.
var valueForms = []value{text, scenarioName, duration, distribution, length, shift, clockRate, probability, percentage, bandwidth, count(1),
	theHost, linkEnd, spanOfTime, pair}

// Values that name something.
var (
	lockName  = value{name: "lock", form: form{from: (*models.Registry).Names}}
	guardName = value{name: "guard", form: form{words: resource.GuardNames()}}
	stepName  = value{name: "step", form: form{from: stepNames}}
	opName    = value{name: "class of messages", form: form{from: func(*models.Registry) []string { return network.OpNames() }}}
	clockName = value{name: "clock", form: form{words: clockNames()}}
	theHost   = value{name: "host", written: "`resource`, `random`, or a client or a server by its role and number",
		examples: []string{"client/2", "redis/1", "resource"}, form: form{pattern: `random|resource|[^/]+/\+?\d+`}}
	linkEnd = value{name: "end", written: "`all`, `clients`, `servers`, `resource`, or one client or server by its number",
		examples: []string{"servers", "client/2"}, form: form{pattern: `all|clients|servers|resource|(?:client|server)/\+?\d+`}}
	paramOfLock = value{name: "parameter of a lock system"} // its form is what the lock says
)

// words is a value that is one of a few.
func words(list ...string) value { return value{name: quoted(list), form: form{words: list}} }

// count is a whole number that is at least min, or one of a few words.
func count(min int, or ...string) value {
	v := value{name: "count", written: "a whole number up to 1000000; from 1, unless the table says otherwise", examples: []string{"3"}, form: form{min: min, max: maxCount, words: or}}
	if min != 1 {
		v.name += " from " + strconv.Itoa(min)
	}
	switch len(or) {
	case 0:
	case 1:
		v.name += " or " + quoted(or)
	default:
		v.name += ", " + quoted(or)
	}
	return v
}

// countTo is a whole number from 1 to most.
func countTo(most int) value {
	v := count(1)
	v.name, v.form.max = "count to "+strconv.Itoa(most), most
	return v
}

// quoted lists words as the reference does.
func quoted(list []string) string {
	text := ""
	for i, w := range list {
		switch {
		case i > 0 && i == len(list)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += "`" + w + "`"
	}
	return text
}

func clockNames() (names []string) {
	for _, p := range clock.Presets() {
		names = append(names, p.Name)
	}
	return names
}

// stepNames lists the steps of every client and of every lock system, each once.
func stepNames(r *models.Registry) (names []string) {
	all := slices.Concat(client.Steps, client.MarkSteps, client.EffectSteps)
	for _, l := range r.Locks() {
		all = append(all, l.Describe().Steps...)
	}
	for _, s := range all {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// cell is how the reference says what a key takes: values, or a mapping that it describes.
func (k *key) cell(read reflect.Type) string {
	name := k.takes.name
	if _, holds := inside("", read); isMapping(holds) {
		m, _ := describedBy(holds)
		name = "[" + m.name + "](#" + strings.ReplaceAll(m.name, " ", "-") + ")"
	}
	switch read = under(read); read.Kind() {
	case reflect.Slice:
		return "list, each: " + name
	case reflect.Map:
		return "by name: " + name
	}
	return name
}
