package scenarios

import (
	"fmt"
	"strings"
	"time"

	"fencepost/models/client"
	"fencepost/models/resource"
	"fencepost/sim/rng"
)

// defaultCheckPeriod is how often a client looks up from its work, if it does.
const defaultCheckPeriod = 100 * time.Millisecond

func readClient(r *reader, c *clientPart, of resource.Kind) client.Workload {
	zero := rng.Constant(0)
	w := client.Workload{
		Start:           r.duration(c.Start, 0, 0),
		Cycles:          r.count(c.Cycles, 1, 1),
		Think:           r.dist(c.Think, zero),
		BeforeRead:      r.dist(c.BeforeRead, zero),
		Between:         r.dist(c.Between, zero),
		AfterWrite:      r.dist(c.AfterWrite, zero),
		CheckPeriod:     r.duration(c.CheckPeriod, defaultCheckPeriod, time.Millisecond),
		OnLoss:          client.OnLoss(r.word(c.OnLoss, string(client.StopOnLoss), client.OnLosses)),
		StopLatency:     r.dist(c.StopLatency, zero),
		Renew:           r.duration(c.Renew, 0, time.Millisecond),
		RenewLate:       r.dist(c.RenewLate, zero),
		RenewTimes:      r.count(c.RenewTimes, 0, 1),
		RenewOnError:    client.OnError(r.word(c.RenewOnError, string(client.RenewOn), client.OnErrors)),
		RenewOnLoss:     client.OnError(r.word(c.RenewOnLoss, string(client.QuitRenewing), client.OnErrors)),
		ReleaseDelay:    r.dist(c.ReleaseDelay, zero),
		ReleaseAttempts: r.count(c.ReleaseAttempts, 1, 1),
		UnownedRelease:  r.flag(c.UnownedRelease, false),
		RequestTimeout:  r.duration(c.RequestTimeout, defaultTimeout, time.Millisecond),
		RequestAttempts: r.count(c.RequestAttempts, 1, 1),
		Prunes:          r.flag(c.Prunes, false),
	}
	if c.Check.set() {
		w.Check = client.Check(r.word(c.Check, "", client.Checks))
	}
	r.clientKeysAgree(c, &w)
	if c.Prunes.set() && of != resource.References {
		r.fail(c.Prunes, "`prunes:` says nothing here: give `resource: {kind: %s}` too", resource.References)
	}
	return w
}

// clientKeysAgree refuses keys that make no difference beside the others.
func (r *reader) clientKeysAgree(c *clientPart, w *client.Workload) {
	never := w.Check == client.CheckNever
	for _, k := range []struct {
		key  string
		at   *scalar
		dead bool
		why  string
	}{
		{"check-period", c.CheckPeriod, w.Check != client.CheckTimer, "a client looks up from its work only with `check: timer`"},
		{"on-loss", c.OnLoss, never, "with `check: never` the client never hears of a loss"},
		{"stop-latency", c.StopLatency, never, "with `check: never` the client never stops for a loss"},
		{"stop-latency", c.StopLatency, w.OnLoss == client.IgnoreLoss, "with `on-loss: ignore` the client does not stop"},
		{"renew-late", c.RenewLate, w.Renew == 0, "nothing is renewed: give `renew:` too"},
		{"renew-times", c.RenewTimes, w.Renew == 0, "nothing is renewed: give `renew:` too"},
		{"renew-on-error", c.RenewOnError, w.Renew == 0, "nothing is renewed: give `renew:` too"},
		{"renew-on-loss", c.RenewOnLoss, w.Renew == 0, "nothing is renewed: give `renew:` too"},
	} {
		if k.at.set() && k.dead {
			r.fail(k.at, "`%s:` says nothing here: %s", k.key, k.why)
		}
	}
}

// Workload says in words what the clients do, so that a rate can be read with what it is
// a rate of.
func (in *Instance) Workload() string {
	var clients []string
	first := 1
	for _, n := range in.counts {
		who := fmt.Sprintf("client %d", first)
		if n > 1 {
			who = fmt.Sprintf("each of clients %d to %d", first, first+n-1)
		}
		clients = append(clients, who+" "+describe(&in.workloads[first-1], &in.resource))
		first += n
	}
	return strings.Join(clients, "; ")
}

func describe(w *client.Workload, of *resource.Settings) string {
	text := fmt.Sprintf("starts at %v, works %v, reads%s, works %v, %s, works %v",
		w.Start, w.BeforeRead, objects(of), w.Between, acts(w, of), w.AfterWrite)
	if w.Cycles > 1 {
		text += fmt.Sprintf(", %d cycles %v apart", w.Cycles, w.Think)
	}
	if w.Renew > 0 {
		text += fmt.Sprintf(", renews every %v", w.Renew) + describeRenewal(w)
	}
	switch w.Check {
	case "":
		text += ", checks as its library's example does"
	case client.CheckTimer:
		text += fmt.Sprintf(", checks every %v", w.CheckPeriod)
	default:
		text += ", checks " + string(w.Check)
	}
	if w.RequestAttempts > 1 {
		text += fmt.Sprintf(", sends a request up to %d times", w.RequestAttempts)
	}
	return text + describeLoss(w) + describeRelease(w)
}

// objects says of how many objects a client reads, if of more than one.
func objects(of *resource.Settings) string {
	if of.Count() == 1 {
		return ""
	}
	return fmt.Sprintf(" %d objects", of.Count())
}

// acts says what a client does with what it has read.
func acts(w *client.Workload, of *resource.Settings) string {
	switch {
	case of.Kind == resource.Counter:
		return "writes the next number"
	case of.Kind == resource.Log:
		return "appends an entry"
	case of.Kind == resource.References && w.Prunes:
		return "deletes what nobody refers to"
	case of.Kind == resource.References:
		return "makes a reference"
	case of.Kind == resource.Effect && of.RecordsFirst:
		return "records the next job as done and does it"
	case of.Kind == resource.Effect:
		return "does the next job and records it as done"
	}
	return "writes"
}

func describeRenewal(w *client.Workload) (text string) {
	if later(w.RenewLate) {
		text += fmt.Sprintf(", late by %v", w.RenewLate)
	}
	if w.RenewTimes > 0 {
		text += fmt.Sprintf(", %d times", w.RenewTimes)
	}
	if w.RenewOnError == client.QuitRenewing {
		text += ", until the first error"
	}
	if w.RenewOnLoss == client.RenewOn {
		text += ", also after a loss"
	}
	return text
}

func describeLoss(w *client.Workload) (text string) {
	if w.OnLoss == client.IgnoreLoss {
		text += ", ignores what it hears"
	}
	if later(w.StopLatency) {
		text += fmt.Sprintf(", stops %v after a loss", w.StopLatency)
	}
	return text
}

func describeRelease(w *client.Workload) (text string) {
	if later(w.ReleaseDelay) {
		text += fmt.Sprintf(", releases %v later", w.ReleaseDelay)
	}
	if w.ReleaseAttempts > 1 {
		text += fmt.Sprintf(", tries %d times to release", w.ReleaseAttempts)
	}
	if w.UnownedRelease {
		text += ", releases also what it did not get"
	}
	return text
}

// later reports whether a delay is not always none.
func later(d rng.Dist) bool {
	constant, is := d.IsConstant()
	return !is || constant > 0
}
