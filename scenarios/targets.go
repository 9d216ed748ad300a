package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/sim/fault"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// role is what a target is in a world.
type role uint8

const (
	roleClient    role = iota // by index
	roleServer                // by index
	roleLeader                // the server that leads when the fault fires
	roleHolder                // a client that then believes to hold the lock
	roleAnyClient             // drawn
	roleAnyServer             // drawn
	roleAnyHost               // drawn from clients, servers and the resource
	roleResource              // what the lock protects
	roleService               // the lock service, whichever of its servers
)

func (r role) isServer() bool { return r == roleServer || r == roleLeader || r == roleAnyServer }

// target names a host. It is the description of a [fault.Target]; [placed] is the target
// in a world.
type target struct {
	role  role
	index int
}

// Find implements [fault.Target]; a target that has not been placed is a mistake of ours.
func (t target) Find(*rng.Stream) (*host.Host, int) { panic("scenarios: a target without a world") }

// target reads the target of an action.
func (r *faultReader) target(p *faultPart, k *FaultKind, a *actionPart) target {
	given := 0
	for _, s := range []*scalar{a.Client, a.Server, a.Host} {
		if s.set() {
			given++
		}
	}
	switch {
	case given > 1:
		r.fail(anchorOfAction(a), "a fault has one target: give `client:`, `server:` or `host:`")
	case a.Client.set():
		return r.clientTarget(a.Client)
	case a.Server.set():
		return r.server(a.Server)
	case a.Host.set():
		return r.host(a.Host)
	case k.Name == string(fault.Remove):
		return target{role: roleService}
	default:
		at := anchorOfAction(a)
		if !at.set() {
			at = anchorOfFault(p)
		}
		r.fail(at, "%s has no target: give `client:`, `server:` or `host:`", k.Name)
	}
	return target{}
}

// allOf names all of a kind among the other ends of links.
const allOf = "all"

// peers reads the other ends of links, with where each stands.
func (r *faultReader) peers(a *actionPart) (peers []fault.Target, places []*scalar) {
	add := func(t target, at *scalar) { peers, places = append(peers, t), append(places, at) }
	for _, s := range a.Clients {
		add(r.clientTarget(s), s)
	}
	for _, s := range a.Servers {
		if r.text(s) != allOf || r.servers == 0 {
			add(r.server(s), s)
			continue
		}
		for i := range r.servers {
			add(target{role: roleServer, index: i}, s)
		}
	}
	for _, s := range a.Hosts {
		add(r.host(s), s)
	}
	return peers, places
}

// peerNames says in a label who is at the other ends of the links. Of "all" servers but a
// leader or a random one nobody knows the names before it is struck.
func (r *faultReader) peerNames(a *actionPart, at target, f *fault.Action) string {
	if f.Kind == fault.Hold || len(f.Peers) == 0 {
		return "" // the message says it
	}
	others := (at.role == roleLeader || at.role == roleAnyServer) && r.servers > 0 &&
		slices.ContainsFunc(a.Servers, func(s *scalar) bool { return r.text(s) == allOf })
	text := " from"
	if f.Kind == fault.Split {
		text = " with"
	}
	named := 0
	for _, peer := range f.Peers {
		if t := peer.(target); !others || t.role != roleServer {
			text += " " + r.describe(t)
			named++
		}
	}
	if !others {
		return text
	}
	if text += " the other servers"; named == 0 {
		f.Rest = text
	}
	return text
}

// client reads a client's number and returns its index.
func (r *faultReader) client(s *scalar) int {
	n := r.count(s, 1, 0)
	if n < 1 || n > r.clients {
		r.fail(s, "there is no client %d; the scenario has clients 1 to %d", n, r.clients)
		return 0
	}
	return n - 1
}

// clientTarget reads a client's number, "holder" or "random".
func (r *faultReader) clientTarget(s *scalar) target {
	switch text := r.text(s); text {
	case "holder":
		return target{role: roleHolder}
	case "random":
		return target{role: roleAnyClient}
	default:
		if _, err := strconv.Atoi(text); err != nil {
			r.fail(s, "%q is not a client: write its number, from 1, or holder or random", text)
			return target{}
		}
		return target{role: roleClient, index: r.client(s)}
	}
}

// server reads a server's number, "leader" or "random".
func (r *faultReader) server(s *scalar) target {
	text := r.text(s)
	if r.servers == 0 {
		r.lacks(s, "%s has no server", r.lock.Name)
		return target{role: roleServer}
	}
	switch text {
	case "random":
		return target{role: roleAnyServer}
	case "leader":
		if !r.elected {
			r.lacks(s, "%s has no leader", r.lock.Name)
		}
		return target{role: roleLeader}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		r.fail(s, "%q is not a server: write its number, from 1, or leader or random", text)
		return target{role: roleServer}
	}
	if n > r.servers {
		r.lacks(s, "%s has no server %d", r.lock.Name, n)
	}
	return target{role: roleServer, index: n - 1}
}

// host reads the name of a host, or "random".
func (r *faultReader) host(s *scalar) target {
	text := r.text(s)
	switch text {
	case "random":
		return target{role: roleAnyHost}
	case "resource":
		return target{role: roleResource}
	}
	name, number, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 1:
		r.fail(s, "%q is not a host: write client/1, resource, random, or a server such as redis/1", text)
	case name == "client" && n > r.clients:
		r.fail(s, "there is no host %s; the scenario has clients 1 to %d", text, r.clients)
	case name == "client":
		return target{role: roleClient, index: n - 1}
	case name != r.lock.Role || n > r.servers:
		r.lacks(s, "%s has no host %s", r.lock.Name, text)
	}
	return target{role: roleServer, index: n - 1}
}

func (r *faultReader) describe(t target) string {
	switch t.role {
	case roleClient:
		return fmt.Sprintf("client %d", t.index+1)
	case roleServer:
		return fmt.Sprintf("%s/%d", r.lock.Role, t.index+1)
	}
	return map[role]string{roleLeader: "the leader", roleHolder: "the holder", roleAnyClient: "a random client",
		roleAnyServer: "a random server", roleAnyHost: "a random host", roleResource: "resource", roleService: "the service"}[t.role]
}

// placed is a target in a world.
type placed struct {
	target
	trial *Trial
}

// Find implements [fault.Target].
func (p placed) Find(s *rng.Stream) (*host.Host, int) {
	t := p.trial
	clients := len(t.env.Clients)
	servers := t.servers
	switch p.role {
	case roleClient:
		return t.env.Clients[p.index], p.index
	case roleServer:
		return servers[p.index], -1
	case roleService:
		return servers[0], -1
	case roleLeader:
		if i, ok := t.leader(); ok {
			return servers[i], -1
		}
		return nil, -1
	case roleHolder:
		if client := t.holder(); client >= 0 {
			return t.env.Clients[client], client
		}
		return nil, -1
	case roleAnyClient:
		client := int(s.Int64N(int64(clients)))
		return t.env.Clients[client], client
	case roleAnyServer:
		return servers[s.Int64N(int64(len(servers)))], -1
	case roleAnyHost:
		n := int(s.Int64N(int64(clients + len(servers) + 1)))
		switch {
		case n < clients:
			return t.env.Clients[n], n
		case n < clients+len(servers):
			return servers[n-clients], -1
		}
	}
	return t.resource, -1
}
