package host

import (
	"errors"

	"fencepost/sim/network"
)

// ErrReset is what a call returns when its connection is reset before the reply comes
// (ECONNRESET; see [network.Network.Break]). Like [ErrTimeout] it is indefinite: the
// request may have been served.
var ErrReset = errors.New("connection reset")

// remembered is for how many of its last calls a process knows whom it asked. No client
// waits for older ones: a library that asks one server after the other waits for one call,
// and one that asks all at once for as many as there are servers, 99 at the most. It is a
// power of two, since every call is looked up modulo it.
const remembered = 128

// nobody has been asked.
var nobody = network.Addr{Node: -1}

// endedBy reports whether a call will get no reply because of a reset: it went to the
// peer, and was not made after the last call of the connection that was reset.
func (p *Process) endedBy(peer network.Addr, last, call uint32) bool {
	return call <= last && p.calls-call < remembered && p.asked[call%remembered] == peer
}

// giveUp counts the calls of a round, so many of them from first on, that a reset leaves
// without a reply, each once.
func (p *Process) giveUp(reset *network.Message, first uint32, calls int, replies []network.Message) (unanswered int) {
	for call := first; call < first+uint32(calls); call++ {
		if p.endedBy(reset.From, reset.Call, call) && !answered(replies, call) {
			p.asked[call%remembered] = nobody
			unanswered++
		}
	}
	return unanswered
}

func answered(replies []network.Message, call uint32) bool {
	for i := range replies {
		if replies[i].Call == call {
			return true
		}
	}
	return false
}
