package hazelcast

import (
	"fencepost/sim"
	"fencepost/sim/history"
)

// What the map's lock writes into the record, which knows true time and all members; no protocol
// step reads it.

// granted records that a member lets a hold in.
func (s *imap) granted(m *member) {
	s.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: m.lock.hold, Until: s.until(m)})
}

// promise records that the holder has been heard of where it holds the lock.
func (s *imap) promise(m *member) {
	if s.clients[m.lock.client-1].keeps(m.lock.hold) {
		s.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: m.lock.hold, Until: s.until(m)})
	}
}

// until is when the promise of a holder ends that is heard of now.
func (s *imap) until(m *member) sim.Time {
	silence := s.env.Params.Duration("no-heartbeat")
	if m.lock.lease != 0 {
		silence = min(silence, m.lock.lease.Sub(m.host.Mono()))
	}
	return s.env.PromiseEnd(s.env.Fleet.World.Now(), silence, 0)
}

// ended records that a member no longer has the lock for a hold. As long as another owner has
// it, on the other side of a split, the service has not ended the hold.
func (s *imap) ended(m *member, was mapLock, why string) {
	for _, other := range s.members {
		if other != m && other.alive() && other.owns() && other.lock.hold == was.hold {
			s.env.Note(m.host, was.hold, history.SplitSides+": "+m.host.Name+" lets others have the lock")
			return
		}
	}
	s.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: was.hold, Text: why})
}
