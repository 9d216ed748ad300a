package reports

import (
	"strconv"
	"time"

	"fencepost/checker"
	"fencepost/scenarios"
)

// LockCoverage is what the runs of a lock have covered.
type LockCoverage struct {
	Lock      string                `json:"lock"`
	Hit       int                   `json:"hit"`
	Reachable int                   `json:"reachable"`
	Never     []scenarios.Situation `json:"never_hit"`
	// NeverPassed are the steps that no client came to.
	NeverPassed []string `json:"never_passed"`
	// Slack is the least time that was left of a promise when its holder sent a protected
	// request, Kept the least that was not over; nil if none was sent under a promise that ends.
	Slack *SlackOf `json:"smallest_slack"`
	Kept  *SlackOf `json:"smallest_slack_kept"`
}

// SlackOf is what was left of a promise in a run.
type SlackOf struct {
	Nanos  int64  `json:"left_ns"`
	Replay string `json:"replay"`
}

func lockCoverage(c *scenarios.Coverage) LockCoverage {
	reachable, never := c.Reachable(), c.Never()
	return LockCoverage{Lock: c.Lock, Reachable: len(reachable), Hit: len(reachable) - len(never),
		Never: orEmpty(never), NeverPassed: orEmpty(c.NeverPassed()), Slack: slackOf(c.Least), Kept: slackOf(c.Kept)}
}

// orEmpty makes a list of none an empty one in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func slackOf(s scenarios.Slack) *SlackOf {
	if s.Requests == 0 {
		return nil
	}
	return &SlackOf{int64(s.Left), s.Run}
}

var coverageHead = []string{"lock", "hit", "reachable", "steps never passed", "smallest slack kept", "smallest slack", "in"}

func coverageRows(list []LockCoverage) (rows [][]string) {
	for i := range list {
		c := &list[i]
		in := "-"
		if c.Slack != nil {
			in = c.Slack.Replay
		}
		rows = append(rows, []string{c.Lock, strconv.Itoa(c.Hit), strconv.Itoa(c.Reachable), strconv.Itoa(len(c.NeverPassed)), c.Kept.text(), c.Slack.text(), in})
	}
	return rows
}

func (s *SlackOf) text() string {
	if s == nil {
		return "-"
	}
	if d := time.Duration(s.Nanos); d < 0 {
		return "-" + checker.Length(-d)
	}
	return checker.Length(time.Duration(s.Nanos))
}

// coverage writes what was covered for people.
func (p *printer) coverage(list []LockCoverage) {
	p.printf("Coverage, in kinds of faults × steps of the clients × their states: hit, of what is reachable.\n")
	p.printf("Slack is what was left of a promise when its holder sent a protected request.\n\n")
	p.table(coverageHead, coverageRows(list))
}
