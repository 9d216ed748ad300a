package chubby

import (
	"encoding/binary"
	"time"

	"fencepost/sim/history"
)

// commandKind says what an entry of the log does.
type commandKind byte

const (
	newEpoch commandKind = iota + 1
	createSession
	expireSession
	acquireLock
	releaseLock
)

// command is an entry of the log, in an encoding of our own.
type command struct {
	kind       commandKind
	epoch      int64 // of the master that proposed it
	request    int64 // by which that master knows it
	session    int64
	generation int64          // of a release: of which holding
	delay      time.Duration  // of an acquire: the lock-delay
	hold       history.HoldID // for the record
}

func (c command) encode() []byte {
	b := make([]byte, 0, 45)
	b = append(b, byte(c.kind))
	for _, v := range [...]int64{c.epoch, c.request, c.session, c.generation, int64(c.delay)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return binary.LittleEndian.AppendUint32(b, uint32(c.hold))
}

func decode(b []byte) command {
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[1+8*i:])) }
	return command{kind: commandKind(b[0]), epoch: word(0), request: word(1), session: word(2), generation: word(3),
		delay: time.Duration(word(4)), hold: history.HoldID(binary.LittleEndian.Uint32(b[41:]))}
}
