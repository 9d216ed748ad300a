package reports

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The form of JUnit's XML that CI systems read (the schema of the Apache Ant JUnit task).
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// WriteSuiteJUnit writes a suite as JUnit's XML: a test case for each scenario, lock and guard, which has
// the same name however it comes out, and is skipped if it is n/a. A suite that was interrupted has an
// error.
func WriteSuiteJUnit(w io.Writer, s *Suite) error {
	all := junitSuites{Name: "fencepost " + s.Version}
	for i := range s.Scenarios {
		all.Suites = append(all.Suites, s.Scenarios[i].junit())
	}
	if s.Interrupted {
		all.Suites = append(all.Suites, junitSuite{Name: "fencepost", Tests: 1, Errors: 1, Cases: []junitCase{{Class: "fencepost", Name: "every run was finished",
			Error: &junitFailure{Message: "interrupted", Text: interruptedText}}}})
	}
	for _, suite := range all.Suites {
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *SuiteCase) junit() junitSuite {
	suite := junitSuite{Name: c.Name}
	for _, ran := range c.Ran {
		suite.Cases = append(suite.Cases, junitCase{Class: c.Name, Name: ran.Lock + "/" + ran.Guard, Failure: c.failure(&ran)})
		if ran.Surprises > 0 {
			suite.Failures++
		}
	}
	for _, n := range c.NotApplicable {
		suite.Cases = append(suite.Cases, junitCase{Class: c.Name, Name: n.Lock + "/" + n.Guard, Skipped: &junitSkipped{n.Reason}})
	}
	suite.Tests, suite.Skipped = len(suite.Cases), len(c.NotApplicable)
	return suite
}

// failure is what became of the seeds that were surprises, with their replay tokens.
func (c *SuiteCase) failure(ran *SuiteRuns) *junitFailure {
	if ran.Surprises == 0 {
		return nil
	}
	f := &junitFailure{Message: fmt.Sprintf("%d of %d runs were not as expected", ran.Surprises, ran.Surprises+ran.Expected+ran.Unjudged)}
	for _, r := range c.Surprises {
		if r.Lock == ran.Lock && r.Guard == ran.Guard {
			f.Text += fmt.Sprintf("seed %d: %s\n%s\n%s\n", r.Seed, r.Differs, r.Cause, r.Replay)
		}
	}
	return f
}
