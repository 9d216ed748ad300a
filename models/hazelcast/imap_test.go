package hazelcast

import (
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// imapRig is a cluster of three members whose map's lock is at member 1, with member 2 as the
// backup.
func imapRig(t *testing.T, clients int, params ...any) *rig {
	return newRig(t, clients, append([]any{"kind", imapLock}, params...)...)
}

// The owner answers when the backup has the lock, too; who waits is next, and there is no token.
func TestMapLock(t *testing.T) {
	r := imapRig(t, 2)
	u, waiter := r.Lock(0, sec, 3*sec), r.Lock(1, 2*sec, 0)
	r.Run(10 * sec)
	r.exactly("granted", r.Want(u.Hold, history.Grant).At, sim.Time(sec+hop))
	r.exactly("acquired", u.Acquired, sim.Time(sec+hop+2*hop+hop))
	r.exactly("handed over", r.Want(waiter.Hold, history.Grant).At, r.Want(u.Hold, history.ServiceEnd).At)
	if u.Token != 0 || u.Err != nil || r.System.(*imap).members[1].lock.client != 2 {
		t.Errorf("token %d, unlock %v, the backup has client %d", u.Token, u.Err, r.System.(*imap).members[1].lock.client)
	}
}

// sides are two groups of hosts by their places: members and clients.
func (r *rig) side(servers, clients []int) (hosts []*host.Host) {
	for _, i := range servers {
		hosts = append(hosts, r.server(i))
	}
	for _, i := range clients {
		hosts = append(hosts, r.Env.Clients[i])
	}
	return hosts
}

// Both sides of a split grant the lock (javadoc of ILock, split-brain): the one without the
// owner promotes its backup, or begins with a new lock if it has none, and frees what it does
// not hear the holder of. The service has let a second in while it goes on to promise the lock
// to the first, and neither is told.
func TestBothSidesOfASplitGrant(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, rest []int
	}{
		{"the backup is on the other side", []int{0}, []int{1, 2}},
		{"owner and backup are on one side", []int{0, 1}, []int{2}},
	} {
		r := imapRig(t, 2)
		r.Reset(3)
		u, waiter := r.Lock(0, sec, 0), r.Lock(1, 10*sec, 0)
		r.Run(2 * sec)
		r.split(r.side(c.first, []int{0}), r.side(c.rest, []int{1}))
		r.Run(150 * sec)
		if waiter.Acquired == 0 || !r.valid(0) || !r.valid(1) {
			t.Fatalf("%s: the other acquired at %v", c.name, waiter.Acquired)
		}
		granted := r.Want(waiter.Hold, history.Grant)
		r.within(c.name+": granted", granted.At, sim.Time(62*sec), sim.Time(135*sec))
		if r.last(u, history.Promise).Until < granted.At || len(r.Records(u.Hold, history.ServiceEnd)) != 0 {
			t.Errorf("%s: promised until %v, granted at %v", c.name, r.last(u, history.Promise).Until, granted.At)
		}
	}
}

// When the split heals, the smaller side gives its lock up. Its holder is told when it unlocks.
func TestMergeDropsTheSmallerSidesLock(t *testing.T) {
	r := imapRig(t, 2, "merge-first", 200*sec, "merge-next", 50*sec)
	u, waiter := r.Lock(0, sec, 300*sec), r.Lock(1, 10*sec, 0)
	r.Run(2 * sec)
	heal := r.split(r.side([]int{0}, []int{0}), r.side([]int{1, 2}, []int{1}))
	r.Run(180 * sec)
	if waiter.Acquired == 0 {
		t.Fatal("the larger side did not grant")
	}
	heal()
	r.Run(400 * sec)
	end := r.Want(u.Hold, history.ServiceEnd)
	r.within("the merge", end.At, sim.Time(200*sec), sim.Time(200*sec+4*hop))
	if u.Err != models.ErrNotHeld || !r.valid(1) || len(r.Records(waiter.Hold, history.ServiceEnd)) != 0 {
		t.Errorf("the first holder's unlock: %v, the second valid %v", u.Err, r.valid(1))
	}
	for i, want := range []int{1, 1, 1} { // member 2 owns the partition everywhere
		if got := r.System.(*imap).members[i].view[0]; got != want {
			t.Errorf("member %d sees member %d as the owner", i+1, got+1)
		}
	}
}

// The backup of an owner that dies has the lock, and its holder keeps it.
func TestOwnerCrashKeepsTheMapLock(t *testing.T) {
	r := imapRig(t, 2)
	u, waiter := r.Lock(0, sec, 150*sec), r.Lock(1, 2*sec, 0)
	r.At(10*sec, func() { r.server(0).Crash(host.LoseMemory) })
	r.Run(150 * sec)
	if waiter.Acquired != 0 {
		t.Fatalf("the other acquired at %v", waiter.Acquired)
	}
	r.Run(300 * sec)
	if end := r.Want(u.Hold, history.ServiceEnd); end.Text != "released" || u.Err != nil || waiter.Acquired == 0 {
		t.Errorf("unlock %v, the other acquired at %v", u.Err, waiter.Acquired)
	}
}

// Owner and backup die together: the third member begins with a new lock.
func TestTwoCrashesForgetTheMapLock(t *testing.T) {
	r := imapRig(t, 2)
	u, waiter := r.Lock(0, sec, 0), r.Lock(1, 2*sec, 0)
	r.At(10*sec, func() { r.server(0).Crash(host.LoseMemory); r.server(1).Crash(host.LoseMemory) })
	r.Run(300 * sec)
	if waiter.Acquired == 0 || !r.valid(0) || u.Acquired == 0 {
		t.Errorf("the other acquired at %v", waiter.Acquired)
	}
}

// The owner frees the lock of a holder that it has not heard of for a minute, within a
// heartbeat. When the holder wakes it is told nothing until it unlocks.
func TestSilentHolderLosesTheMapLock(t *testing.T) {
	r := imapRig(t, 2)
	u, waiter := r.Lock(0, sec, 120*sec), r.Lock(1, 2*sec, 0)
	r.At(10*sec, func() { r.Env.Clients[0].Pause(sim.Time(100 * sec)) })
	r.Run(110 * sec)
	heard := r.last(u, history.Promise).At
	end := r.Want(u.Hold, history.ServiceEnd)
	r.within("the end", end.At, heard.Add(60*sec), heard.Add(65*sec+hop))
	if end.Text != "holder gone" || !r.valid(0) || waiter.Acquired == 0 {
		t.Errorf("ended %q, valid %v, the other acquired at %v", end.Text, r.valid(0), waiter.Acquired)
	}
	r.Run(200 * sec)
	if u.Err != models.ErrNotHeld {
		t.Errorf("unlock: %v", u.Err)
	}
}

// A lease ends the lock also of a holder that is well.
func TestMapLockLease(t *testing.T) {
	r := imapRig(t, 2, "lease", 20*sec)
	u, waiter := r.Lock(0, sec, 30*sec), r.Lock(1, 2*sec, 5*sec)
	r.Run(60 * sec)
	grant, end := r.Want(u.Hold, history.Grant), r.Want(u.Hold, history.ServiceEnd)
	r.exactly("promise", r.last(u, history.Promise, history.Grant).Until, grant.At.Add(20*sec))
	r.exactly("the end", end.At, grant.At.Add(20*sec))
	if end.Text != "expired" || u.Err != models.ErrNotHeld || waiter.Err != nil {
		t.Errorf("ended %q; unlocks %v and %v", end.Text, u.Err, waiter.Err)
	}
}

// An owner whose backup does not answer waits for 5 s and answers all the same: a lock that has
// no backup.
func TestBackupTimeout(t *testing.T) {
	r := imapRig(t, 1)
	r.Net.Impose(&network.Rule{From: r.server(0).ID, To: r.server(1).ID, Op: OpBackup, Cut: true})
	u := r.Lock(0, sec, 0)
	r.Run(10 * sec)
	r.exactly("acquired", u.Acquired, sim.Time(sec+hop+backupTimeout+hop))
}

// The request whose reply is lost is repeated and finds that it has the lock.
func TestRepeatedMapLock(t *testing.T) {
	r := imapRig(t, 2, "timeout", 3*sec)
	rule := &network.Rule{From: r.server(0).ID, To: r.Env.Clients[0].ID, Op: OpMapLockReply, Cut: true}
	r.Net.Impose(rule)
	r.At(3*sec, func() { r.Net.Lift(rule) })
	u := r.Lock(0, sec, 0)
	waits := []time.Duration{2 * sec, 2500 * ms}
	for _, at := range waits {
		r.Lock(1, at, 0)
	}
	r.Run(10 * sec)
	r.exactly("acquired", u.Acquired, sim.Time(sec+3*sec+2*hop))
	if n := len(r.Records(u.Hold, history.Grant)); n != 1 {
		t.Errorf("%d grants", n)
	}
}

// The lease of one holding does not end the next.
func TestLeaseOfAnEarlierHolding(t *testing.T) {
	r := imapRig(t, 2, "lease", 20*sec)
	r.Lock(0, sec, 5*sec)
	u := r.Lock(1, 2*sec, 0)
	r.Run(60 * sec)
	r.exactly("the end", r.Want(u.Hold, history.ServiceEnd).At, r.Want(u.Hold, history.Grant).At.Add(20*sec))
}

// A new owner ends the lease that has run since it got its copy as the backup.
func TestLeaseSurvivesTheOwner(t *testing.T) {
	r := imapRig(t, 2, "lease", 100*sec)
	u := r.Lock(0, sec, 0)
	r.At(10*sec, func() { r.server(0).Crash(host.LoseMemory) })
	r.Run(200 * sec)
	r.exactly("the end", r.Want(u.Hold, history.ServiceEnd).At, r.Want(u.Hold, history.Grant).At.Add(hop+100*sec))
}

// Who is gone while it waits is passed over.
func TestDeadWaiterIsPassedOver(t *testing.T) {
	r := imapRig(t, 3)
	u, dead, waiter := r.Lock(0, sec, 99*sec), r.Lock(1, 2*sec, 0), r.Lock(2, 3*sec, 0)
	r.At(10*sec, func() { r.Env.Clients[1].Crash(host.LoseMemory) })
	r.Run(200 * sec)
	r.exactly("handed over", r.Want(waiter.Hold, history.Grant).At, r.Want(u.Hold, history.ServiceEnd).At)
	if len(r.Records(dead.Hold, history.Grant)) != 0 {
		t.Error("a dead client was granted the lock")
	}
}
