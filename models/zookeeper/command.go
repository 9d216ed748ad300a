package zookeeper

import (
	"encoding/binary"
	"time"

	"fencepost/sim/history"
)

// commandKind says what an entry of the log, a transaction, does.
type commandKind byte

const (
	newEpoch      commandKind = iota + 1
	createSession             // a client that has none
	moveSession               // a client that comes from another connection
	closeSession
	createParent
	createNode
	deleteNode
	deleteParent
	removeNode // by somebody who is no client; term is the order
)

// command is an entry of the log. Its request is unique, and names the connection for
// createSession and moveSession.
type command struct {
	kind    commandKind
	request uint64
	owner   uint64 // connection on which it came; 0 is the leader itself
	session int64
	node    int64  // GUID in the name of a lock node
	term    uint64 // newEpoch: of the leader
	timeout time.Duration
	hold    history.HoldID // for the record: on whose behalf
}

func (c command) encode() []byte {
	b := make([]byte, 0, 53)
	b = append(b, byte(c.kind))
	for _, word := range [...]uint64{c.request, c.owner, uint64(c.session), uint64(c.node), c.term, uint64(c.timeout)} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(c.hold))
}

func decode(b []byte) command {
	word := func(n int) uint64 { return binary.LittleEndian.Uint64(b[1+8*n:]) }
	return command{
		kind:    commandKind(b[0]),
		request: word(0), owner: word(1),
		session: int64(word(2)), node: int64(word(3)),
		term: word(4), timeout: time.Duration(word(5)),
		hold: history.HoldID(binary.LittleEndian.Uint32(b[49:])),
	}
}
