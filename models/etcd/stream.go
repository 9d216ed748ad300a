package etcd

import "fencepost/sim/network"

// stream is a client's stream of keepalives at one member, which serves them one after
// the other: those that come while one waits for the leader wait behind it, and all go
// down with it if it fails (server/etcdserver/api/v3rpc/lease.go, leaseKeepAlive).
type stream struct {
	from    network.Addr
	number  int64 // of the client's streams; a later one replaces an earlier
	busy    bool
	ended   bool
	waiting []network.Message
}

// stream returns the stream of a client at this member, or nil.
func (s *server) stream(from network.Addr) *stream {
	for i := range s.streams {
		if s.streams[i].from == from {
			return &s.streams[i]
		}
	}
	return nil
}

// keepAlive takes a keepalive from a client's stream; its token is the number of the
// stream.
func (s *server) keepAlive(m network.Message) {
	st := s.stream(m.From)
	switch {
	case st == nil:
		s.streams = append(s.streams, stream{from: m.From, number: m.Token})
		st = &s.streams[len(s.streams)-1]
	case m.Token > st.number:
		s.cancel(m.From)
		*st = stream{from: m.From, number: m.Token, waiting: st.waiting[:0]}
	case m.Token < st.number || st.ended:
		return
	}
	if st.busy {
		st.waiting = append(st.waiting, m)
		return
	}
	st.busy = true
	s.renew(renewal{client: m})
}

// cancel gives up what a client's former stream was forwarding, as the end of its
// context does.
func (s *server) cancel(from network.Addr) {
	rest := s.forwards[:0]
	for _, r := range s.forwards {
		if r.client.From != from {
			rest = append(rest, r)
		}
	}
	s.forwards = rest
}

// served goes on with the stream of a keepalive that was answered, or ends it.
func (s *server) served(m network.Message, ok bool) {
	st := s.stream(m.From)
	switch {
	case st == nil || st.number != m.Token:
	case !ok:
		st.busy, st.ended, st.waiting = false, true, st.waiting[:0]
	case len(st.waiting) == 0:
		st.busy = false
	default:
		next := st.waiting[0]
		st.waiting = append(st.waiting[:0], st.waiting[1:]...)
		s.renew(renewal{client: next})
	}
}
