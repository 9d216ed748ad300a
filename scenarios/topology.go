package scenarios

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/sim"
	"fencepost/sim/clock"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// networkPart is what the links are like.
type networkPart struct {
	Line      linePart       `yaml:",inline"`
	Links     []linkPart     `yaml:"links"`
	Synchrony *synchronyPart `yaml:"synchrony"`
}

// linePart is what one link is like.
type linePart struct {
	Delay     *scalar `yaml:"delay"`
	Loss      *scalar `yaml:"loss"`
	Resend    *scalar `yaml:"resend"`
	Bandwidth *scalar `yaml:"bandwidth"`
}

func (networkPart) describe() mapping {
	return mapping{
		name:  "network",
		about: "TCP sends a lost segment again after 200 ms, then after twice as long each time. What follows on the same connection waits for it.",
		keys: append(lineKeys("net/az"),
			key{name: "links", doc: "what single links are like; later entries overrule earlier ones"},
			key{name: "synchrony", doc: "partial synchrony"}),
	}
}

// lineKeys are what is said of one link or of all.
func lineKeys(delay string) []key {
	return []key{
		{name: "delay", takes: distribution, def: delay, doc: "one-way delay of each message"},
		{name: "loss", takes: probability, def: "0%", doc: "share of messages that a link loses"},
		{name: "resend", takes: yesOrNo, def: "true", doc: "what is lost is sent again, as TCP does: late instead of never. It needs `loss`"},
		{name: "bandwidth", takes: bandwidth, def: "no limit", doc: "what a link carries; a message has 100 bytes"},
	}
}

// linkPart is the links between some hosts, both ways.
type linkPart struct {
	Line    linePart  `yaml:",inline"`
	Between []*scalar `yaml:"between"`
	at      spot
}

func (linkPart) describe() mapping {
	return mapping{
		name:  "link",
		about: "The links between two ends, both ways. A server that a lock does not have is passed over.",
		keys: append(lineKeys("as for all links"),
			key{name: "between", takes: linkEnd, needed: true, least: 2, most: 2, doc: "the two ends"}),
	}
}

// synchronyPart is partial synchrony.
type synchronyPart struct {
	GST    *scalar `yaml:"gst"`
	Before *scalar `yaml:"before"`
	Bound  *scalar `yaml:"bound"`
	at     spot
}

func (synchronyPart) describe() mapping {
	return mapping{name: "synchrony", about: "From an instant on every message arrives within a bound.", keys: []key{
		{name: "gst", takes: duration, needed: true, doc: "that instant, the global stabilization time"},
		{name: "before", takes: distribution, def: "0s", doc: "added to each delay before it"},
		{name: "bound", takes: duration, needed: true, doc: "that bound"},
	}}
}

// clocksPart is what the clocks are like.
type clocksPart struct {
	Rho       *scalar `yaml:"rho"`
	All       *scalar `yaml:"all"`
	Clients   *scalar `yaml:"clients"`
	Servers   *scalar `yaml:"servers"`
	Resource  *scalar `yaml:"resource"`
	Suspended *scalar `yaml:"suspended"`
}

func (clocksPart) describe() mapping {
	return mapping{
		name:  "clocks",
		about: "A clock is a preset: an offset, a rate, and what a daemon does about them. `fencepost list clocks --long` prints each with its source.",
		keys: []key{
			{name: "rho", takes: clockRate, def: "0ppm", doc: "error of rate that promises allow for, at most `100000ppm`; write it without a sign. It shortens promises and changes no clock"},
			{name: "all", takes: clockName, def: "perfect", doc: "the clock of every host"},
			{name: "clients", takes: clockName, def: "as `all` says", doc: "the clocks of clients"},
			{name: "servers", takes: clockName, def: "as `all` says", doc: "the clocks of servers"},
			{name: "resource", takes: clockName, def: "as `all` says", doc: "the clock of the resource's host"},
			{name: "suspended", takes: words("stopped", "counted"), def: "stopped", doc: "what a monotonic clock does while its machine sleeps: `stopped` as CLOCK_MONOTONIC, or `counted` as CLOCK_BOOTTIME"},
		},
	}
}

// topology is hosts and links before a lock is chosen.
type topology struct {
	lines     []line // later ones overrule earlier ones
	synchrony network.Synchrony
	clocks    map[string]clock.PresetInfo // by group
	counts    bool                        // monotonic clocks count suspended time
}

// line is what the links between two groups of hosts are like, both ways.
type line struct {
	ends      [2]string
	delay     *rng.Dist
	loss      *rng.Chance
	resend    bool
	bandwidth *int64
}

// Groups of hosts; one of a group is the group's singular, a slash and a number.
const (
	allHosts     = "all"
	allClients   = "clients"
	allServers   = "servers"
	theResource  = "resource"
	oneClient    = "client"
	oneServer    = "server"
	groupsOfOnes = "all, clients, servers, resource, client/1, server/1 and so on"
)

func (in *Instance) readTopology(r *reader, f *file) {
	t := &in.topology
	t.lines = []line{{ends: [2]string{allHosts, allHosts}, delay: &defaultDelay}}
	if n := f.Network; n != nil {
		t.lines = append(t.lines, r.line(&n.Line, allHosts, allHosts))
		for i := range n.Links {
			t.lines = append(t.lines, in.link(r, &n.Links[i]))
		}
		t.synchrony = r.synchrony(n.Synchrony)
	}
	if c := f.Clocks; c != nil {
		in.rhoPPB = r.ppb(c.Rho, maxRhoPPB, false)
		t.clocks = map[string]clock.PresetInfo{}
		for _, of := range []struct {
			group string
			clock *scalar
		}{{allHosts, c.All}, {allClients, c.Clients}, {allServers, c.Servers}, {theResource, c.Resource}} {
			if of.clock.set() {
				t.clocks[of.group] = r.clock(of.clock)
			}
		}
		t.counts = r.word(c.Suspended, "stopped", []string{"stopped", "counted"}) == "counted"
	}
}

func (r *reader) line(p *linePart, from, to string) line {
	l := line{ends: [2]string{from, to}, resend: r.flag(p.Resend, true)}
	if p.Delay.set() {
		delay := r.dist(p.Delay, rng.Dist{})
		l.delay = &delay
	}
	if p.Loss.set() {
		loss := r.chance(p.Loss)
		l.loss = &loss
	} else if p.Resend.set() {
		r.fail(p.Resend, "`resend:` says what becomes of lost messages: give `loss:` too")
	}
	if p.Bandwidth.set() {
		bandwidth := r.bandwidth(p.Bandwidth)
		l.bandwidth = &bandwidth
	}
	return l
}

func (in *Instance) link(r *reader, p *linkPart) line {
	if len(p.Between) != 2 {
		r.fail(p.at.scalar(), "a link needs `between:` with two ends: %s", groupsOfOnes)
		return line{}
	}
	l := r.line(&p.Line, in.end(r, p.Between[0]), in.end(r, p.Between[1]))
	if one := l.ends[0]; one == l.ends[1] && one != allHosts && one != allClients && one != allServers {
		r.fail(p.Between[1], "the link has %s at both ends, and a host has none to itself: name another host or a group", one)
	}
	if l.delay == nil && l.loss == nil && l.bandwidth == nil {
		r.fail(p.Between[0], "the link says nothing about itself: give `delay:`, `loss:` or `bandwidth:`")
	}
	return l
}

// end reads one end of a link.
func (in *Instance) end(r *reader, s *scalar) string {
	text := r.text(s)
	switch text {
	case allHosts, allClients, allServers, theResource:
		return text
	}
	group, number, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 1 || n > 99 || group != oneClient && group != oneServer:
		r.fail(s, "%q is not a host of a scenario: write %s", text, groupsOfOnes)
	case group == oneClient && n > len(in.workloads):
		r.fail(s, "there is no client %d; the scenario has clients 1 to %d", n, len(in.workloads))
	}
	return text
}

func (r *reader) synchrony(p *synchronyPart) network.Synchrony {
	if p == nil {
		return network.Synchrony{}
	}
	for name, need := range []*scalar{p.GST, p.Bound} {
		if !need.set() {
			r.fail(p.at.scalar(), "`synchrony:` needs `%s:` too: from `gst:` on every message arrives within `bound:`", []string{"gst", "bound"}[name])
			return network.Synchrony{}
		}
	}
	return network.Synchrony{
		GST:    sim.Time(r.duration(p.GST, 0, 0)),
		Before: r.dist(p.Before, rng.Constant(0)),
		Bound:  r.duration(p.Bound, 0, time.Nanosecond),
	}
}

// clock reads the name of a clock preset.
func (r *reader) clock(s *scalar) clock.PresetInfo {
	name := r.text(s)
	p, ok := clock.Preset(name)
	if !ok {
		var names []string
		for _, p := range clock.Presets() {
			names = append(names, p.Name)
		}
		r.fail(s, "%q is not a clock; %s", name, oneOf(names))
	}
	return p
}

// placeLinks gives the links of a trial's world what the scenario says. They survive
// resets.
func (t *Trial) placeLinks() {
	for _, l := range t.Plan.Instance.topology.lines {
		for _, from := range t.fleet.Hosts {
			for _, to := range t.fleet.Hosts {
				if t.isEnd(from, l.ends[0]) && t.isEnd(to, l.ends[1]) || t.isEnd(from, l.ends[1]) && t.isEnd(to, l.ends[0]) {
					t.setLink(from.ID, to.ID, &l)
				}
			}
		}
	}
	t.net.SetSynchrony(t.Plan.Instance.topology.synchrony)
}

func (t *Trial) setLink(from, to network.NodeID, l *line) {
	if l.delay != nil {
		t.net.SetDelay(from, to, *l.delay)
	}
	if l.loss != nil {
		t.net.SetLoss(from, to, *l.loss, l.resend)
	}
	if l.bandwidth != nil {
		t.net.SetBandwidth(from, to, *l.bandwidth)
	}
}

// isEnd reports whether a host is one that a text names. Threads of one process share a
// host, which is that of each of them.
func (t *Trial) isEnd(h *host.Host, text string) bool {
	group, number, one := strings.Cut(text, "/")
	n, _ := strconv.Atoi(number)
	switch {
	case text == allHosts:
		return true
	case text == theResource:
		return h == t.resource
	case text == allServers || group == oneServer:
		return t.isAmong(t.servers, h, n, one)
	}
	return t.isAmong(t.env.Clients, h, n, one)
}

// isAmong reports whether a host is among others, or is the n-th of them.
func (t *Trial) isAmong(list []*host.Host, h *host.Host, n int, one bool) bool {
	if one {
		return n <= len(list) && list[n-1] == h
	}
	return slices.Contains(list, h)
}

// setClocks gives each host its clock for a trial.
func (t *Trial) setClocks(seed uint64) {
	top := &t.Plan.Instance.topology
	if len(top.clocks) == 0 && !top.counts {
		return
	}
	for _, h := range t.fleet.Hosts {
		h.Clock.CountsSuspend = top.counts
		for _, group := range []string{theResource, allServers, allClients, allHosts} {
			if preset, ok := top.clocks[group]; ok && t.isEnd(h, group) {
				h.Discipline(preset, seed)
				break
			}
		}
	}
}
