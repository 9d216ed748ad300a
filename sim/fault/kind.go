package fault

// Kind is what an action does.
type Kind string

const (
	// Pause stops a host; its clocks run on.
	Pause Kind = "pause"
	// Suspend stops a machine: the monotonic clock stops too, and the wall clock has
	// jumped when it wakes.
	Suspend Kind = "suspend"
	// Throttle gives a host only so much CPU time in each period.
	Throttle Kind = "throttle"
	// Crash ends a host's incarnation, and may start the next one.
	Crash Kind = "crash"

	// ClockStep steps a host's wall clock.
	ClockStep Kind = "clock-step"
	// ClockSlew moves a host's clocks little by little.
	ClockSlew Kind = "clock-slew"
	// ClockRate makes a host's clocks run faster or slower.
	ClockRate Kind = "clock-rate"
	// ClockFreeze makes a host's clocks stand still.
	ClockFreeze Kind = "clock-freeze"
	// ClockJitter makes each reading of a host's wall clock a little wrong.
	ClockJitter Kind = "clock-jitter"

	// Cut makes links carry nothing.
	Cut Kind = "cut"
	// Isolate cuts one host off from all others.
	Isolate Kind = "isolate"
	// Split cuts some hosts off from all others.
	Split Kind = "split"
	// Hang makes the connections that exist carry nothing, while new ones work.
	Hang Kind = "hang"
	// Reset breaks the connections that exist, and both ends notice.
	Reset Kind = "reset"
	// Loss loses a share of messages.
	Loss Kind = "loss"
	// Duplicate delivers a share of messages twice.
	Duplicate Kind = "duplicate"
	// Slow adds to the delay of links.
	Slow Kind = "slow"
	// Bandwidth limits what links carry in a second.
	Bandwidth Kind = "bandwidth"
	// Hold keeps one message back until the strike ends.
	Hold Kind = "hold"

	// SlowDisk makes a host's fsyncs take longer.
	SlowDisk Kind = "slow-disk"
	// DiskStall lets no fsync of a host end before the strike does.
	DiskStall Kind = "disk-stall"

	// Remove has the lock's record removed from the service by somebody who is no client.
	Remove Kind = "remove"
)

// behaviour is what the injector does for a kind. An action whose strike lasts is lifted
// by end; judge, called once when the strike ends or the run does, says whether it made a
// difference.
type behaviour struct {
	begin func(i *Injector, s *strike)
	end   func(i *Injector, s *strike)
	judge func(s *strike) bool
}

// behaviours has every kind.
var behaviours = map[Kind]behaviour{
	Pause:    {beginPause, nil, covered},
	Suspend:  {beginSuspend, nil, covered},
	Throttle: {beginThrottle, endThrottle, throttled},
	Crash:    {beginCrash, endCrash, changed},

	ClockStep:   {beginStep, nil, changed},
	ClockSlew:   {beginSlew, endSlew, changed},
	ClockRate:   {beginRate, endRate, changed},
	ClockFreeze: {beginFreeze, endFreeze, changed},
	ClockJitter: {beginJitter, endJitter, jittered},

	Cut:       {impose, lift, touched},
	Isolate:   {impose, lift, touched},
	Split:     {impose, lift, touched},
	Hang:      {impose, lift, touched},
	Reset:     {beginReset, nil, changed},
	Loss:      {impose, lift, touched},
	Duplicate: {impose, lift, touched},
	Slow:      {impose, lift, touched},
	Bandwidth: {impose, lift, touched},
	Hold:      {beginHold, endHold, caught},

	SlowDisk:  {beginSlowDisk, endSlowDisk, slowed},
	DiskStall: {beginDiskStall, nil, stalled},

	Remove: {beginRemove, nil, notYet},
}
