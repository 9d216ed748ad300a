package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/checker"
	"fencepost/sim"
	"fencepost/sim/history"
)

// evidencePart is what a run has to show beside its verdict.
type evidencePart struct {
	Grants    *findingPart `yaml:"grants"`
	Exclusion *findingPart `yaml:"exclusion"`
	Resource  *findingPart `yaml:"resource"`
	Progress  *findingPart `yaml:"progress"`
	Tokens    *findingPart `yaml:"tokens"`
	Rejected  *scalar      `yaml:"rejected"`
	Stopped   *scalar      `yaml:"stopped"`
	Waited    *scalar      `yaml:"waited"`
}

// What can be asked for of a run as a whole, whatever its verdict.
const stopped, waited = "stopped", "waited"

func (evidencePart) describe() mapping {
	return mapping{
		name: "evidence",
		about: "What the first violation of a property has to be like, which is the one that decides the verdict and is told first. " +
			"To ask for it is to expect that the property is violated. A later entry that expects something else of the property takes it back.",
		keys: []key{
			{name: checker.Grants, doc: "the first promise that was broken"},
			{name: checker.Exclusion, doc: "the first overlap of beliefs"},
			{name: checker.ResourceName, doc: "the first harm to the resource"},
			{name: checker.Progress, doc: "the first time that the lock did not move on"},
			{name: checker.Tokens, doc: "the first token that did not rise"},
			{name: "rejected", takes: count(0), doc: "how many requests the guard rejected"},
			{name: stopped, takes: count(0), doc: "how many sections ended before they were done, since their client took the lock for lost"},
			{name: waited, takes: spanOfTime, doc: "how long a client waited at the longest, from its call to when it had the lock, gave up or crashed, or the run ended; who never gets it waits to the end of the run"},
		},
	}
}

// findingPart is what one violation has to be like.
type findingPart struct {
	Kind    *scalar `yaml:"kind"`
	Lasts   *scalar `yaml:"lasts"`
	Clients *scalar `yaml:"clients"`
	Tokens  *scalar `yaml:"tokens"`
}

func (findingPart) describe() mapping {
	return mapping{
		name:  "violation",
		about: "Of two holds the earlier one comes first: in an overlap that which was believed in first.",
		keys: []key{
			{name: "kind", takes: words(allKinds()...), doc: "its kind, one of those of the property; see [the four questions](design.md#four-questions)"},
			{name: "lasts", takes: spanOfTime, doc: "how long it lasts: an overlap of beliefs; what was left of a promise; a time without progress; two jobs at once. What is open lasts to the end of the run"},
			{name: "clients", takes: pair, doc: "whose holds it is about"},
			{name: "tokens", takes: tokenPair, doc: "their fencing tokens; `rising`, `equal` or `falling` from the earlier hold to the later, or `none`"},
		},
	}
}

func allKinds() (all []string) {
	for _, property := range checker.Properties {
		all = append(all, checker.KindsOf(property)...)
	}
	return all
}

// orders of two tokens.
const rising, equal, falling, without = "rising", "equal", "falling", "none"

var (
	spanOfTime = value{name: "span", written: "`at least` or `at most` a duration, or from one `to` another",
		examples: []string{"at least 5s", "4s to 6s"}, form: form{pattern: `(?:at least|at most) ` + lengthPattern + `|` + lengthPattern + ` to ` + lengthPattern}}
	pair = value{name: "pair", written: "two numbers, or one if there is one hold",
		examples: []string{"1 then 2", "1"}, form: form{pattern: `\+?\d+(?: then \+?\d+)?`, min: 1, max: maxCount}}
	tokenPair = value{name: "pair or `rising`, `equal`, `falling`, `none`",
		form: form{pattern: `\+?\d+ then \+?\d+`, min: 1, max: anyCount, words: []string{rising, equal, falling, without}}}
)

// Demand is what one violation has to be like. What is empty is not asked for.
type Demand struct {
	kind, lasts, clients, tokens string
	least, most                  time.Duration
	count                        *int // of what can be counted in a run
}

func (p *evidencePart) of(property string) *findingPart {
	if p == nil {
		return nil
	}
	return map[string]*findingPart{
		checker.Grants: p.Grants, checker.Exclusion: p.Exclusion, checker.ResourceName: p.Resource,
		checker.Progress: p.Progress, checker.Tokens: p.Tokens,
	}[property]
}

// demand reads what a violation of a property has to be like, on top of what was asked for
// before.
func (r *reader) demand(d Demand, p *findingPart, property string) Demand {
	if p.Kind.set() {
		d.kind = r.word(p.Kind, "", checker.KindsOf(property))
	}
	if p.Lasts.set() {
		d.lasts = r.text(p.Lasts)
		d.least, d.most = r.span(p.Lasts)
		if ofAnInstant(property) {
			r.fail(p.Lasts, "`lasts:` says nothing here: what is found of %s is of an instant", property)
		}
	}
	if p.Clients.set() {
		d.clients = r.pair(p.Clients, history.MaxClients)
	}
	if p.Tokens.set() {
		if d.tokens = r.text(p.Tokens); !slices.Contains(tokenPair.form.words, d.tokens) {
			d.tokens = r.pair(p.Tokens, math.MaxInt64, tokenPair.form.words...)
		}
	}
	return d
}

// ofAnInstant reports whether the violations of a property have no length.
func ofAnInstant(property string) bool {
	return property == checker.Tokens
}

// span reads bounds of a length; a most of 0 is none.
func (r *reader) span(s *scalar) (least, most time.Duration) {
	text := r.text(s)
	from, to, both := strings.Cut(text, " to ")
	low, atLeast := strings.CutPrefix(text, "at least ")
	high, atMost := strings.CutPrefix(text, "at most ")
	switch {
	case both:
		low, high = from, to
	case atLeast:
		high = ""
	case atMost:
		low = ""
	default:
		low, high = "?", "?"
	}
	for _, bound := range []struct {
		text string
		to   *time.Duration
	}{{low, &least}, {high, &most}} {
		d, err := time.ParseDuration(bound.text)
		if bound.text != "" && (err != nil || d < 0) {
			r.fail(s, "%q is not a span: write at least 5s, at most 5s or 4s to 6s", text)
		}
		*bound.to = d
	}
	if high != "" && most <= 0 || low != "" && high != "" && least > most {
		r.fail(s, "no time is within %q", text)
	}
	return least, most
}

// pair reads one number or two, and writes them the same way each time.
func (r *reader) pair(s *scalar, most int64, or ...string) string {
	text := r.text(s)
	var numbers []string
	for _, part := range strings.SplitN(text, " then ", 2) {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 1 {
			accepted := "such as 1 or 1 then 2"
			if len(or) > 0 {
				accepted += ", or one of: " + strings.Join(or, ", ")
			}
			r.fail(s, "%q is not a number or two, %s", text, accepted)
			return ""
		}
		if n > most {
			r.fail(s, "%d is out of range: 1 to %d", n, most)
		}
		numbers = append(numbers, strconv.FormatInt(n, 10))
	}
	return strings.Join(numbers, " then ")
}

// ofRun reads what a run as a whole has to show.
func (r *reader) ofRun(into map[string]Demand, p *evidencePart) {
	if p.Stopped.set() {
		n := r.count(p.Stopped, 0, 0)
		into[stopped] = Demand{count: &n}
	}
	if p.Waited.set() {
		d := Demand{lasts: r.text(p.Waited)}
		d.least, d.most = r.span(p.Waited)
		into[waited] = d
	}
}

// runDiffers says in what a run as a whole is not as demanded; empty if it is.
func runDiffers(asked map[string]Demand, r *history.Recorder, end sim.Time) string {
	if d, ok := asked[stopped]; ok {
		if got := checker.Stopped(r); got != *d.count {
			return fmt.Sprintf("%d sections ended early, since their clients took the lock for lost, expected %d", got, *d.count)
		}
	}
	if d, ok := asked[waited]; ok {
		if got := checker.Waited(r, end); !d.within(got) {
			return fmt.Sprintf("the longest wait for the lock lasts %s, expected %s", checker.Length(got), d.lasts)
		}
	}
	return ""
}

func (d *Demand) within(length time.Duration) bool {
	return length >= d.least && (d.most == 0 || length <= d.most)
}

// String is what is demanded, in the words of a file.
func (d Demand) String() string {
	if d.count != nil {
		return strconv.Itoa(*d.count)
	}
	var parts []string
	for _, p := range [][2]string{{"kind", d.kind}, {"lasts", d.lasts}, {"clients", d.clients}, {"tokens", d.tokens}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	return strings.Join(parts, ", ")
}

// differs says in what a violation is not as demanded; empty if it is.
func (d Demand) differs(f checker.FirstFinding) string {
	clients, tokens := joined(f.Clients), joined(f.Tokens)
	switch {
	case d.kind != "" && f.Kind != d.kind:
		return fmt.Sprintf("is %s, expected %s", f.Kind, d.kind)
	case !d.within(f.Lasts):
		return fmt.Sprintf("lasts %s, expected %s", checker.Length(f.Lasts), d.lasts)
	case d.clients != "" && clients != d.clients:
		return fmt.Sprintf("is of clients %s, expected %s", clients, d.clients)
	case d.tokens != "" && tokens != d.tokens && orderOf(f.Tokens) != d.tokens:
		return fmt.Sprintf("has tokens %s, expected %s", tokens, d.tokens)
	}
	return ""
}

func joined[N int | int64](list []N) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, fmt.Sprint(n))
	}
	return strings.Join(texts, " then ")
}

// orderOf says how two tokens stand to each other.
func orderOf(tokens []int64) string {
	switch {
	case slices.Max(tokens) == 0:
		return without
	case len(tokens) < 2 || slices.Contains(tokens, 0):
		return "" // one has none
	case tokens[0] < tokens[1]:
		return rising
	case tokens[0] > tokens[1]:
		return falling
	}
	return equal
}
