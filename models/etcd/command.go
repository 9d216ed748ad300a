package etcd

import (
	"encoding/binary"

	"fencepost/sim/history"
)

// commandKind says what an entry of the log does.
type commandKind byte

const (
	grantLease commandKind = iota + 1
	revokeLease
	lockTxn
	deleteKey
	checkpointLease
	removeKey // by somebody who is no client; seconds is the order
)

// command is an entry of the log. Its bytes are an encoding of our own, since those of
// the protobuf library differ between builds.
type command struct {
	kind    commandKind
	request uint64 // by whom it was proposed; unique
	lease   int64
	seconds int64          // TTL asked for, or what is left at a checkpoint
	hold    history.HoldID // for the record: on whose behalf, 0 if on the lessor's
}

func (c command) encode() []byte {
	b := make([]byte, 0, 29)
	b = append(b, byte(c.kind))
	b = binary.LittleEndian.AppendUint64(b, c.request)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.lease))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.seconds))
	return binary.LittleEndian.AppendUint32(b, uint32(c.hold))
}

func decode(b []byte) command {
	return command{
		kind:    commandKind(b[0]),
		request: binary.LittleEndian.Uint64(b[1:]),
		lease:   int64(binary.LittleEndian.Uint64(b[9:])),
		seconds: int64(binary.LittleEndian.Uint64(b[17:])),
		hold:    history.HoldID(binary.LittleEndian.Uint32(b[25:])),
	}
}
