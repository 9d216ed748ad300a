package redis

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// The reply to a SET NX is lost and the command is sent again: it meets its own key, and the
// client waits for it to expire, with nobody holding the lock. Without a second SET the
// client takes the key back, and has the lock 3 s after the first.
func TestFalseTaken(t *testing.T) {
	for _, retries := range []int64{1, 3} {
		r := newRig(t, 1, map[string]int64{"command-retries": retries})
		r.deaf(0, 0, 100*ms)
		u := r.Lock(0, 0, 0)
		r.Run(15 * second)
		between(t, "acquired", u.Acquired, at(10_002*ms), at(10_002*ms+255*ms))
		if grants := r.Records(u.Hold, history.Grant); len(grants) != 2 || !r.noted(u.Hold, "false-taken") {
			t.Errorf("%d grants, noted %t", len(grants), r.noted(u.Hold, "false-taken"))
		}
		r.Sound()
	}
	r := newRig(t, 1, nil)
	r.deaf(0, 0, 100*ms)
	u := r.Lock(0, 0, 0)
	r.Run(15 * second)
	between(t, "acquired without a second SET", u.Acquired, at(3*second), at(3*second+260*ms))
}

// Each command is sent once and then as often as the parameter says, 10 ms to 1 s apart.
func TestResends(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"command-retries": 9, "attempts": 1})
	r.mute(0, 0, 3600*second)
	var sent []int64
	var watch func()
	watch = func() { sent = append(sent, int64(r.World.Now())); r.OnStep(0, StepResend, watch) }
	r.OnStep(0, StepResend, watch)
	r.OnStep(0, "acquire.reply", func() { r.OnStep(0, StepResend, func() {}) }) // what follows is the delete
	r.Env.Clients[0].Go("client 1", func(p *host.Process) { _, _ = r.Lockers[0].Acquire(p, 1) })
	r.Recorder.NewHold(0, 1)
	r.Run(60 * second)
	if len(sent) != 9 {
		t.Fatalf("sent again %d times", len(sent))
	}
	last := int64(0)
	for n, when := range sent {
		most := min(1000*ms, 10*ms+(20*ms<<n))
		if delay := when - last - int64(3*second); delay < int64(10*ms) || delay > int64(most) {
			t.Errorf("sent again for the %d. time after %d ns, want 10 ms to %v", n+1, delay, most)
		}
		last = when
	}
}

// told is a service that answers with errors, one after the other, and then with nil.
type told struct {
	errs []error
	ops  []*network.Op
}

func (s *told) Call(_ *host.Process, _ int, b network.Body, _ time.Duration) (network.Message, error) {
	s.ops = append(s.ops, b.Op)
	if len(s.errs) == 0 {
		return network.Message{}, nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return network.Message{}, err
}

func (s *told) Send(*host.Process, int, network.Body)           {}
func (s *told) Confirm(*host.Process, int, history.HoldID) bool { return true }
func (s *told) Promises(int64) bool                             { return false }

// A SET that was surely not run needs no delete. One of which a first sending may have been
// run does, whatever the answer to the second is.
func TestRefusedCommands(t *testing.T) {
	for _, c := range []struct {
		errs []error
		want []*network.Op
	}{
		{[]error{ErrRefused, ErrRefused}, []*network.Op{OpSet, OpSet}},
		{[]error{host.ErrTimeout, ErrRefused}, []*network.Op{OpSet, OpSet, OpDelete}},
		{[]error{host.ErrTimeout, host.ErrTimeout}, []*network.Op{OpSet, OpSet, OpDelete}},
		{[]error{ErrRefused}, []*network.Op{OpSet, OpSet}},
	} {
		r := newRig(t, 1, map[string]int64{"command-retries": 1, "attempts": 1})
		service := &told{errs: c.errs}
		clients := NewClients(r.Env, service)
		clients.Reset()
		locker, hold := clients.Locker(0), r.Recorder.NewHold(0, 1)
		r.Env.Clients[0].Go("client", func(p *host.Process) { _, _ = locker.Acquire(p, hold) })
		r.Run(second)
		if !slices.Equal(service.ops, c.want) {
			t.Errorf("%v: sent %v, want %v", c.errs, service.ops, c.want)
		}
	}
}

// A copy of a SET that comes after the release sets the key again. It is nobody's, and it
// blocks everybody for a TTL; no promise is broken.
func TestSetAfterItsRelease(t *testing.T) {
	r := newRig(t, 2, nil)
	r.duplicate(0, OpSet, 2*second)
	u, waiter := r.Lock(0, 0, second), r.Lock(1, 5*second, 0)
	r.Run(15 * second)
	got := r.Records(u.Hold, history.Grant, history.ReleaseBegin, history.ServiceEnd)
	want := []history.Kind{history.Grant, history.ReleaseBegin, history.ServiceEnd, history.Grant, history.ReleaseBegin, history.ServiceEnd}
	if len(got) != len(want) {
		t.Fatalf("kinds %v, want %v", kinds(got), want)
	}
	equal(t, "set again", got[3].At, at(2001*ms))
	between(t, "client 2 is let in", waiter.Acquired, at(12*second), at(12*second+255*ms))
	if r.Grants.Violated() || r.Exclusion.Violated() {
		t.Errorf("%+v %+v", r.Grants.Findings(), r.Exclusion.Findings())
	}
}
