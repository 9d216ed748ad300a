package fault

import (
	"fencepost/sim/history"
	"fencepost/sim/host"
)

// beginRemove orders the removal. The order is known by the record of the strike.
func beginRemove(i *Injector, s *strike) {
	server := s.host
	if s.action.Service {
		server = nil
	}
	i.Remove(server, len(i.recorder.Records))
}

// notYet: a server may carry an order out later, or never, so that the record of the run tells.
func notYet(*strike) bool { return false }

// countRemovals completes the ledger with the orders that found a record to remove.
func (i *Injector) countRemovals() {
	var done map[int64]bool // by order: several servers may have had a record
	for k := range i.recorder.Records {
		rec := &i.recorder.Records[k]
		if rec.Kind != history.Removal || rec.Value == history.NoLine || done[rec.Base] {
			continue
		}
		if done == nil {
			done = map[int64]bool{}
		}
		done[rec.Base] = true
		i.Ledger[rec.Value].TookEffect++
	}
}

// Remover is told to have the lock's record removed, by way of a server or, if that is nil, of any.
// The order is the sequence number of the fault in the record.
type Remover func(server *host.Host, order int)
