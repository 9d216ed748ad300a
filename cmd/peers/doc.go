// Package peers measures the kernel beside other ways to run the same simulation: SimPy,
// ns-3, Go's testing/synctest and a plain loop over container/heap, in one run on one
// machine, because only ratios within a run mean something.
//
// # Workloads
//
//   - mm1: one first-come first-served server, exponential arrivals at a rate of 0.9 and
//     services at a rate of 1, counted per customer. The mean time in the system is 10
//     (1/(1−0.9)).
//   - pingpong: two players that answer each other; a message takes one time unit. A round
//     is a ping and a pong.
//   - hold: 32 pending events, each of which schedules another; counted per event.
//
// # The same work
//
// In check mode all programs draw from one small generator, so that their statistics have
// to agree to six digits: then the speeds are those of one simulation. Otherwise each
// draws from its own generator, as its users do, and is timed. Start-up is not timed.
//
// The programs of the peers stand in _peers and are written as the documentation of each
// simulator shows it; a peer that is not installed is left out, with the reason.
package peers
