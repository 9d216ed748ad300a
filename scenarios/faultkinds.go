package scenarios

import (
	"slices"
	"strings"
	"time"

	"fencepost/models/resource"
	"fencepost/sim/clock"
	"fencepost/sim/fault"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// FaultKind says what a kind of fault takes and does.
type FaultKind struct {
	Name string
	// Needs and Takes are the fields that it has to have and may have, besides its
	// target.
	Needs, Takes []string
	Doc          string

	read func(r *faultReader, a *actionPart, f *fault.Action)
}

// FaultKinds are all kinds, in the order of fault's documentation.
var FaultKinds = []FaultKind{
	kind(fault.Pause, "for", "", "the host stops for that long; its clocks run on", nil),
	kind(fault.Suspend, "for", "", "the machine sleeps: its monotonic clock stops too, and its wall clock has jumped when it wakes", nil),
	kind(fault.Throttle, "quota", "period for", "the host has only this much CPU time in each period", readThrottle),
	kind(fault.Crash, "", "restart lose", "the host's processes and memory are gone; it starts anew that long afterwards, or never", readCrash),
	kind(fault.ClockStep, "by", "", "the wall clock jumps, forward or back", readBy),
	kind(fault.ClockSlew, "by for", "", "both clocks move by that much in that time, at an even rate", readSlew),
	kind(fault.ClockRate, "rate", "for", "both clocks run that much faster or slower", readRate),
	kind(fault.ClockFreeze, "for", "clock", "the clocks stand still", readFreeze),
	kind(fault.ClockJitter, "by", "for", "each reading of the wall clock is wrong by up to that much", readJitter),
	kind(fault.Cut, "", "for direction resend", "the links to the peers carry nothing", readCut),
	kind(fault.Isolate, "", "for direction resend", "the links to all other hosts carry nothing", readCut),
	kind(fault.Split, "", "for direction resend", "the target and the peers on one side, all other hosts on the other: nothing passes between them", readCut),
	kind(fault.Hang, "", "for direction", "the connections that exist carry nothing, and nobody notices; new ones work", readHang),
	kind(fault.Reset, "", "", "the connections that exist break, and both ends notice", nil),
	kind(fault.Loss, "share", "for direction resend message", "this share of messages is lost, or sent again as TCP does", readLoss),
	kind(fault.Duplicate, "share", "later for direction message", "this share of messages arrives twice", readDuplicate),
	kind(fault.Slow, "delay", "for direction message", "each message takes that much longer", readSlow),
	kind(fault.Bandwidth, "limit", "for direction", "the link carries no more than that", readBandwidth),
	kind(fault.Hold, "message for", "", "the next message of that class arrives no earlier than that long after the fault fires", readHold),
	kind(fault.SlowDisk, "fsync", "for", "each fsync takes that long", readSlowDisk),
	kind(fault.DiskStall, "for", "", "no fsync ends before that time is over", nil),
	kind(fault.Remove, "", "", "somebody who is no client removes the lock's record from the service, whoever holds: an operator, a reaper, an eviction", nil),
}

func kind(k fault.Kind, needs, takes, doc string, read func(*faultReader, *actionPart, *fault.Action)) FaultKind {
	return FaultKind{string(k), strings.Fields(needs), strings.Fields(takes), doc, read}
}

// findKind returns a kind by its name, which is a key of a scenario file.
func findKind(name string) *FaultKind {
	return &FaultKinds[slices.IndexFunc(FaultKinds, func(k FaultKind) bool { return k.Name == name })]
}

// kindNames are the names of all kinds.
func kindNames() (names []string) {
	for i := range FaultKinds {
		names = append(names, FaultKinds[i].Name)
	}
	return names
}

// hasPeers reports whether a kind takes the other ends of links.
func (k *FaultKind) hasPeers() bool {
	switch fault.Kind(k.Name) {
	case fault.Cut, fault.Split, fault.Hang, fault.Reset, fault.Loss, fault.Duplicate, fault.Slow, fault.Bandwidth, fault.Hold:
		return true
	}
	return false
}

// fields are all that a kind takes.
func (k *FaultKind) fields() []string {
	all := []string{"client", "server", "host"}
	if k.hasPeers() {
		all = append(all, "clients", "servers", "hosts")
	}
	return slices.Concat(all, k.Needs, k.Takes)
}

// period is the default of the kernel's CPU bandwidth control
// (Documentation/scheduler/sched-bwc.rst, cpu.cfs_period_us).
const period = 100 * time.Millisecond

func readThrottle(r *faultReader, a *actionPart, f *fault.Action) {
	f.Quota = r.duration(a.Quota, 0, time.Microsecond)
	f.Period = r.duration(a.Period, period, time.Millisecond)
	if f.Quota > f.Period {
		r.fail(a.Quota, "a quota of %v in a period of %v limits nothing", f.Quota, f.Period)
	}
}

func readCrash(r *faultReader, a *actionPart, f *fault.Action) {
	lost := r.word(a.Lose, "memory", []string{"memory", "unsynced", "disk"})
	f.Lost = map[string]host.Lost{"memory": host.LoseMemory, "unsynced": host.LoseUnsynced, "disk": host.LoseEverything}[lost]
	f.Own, f.Forever = true, !a.Restart.set()
	f.Length = r.dist(a.Restart, rng.Constant(0))
	if lost == "disk" && f.Forever {
		r.fail(a.Lose, "a host that never restarts has no use for its disk: give `restart:` too")
	}
}

func readBy(r *faultReader, a *actionPart, f *fault.Action) {
	f.By = r.shift(a.By)
	r.nothing(a.By, isZero(f.By.Amount) && !f.By.Whole, "the clock does not move")
}

// readSlew refuses what no clock can do, as far as it can be told before the draw.
func readSlew(r *faultReader, a *actionPart, f *fault.Action) {
	readBy(r, a, f)
	by, fixed := f.By.Amount.IsConstant()
	if length, also := f.Length.IsConstant(); f.Own && fixed && also && !f.By.Whole && by >= length {
		r.fail(a.By, "a clock can be slewed by less than the time that it takes, here %v", length)
	}
}

func readJitter(r *faultReader, a *actionPart, f *fault.Action) {
	f.By = fault.Shift{Amount: r.dist(a.By, rng.Constant(0))}
	r.nothing(a.By, isZero(f.By.Amount), "no reading is wrong")
}

func readRate(r *faultReader, a *actionPart, f *fault.Action) {
	f.RatePPB = r.ppb(a.Rate, clock.MaxRatePPB, true)
}

func readFreeze(r *faultReader, a *actionPart, f *fault.Action) {
	f.WallOnly = r.word(a.Clock, "both", []string{"both", "wall"}) == "wall"
}

func readCut(r *faultReader, a *actionPart, f *fault.Action) {
	f.Network.Rule.Cut = true
	r.links(a, f, true)
}

func readHang(r *faultReader, a *actionPart, f *fault.Action) {
	f.Network.Rule.Cut, f.Network.Rule.Existing = true, true
	r.links(a, f, true) // the connection is not closed: TCP goes on with it when it can
}

func readLoss(r *faultReader, a *actionPart, f *fault.Action) {
	f.Network.Rule.Loss = r.chance(a.Share)
	r.nothing(a.Share, f.Network.Rule.Loss.Num == 0, "no message is lost")
	r.links(a, f, true)
}

func readDuplicate(r *faultReader, a *actionPart, f *fault.Action) {
	f.Network.Rule.Duplicate = r.chance(a.Share)
	r.nothing(a.Share, f.Network.Rule.Duplicate.Num == 0, "no message arrives twice")
	f.Network.Rule.Again = r.dist(a.Later, rng.Constant(0))
	r.links(a, f, false)
}

func readSlow(r *faultReader, a *actionPart, f *fault.Action) {
	f.Network.Rule.Extra = r.dist(a.Delay, rng.Constant(0))
	r.nothing(a.Delay, isZero(f.Network.Rule.Extra), "no message is later")
	r.links(a, f, false)
}

func readBandwidth(r *faultReader, a *actionPart, f *fault.Action) {
	f.Network.Rule.BytesPerSecond = r.bandwidth(a.Limit)
	r.links(a, f, false)
}

// links reads what all disturbances of links have in common. Resend is whether TCP sends
// again what is swallowed, unless the file says otherwise.
func (r *faultReader) links(a *actionPart, f *fault.Action, resend bool) {
	f.Network.Direction = map[string]fault.Direction{"both": fault.Both, "out": fault.Out, "in": fault.In}[r.word(
		a.Direction, "both", []string{"both", "out", "in"})]
	f.Network.Rule.Resend = r.flag(a.Resend, resend)
	if a.Message.set() {
		f.Network.Rule.Op = r.op(a.Message)
	}
}

func readHold(r *faultReader, a *actionPart, f *fault.Action) {
	f.Op = r.op(a.Message)
	switch {
	case len(f.Peers) == 1:
	case len(f.Peers) > 1:
		r.fail(a.Message, "a hold keeps back a message to one host: name one peer")
	case f.Op == resource.OpRead || f.Op == resource.OpWrite:
		f.Peers = append(f.Peers, target{role: roleResource})
	default:
		r.fail(a.Message, "a hold of %q needs the host that the message goes to: give one under `clients:`, `servers:` or `hosts:`", f.Op)
	}
}

func readSlowDisk(r *faultReader, a *actionPart, f *fault.Action) {
	f.Fsync = r.dist(a.Fsync, rng.Constant(0))
}

// op reads the class of a message. One that nobody sends under a guard makes that n/a.
func (r *faultReader) op(s *scalar) *network.Op {
	name := r.text(s)
	op := network.FindOp(name)
	if op == nil {
		r.fail(s, "%q is not a class of messages; %s", name, oneOf(network.OpNames()))
	}
	switch {
	case name == "mark" && !r.marks:
		r.guardLacks(s, "the guard wants no mark, so there is no such message")
	case strings.HasPrefix(name, r.lock.Name+".check") && r.lock.Asked != "" && !r.asks:
		r.guardLacks(s, "the resource asks the service under the guard ask-service alone, so there is no such message")
	}
	return op
}
