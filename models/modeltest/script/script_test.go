package script

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"fencepost/models"
)

// TestMistakesOfAStory: whoever writes a story is told what is wrong with it, in place of a
// trace that would then be taken for right.
func TestMistakesOfAStory(t *testing.T) {
	s := &story{t: t, locks: []models.Lock{echo{}}, undo: map[string]func(){}}
	do := func(cmd string, args ...string) string {
		d := &datadriven.TestData{Cmd: cmd}
		for _, arg := range args {
			key, value, ok := strings.Cut(arg, "=")
			a := datadriven.CmdArg{Key: key}
			if ok {
				a.Vals = []string{value}
			}
			d.CmdArgs = append(d.CmdArgs, a)
		}
		return s.do(d)
	}
	for _, c := range []struct {
		command string
		says    string
	}{
		{"run for=1s", "begins with the command world"},
		{"world lock=mutex", `no lock "mutex"`},
		{"world wake=late", "wake is due-order"},
		{"world clients=some", "not a whole number"},
		{"world servers=12", "servers:"},
		{"world", "host echo/2"},
		{"walk", `no command "walk"`},
		{"run for=soon", "not a duration"},
		{"run for=1s twice=yes", "run does not take twice"},
		{"run until=1ns", "it is 1s already"},
		{"pause host=moon for=1s", `no host "moon"`},
		{"pause host", "needs one value"},
		{"crash host=echo/1 lose=all", "lose is memory"},
		{"heal from=client/1 to=echo/1", "not cut"},
		{"cut from=client/1 to=echo/1", "(nothing)"},
		{"cut from=client/1 to=echo/1", "cut already"},
		{"hold from=client/1 to=echo/1 message=mail", "no such message"},
		{"lock client=7", "no client 7"},
		{"renew client=1", "no renewal"},
	} {
		words := strings.Fields(c.command)
		if got := do(words[0], words[1:]...); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q does not say %q", c.command, got, c.says)
		}
	}
}
