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
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// WriteSuiteJUnit writes a suite as JUnit's XML: a test case for all runs of a scenario that were as
// expected, one for each surprise, and a skipped one for each lock and guard that is n/a.
func WriteSuiteJUnit(w io.Writer, s *Suite) error {
	all := junitSuites{Name: "fencepost " + s.Version}
	for i := range s.Scenarios {
		suite := s.Scenarios[i].junit()
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Suites = append(all.Suites, suite)
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
	if c.Expected > 0 {
		suite.Cases = append(suite.Cases, junitCase{Class: c.Name, Name: fmt.Sprintf("%d runs as expected", c.Expected)})
	}
	for _, r := range c.Surprises {
		suite.Cases = append(suite.Cases, junitCase{Class: c.Name, Name: fmt.Sprintf("%s/%s seed %d", r.Lock, r.Guard, r.Seed),
			Failure: &junitFailure{Message: r.Differs, Text: r.Cause + "\n" + r.Replay}})
	}
	for _, n := range c.NotApplicable {
		suite.Cases = append(suite.Cases, junitCase{Class: c.Name, Name: n.Lock + "/" + n.Guard, Skipped: &junitSkipped{n.Reason}})
	}
	suite.Tests, suite.Failures, suite.Skipped = len(suite.Cases), len(c.Surprises), len(c.NotApplicable)
	return suite
}
