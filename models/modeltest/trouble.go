package modeltest

import (
	"time"

	"fencepost/sim"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Draw is where a test takes its choices from: whole numbers from lo to hi.
type Draw func(what string, lo, hi int) int

// Duration draws a duration of which all magnitudes are as likely.
func (d Draw) Duration(what string, lo, hi time.Duration) time.Duration {
	steps := 0
	for x := lo; x < hi; x *= 2 {
		steps++
	}
	base := lo << d(what+" magnitude", 0, max(steps-1, 0))
	return min(hi, base+base*time.Duration(d(what, 0, 999))/1000)
}

// Blow is one fault at one instant. It may be dealt to several worlds.
type Blow struct {
	At sim.Time
	// Class is that of the event that deals it: before all else that happens in its
	// instant, or after the timers.
	Class sim.Class
	// Name says what it is.
	Name string
	// Deal deals it. Later is for what ends it: an event of the class of faults.
	Deal func(f *host.Fleet, later func(d time.Duration, do func()))
}

// Trouble deals blows in a world. It is made before the world's first run.
type Trouble struct {
	fleet  *host.Fleet
	target sim.TargetID
	todo   []func()
}

// NewTrouble returns trouble for a world.
func NewTrouble(f *host.Fleet) *Trouble {
	t := &Trouble{fleet: f}
	t.target = f.World.Register(t)
	return t
}

// Reset schedules the blows of a run.
func (t *Trouble) Reset(blows []Blow) {
	t.todo = t.todo[:0]
	for _, b := range blows {
		t.schedule(b.Class, b.At, func() { b.Deal(t.fleet, t.later) })
	}
}

func (t *Trouble) schedule(c sim.Class, at sim.Time, do func()) {
	t.todo = append(t.todo, do)
	t.fleet.World.Schedule(c, sim.Event{At: at, Target: t.target, Slot: int32(len(t.todo) - 1)})
}

func (t *Trouble) later(d time.Duration, do func()) {
	t.schedule(sim.ClassFault, t.fleet.World.Now().Add(d), do)
}

// Fire implements [sim.Target].
func (t *Trouble) Fire(e sim.Event) { t.todo[e.Slot]() }

// Blow draws a fault of a host, or of a link between two of the hosts, that strikes at
// an instant.
func (d Draw) Blow(at sim.Time, hosts []int) Blow {
	pick := func(what string) int { return hosts[d(what, 0, len(hosts)-1)] }
	b := Blow{At: at, Class: [...]sim.Class{sim.ClassFault, sim.ClassDelivery}[d("class", 0, 1)]}
	on := pick("host")
	length := d.Duration("length", 50*time.Microsecond, 8*time.Second)
	if peer := pick("peer"); peer != on {
		b.Name, b.Deal = d.linkFault(on, peer, length)
	} else {
		b.Name, b.Deal = d.hostFault(on, length)
	}
	return b
}

type deal = func(f *host.Fleet, later func(d time.Duration, do func()))

func (d Draw) hostFault(on int, length time.Duration) (string, deal) {
	ppb := int64(d("ppb", -300, 300)) * []int64{1_000, 1_000_000, 3_000_000}[d("unit", 0, 2)]
	lost := host.Lost(d("lost", 0, 1))
	return d.one([]named{
		{"pause", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Hosts[on].Pause(f.World.Now().Add(length))
		}},
		{"suspend", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Hosts[on].Suspend(f.World.Now().Add(length))
		}},
		{"crash", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Hosts[on].Crash(lost)
			f.Hosts[on].RestartAt(f.World.Now().Add(length), false)
		}},
		{"restart", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Hosts[on].Crash(lost)
			f.Hosts[on].Restart(false)
		}},
		{"rate", func(f *host.Fleet, later func(time.Duration, func())) {
			f.Hosts[on].SetRate(ppb)
			later(length, func() { f.Hosts[on].SetRate(0) })
		}},
		{"bias", func(f *host.Fleet, later func(time.Duration, func())) {
			f.Hosts[on].SetBias(ppb)
			later(length, func() { f.Hosts[on].SetBias(0) })
		}},
		{"slew", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Hosts[on].Slew(length/100, length)
		}},
		{"freeze", func(f *host.Fleet, later func(time.Duration, func())) {
			f.Hosts[on].Freeze()
			later(length, f.Hosts[on].Thaw)
		}},
		{"step", func(f *host.Fleet, _ func(time.Duration, func())) { f.Hosts[on].Clock.Step(length) }},
		{"stall", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Hosts[on].Disk.Stall(f.World.Now().Add(length))
		}},
		{"slow disk", func(f *host.Fleet, later func(time.Duration, func())) {
			s := &host.Slowdown{Num: 50, Den: 1}
			f.Hosts[on].Disk.Slow(s)
			later(length, func() { f.Hosts[on].Disk.Restore(s) })
		}},
	})
}

func (d Draw) linkFault(on, peer int, length time.Duration) (string, deal) {
	share := rng.Chance{Num: int64(d("share", 1, 99)), Den: 100}
	resend := d("resend", 0, 1) == 1
	extra := rng.Exponential(d.Duration("extra", 100*time.Microsecond, time.Second))
	twoWay := d("ways", 1, 2) == 2
	rule := func(r network.Rule) deal {
		return func(f *host.Fleet, later func(time.Duration, func())) {
			a, b := []network.NodeID{f.Hosts[on].ID}, []network.NodeID{f.Hosts[peer].ID}
			rules := network.OneWay(nil, r, a, b)
			if twoWay {
				rules = network.TwoWay(nil, r, a, b)
			}
			for i := range rules {
				f.Net.Impose(&rules[i])
			}
			later(length, func() {
				for i := range rules {
					f.Net.Lift(&rules[i])
				}
			})
		}
	}
	return d.one([]named{
		{"cut", rule(network.Rule{Cut: true, Resend: resend})},
		{"loss", rule(network.Rule{Loss: share, Resend: resend})},
		{"duplicate", rule(network.Rule{Duplicate: share, Again: extra})},
		{"slow link", rule(network.Rule{Extra: extra})},
		{"narrow link", rule(network.Rule{BytesPerSecond: 10_000})},
		{"half-open", rule(network.Rule{Cut: true, Existing: true})},
		{"hold", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Net.Hold(&network.Hold{From: f.Hosts[on].ID, To: f.Hosts[peer].ID, Until: f.World.Now().Add(length), Count: 2})
		}},
		{"reset", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Net.Break(f.Hosts[on].ID, f.Hosts[peer].ID, 0)
		}},
		{"other delay", func(f *host.Fleet, _ func(time.Duration, func())) {
			f.Net.SetDelay(f.Hosts[on].ID, f.Hosts[peer].ID, extra)
		}},
	})
}

type named struct {
	name string
	deal deal
}

func (d Draw) one(of []named) (string, deal) {
	n := of[d("kind", 0, len(of)-1)]
	return n.name, n.deal
}
