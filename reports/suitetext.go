package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
)

func sortSurprises(list []Surprise) {
	slices.SortFunc(list, func(a, b Surprise) int {
		return cmp.Or(cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.Guard, b.Guard), cmp.Compare(a.Seed, b.Seed))
	})
}

var suiteHead = []string{"scenario", "as expected", "surprises", "nothing expected", "n/a"}

func (s *Suite) rows() (rows [][]string) {
	for i := range s.Scenarios {
		c := &s.Scenarios[i]
		rows = append(rows, []string{c.Name, strconv.Itoa(c.Expected), strconv.Itoa(len(c.Surprises)), strconv.Itoa(c.Unjudged), strconv.Itoa(len(c.NotApplicable))})
	}
	return rows
}

// mostSurprises is how many are told of one scenario; the files have all.
const mostSurprises = 5

// WriteSuiteText writes a suite for people: a row for each scenario, and each surprise.
func WriteSuiteText(w io.Writer, s *Suite) error {
	p := &printer{w: w}
	p.printf("fencepost %s  suite of %d scenarios  seeds %s\n", s.Version, len(s.Scenarios), s.Seeds)
	if s.Interrupted {
		p.printf("%s\n", interruptedText)
	}
	p.printf("\n")
	p.table(suiteHead, s.rows())
	p.printf("\n")
	for i := range s.Scenarios {
		p.surprises(&s.Scenarios[i])
	}
	p.coverage(s.Coverage)
	p.printf("\n%s\n", s.Summary())
	return p.err
}

func (p *printer) surprises(c *SuiteCase) {
	for i, r := range c.Surprises {
		if i == mostSurprises {
			p.printf("  ... and %d more of %s\n\n", len(c.Surprises)-i, c.Name)
			return
		}
		p.printf("%s under %s / %s, seed %d: %s\n  %s\n  %s\n\n", c.Name, r.Lock, r.Guard, r.Seed, r.Differs, r.Cause, r.Replay)
	}
}

// Summary is the last line of a suite.
func (s *Suite) Summary() string {
	surprises, unjudged, skipped := 0, 0, 0
	for i := range s.Scenarios {
		c := &s.Scenarios[i]
		surprises += len(c.Surprises)
		unjudged += c.Unjudged
		skipped += len(c.NotApplicable)
	}
	return fmt.Sprintf("%d runs judged, %d surprises; of %d nothing was expected, %d combinations not applicable", s.Judged(), surprises, unjudged, skipped)
}

// WriteSuiteMarkdown writes a suite as a page.
func WriteSuiteMarkdown(w io.Writer, s *Suite) error {
	p := &printer{w: w}
	p.printf("# Suite\n\nfencepost %s, %d scenarios, seeds %s. %s.\n\n", s.Version, len(s.Scenarios), s.Seeds, s.Summary())
	if s.Interrupted {
		p.printf("**%s**\n\n", interruptedText)
	}
	p.markdownRows(suiteHead, s.rows())
	for i := range s.Scenarios {
		c := &s.Scenarios[i]
		for _, r := range c.Surprises {
			p.printf("\n- `%s` under %s / %s, seed %d: %s. %s `%s`\n", c.Name, r.Lock, r.Guard, r.Seed, r.Differs, r.Cause, r.Replay)
		}
	}
	p.printf("\n## Coverage\n\n")
	p.markdownRows(coverageHead, coverageRows(s.Coverage))
	return p.err
}
