package reports

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"fencepost/checker"
	"fencepost/reports/wrap"
)

// WriteText writes a document for people: a banner, one row a run (or, for many
// seeds, one row for a lock and guard), and the story of each run that has one.
func WriteText(w io.Writer, d *Document) error {
	if len(d.parts) > 0 {
		return writeParts(w, d.parts, WriteText)
	}
	p := &printer{w: w}
	p.banner(d)
	shown := shownOf(d.Runs)
	if groups := group(d.Runs); len(groups) == len(d.Runs) {
		p.table(header(shown), rowsOf(d.Runs, shown))
		for i := range d.Runs {
			p.story(&d.Runs[i])
		}
	} else {
		p.table(header(shown), countsOf(groups, shown))
		p.firsts(groups)
	}
	p.ledger(d.Runs)
	p.summary(d)
	return p.err
}

// writeParts writes several documents, an empty line between them.
func writeParts(w io.Writer, parts []*Document, write func(io.Writer, *Document) error) error {
	for i, d := range parts {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := write(w, d); err != nil {
			return err
		}
	}
	return nil
}

// printer keeps the first error of its writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) banner(d *Document) {
	p.printf("fencepost %s  scenario %s  seeds %s%s\n", d.Version, d.Scenario, d.Seeds, paramText(d.Params))
	if d.Title != "" {
		p.printf("%s\n", d.Title)
	}
	if d.Source != "" {
		p.printf("source: %s\n", d.Source)
	}
	if d.Interrupted {
		p.printf("%s\n", interruptedText)
	}
	p.printf("\n")
}

func paramText(params map[string]string) string {
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	sort.Strings(names)
	text := ""
	for _, name := range names {
		text += "  " + name + "=" + params[name]
	}
	return text
}

// shownOf returns the properties that a table of runs has columns for: all, but that of the
// tokens, which would mostly be ok or n/a, only where one of the runs violates it.
func shownOf(runs []Run) []string {
	violated := slices.ContainsFunc(runs, func(r Run) bool { return r.Tokens == checker.Violated })
	return slices.DeleteFunc(slices.Clone(checker.Properties), func(p string) bool { return p == checker.Tokens && !violated })
}

func header(shown []string) []string {
	head := []string{"lock", "guard"}
	for _, property := range shown {
		switch property {
		case checker.LinearLock:
			property = "lock history"
		case checker.LinearResource:
			property = "resource history"
		}
		head = append(head, property)
	}
	return append(head, "as expected")
}

func rowsOf(runs []Run, shown []string) [][]string {
	var rows [][]string
	for i := range runs {
		r := &runs[i]
		row := []string{r.Lock, r.Guard}
		if r.NotApplicable != "" {
			rows = append(rows, append(row, "n/a: "+r.NotApplicable))
			continue
		}
		for _, property := range shown {
			row = append(row, r.cell(property))
		}
		rows = append(rows, append(row, expectation(r)))
	}
	return rows
}

// cell writes a status, with the kind of harm where there is one.
func (r *Run) cell(property string) string {
	status, kind := r.Of(property), r.Kinds[property]
	switch property {
	case checker.LinearLock, checker.LinearResource:
		switch status {
		case checker.OK:
			return "linearizable"
		case checker.Violated:
			return "not linearizable"
		}
	case checker.ResourceName, checker.Progress, checker.Tokens:
		if kind != "" {
			return string(status) + " (" + kind + ")"
		}
	}
	return string(status)
}

func expectation(r *Run) string {
	switch {
	case !r.AsExpected:
		return "NO"
	case len(r.Expected) == 0:
		return "-"
	}
	return "yes"
}

// table writes columns, each as wide as its widest cell. A row that is short spans the
// rest of the line.
func (p *printer) table(head []string, rows [][]string) {
	width := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			if len(row) == len(head) || i < len(row)-1 {
				width[i] = max(width[i], len([]rune(cell)))
			}
		}
	}
	for _, row := range append([][]string{head}, rows...) {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", width[i]-len([]rune(cell))+2))
			}
		}
		p.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}

func (p *printer) story(r *Run) {
	if r.NotApplicable != "" {
		return
	}
	p.printf("\n%s / %s\n", r.Lock, r.Guard)
	for _, s := range r.Story {
		p.wrap(s)
	}
	p.wrap("At fault: " + r.Cause)
	if !r.AsExpected {
		p.wrap("NOT AS EXPECTED: " + r.Differs)
	}
	p.printf("  %s\n", r.Replay)
}

// lineWidth is where text is broken.
const lineWidth = 98

func (p *printer) wrap(text string) {
	for _, line := range wrap.Lines(text, lineWidth-2) {
		p.printf("  %s\n", line)
	}
}

func (p *printer) summary(d *Document) {
	var ran, unexpected, unknown, skipped int
	for i := range d.Runs {
		switch r := &d.Runs[i]; {
		case r.NotApplicable != "":
			skipped++
		default:
			ran++
			if !r.AsExpected {
				unexpected++
			}
			if r.Unknown() {
				unknown++
			}
		}
	}
	if ran == 0 && skipped > 0 { // only beside other scenarios
		p.printf("\nnothing was run: not applicable, for the reasons above\n")
		return
	}
	p.printf("\n%d runs, %d not as expected, %d unknown, %d not applicable\n", ran, unexpected, unknown, skipped)
}
