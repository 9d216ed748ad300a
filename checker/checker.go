package checker

import (
	"cmp"
	"time"

	"fencepost/checker/linear"
	"fencepost/checker/monitor"
	"fencepost/sim"
	"fencepost/sim/history"
)

// Checker judges runs. It observes the recorder while a run goes on and gives the
// verdict at the end; it is reset and reused.
type Checker struct {
	Grants    monitor.Grants
	Exclusion monitor.Exclusion
	Resource  monitor.Resource
	Progress  monitor.Progress
	Tokens    monitor.Tokens
	Usage     monitor.Usage
	Touched   monitor.Touched
	Linear    linear.Checker
	// SkipLinear leaves porcupine's two answers out; they are then n/a. It is asked all the same
	// where Confirm says so.
	SkipLinear bool
	Confirm    Confirm
	// SkipSections leaves the resource history out, where more happens to the resource than
	// that sections replace values: its answer is then n/a.
	SkipSections bool
}

// Confirm says which runs porcupine confirms where its answers are left out.
type Confirm uint8

const (
	ConfirmNothing    Confirm = iota
	ConfirmViolations         // runs in which a monitor has found a violation
	ConfirmAll
)

// New returns a checker that observes a recorder. Takeover is the lock's, ordered are
// the effects that the guard keeps in token order.
func New(r *history.Recorder, takeover time.Duration, ordered []history.Effect) *Checker {
	c := &Checker{}
	c.Progress.Takeover = takeover
	c.Resource.Ordered, c.Resource.Newest = ordered, true
	r.Observers = append(r.Observers, &c.Grants, &c.Exclusion, &c.Resource, &c.Progress, &c.Tokens, &c.Usage, &c.Touched)
	return c
}

// Reset prepares for a new run.
func (c *Checker) Reset() {
	c.Grants.Reset()
	c.Exclusion.Reset()
	c.Resource.Reset()
	c.Progress.Reset()
	c.Tokens.Reset()
	c.Usage.Reset()
	c.Touched.Reset()
}

// Bounds that a run can hit.
const (
	// BoundEvents: the run had more events than allowed.
	BoundEvents = "sim.events"
	// BoundFaults: its faults fired, or restarted a host, more often than allowed.
	BoundFaults = "sim.faults"
	// BoundUntil: the run's end came while a client was not done, or a request on
	// its way.
	BoundUntil = "until"
	// BoundSteps: the search for a linearization took more steps than allowed.
	BoundSteps = "linear.steps"
)

// Verdict judges the run that has ended at an instant. Audit is the value of each object
// then; bound names the bound that ended the run, if one did.
//
// An error means that two checkers contradict each other, which is a bug of
// fencepost's and not of the lock.
func (c *Checker) Verdict(r *history.Recorder, end sim.Time, audit []int64, bound string) (Verdict, error) {
	c.Exclusion.Finish(end)
	c.Progress.Finish(end)
	c.Usage.Finish(end)
	bounded := bound != ""
	v := Verdict{
		Grants:         statusOf(&c.Grants, bounded),
		Exclusion:      statusOf(&c.Exclusion, bounded),
		Resource:       statusOf(&c.Resource, bounded),
		Progress:       statusOf(&c.Progress, bounded),
		Tokens:         c.tokenStatus(bounded),
		LinearLock:     NotApplicable,
		LinearResource: NotApplicable,
		Bound:          bound,
	}
	if !c.SkipLinear {
		return c.answered(v, r, audit)
	}
	if c.Confirm == ConfirmAll || c.Confirm == ConfirmViolations && v.violated() {
		_, err := c.answered(v, r, audit)
		return v, err
	}
	return v, nil
}

// answered adds porcupine's answers to a verdict, and compares them with it.
func (c *Checker) answered(v Verdict, r *history.Recorder, audit []int64) (Verdict, error) {
	bounded := v.Bound != ""
	lock, resource := c.Linear.Lock(r), linear.Linearizable
	v.LinearLock = linearStatus(lock, bounded)
	err := c.agreeOnLock(lock)
	if !c.SkipSections {
		resource = c.Linear.Resource(r, audit...)
		v.LinearResource = linearStatus(resource, bounded)
		err = cmp.Or(err, c.agreeOnResource(resource))
	}
	if (lock == linear.Unknown || resource == linear.Unknown) && v.Bound == "" {
		v.Bound = BoundSteps
	}
	return v, cmp.Or(err, c.agreeOnTokens(c.Linear.Tokens(r)))
}

// tokenStatus judges the tokens, if there are any.
func (c *Checker) tokenStatus(bounded bool) Status {
	if c.Tokens.Seen == 0 {
		return NotApplicable
	}
	return statusOf(&c.Tokens, bounded)
}

// Kinds names the first violation of each violated property.
func (c *Checker) Kinds() map[string]string {
	kinds := map[string]string{}
	for _, property := range Properties {
		if kind := firstKind(c.findingsOf(property)); kind != "" {
			kinds[property] = kind
		}
	}
	return kinds
}

// Harms counts the violations of a property in the run; a run that is not linearizable
// counts once.
func (c *Checker) Harms(v *Verdict, property string) int64 {
	switch property {
	case Grants:
		return int64(c.Grants.Total())
	case Exclusion:
		return int64(c.Exclusion.Total())
	case ResourceName:
		return int64(c.Resource.Total())
	case Progress:
		return int64(c.Progress.Total())
	case Tokens:
		return int64(c.Tokens.Total())
	}
	if v.Of(property) == Violated {
		return 1
	}
	return 0
}
