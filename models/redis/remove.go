package redis

import (
	"time"

	"fencepost/models"
	"fencepost/sim/history"
)

// Order has the server remove the key, whosever it is ([models.Remover]).
func (s *Server) Order(order int) { models.Order(s.host, 0, order) }

// remove is DEL by somebody who is no client of the lock, or the eviction of a key under a limit
// of memory (redis/redis src/evict.c, performEvictions), which is logged and replicated as a DEL.
// A replica refuses the one and does not do the other (redis.conf, replica-ignore-maxmemory). A
// server that waits for its disk does it after that.
func (s *Server) remove(order int) {
	const again = time.Millisecond
	if s.file != nil && s.file.policy == Always && s.file.syncing {
		models.Order(s.host, again, order)
		return
	}
	if s.refuses() {
		return
	}
	if s.expireIfDue(); !s.present {
		return
	}
	s.present = false
	s.changed()
	s.env.Recorder.AddRemoval(order, s.key.Hold)
	s.gone(&s.key, history.Removed)
	s.persist()
}
