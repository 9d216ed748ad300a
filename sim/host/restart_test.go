package host

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fencepost/sim/network"
)

// TestRestarts: at once, later, void once something else restarts the host, and what the
// server and the fleet are told.
func TestRestarts(t *testing.T) {
	r := newRig()
	defer r.fleet.Close()
	h := r.fleet.NewHost("host")
	var got []string
	note := func(what string) { got = append(got, fmt.Sprintf("%s@%d", what, r.world.Now()/1e6)) }
	h.Server = restartable(func(lost Lost) { note(lost.String()) })
	r.fleet.OnRestart = func(*Host) { note("fleet") }
	s := r.script()
	s.do(10*ms, func() { h.Restart(false); h.RestartAt(at(11*ms), false) }) // it is up
	s.do(20*ms, func() { h.Crash(LoseMemory); h.Restart(false) })
	s.do(30*ms, func() { h.Crash(LoseUnsynced); h.RestartAt(at(50*ms), false); h.RestartAt(at(40*ms), false) })
	s.do(45*ms, func() { h.Crash(LoseMemory) }) // the restart at 50 ms was from another crash
	s.do(60*ms, func() { h.Crash(LoseUnsynced); h.RestartAt(at(70*ms), false) })
	s.do(80*ms, func() { h.Crash(LoseMemory); h.RestartAt(at(90*ms), true) })
	s.do(100*ms, func() { h.Crash(LoseUnsynced); h.Crash(LoseMemory); h.Restart(false) })
	r.run(time.Second)
	want := []string{"memory@20", "fleet@20", "unsynced writes@40", "fleet@40", "unsynced writes@70", "fleet@70",
		"everything@90", "fleet@90", "unsynced writes@100", "fleet@100"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if h.Incarnation() != 10 {
		t.Errorf("incarnation %d after 5 crashes and 5 restarts", h.Incarnation())
	}
}

// restartable is a server that notes what it has lost.
type restartable func(lost Lost)

func (f restartable) Restart(lost Lost)      { f(lost) }
func (restartable) Receive(*network.Message) {}
func (restartable) Timer(int)                {}
