package virtual

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fencepost/scenarios"
	"fencepost/sim/history"
)

// prediction is a scenario, and what a library on its stack does in it, as its source says. Messages take a
// millisecond each way, so that it can be worked out.
type prediction struct {
	name     string
	library  *library
	params   map[string]int64 // in addition
	scenario string
	story    string // see [story]
	heard    []string
	sent     string
}

// head is what all cases begin with.
const head = "name: case\ntitle: a case\nuntil: 2m\nnetwork: {delay: 1ms}\n"

// play runs the scenario under the model and on the stack.
func (c *prediction) play(t *testing.T) {
	t.Parallel()
	s, err := scenarios.Parse("case.yaml", []byte(head+c.scenario))
	if err != nil {
		t.Fatal(err)
	}
	guards := c.library.with(c.params).guards(t, s)
	if guards == nil {
		t.Fatal("the library cannot play it")
	}
	synctest.Test(t, func(t *testing.T) {
		got := observe(t, guards[0].stack, 1)
		if why := got.differs(observe(t, guards[0].model, 1)); why != "" {
			t.Errorf("the model does not do the same: %s", why)
		}
		got.matches(t, c.story, c.sent)
		hears(t, got.heard, c.heard)
	})
}

// matches compares what clients did and how much they sent.
func (s *outcome) matches(t *testing.T, story, sent string) {
	t.Helper()
	if s.story != lines(story) {
		t.Errorf("the story is\n%s\nand not\n%s", s.story, lines(story))
	}
	if got := fmt.Sprint(s.sent); got != "map["+sent+"]" {
		t.Errorf("sent %s and not %s", got, sent)
	}
}

// hears reports whether libraries returned what was expected of them: each line begins and ends like that.
func hears(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(got, want string) bool {
		first, last, _ := strings.Cut(want, "...")
		return strings.HasPrefix(got, first) && strings.HasSuffix(got, last)
	}) {
		t.Errorf("heard\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// story is what clients did and when, to the millisecond.
func story(recorder *history.Recorder) string {
	var all []string
	for _, r := range recorder.Records {
		what := ""
		switch r.Kind {
		case history.BeliefBegin:
			what = "has it"
		case history.GiveUp:
			what = "gives up"
		case history.Check:
			what = "check " + r.Text
		case history.Write:
			what = "writes"
		case history.ReleaseEnd:
			if what = "released"; r.Text != "" {
				what = "release failed"
			}
		default:
			continue
		}
		all = append(all, fmt.Sprintf("%v %d %s", time.Duration(r.At).Round(time.Millisecond), recorder.Hold(r.Hold).Client+1, what))
	}
	return strings.Join(all, "\n")
}

// lines are those of a text, without the white space around them.
func lines(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return strings.Join(all, "\n")
}
