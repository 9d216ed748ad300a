package reports

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"fencepost/checker"
)

// WriteJSON writes the document as one JSON object.
func WriteJSON(w io.Writer, d *Document) error {
	return encode(w, d)
}

// WriteCSV writes one row a run.
func WriteCSV(w io.Writer, d *Document) error {
	c := csv.NewWriter(w)
	head := []string{"scenario", "lock", "guard", "seed", "digest", "grants", "exclusion", "resource", "kind", "progress",
		"linearizable_lock", "linearizable_resource", "as_expected", "not_applicable",
		"faults_fired", "faults_took_effect", "faults_touched_holder", "cause_kind", "cause", "replay"}
	rows := [][]string{head}
	for i := range d.Runs {
		r := &d.Runs[i]
		faults := r.total()
		rows = append(rows, []string{r.Scenario, r.Lock, r.Guard, strconv.FormatUint(r.Seed, 10), r.Digest,
			string(r.Grants), string(r.Exclusion), string(r.Resource), r.Kinds[checker.ResourceName], string(r.Progress),
			string(r.Linearizable.Lock), string(r.Linearizable.Resource), strconv.FormatBool(r.AsExpected), r.NotApplicable,
			strconv.Itoa(faults.fired), strconv.Itoa(faults.tookEffect), strconv.Itoa(faults.touchedHolder), string(r.CauseKind), r.Cause, r.Replay})
	}
	return c.WriteAll(rows)
}

// WriteMarkdown writes the document as a page. Beside it are the files that it shows or
// links to.
func WriteMarkdown(w io.Writer, d *Document, beside map[string]bool) error {
	if len(d.parts) > 0 {
		return writeParts(w, d.parts, func(w io.Writer, d *Document) error { return WriteMarkdown(w, d, beside) })
	}
	p := &printer{w: w}
	p.printf("# %s\n\n", orName(d.Title, d.Scenario))
	p.printf("Scenario `%s`, seeds %s", d.Scenario, d.Seeds)
	if text := paramText(d.Params); text != "" {
		p.printf(", with `%s`", strings.TrimSpace(text))
	}
	p.printf(". fencepost %s.\n\n", d.Version)
	if d.Source != "" {
		p.printf("Source: %s\n\n", d.Source)
	}
	if d.Interrupted {
		p.printf("**%s**\n\n", interruptedText)
	}
	p.markdownTable(d)
	for _, g := range group(d.Runs) {
		if r := g.runs[0]; r.NotApplicable == "" {
			p.markdownStory(r, beside)
		}
	}
	if rows := ledgerRows(d.Runs); len(rows) > 0 {
		p.printf("\n## Faults\n\n")
		p.markdownRows(ledgerHead, rows)
	}
	if beside[ChartFile] {
		p.printf("\n## Violation rates\n\n![violation rates](%s)\n", ChartFile)
	}
	if d.Rates != nil && p.err == nil {
		p.printf("\nHow often %s, in scenario `%s`:\n\n", question[d.RatesProperty], d.Rates.Scenario)
		return WriteSweepMarkdown(w, d.Rates, d.RatesProperty)
	}
	return p.err
}

func orName(title, name string) string {
	if title == "" {
		return name
	}
	return title
}

func (p *printer) markdownTable(d *Document) {
	shown := shownOf(d.Runs)
	rows := rowsOf(d.Runs, shown)
	if groups := group(d.Runs); len(groups) != len(d.Runs) {
		rows = countsOf(groups, shown)
	}
	p.markdownRows(header(shown), rows)
}

// markdownRows writes a table; a row that is short ends early.
func (p *printer) markdownRows(head []string, rows [][]string) {
	p.printf("| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		for len(row) < len(head) {
			row = append(row, "")
		}
		p.printf("| %s |\n", strings.Join(row, " | "))
	}
}

func (p *printer) markdownStory(r *Run, beside map[string]bool) {
	p.printf("\n## %s / %s\n\n", r.Lock, r.Guard)
	for _, s := range r.Story {
		p.printf("%s ", s)
	}
	p.printf("\n\n**At fault:** %s\n\n", r.Cause)
	if picture := timelineFile(r.Lock, r.Guard); beside[picture] {
		p.printf("![timeline of %s with guard %s](%s)\n\n", r.Lock, r.Guard, picture)
	}
	if links := pageLinks(r, beside); len(links) > 0 {
		p.printf("porcupine's pages of the histories: %s\n\n", strings.Join(links, ", "))
	}
	p.printf("Repeat it: `%s`\n", r.Replay)
}
