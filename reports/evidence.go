package reports

import (
	"fmt"
	"io"
	"strings"

	"fencepost/checker"
	"fencepost/sim"
)

// WriteEvidence writes verdict and story of each run, and each violation with what a reader needs to check
// it: whom it concerns, what the service had promised and what they believed, in true time and
// by their own clocks, the requests that it is about, and the faults that touched them before.
func WriteEvidence(w io.Writer, d *Document) error {
	p := &printer{w: w}
	p.banner(d)
	shown := shownOf(d.Runs)
	p.table(header(shown), rowsOf(d.Runs, shown))
	for i := range d.Runs {
		r := &d.Runs[i]
		p.story(r)
		for k := range r.Evidence {
			p.evidence(&r.Evidence[k])
		}
		if len(r.Evidence) == 0 {
			p.printf("\nno violation was found\n")
		}
	}
	return p.err
}

func (p *printer) evidence(e *checker.Evidence) {
	p.printf("\n%s: %s\n", e.Property, e.Kind)
	p.wrap(upperFirst(e.Text) + ".")
	if len(e.Holds) > 0 {
		p.indented([]string{"client", "hold", "token", "granted", "promised until", "believed from", "by its own clock", "believed until", "by its own clock", "acted in it"}, holdRows(e.Holds))
	}
	if len(e.Requests) > 0 {
		p.indented([]string{"client", "request", "value", "token", "sent", "by its own clock", "served"}, requestRows(e.Requests))
	}
	if len(e.Faults) == 0 {
		return
	}
	var faults []string
	for _, f := range e.Faults {
		faults = append(faults, fmt.Sprintf("%s at %s", f.Fault, checker.Seconds(sim.Time(f.At))))
	}
	p.wrap("Faults that touched them before: " + strings.Join(faults, "; ") + ".")
}

func holdRows(holds []checker.HoldFacts) (rows [][]string) {
	for _, h := range holds {
		token, acted := "-", "-"
		if h.Token != 0 {
			token = fmt.Sprint(h.Token)
		}
		if h.Acted != nil {
			acted = map[bool]string{true: "yes", false: "no"}[*h.Acted]
		}
		until := "no end"
		if h.PromisedUntil != nil || h.Granted == nil {
			until = instantOr(h.PromisedUntil, "-")
		}
		rows = append(rows, []string{fmt.Sprint(h.Client), fmt.Sprint(h.Hold), token, instantOr(h.Granted, "-"), until,
			instantOr(h.Believed, "-"), instantOr(h.BelievedLocal, "-"), instantOr(h.BelievedUntil, "the end"), instantOr(h.BelievedUntilLocal, "-"), acted})
	}
	return rows
}

func requestRows(requests []checker.RequestFacts) (rows [][]string) {
	for _, q := range requests {
		what, token, served := q.Effect, "-", instantOr(q.Served, "never")
		if q.Object != 0 {
			what += fmt.Sprintf(" of object %d", q.Object)
		}
		if q.Copied {
			what += " (a copy)"
		}
		if q.Token != 0 {
			token = fmt.Sprint(q.Token)
		}
		if q.Rejected {
			served += " (rejected)"
		}
		local := q.SentLocal
		rows = append(rows, []string{fmt.Sprint(q.Client), what, fmt.Sprintf("v%d", q.Value), token, checker.Seconds(sim.Time(q.Sent)), instantOr(&local, ""), served})
	}
	return rows
}

func instantOr(nanos *int64, otherwise string) string {
	if nanos == nil {
		return otherwise
	}
	return checker.Seconds(sim.Time(*nanos))
}

// indented writes a table below a sentence.
func (p *printer) indented(head []string, rows [][]string) {
	var b strings.Builder
	inner := &printer{w: &b}
	inner.table(head, rows)
	for _, line := range strings.Split(strings.TrimRight(b.String(), "\n"), "\n") {
		p.printf("  %s\n", line)
	}
}
