package redis

import (
	"fencepost/sim/network"
)

// The scripts of Redisson's RLock (redisson/redisson RedissonLock.java), for which the lock
// is a hash with one field: its name is the owner, a thread of one client, and its value
// counts how often the owner has entered. Here the owner is the key's value.

var (
	// OpLock is tryLockInnerAsync: the lock is entered if nobody has it or its owner asks;
	// with Key 1 it is that of RedissonFencedLock, which counts tokens. The reply has the
	// token, or how long the lock has still to live.
	OpLock = network.NewOp("redisson.lock")
	// OpUnlock is unlockInnerAsync: the owner leaves, and who left as often as it entered
	// deletes the lock and tells the subscribers.
	OpUnlock = network.NewOp("redisson.unlock")
	// OpSubscribe and OpUnsubscribe are about the lock's channel; Key is the port of the
	// client's connection for messages.
	OpSubscribe   = network.NewOp("subscribe")
	OpUnsubscribe = network.NewOp("unsubscribe")
	// OpUnlocked is the message on the channel.
	OpUnlocked = network.NewOp("redisson.unlocked")
)

// Reentered is why a hold ended that its thread was never told of, because a later attempt
// of the same thread entered the lock.
const Reentered = "entered by a later attempt of its own thread"

// withToken is the Key of an OpLock that asks for a token.
const withToken = 1

// lock is tryLockInnerAsync. A script that comes twice enters twice.
func (s *Server) lock(m *network.Message, reply *network.Body) changeKind {
	if s.present && s.key.Value != m.Value {
		reply.TTL = s.left()
		return unchanged
	}
	what, k := s.entered(m)
	if m.Key == withToken {
		s.counter++
		k.Token, reply.Token = s.counter, s.counter
	}
	s.entries++
	s.start(k)
	return what
}

// entered is what it means that an owner enters, and the key that there is then.
func (s *Server) entered(m *network.Message) (what changeKind, k Key) {
	k = Key{Value: m.Value, Hold: m.Hold, TTL: m.TTL}
	switch {
	case !s.present:
		s.present, s.entries = true, 0
		return keySet, k
	case m.Hold > s.key.Hold:
		return keyEntered, k
	}
	k.Hold = s.key.Hold
	return keyExtended, k
}

// unlock is unlockInnerAsync.
func (s *Server) unlock(m *network.Message, reply *network.Body) changeKind {
	if s.latched(m) {
		reply.OK = true
		return unchanged
	}
	if !s.has(m.Value) {
		return unchanged
	}
	s.latch(m)
	s.entries--
	if s.entries > 0 {
		s.start(Key{Value: s.key.Value, Hold: s.key.Hold, TTL: m.TTL, Token: s.key.Token})
		return keyExtended
	}
	s.present = false
	return keyUnlocked
}

// subscription adds a client to those who are told of an unlock, or removes it.
func (s *Server) subscription(m *network.Message) {
	who := network.Addr{Node: m.From.Node, Port: int16(m.Key)}
	kept := s.subscribers[:0]
	for _, a := range s.subscribers {
		if a != who {
			kept = append(kept, a)
		}
	}
	if s.subscribers = kept; m.Op == OpSubscribe {
		s.subscribers = append(s.subscribers, who)
	}
}

// publish tells the subscribers that the lock is free.
func (s *Server) publish() {
	for _, a := range s.subscribers {
		s.host.Send(a, 0, network.Body{Op: OpUnlocked})
	}
}
