package redis

import (
	"fencepost/models"
	"fencepost/sim/network"
)

// What clients do that do not follow the documentation, and the parameters for it.

// acquireParam says how the key is set. Before Redis 2.6.12 SET had no options, and much
// code still sets the key and its time to live in two steps: a client that stops between
// them leaves a key that never expires (redis.io, SETNX, Design pattern: Locking with
// SETNX).
var acquireParam = models.Param{Name: "acquire", Unit: models.Choice, Choices: []string{"set-nx-px", "setnx-pexpire"},
	Doc: "how the key is set: with its time to live, or in two steps"}

const acquireBySet = 0

// releaseParam says how the key is deleted. DEL alone deletes whosever key is there, so
// that a holder whose key has expired takes away the next holder's lock (redis.io,
// Distributed Locks with Redis, Correct Implementation with a Single Instance).
var releaseParam = models.Param{Name: "release", Unit: models.Choice, Choices: []string{"compare-and-delete", "del"},
	Doc: "how the key is deleted: only if it has the client's value, or whosever it is"}

const releaseByDel = 1

// releasesByDel also says that the client takes nothing back: it could not tell whose key
// it would delete.
func (l *bare) releasesByDel() bool {
	return l.clients.env.Params.Choice(releaseParam.Name) == releaseByDel
}

// shortcut runs a command of such a client.
func (s *Server) shortcut(m *network.Message) changeKind {
	switch {
	case m.Op == OpSetNX && !s.present:
		s.present, s.key, s.until = true, Key{Value: m.Value, Hold: m.Hold}, never
		return keyBegun
	case m.Op == OpExpire && s.present:
		begun := s.until == never
		s.start(Key{Value: s.key.Value, Hold: s.key.Hold, TTL: m.TTL})
		if begun {
			return keySet
		}
		return keyExtended
	case m.Op == OpDel && s.has(m.Value):
		s.present = false
		return keyReleased
	case m.Op == OpDel && s.present:
		s.present = false
		return keyTaken
	}
	return unchanged
}
