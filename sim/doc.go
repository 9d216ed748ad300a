// Package sim is the kernel of fencepost: virtual time, a totally ordered event
// queue and the coroutines on which sequential programs run.
//
// A [World] owns the virtual clock. Everything that happens is an [Event], a plain
// value in a typed heap, dispatched to the [Target] that was registered for it. At
// one instant events run in the order of their [Class], then in the order in which
// they were scheduled, so a run is a pure function of its inputs.
//
// The packages below build a machine room on top of it: sim/clock (what a host
// thinks the time is), sim/host (pauses, crashes, processes), sim/network (delay,
// loss, partitions, resets, held messages), sim/fault (what goes wrong, and the
// ledger of what took effect), sim/history (the vocabulary of what happened) and
// sim/trace (canonical text and the digest). Nothing here runs beside the event loop,
// reads the wall clock or, outside sim/rng, uses a float: coroutines are of the
// iter.Pull kind and get control passed.
package sim
