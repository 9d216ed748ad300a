package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/scenarios/assume"
)

// assumptionColumns are what a row tells: a property, and the guard under which it is judged.
var assumptionColumns = []struct{ head, property, guard string }{
	{"grants", checker.Grants, "none"},
	{"exclusion", checker.Exclusion, "none"},
	{"none", checker.ResourceName, "none"},
	{"fence-writes", checker.ResourceName, "fence-writes"},
	{"fence-reads-writes", checker.ResourceName, "fence-reads-writes"},
	{"if-match", checker.ResourceName, "if-match"},
}

// Signs in the cells.
const (
	notRunSign   = "·"
	againUnhurt  = "*"
	noEffectSign = "no effect"
	anywaySign   = "anyway"
)

// assumptionCell is the smallest magnitude that broke a property, or how many runs did not.
func assumptionCell(f *assume.Finding) string {
	switch {
	case f.NotApplicable != "":
		return "n/a"
	case f.Anyway:
		return anywaySign
	case f.NotRun:
		return notRunSign
	case f.Broken() && len(f.Unbroken) > 0:
		return f.Smallest + againUnhurt
	case f.Broken():
		return f.Smallest
	case f.NoEffect:
		return noEffectSign
	case f.Unknown > 0:
		return fmt.Sprintf("not in %d (%d open)", f.Trials, f.Unknown)
	}
	return fmt.Sprintf("not in %d", f.Trials)
}

func assumptionHead() []string {
	head := []string{"kind", "tried to"}
	for _, c := range assumptionColumns {
		head = append(head, c.head)
	}
	return append(head, "documented")
}

// assumptionRows are the rows of a lock; those that broke it, or were said to, refer to the notes.
func assumptionRows(l *assume.LockRows) (rows [][]string) {
	d, known := assume.Of(l.Lock.Name)
	for i := range l.Rows {
		r := &l.Rows[i]
		row := []string{r.Kind.Name, r.Kind.Largest()}
		if r.Findings[0].Anyway {
			row[1] = "-"
		}
		for _, c := range assumptionColumns {
			row = append(row, assumptionCell(r.Of(c.property, c.guard)))
		}
		rows = append(rows, append(row, documentedCell(r, &d, known)))
	}
	return rows
}

// documentedCell says whether the documentation says that the kind breaks the lock, and which
// note explains it if it does otherwise.
func documentedCell(r *assume.Row, d *assume.Documented, known bool) string {
	if !known {
		return "-"
	}
	text := "-"
	if d.Admits(r.Kind.Name) {
		text = "yes"
	}
	if i := slices.IndexFunc(d.Differences(), func(e assume.Explained) bool {
		return slices.Contains(strings.Fields(e.Kinds), r.Kind.Name)
	}); i >= 0 {
		text += fmt.Sprintf(" (%d)", i+1)
	}
	return text
}

// unbrokenAbove says of each cell with a star which larger magnitudes did not break it.
func unbrokenAbove(l *assume.LockRows) (lines []string) {
	for i := range l.Rows {
		for _, c := range assumptionColumns {
			if f := l.Rows[i].Of(c.property, c.guard); len(f.Unbroken) > 0 {
				lines = append(lines, fmt.Sprintf("%s, %s: %s", l.Rows[i].Kind.Name, c.head, strings.Join(f.Unbroken, ", ")))
			}
		}
	}
	return lines
}

func brokenAnyway(l *assume.LockRows) bool {
	return slices.ContainsFunc(l.Rows, func(r assume.Row) bool { return r.Findings[0].Anyway })
}

// replay is a command and what it shows.
type replay struct{ what, command string }

// replaysOf are the commands that show each cell that was broken; one that shows several stands once.
func replaysOf(l *assume.LockRows) (list []replay) {
	for i := range l.Rows {
		for _, c := range assumptionColumns {
			f := l.Rows[i].Of(c.property, c.guard)
			if !f.Broken() {
				continue
			}
			if n := len(list) - 1; n >= 0 && list[n].command == f.Replay {
				list[n].what += ", " + c.head
				continue
			}
			list = append(list, replay{fmt.Sprintf("%s: %s", l.Rows[i].Kind.Name, c.head), f.Replay})
		}
	}
	return list
}

// kindRows say what the kinds are that some of the locks have.
func kindRows(locks []assume.LockRows) (rows [][]string) {
	for i := range assume.Kinds {
		k := &assume.Kinds[i]
		if slices.ContainsFunc(locks, func(l assume.LockRows) bool { return k.Of(&l.Lock) }) {
			rows = append(rows, []string{k.Name, k.What})
		}
	}
	return rows
}

// howMeasured are the sentences that every form of the table begins with.
func howMeasured() string {
	return fmt.Sprintf(`Each kind of fault alone, on the scenario assume: client 1 acquires, reads, works and writes, 2.2 to 8 s in all, with a TTL of 10 s; client 2 wants the lock a second later, and does the same again and again. Each asks its library whether it still has the lock where the documented example does, but for kinds that say otherwise. Work of a minute is that of client 1, which then renews every 3 s if its library leaves that to the program. Other parameters have their defaults, but for redis-replica's down-after, which is 2 s. Each magnitude has the seeds 1 to %d. The smallest that broke a property is found to %.0f %%; the next below that was tried did not.`,
		assume.Seeds, 100*(assume.Resolution-1))
}

// WriteAssumptionsText writes the rows for people.
func WriteAssumptionsText(w io.Writer, locks []assume.LockRows) error {
	p := &printer{w: w}
	p.printf("fencepost %s  what each lock needs of the world  seeds 1-%d\n\n", Version, assume.Seeds)
	p.wrap(howMeasured())
	p.printf("\n")
	p.table([]string{"kind", "what goes wrong"}, kindRows(locks))
	for i := range locks {
		l := &locks[i]
		p.printf("\n%s\n", l.Lock.Name)
		for _, line := range assumesOf(l) {
			p.wrap(line)
		}
		p.printf("\n")
		p.table(assumptionHead(), assumptionRows(l))
		p.assumptionNotes(l, p.wrap)
		for _, r := range replaysOf(l) {
			p.printf("\n  %s\n  %s\n", r.what, r.command)
		}
	}
	return p.err
}

// assumptionNotes are what the table refers to.
func (p *printer) assumptionNotes(l *assume.LockRows, write func(string)) {
	d, _ := assume.Of(l.Lock.Name)
	for i, e := range d.Differences() {
		p.printf("\n")
		write(fmt.Sprintf("(%d) %s", i+1, e.Why))
	}
	if brokenAnyway(l) {
		p.printf("\n")
		write("anyway: the same work breaks it though nothing goes wrong, such as work of a minute under a lock that its program cannot renew.")
	}
	if above := unbrokenAbove(l); len(above) > 0 {
		p.printf("\n")
		write(againUnhurt + " Not broken again at larger magnitudes: " + strings.Join(above, "; ") + ".")
	}
}

// assumesOf says what is documented; of a lock that is not on record, what it says of itself.
func assumesOf(l *assume.LockRows) (lines []string) {
	d, known := assume.Of(l.Lock.Name)
	if !known {
		return []string{"Nothing is on record of its documentation. It promises: " + l.Lock.Promise + "."}
	}
	for _, a := range d.Assumes {
		lines = append(lines, fmt.Sprintf("Documented: %s (%s).", a.Text, a.Source))
	}
	return lines
}
