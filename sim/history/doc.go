// Package history is the vocabulary of what happened in a run: who tried, who was
// let in, what was promised, who believed to hold the lock, what the resource saw,
// and which fault took effect.
//
// Models write records through a [Recorder]; monitors read them as they come and
// checkers read them afterwards. A record carries a sequence number, unique and
// rising, so that two things at one instant still have an order.
package history
