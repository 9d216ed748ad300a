package hazelcast

import (
	"encoding/binary"

	"fencepost/sim/history"
)

// commandKind says what an entry of the log does.
type commandKind byte

const (
	newTerm commandKind = iota + 1
	createSession
	heartbeat
	expireSession
	lock
	unlock
	removeSession // by somebody who is no client; version is the order
)

// command is an entry of the log, in an encoding of our own.
type command struct {
	kind    commandKind
	session int64
	request int64          // identity of the request, which its retries share
	version int64          // of an expiry: that of the session that was over
	hold    history.HoldID // for the record
}

func (c command) encode() []byte {
	b := append(make([]byte, 0, 29), byte(c.kind))
	for _, v := range [...]int64{c.session, c.request, c.version} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return binary.LittleEndian.AppendUint32(b, uint32(c.hold))
}

func decode(b []byte) command {
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[1+8*i:])) }
	return command{kind: commandKind(b[0]), session: word(0), request: word(1), version: word(2),
		hold: history.HoldID(binary.LittleEndian.Uint32(b[25:]))}
}
