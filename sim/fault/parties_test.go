package fault

import (
	"testing"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// TestParties: whom a fault strikes besides clients, and whom it parts from the servers. The
// spare host is what the lock protects, and the server is the only one, or one of two.
func TestParties(t *testing.T) {
	const both, first = history.Clients(3), history.Clients(1)
	for _, c := range []struct {
		name    string
		fault   func(r *rig) Fault
		parties history.Parties
		apart   history.Clients
	}{
		{"a client", func(r *rig) Fault { return at(Pause, ms, r.clients[0]) }, 0, 0},
		{"the server", func(r *rig) Fault { return at(Crash, ms, r.server) }, history.Service | history.MostServers, 0},
		{"what is protected", func(r *rig) Fault { return at(Crash, ms, r.spare) }, history.Protected, 0},
		{"a client's link to the server", func(r *rig) Fault { return at(Cut, ms, r.clients[0]).from(r.server) }, history.Service, first},
		{"a client's link to what is protected", func(r *rig) Fault { return at(Cut, ms, r.clients[0]).from(r.spare) }, history.Protected, 0},
		{"a link between two clients", func(r *rig) Fault { return at(Cut, ms, r.clients[0]).from(r.clients[1]) }, 0, 0},
		{"all links of a client", func(r *rig) Fault { return at(Isolate, ms, r.clients[0]) }, history.Service | history.Protected, first},
		{"all links of the server", func(r *rig) Fault { return at(Isolate, ms, r.server) }, history.Service | history.MostServers, both},
		{"all links of what is protected", func(r *rig) Fault { return at(Isolate, ms, r.spare) }, history.Protected, 0},
		{"what is protected, from the server", func(r *rig) Fault { return at(Cut, ms, r.spare).from(r.server) }, history.Protected, 0},
		{"a held message to the server", func(r *rig) Fault { return at(Hold, ms, r.clients[0]).from(r.server, r.spare) }, history.Service, first},
	} {
		r := newRig(false, func(r *rig) []Fault { return []Fault{c.fault(r)} })
		r.injector.crew.Resource = r.spare
		r.run(1, 5*ms)
		got := faultsOf(r)[0]
		if got.Parties != c.parties || got.Apart != c.apart {
			t.Errorf("%s: parties %b, apart %b, want %b, %b", c.name, got.Parties, got.Apart, c.parties, c.apart)
		}
	}
}

// TestOneServerOfTwoIsNotMost: nobody is cut off who reaches another.
func TestOneServerOfTwoIsNotMost(t *testing.T) {
	r := newRig(false, func(r *rig) []Fault {
		return []Fault{at(Cut, ms, r.clients[0]).from(r.server), at(Crash, 2*ms, r.server), at(Cut, 3*ms, r.clients[0]).from(r.server, r.spare)}
	})
	r.run(1, 5*ms)
	for n, apart := range []history.Clients{0, 0, 1} {
		if got := faultsOf(r)[n]; got.Apart != apart || got.Parties != history.Service {
			t.Errorf("%s: %+v", got.Text, got)
		}
	}
}

// TestAmountsAndWhatIsHeld: by how much a clock is off, and which requests are kept back.
func TestAmountsAndWhatIsHeld(t *testing.T) {
	asks := func(op *network.Op) history.Effect {
		return map[*network.Op]history.Effect{opAsk: history.WriteEffect}[op]
	}
	hold := func(op *network.Op) func(a *Action) { return func(a *Action) { a.Op = op } }
	for _, c := range []struct {
		fault func(h *host.Host) Fault
		base  int64
		held  history.Effect
	}{
		{func(h *host.Host) Fault {
			return at(ClockStep, ms, h).with(func(a *Action) { a.By = forward(-3 * ms) })
		}, -3e6, 0},
		{func(h *host.Host) Fault {
			return at(ClockSlew, ms, h).lasting(ms).with(func(a *Action) { a.By = forward(2 * ms) })
		}, 2e6, 0},
		{func(h *host.Host) Fault { return at(ClockRate, ms, h).with(func(a *Action) { a.RatePPB = 500 }) }, 500, 0},
		{func(h *host.Host) Fault { return at(Pause, ms, h) }, 0, 0},
		{func(h *host.Host) Fault { return at(Hold, ms, h).with(hold(opAsk)) }, 0, history.WriteEffect},
		{func(h *host.Host) Fault { return at(Hold, ms, h).with(hold(opAnswer)) }, 0, 0},
		{func(h *host.Host) Fault { return at(Hold, ms, h).with(hold(nil)) }, 0, history.AnyEffect},
	} {
		r := newRig(false, func(r *rig) []Fault { return []Fault{c.fault(r.clients[0])} })
		r.injector.crew.Effects = asks
		r.run(1, 5*ms)
		if got := faultsOf(r)[0]; got.Base != c.base || got.Effect != c.held {
			t.Errorf("%s: base %d, effect %v, want %d, %v", got.Text, got.Base, got.Effect, c.base, c.held)
		}
	}
}

func faultsOf(r *rig) (faults []history.Record) {
	for _, rec := range r.recorder.Records {
		if rec.Kind == history.Fault {
			faults = append(faults, rec)
		}
	}
	return faults
}
