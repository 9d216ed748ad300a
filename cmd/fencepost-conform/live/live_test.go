//go:build linux

package live

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"fencepost/checker/external"
)

// TestMain lets the test's own binary be a worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := Work(context.Background(), os.Args[2:], os.Stdin, os.Stdout); err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestPauseOnRedis: one Redis, a worker that is stopped, another that gets in when the key has expired, and a
// write that comes late. It needs redis-server.
func TestPauseOnRedis(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not on the path")
	}
	p := play{&locks[0], "none", afterWrite}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o, h, err := p.once(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if o.exclusion != "violated" || o.resource != "violated" || o.second < ttl-loopback || o.second > ttl+10*time.Second {
		t.Errorf("%+v", o)
	}
	var b bytes.Buffer
	if err := external.Write(&b, h); err != nil || strings.Count(b.String(), "\n") != 4 {
		t.Errorf("history %q, %v", b.String(), err)
	}
}

// TestGuards: what is refused, and what is not.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		guard string
		asks  []ask
		ok    string
		lost  bool
	}{
		{"none", []ask{{Token: 1}, {Token: 2}, {Write: true, Value: 2, Token: 2}, {Write: true, Value: 1, Token: 1}}, "yyyy", true},
		{"fence-writes", []ask{{Token: 1}, {Token: 2}, {Write: true, Value: 2, Token: 2}, {Write: true, Value: 1, Token: 1}}, "yyyn", false},
		{"fence-writes", []ask{{Token: 1}, {Token: 2}, {Write: true, Value: 1, Token: 1}, {Write: true, Value: 2, Token: 2}}, "yyyy", true},
		{"fence-reads-writes", []ask{{Token: 1}, {Token: 2}, {Write: true, Value: 1, Token: 1}, {Write: true, Value: 2, Token: 2}}, "yyny", false},
		{"none", []ask{{}, {Write: true, Value: 1}, {}, {Write: true, Value: 2, Base: 1}}, "yyyy", false},
	} {
		r := &resource{guard: c.guard, base: map[int64]int64{}}
		got := ""
		for _, a := range c.asks {
			r.do(&a)
			got += map[bool]string{true: "y", false: "n"}[a.OK]
		}
		if got != c.ok || r.lostUpdate() != c.lost {
			t.Errorf("%s: answered %s and lost an update %t, want %s and %t", c.guard, got, r.lostUpdate(), c.ok, c.lost)
		}
	}
}

// TestWithin: mixed verdicts, and instants out of the range, are no agreement.
func TestWithin(t *testing.T) {
	want := expected{exclusion: "violated", resource: "ok", from: 2 * time.Second, to: 3 * time.Second, runs: 10}
	for _, c := range []struct {
		runs []outcome
		same bool
	}{
		{[]outcome{{"violated", "ok", 2 * time.Second}, {"violated", "ok", 3 * time.Second}}, true},
		{[]outcome{{"violated", "ok", 2 * time.Second}, {"violated", "violated", 3 * time.Second}}, false},
		{[]outcome{{"ok", "ok", 2 * time.Second}}, false},
		{[]outcome{{"violated", "ok", 1900 * time.Millisecond}}, false},
		{[]outcome{{"violated", "ok", 3100 * time.Millisecond}}, false},
	} {
		var e expected
		for _, o := range c.runs {
			e.add(o)
		}
		if e.within(want, loopback) != c.same {
			t.Errorf("%+v: agreement %t", c.runs, !c.same)
		}
	}
}

// TestPlansExist: the simulator has each case.
func TestPlansExist(t *testing.T) {
	for _, p := range plays() {
		if e, err := p.simulated(3); err != nil || e.exclusion != "violated" || e.runs != 3 {
			t.Errorf("%s: %+v, %v", p.name(), e, err)
		}
	}
}
