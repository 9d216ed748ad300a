package dbrow

import (
	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/network"
)

// transaction is one on the server. It has one statement.
type transaction struct {
	serial    int
	began     sim.Time
	start     int64 // CURRENT_TIMESTAMP: what the server's wall clock read then
	explicit  bool  // it ends with COMMIT, and not with its statement
	request   network.Message
	statement network.Message
	ran       sim.Time // when the statement had its row
	locked    bool     // it has the row locked
	wrote     bool
	next      row // as it leaves the row

	waits bool       // for its client: idle in transaction
	until clock.Mono // for how long it may
	gone  bool       // its client has closed the connection
}

// peer is the other end of a connection.
type peer struct {
	addr network.Addr
	call uint32 // the last that came: TCP delivers nothing twice
	tx   *transaction
}

// peer returns the connection that a message came over.
func (s *server) peer(addr network.Addr) *peer {
	for i := range s.peers {
		if s.peers[i].addr == addr {
			return &s.peers[i]
		}
	}
	s.peers = append(s.peers, peer{addr: addr})
	return &s.peers[len(s.peers)-1]
}

// begin starts a transaction. A connection has one at a time: who begins another has given
// up a connection whose end the server has not heard of, and that transaction stays.
func (s *server) begin(p *peer, explicit bool) *transaction {
	var tx *transaction
	if k := len(s.spare); k > 0 {
		tx, s.spare = s.spare[k-1], s.spare[:k-1]
	} else {
		tx = &transaction{}
	}
	s.serial++
	*tx = transaction{serial: s.serial, began: s.host.World().Now(), start: s.wall(), explicit: explicit}
	s.open = append(s.open, tx)
	if explicit {
		p.tx = tx
	}
	return tx
}

// end forgets a transaction and what it had locked.
func (s *server) end(tx *transaction) {
	if s.locker == tx {
		s.locker = nil
	}
	for i, o := range s.open {
		if o == tx {
			s.open = append(s.open[:i], s.open[i+1:]...)
			break
		}
	}
	for i := range s.peers {
		if s.peers[i].tx == tx {
			s.peers[i].tx = nil
		}
	}
	s.spare = append(s.spare, tx)
}

// await has a transaction wait for its client, for as long as the server lets it.
func (s *server) await(tx *transaction) {
	idle := s.options.idle
	tx.waits, tx.until = true, s.host.Mono().Add(idle)
	if idle > 0 {
		s.host.After(idle, tx.serial)
	}
}

// idled ends a transaction that has waited too long. The timer of an earlier wait is none of
// this one's.
func (s *server) idled(serial int) {
	for _, tx := range s.open {
		if tx.serial == serial && tx.waits && s.host.Mono() >= tx.until {
			s.end(tx)
			return
		}
	}
}

// hangUp is a client's end of a connection. A transaction that waits for its client is
// rolled back; one that waits for a row lock notices nothing until it has it.
func (s *server) hangUp(p *peer) {
	tx := p.tx
	if tx == nil {
		return
	}
	p.tx, tx.gone = nil, true
	if tx.waits {
		s.end(tx)
	}
}
