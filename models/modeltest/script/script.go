// Package script runs stories: text files with commands and the trace that they lead to,
// in the way of etcd raft's interaction tests (go.etcd.io/raft/v3, rafttest). A file is a
// story in comments, and blocks of a command and the canonical trace of what it sets off:
//
//	# Client 1 holds the lock and falls silent.
//	pause host=client/1 for=15s
//	----
//	   2.000000000 client/1     pause     until 17.000000000s
//
// The commands are in files of their names. A model keeps its stories in testdata, and runs
// them with [Run]; a story about the kernel alone uses the lock "echo", whose servers answer
// whatever they are sent. UPDATE_GOLDEN=1 rewrites the traces: read what changes.
package script

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/trace"
)

// story is one file that is being run.
type story struct {
	t     *testing.T
	locks []models.Lock
	rig   *modeltest.Rig
	hide  []string // beginnings of the names of messages that are not shown
	lines []string // since the last command
	undo  map[string]func()
}

// handler runs a command. What it returns is an error of the story's author.
type handler func(s *story, c *command) error

// handlers are the commands by name.
var handlers = map[string]handler{
	"world": world, "run": run, "lock": lock, "renew": renew, "call": call,
	"pause": pause, "suspend": suspend, "crash": crash, "restart": restart,
	"cut": cut, "heal": heal, "hold": hold, "reset": reset,
	"clock": clockCommand, "disk": disk, "digest": digest,
}

// Run runs every story in testdata. A story may use the given locks.
func Run(t *testing.T, locks ...models.Lock) {
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	locks = append(locks, echo{})
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return
		}
		s := &story{t: t, locks: locks, undo: map[string]func(){}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.do(d) })
	})
}

// do runs one command and returns the trace of what it set off.
func (s *story) do(d *datadriven.TestData) string {
	c := &command{data: d, used: map[string]bool{}}
	h, ok := handlers[d.Cmd]
	if !ok {
		return fmt.Sprintf("error: there is no command %q\n", d.Cmd)
	}
	s.lines = nil
	if s.rig == nil && d.Cmd != "world" {
		return "error: a story begins with the command world\n"
	}
	err := h(s, c)
	if err == nil || c.err != nil { // a bad argument is the cause of what came of it
		err = c.finish()
	}
	if err != nil {
		s.lines = append(s.lines, "error: "+err.Error())
	}
	if len(s.lines) == 0 {
		return "(nothing)\n"
	}
	return strings.Join(s.lines, "\n") + "\n"
}

// say adds a line of the story's own.
func (s *story) say(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// Record implements [trace.Sink]. Event numbers and digests are left out: a story is about
// what happens, and the command digest tells the rest.
func (s *story) Record(r trace.Record) {
	words := strings.Fields(r.Text)
	if len(words) > 1 {
		for _, prefix := range s.hide {
			if strings.HasPrefix(words[1], prefix) {
				return
			}
		}
	}
	s.lines = append(s.lines, strings.TrimRight(line(r.At, r.Who, r.What, r.Text), " "))
}

// Observe implements [history.Observer]: what the record of the run says.
func (s *story) Observe(r *history.Record) {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if r.Hold != 0 {
		add("hold=%d", r.Hold)
	}
	if r.Token != 0 {
		add("token=%d", r.Token)
	}
	if r.Until != 0 {
		add("until=%v", r.Until)
	}
	if r.Text != "" {
		add("%s", r.Text)
	}
	s.lines = append(s.lines, line(int64(r.At), "history", r.Kind.String(), strings.Join(words, " ")))
}

func line(at int64, who, what, text string) string {
	return fmt.Sprintf("%4d.%09d %-12s %-13s %s", at/1e9, at%1e9, who, what, text)
}

// host finds a host by its name.
func (s *story) host(name string) (*host.Host, error) {
	if h := s.rig.Fleet.Find(name); h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("there is no host %q", name)
}

// hasClient reports whether there is a client of a number, and says so if not.
func (s *story) hasClient(c *command, client int) bool {
	if client < 1 || client > len(s.rig.Env.Clients) {
		c.fail("there is no client %d", client)
		return false
	}
	return true
}

// ends are the hosts that a command goes from and to, unless it says otherwise those given.
func (s *story) ends(c *command, usualFrom, usualTo string) (from, to *host.Host, err error) {
	if from, err = s.host(c.text("from", usualFrom)); err != nil {
		return nil, nil, err
	}
	to, err = s.host(c.text("to", usualTo))
	return from, to, err
}

// until is so long from now.
func (s *story) until(d time.Duration) time.Duration { return s.rig.World.Now().Add(d).Duration() }
