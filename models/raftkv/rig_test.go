package raftkv

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// usual is a timing with which most tests run, and its numbers.
var usual = Timing{Tick: tick, ElectionTicks: electionTicks, Spread: electionTicks, RequestTimeout: requestTimeout}

const (
	tick            = 100 * time.Millisecond
	electionTicks   = 10
	electionTimeout = electionTicks * tick
	requestTimeout  = 7 * time.Second
)

// counterApp is a replicated log of bytes.
type counterApp struct {
	member   *Member
	applied  []byte
	elected  int
	demoted  int
	readable []int

	unreadable []int
	again      bool // read again what was unreadable
}

func (a *counterApp) Restart()                    { a.applied, a.readable = nil, nil }
func (a *counterApp) Apply(_ uint64, data []byte) { a.applied = append(a.applied, data...) }
func (a *counterApp) Elected()                    { a.elected++ }
func (a *counterApp) Demoted()                    { a.demoted++ }
func (a *counterApp) Readable(tag int)            { a.readable = append(a.readable, tag) }
func (a *counterApp) Receive(network.Message)     {}
func (a *counterApp) Timer(int)                   {}
func (a *counterApp) is(want string) (string, bool) {
	return string(a.applied), string(a.applied) == want
}

// Unreadable may try again, under a tag that tells.
func (a *counterApp) Unreadable(tag int) {
	a.unreadable = append(a.unreadable, tag)
	if a.again {
		a.member.Read(tag + 100)
	}
}

// rig is a cluster alone in a world.
type rig struct {
	t       testing.TB
	world   *sim.World
	net     *network.Network
	fleet   *host.Fleet
	env     *models.Env
	cluster *Cluster
	apps    []*counterApp
}

// newRig is a rig whose members tick, so that tests may look into them.
func newRig(t testing.TB, fsync rng.Dist) *rig {
	var apps []*counterApp
	r := newRigOf(t, 3, usual, fsync, func(m *Member) App {
		a := &counterApp{member: m}
		apps = append(apps, a)
		return a
	})
	r.apps, r.env.EveryMessage = apps, true
	return r
}

// newRigOf is a rig of so many members with other programs.
func newRigOf(t testing.TB, members int, timing Timing, fsync rng.Dist, app func(m *Member) App) *rig {
	r := &rig{t: t, world: &sim.World{}}
	r.net = network.New(r.world)
	r.fleet = host.NewFleet(r.world, r.net)
	t.Cleanup(r.fleet.Close)
	r.env = &models.Env{Fleet: r.fleet, Recorder: history.NewRecorder(r.world.Now), Fsync: fsync}
	r.cluster = New(r.env, r.env.Servers("raft", members), timing, app)
	for _, from := range r.fleet.Hosts {
		for _, to := range r.fleet.Hosts {
			r.net.SetDelay(from.ID, to.ID, rng.LogNormal(45*time.Microsecond, 0.3))
		}
	}
	return r
}

func (r *rig) reset(seed uint64) {
	r.world.Reset(seed)
	r.net.Reset(seed)
	r.fleet.Reset()
	r.env.Recorder.Reset()
	r.env.Seed = seed
	for _, a := range r.apps {
		*a = counterApp{member: a.member}
	}
	r.cluster.Reset()
}

func (r *rig) runTo(d time.Duration) { r.world.Run(sim.Time(d)) }

func (r *rig) leader() *Member {
	r.t.Helper()
	m := r.cluster.Leader()
	if m == nil {
		r.t.Fatalf("no leader at %v", r.world.Now())
	}
	return m
}

func (r *rig) wantApplied(member uint64, want string) {
	r.t.Helper()
	if got, ok := r.apps[member-1].is(want); !ok {
		r.t.Errorf("member %d applied %q at %v, want %q", member, got, r.world.Now(), want)
	}
}
