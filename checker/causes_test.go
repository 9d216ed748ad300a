package checker

import (
	"strings"
	"testing"

	"fencepost/sim"
	"fencepost/sim/history"
)

const w = history.WriteEffect

// note is what a model has noted of a hold.
func note(hold history.HoldID, text string) history.Record {
	return history.Record{Kind: history.Note, Hold: hold, Text: text}
}

// broken lets client 2 in 5 s before the promise to client 1 ends, which the service has ended as
// it says, after a fault.
func broken(fault, ended string) *run {
	x := newRun().hold(0, 1, 10*s, 0)
	if fault != "" {
		x.fault(3*s, 0, fault)
	}
	x.add(4*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: ended})
	return x.at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0)
}

// believes makes client 1 believe from 0 to 20 s with a promise up to 10 s, after a fault at 2 s, and
// lets client 2 in at 12 s.
func believes(client int, fault string) *run {
	x := newRun().hold(0, 1, 10*s, 0)
	if fault != "" {
		x.fault(2*s, client, fault)
	}
	return x.hold(12*s, 2, 22*s, 0).at(20*s, history.BeliefEnd, 1)
}

// writesLate is a write of client 1 that takes effect at 6 s, after its release and client 2's read.
func writesLate(client int, fault string) *run {
	x := newRun().hold(0, 1, 10*s, 0).read(s, 1, 0).send(2*s, 1, w)
	if fault != "" {
		x.fault(2*s, client, fault)
	}
	return x.release(3*s, 1).hold(4*s, 2, 14*s, 0).read(5*s, 2, 0).write(6*s, 1, 1, 0).send(7*s, 2, w).write(7*s, 2, 2, 1)
}

// caused is a run with the kind of its cause and what its sentence names. Twins differ from the one
// before them in what makes that cause false.
type caused struct {
	name  string
	run   *run
	set   Setting
	kind  CauseKind
	names string
}

var wall = Setting{Guard: "none", ServiceClock: "wall"}

var renewing = Setting{Guard: "none", ServiceClock: "wall", Renews: 7}

var ofService = []caused{
	{"a step of the server", broken("clock-step redis/1 by 11s", history.Expired), wall, ServerClockStepped, "clock-step redis/1"},
	{"a step of the resource", broken("clock-step resource by 11s", history.Expired), wall, BrokenPromise, ""},
	{"a step that is too short", broken("clock-step redis/1 by 1s", history.Expired), wall, BrokenPromise, ""},
	{"a step of a clock that ends no lease", broken("clock-step etcd/1 by 11s", history.Expired), Setting{Guard: "none", ServiceClock: "monotonic"}, BrokenPromise, ""},
	{"a step, and then a crash of the resource", newRun().hold(0, 1, 10*s, 0).fault(s, 0, "clock-step redis/1 by 11s").fault(2*s, 0, "crash resource").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, ServerClockStepped, "clock-step redis/1"},
	{"a crash, and then a step of the resource", newRun().hold(0, 1, 10*s, 0).fault(s, 0, "crash redis/1").fault(2*s, 0, "clock-step resource by 11s").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, PromiseForgotten, "crash redis/1"},
	{"a step before the last renewal but one", newRun().hold(0, 1, 4*s, 0).fault(s, 0, "clock-step redis/1 by 11s").add(2*s, history.Record{Kind: history.Promise, Hold: 1, Until: 8 * s}).
		add(3*s, history.Record{Kind: history.Promise, Hold: 1, Until: 10 * s}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"steps of two servers do not add up", newRun().hold(0, 1, 10*s, 0).fault(s, 0, "clock-step redis/1 by 3s").fault(2*s, 0, "clock-step redis/2 by 3s").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"a step back before the promise was made takes nothing from one after it", newRun().at(0, history.Attempt, 1).fault(s, 0, "clock-step redis/1 by -9s").
		add(2*s, history.Record{Kind: history.Grant, Hold: 1, Until: 10 * s}).fault(3*s, 0, "clock-step redis/1 by 6s").hold(5*s, 2, 15*s, 0), wall, ServerClockStepped, "by 6s"},
	{"two steps of one server do", newRun().hold(0, 1, 10*s, 0).fault(s, 0, "clock-step redis/1 by 3s").fault(2*s, 0, "clock-step redis/1 by 3s").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, ServerClockStepped, "at 2.000 s"},
	{"a fast clock", newRun().hold(0, 1, 10*s, 0).fault(0, 0, "clock-rate redis/1 for 9s").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, ServerClockFast, "clock-rate"},
	{"a slow clock", newRun().hold(0, 1, 10*s, 0).fault(0, 0, "clock-rate redis/1 slower for 9s").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"a crash that lost it", broken("crash redis/1", history.Lost), wall, PromiseForgotten, "crash redis/1 at 3.000 s"},
	{"a crash before it expired", broken("crash redis/1", history.Expired), wall, BrokenPromise, ""},
	{"a crash of a client", newRun().hold(0, 1, 10*s, 0).fault(s, 3, "crash client/3").at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"a failover", broken("crash redis/1", history.LostInFailover), wall, FailoverLost, "crash redis/1"},
	{"a merge", broken("split hazelcast/1", history.LostInMerge), wall, SplitBrain, ""},
	{"a split", newRun().hold(0, 1, 10*s, 0).add(3*s, note(1, history.SplitSides+": hazelcast/2 lets others have the lock")).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, SplitBrain, ""},
	{"a stale leader", newRun().hold(0, 1, 10*s, 0).fault(2*s, 0, "disk-stall etcd/1 for 6s").add(3*s, note(1, history.StaleLeader+": etcd/1 revokes the lease")).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, StaleLeader, "at 3.000 s etcd/1 revokes the lease, after disk-stall etcd/1 for 6s"},
	{"a stale leader, and a clock that has nothing to do with it", newRun().hold(0, 1, 10*s, 0).fault(2*s, 0, "clock-slew redis/3 by -1s").add(3*s, note(1, "redis/1: "+history.StaleLeader+": grants a lock")).
		at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, StaleLeader, "redis/1 grants a lock, and the service"},
	{"a lease that was dated back", newRun().hold(0, 1, 10*s, 0).add(0, history.Record{Kind: history.Note, Hold: 1, Base: 5e9, Text: history.DatedBack + " 5s earlier"}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, LeaseDatedBack, "5s earlier"},
	{"a lease that was dated back by less", newRun().hold(0, 1, 10*s, 0).add(0, history.Record{Kind: history.Note, Hold: 1, Base: 1e9, Text: history.DatedBack + " 1s earlier"}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"a stale leader, for another", newRun().hold(0, 1, 10*s, 0).add(3*s, note(3, history.StaleLeader+": etcd/1 revokes the lease")).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"a health check", newRun().hold(0, 1, 10*s, 0).fault(s, 1, "cut client/1 for 9s").add(4*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: history.Unhealthy}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, HealthCheck, "cut client/1"},
	{"a foreign unlock", newRun().hold(0, 1, 10*s, 0).at(3*s, history.ReleaseBegin, 3).add(4*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: history.ForeignRelease}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, ForeignUnlock, "client 3"},
	{"a foreign unlock, and it was let in again", newRun().hold(0, 1, 10*s, 0).at(s, history.ReleaseBegin, 3).add(2*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: history.ForeignRelease}).
		add(3*s, history.Record{Kind: history.Grant, Hold: 1, Until: 10 * s}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, BrokenPromise, ""},
	{"an operator", newRun().hold(0, 1, 10*s, 0).removal(3*s, 1, true).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0), wall, ThirdParty, "remove"},
	{"a challenger whose clock is ahead", newRun().fault(0, 2, "clock-step client/2 by 1h").hold(s, 1, 10*s, 0).add(5*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: history.TakenOver}).at(5*s, history.BeliefEnd, 1).hold(5*s, 2, 15*s, 0),
		wall, TakenOverEarly, "clock-step client/2 by 1h"},
	{"a challenger whose clock is right", broken("", history.TakenOver), wall, TakenOverEarly, "by its own clock."},
}

var ofHolders = []caused{
	{"a pause", believes(1, "pause client/1 for 9s"), renewing, PauseOutlived, "pause client/1"},
	{"a pause of another", believes(2, "pause client/2 for 9s"), wall, Overran, ""},
	{"a short pause within the lease", believes(1, "pause client/1 for 2s"), wall, Overran, ""},
	{"a pause within the lease without which it would have been done", newRun().hold(0, 1, 10*s, 0).fault(2*s, 1, "pause client/1 for 6s").hold(12*s, 2, 22*s, 0).at(15*s, history.BeliefEnd, 1), wall, PauseOutlived, ""},
	{"the pause at the end of the lease, and not the longest", newRun().fault(0, 1, "pause client/1 for 59s").hold(60*s, 1, 70*s, 0).fault(69*s, 1, "pause client/1 for 5s").hold(72*s, 2, 82*s, 0), wall, PauseOutlived, "pause client/1 for 5s"},
	{"a machine asleep", believes(1, "suspend client/1 for 9s"), wall, MachineAsleep, "suspend"},
	{"little CPU", believes(1, "throttle client/1 for 9s"), wall, HolderThrottled, "throttle"},
	{"a slow clock", believes(1, "clock-rate client/1 slower for 9s"), wall, HolderClock, "clock-rate"},
	{"a clock that is not slow enough", believes(1, "clock-rate client/1 slower for 2s"), wall, Overran, ""},
	{"a fast clock", believes(1, "clock-rate client/1 for 9s"), wall, Overran, ""},
	{"a cut link to the service", believes(1, "cut client/1 for 9s"), renewing, CutOff, "cut client/1"},
	{"a cut link that healed in time", believes(1, "cut client/1 for 1s"), renewing, RenewalLate, ""},
	{"a cut link, and nobody renews", believes(1, "cut client/1 for 9s"), wall, Overran, ""},
	{"a cut link to the resource", believes(1, "cut client/1 resource for 9s"), renewing, RenewalLate, ""},
	{"a cut link of another", believes(3, "cut client/3 for 9s"), renewing, RenewalLate, ""},
	{"a held read", believes(1, "hold client/1 read for 9s"), renewing, RenewalLate, ""},
	{"a held renewal", believes(1, "hold client/1 redis.extend for 9s"), renewing, CutOff, "hold"},
	{"the service stood still", believes(0, "pause redis/1 for 9s"), renewing, ServiceSilent, "pause redis/1"},
	{"the resource stood still", believes(0, "pause resource for 9s"), renewing, RenewalLate, ""},
	{"no renewal", believes(0, ""), renewing, RenewalLate, "not renewed in time"},
	{"renewed once", newRun().hold(0, 1, 5*s, 0).add(3*s, history.Record{Kind: history.Promise, Hold: 1, Until: 10 * s}).hold(12*s, 2, 22*s, 0), wall, RenewalLate, ""},
	{"too long a section", believes(0, ""), wall, Overran, "nobody renews"},
	{"a section that waits for its write", newRun().hold(0, 1, 10*s, 0).send(8*s, 1, w).fault(8*s, 1, "cut client/1 resource for 9s").hold(12*s, 2, 22*s, 0).write(18*s, 1, 1, 0), wall, WaitedForData, "cut client/1 resource"},
	{"a section that has its answer", newRun().hold(0, 1, 10*s, 0).send(8*s, 1, w).write(9*s, 1, 1, 0).hold(12*s, 2, 22*s, 0), wall, Overran, ""},
	{"a late reply", newRun().at(0, history.Attempt, 1).add(0, history.Record{Kind: history.Grant, Hold: 1, Until: 5 * s}).hold(6*s, 2, 16*s, 0).at(7*s, history.BeliefBegin, 1), wall, ReplyLate, "began to believe"},
	{"nothing was granted", newRun().hold(0, 1, 10*s, 0).at(s, history.Attempt, 2).at(2*s, history.BeliefBegin, 2), wall, NeverLetIn, "client 2"},
	{"both were promised it", newRun().hold(0, 1, 10*s, 0).at(s, history.ReleaseBegin, 1).hold(2*s, 2, 12*s, 0), wall, BothBelieved, ""},
	{"the promise as of then, and not a later one", newRun().hold(0, 1, 10*s, 0).hold(12*s, 2, 22*s, 0).at(13*s, history.BeliefEnd, 2).at(13*s, history.ReleaseBegin, 2).
		add(14*s, history.Record{Kind: history.Grant, Hold: 1, Until: 30 * s}), wall, Overran, "2.000 s before the overlap"},
	{"an operator", newRun().hold(0, 1, 20*s, 0).removal(2*s, 1, true).release(3*s, 3).at(4*s, history.ReleaseBegin, 1).hold(11*s, 2, 21*s, 0), wall, ThirdParty, "remove"},
}

var ofRequests = []caused{
	{"a held write", writesLate(1, "hold client/1 write for 4s"), wall, LateRequest, "hold client/1 write"},
	{"a held read", writesLate(1, "hold client/1 read for 4s"), wall, LateRequest, "was under way for"},
	{"a write that was held for a while", writesLate(1, "hold client/1 write for 200ms"), wall, LateRequest, "was under way for"},
	{"a held read, and the write is applied slowly", writesLate(1, "hold client/1 read for 200ms"), Setting{Guard: "none", Applies: true}, SlowResource, "being applied"},
	{"a held write of another", writesLate(2, "hold client/2 write for 4s"), wall, LateRequest, "was under way for"},
	{"a cut link to the resource", writesLate(1, "cut client/1 resource for 3s"), wall, LateRequest, "cut client/1"},
	{"a cut link to the service", writesLate(1, "cut client/1 for 3s"), wall, LateRequest, "was under way for"},
	{"the resource stood still", writesLate(0, "pause resource for 4s"), wall, SlowResource, "waited there (pause resource"},
	{"the service stood still", writesLate(0, "pause redis/1 for 4s"), wall, LateRequest, "was under way for"},
	{"a copy", newRun().hold(0, 1, 10*s, 0).read(s, 1, 0).send(2*s, 1, w).fault(2*s, 1, "duplicate client/1 resource for 9s").write(2*s, 1, 1, 0).release(3*s, 1).hold(4*s, 2, 14*s, 0).read(5*s, 2, 1).
		send(5*s, 2, w).write(5*s, 2, 2, 1).write(6*s, 1, 1, 2), wall, RequestTwice, "a copy of the write of client 1 (duplicate"},
	{"an old value", newRun().hold(0, 1, 10*s, 0).read(0, 1, 0).send(s, 1, w).write(s, 1, 1, 0).release(2*s, 1).hold(3*s, 2, 13*s, 0).read(4*s, 2, 0), wall, OldValueServed, "v0"},
	{"nothing that is known", newRun().hold(0, 1, 10*s, 0).read(0, 1, 0).write(s, 3, 1, 0).send(s, 1, w).write(2*s, 1, 2, 1), wall, Unexplained, ""},
	{"a job that goes on", newRun().hold(0, 1, 10*s, 0).add(s, asks(1)).add(s, does(1, 0, 9*s)).release(2*s, 1).hold(3*s, 2, 13*s, 0).add(4*s, asks(2)).add(4*s, does(2, 1, 5*s)), wall, JobOutlived, ""},
	{"a job that was not recorded", newRun().hold(0, 1, 10*s, 0).add(s, asks(1)).add(s, does(1, 1, s)).release(2*s, 1).hold(3*s, 2, 13*s, 0).add(4*s, asks(2)).add(4*s, does(2, 1, 4*s)), wall, EffectUnnoted, ""},
}

var ofTheRest = []caused{
	{"ended early", newRun().hold(0, 1, 10*s, 0).add(4*s, history.Record{Kind: history.ServiceEnd, Hold: 1}).at(5*s, history.BeliefEnd, 1), wall, EndedEarly, ""},
	{"ended early by a crash", newRun().hold(0, 1, 10*s, 0).fault(3*s, 0, "crash redis/1").add(4*s, history.Record{Kind: history.ServiceEnd, Hold: 1, Text: history.Lost}).at(5*s, history.BeliefEnd, 1), wall, PromiseForgotten, "crash redis/1"},
	{"kept too long", newRun().hold(0, 1, sim.Forever, 0).at(0, history.Attempt, 2).at(s, history.BeliefEnd, 1).at(s, history.ReleaseBegin, 1).hold(s, 3, sim.Forever, 0).at(13*s, history.ServiceEnd, 1), wall, KeptTooLong, ""},
	{"not moved on", newRun().at(0, history.Attempt, 1).at(12*s, history.GiveUp, 1), wall, NotMovedOn, ""},
	{"not moved on, and a fault that was over when somebody was let in", newRun().fault(0, 0, "pause redis/1 for 1s").hold(2*s, 2, 4*s, 0).release(3*s, 2).at(4*s, history.Attempt, 1).at(20*s, history.GiveUp, 1), wall, NotMovedOn, "move on: "},
	{"tokens fall", newRun().hold(0, 1, 10*s, 2).release(s, 1).hold(2*s, 2, 12*s, 1), wall, TokenOrder, ""},
	{"a rejection", newRun().add(0, history.Record{Kind: history.Reject, Hold: 1, Effect: w}), wall, GuardRejected, ""},
	{"nothing", newRun(), wall, NothingBroke, ""},
	{"a bound", newRun(), Setting{Bound: BoundUntil}, BoundReached, ""},
}

// passedOver is a run in which client 1 waits and client 2 is let in twice.
func passedOver() *run {
	x := newRun()
	x.Progress.StarvedAfter = 1
	x.at(0, history.Attempt, 1).hold(s, 2, 5*s, 0).release(2*s, 2)
	again := x.r.NewHold(1, 2)
	return x.hold(3*s, again, 9*s, 0).release(4*s, again).at(5*s, history.GiveUp, 1)
}

// TestCauseKinds: what is to blame, and that its twin is not.
func TestCauseKinds(t *testing.T) {
	all := append([]caused{{"passed over", passedOver(), wall, PassedOver, ""}}, ofService...)
	all = append(append(append(all, ofHolders...), ofRequests...), ofTheRest...)
	tested := map[CauseKind]bool{}
	for _, c := range all {
		c.run.Exclusion.Finish(c.run.now)
		c.run.Progress.Finish(c.run.now)
		got := c.run.Cause(c.run.r, c.set)
		if got.Kind != c.kind || !strings.Contains(got.Text, c.names) {
			t.Errorf("%s: %s: %s\nwant %s, naming %q", c.name, got.Kind, got.Text, c.kind, c.names)
		}
		tested[c.kind] = true
	}
	for _, known := range Causes {
		if !tested[known.Kind] {
			t.Errorf("no run is caused by %s", known.Kind)
		}
	}
}

// TestListOfCauses: each kind has a line, and a meaning of its own.
func TestListOfCauses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Causes {
		if c.Kind == "" || c.Meaning == "" || seen[string(c.Kind)] || seen[c.Meaning] {
			t.Errorf("%+v", c)
		}
		seen[string(c.Kind)], seen[c.Meaning] = true, true
	}
}

// A job that was begun when its hold had ended is a request that came late, and not one that
// nobody could tell of, nor one that no guard ends: a guard could have refused it.
func TestJobBegunAfterItsHold(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 1).add(s, asks(1)).release(2*s, 1)
	x = x.hold(3*s, 2, 13*s, 2).add(4*s, asks(2)).add(4*s, does(2, 1, 4*s)).release(5*s, 2).add(9*s, does(1, 1, 9*s))
	if got := x.Cause(x.r, Setting{Guard: "none", HasToken: true}); got.Kind != LateRequest {
		t.Errorf("%v: %s", got.Kind, got.Text)
	}
}

// The guard before the record says nothing of the job, also if it is one that asks the service.
func TestAskingBesideTheJob(t *testing.T) {
	x := newRun().hold(0, 1, 10*s, 1).add(s, asks(1)).hold(11*s, 2, 21*s, 2).add(12*s, asks(2)).add(12*s, does(2, 1, 12*s)).release(13*s, 2).add(14*s, does(1, 1, 14*s))
	got := x.Cause(x.r, Setting{Guard: "ask-service", HasToken: true, Asks: true, Beside: true})
	if !strings.Contains(got.Text, "stands before the record") || strings.Contains(got.Text, "let it pass") {
		t.Error(got.Text)
	}
}
