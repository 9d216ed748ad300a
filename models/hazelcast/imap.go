package hazelcast

import "fencepost/models"

// imap is the map's lock in a world.
type imap struct {
	env     *models.Env
	members []*member
	clients []*mapProxy
}

func buildIMap(e *models.Env) models.System {
	s := &imap{env: e}
	for i, h := range e.Servers("hazelcast", e.Params.Int("servers")) {
		m := &member{system: s, place: i, host: h}
		h.Server = m
		s.members = append(s.members, m)
	}
	for i := range e.Clients {
		s.clients = append(s.clients, &mapProxy{system: s, index: i})
	}
	return s
}

// Reset implements [models.System].
func (s *imap) Reset() {
	for _, m := range s.members {
		m.reset()
	}
	for i, c := range s.clients {
		*c = mapProxy{system: s, index: i, random: s.env.Stream("hazelcast.client", i)}
	}
}

// Locker implements [models.System].
func (s *imap) Locker(client int) models.Locker {
	l := s.clients[client]
	*l = mapProxy{system: s, index: client, random: l.random}
	return l
}

// Remove implements [models.Remover]: IMap.forceUnlock, which goes to the member that owns the
// partition as far as the one knows that is asked.
func (s *imap) Remove(server, order int) {
	if server == models.AnyServer {
		server, _ = s.Leader()
	}
	if asked := s.members[server]; asked.alive() {
		models.Order(s.members[asked.view[0]].host, 0, order)
	}
}

// Leader implements [models.Elected]: the first member that takes itself for the owner of the
// partition. In a split there are two.
func (s *imap) Leader() (server int, ok bool) {
	for _, m := range s.members {
		if m.alive() && m.owns() {
			return m.place, true
		}
	}
	return 0, false
}
