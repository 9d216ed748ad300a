package consul

import (
	"encoding/binary"

	"fencepost/sim/history"
)

// commandKind says what an entry of the log does.
type commandKind byte

const (
	createSession commandKind = iota + 1
	destroySession
	expireSession // destroys it on behalf of the leader's timer
	lockKey
	unlockKey
	failNode      // marks a node's serfHealth as critical
	reviveNode    // and as passing
	removeSession // somebody who is no client destroys it; asked is the order
)

// command is an entry of the log, in an encoding of our own.
type command struct {
	kind    commandKind
	request uint64         // by whom it was proposed; unique
	subject int64          // session; or node, of a session to create or of a check
	hold    history.HoldID // for the record: on whose behalf, 0 if on the service's
	// asked is for the record, too: the last entry that the leader had applied when it let an
	// acquire pass for want of a lock-delay.
	asked int64
}

func (c command) encode() []byte {
	b := make([]byte, 0, 29)
	b = append(b, byte(c.kind))
	b = binary.LittleEndian.AppendUint64(b, c.request)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.subject))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.hold))
	return binary.LittleEndian.AppendUint64(b, uint64(c.asked))
}

func decode(b []byte) command {
	return command{
		kind:    commandKind(b[0]),
		request: binary.LittleEndian.Uint64(b[1:]),
		subject: int64(binary.LittleEndian.Uint64(b[9:])),
		hold:    history.HoldID(binary.LittleEndian.Uint32(b[17:])),
		asked:   int64(binary.LittleEndian.Uint64(b[21:])),
	}
}
