//go:build linux

package live

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fencepost/checker"
)

// busy is by how much a machine that has other work may be late.
const busy = 5 * time.Second

// TestMain lets the test's own binary be a worker, a member of an etcd cluster, or a process that plays a case.
func TestMain(m *testing.M) {
	role := ""
	if len(os.Args) > 2 {
		role = os.Args[1]
	}
	var err error
	switch role {
	case "worker":
		err = Work(context.Background(), os.Args[2], os.Stdin, os.Stdout)
	case "etcd":
		err = serveEtcd(os.Args[2:])
	case "play":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = playOnce(ctx, os.Args[2])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

// needs skips a test without a program.
func needs(t *testing.T, program string) {
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program + " is not on the path")
	}
}

// one is the case of a name.
func one(t *testing.T, name string) *play {
	all := plays()
	i := slices.IndexFunc(all, func(p *play) bool { return p.name() == name })
	if i < 0 {
		t.Fatalf("no case %q", name)
	}
	return all[i]
}

// TestPauseOnRedis: the pause of the article on one Redis: client 2 gets in when the key has expired after 2 s, and
// both write. It needs redis-server.
func TestPauseOnRedis(t *testing.T) {
	needs(t, "redis-server")
	b := &bench{dir: t.TempDir(), Options: Options{Late: busy}}
	b.Histories = t.TempDir()
	o, err := one(t, "kleppmann redis none").once(t.Context(), b, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := o.instants[instant{2, gotIn}]
	if o.verdicts[checker.Exclusion] != "violated" || o.verdicts[checker.ResourceName] != "violated" || in < 2*time.Second-early || in > 10*time.Second {
		t.Errorf("%+v", o)
	}
	text, err := os.ReadFile(b.Histories + "/kleppmann-redis-none/lock.jsonl")
	// The model, and an acquire and a release of each client.
	if err != nil || strings.Count(string(text), "\n") != 1+4 {
		t.Errorf("history %q, %v", text, err)
	}
}

// TestCasesExist: the simulator has each case, its name is its own, and what is tried with each change is short.
func TestCasesExist(t *testing.T) {
	names := map[string]bool{}
	for _, p := range plays() {
		if names[p.name()] {
			t.Errorf("two cases are %q", p.name())
		}
		names[p.name()] = true
		seen, err := p.simulated(t.Context(), 2)
		if err != nil || seen.runs != 2 {
			t.Errorf("%s: %+v, %v", p.name(), seen, err)
		}
	}
}

// TestDiffers: a verdict that the simulator never has, something that comes too soon or too late, or not at
// all, is a difference.
func TestDiffers(t *testing.T) {
	const s = time.Second
	out := func(exclusion string, first, second time.Duration) outcome {
		o := outcome{verdicts: map[string]string{checker.Exclusion: exclusion}, first: first, instants: map[instant]time.Duration{{1, gotIn}: first}}
		if second > 0 {
			o.instants[instant{2, gotIn}] = second
		}
		return o
	}
	for _, c := range []struct {
		name            string
		simulated, real []outcome
		same            bool
	}{
		{"the same", []outcome{out("violated", 0, 2*s), out("violated", 0, 3*s)}, []outcome{out("violated", 0, 2*s), out("violated", 0, 3*s)}, true},
		{"all is a little later", []outcome{out("violated", 0, 2*s), out("violated", 0, 3*s)}, []outcome{out("violated", early, 3*s+early)}, true},
		{"the first grant is late", []outcome{out("violated", 0, 2*s), out("violated", 0, 3*s)}, []outcome{out("violated", s, 4*s)}, false},
		{"a verdict", []outcome{out("violated", 0, 2*s)}, []outcome{out("violated", 0, 2*s), out("ok", 0, 2*s)}, false},
		{"one of two verdicts", []outcome{out("violated", 0, 2*s), out("ok", 0, 2*s)}, []outcome{out("ok", 0, 2*s)}, true},
		{"too soon", []outcome{out("ok", 0, 2*s)}, []outcome{out("ok", 0, 1900*time.Millisecond)}, false},
		{"too late", []outcome{out("ok", 0, 2*s)}, []outcome{out("ok", 0, 2100*time.Millisecond)}, false},
		{"never", []outcome{out("ok", 0, 2*s)}, []outcome{out("ok", 0, 2*s), out("ok", 0, 0)}, false},
		{"never, as it may be", []outcome{out("ok", 0, 2*s), out("ok", 0, 0)}, []outcome{out("ok", 0, 0)}, true},
		{"never simulated", []outcome{out("ok", 0, 0)}, []outcome{out("ok", 0, 2*s)}, false},
	} {
		var simulated, real tally
		for _, o := range c.simulated {
			simulated.add(o)
		}
		for _, o := range c.real {
			real.add(o)
		}
		if got := real.differs(&simulated, early, early); len(got) == 0 != c.same {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestDial: a connection is made when its link carries something both ways. Else dialling ends with an error of
// dialling, as where nobody answers.
func TestDial(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	links := newLinks()
	defer links.stop()
	way, address, err := links.to(server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, c := range []struct {
		name        string
		there, back state
		made        bool
	}{
		{"well", state{}, state{}, true},
		{"lost there", state{lost: true}, state{}, false},
		{"lost back", state{}, state{lost: true}, false},
		{"well again", state{}, state{}, true},
		{"held", state{held: true}, state{}, false},
		{"slow", state{extra: 50 * time.Millisecond}, state{extra: 50 * time.Millisecond}, true},
	} {
		way.set(c.there, c.back)
		conn, err := dial(ctx, "tcp", address, 400*time.Millisecond)
		var op *net.OpError
		if c.made != (err == nil) || err != nil && (!errors.As(err, &op) || op.Op != "dial") {
			t.Errorf("%s: %v", c.name, err)
		}
		if conn != nil {
			conn.Close()
		}
	}
	server.Close()
	way.set(state{}, state{})
	if _, err := dial(ctx, "tcp", address, time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nobody listens: %v", err)
	}
}

// TestClock: a program reads what the file says, at once. It needs a C compiler and a dynamic date.
func TestClock(t *testing.T) {
	needs(t, compiler)
	needs(t, "date")
	var p preload
	library, err := p.library(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clock, err := newWallClock(t.TempDir() + "/clock")
	if err != nil {
		t.Fatal(err)
	}
	defer clock.close()
	for _, ahead := range []time.Duration{0, 11 * time.Second, -time.Hour} {
		clock.set(ahead)
		before := time.Now()
		date := exec.Command("date", "+%s%N")
		date.Env = clock.environment(library)
		text, err := date.Output()
		if err != nil {
			t.Fatal(err)
		}
		nanos, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if at := time.Unix(0, nanos).Add(-ahead); err != nil || at.Before(before) || at.After(time.Now()) {
			t.Errorf("ahead by %v it is %s, %v", ahead, text, err)
		}
	}
}
