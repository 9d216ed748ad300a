package redisreplica

import (
	"slices"
	"time"

	"fencepost/sim/network"
)

// Messages of Sentinels.
var (
	opPing        = network.NewOp("redis.ping")
	opPong        = network.NewOp("redis.pong")
	opInfo        = network.NewOp("redis.info")
	opInfoReply   = network.NewOp("redis.info.reply")           // Key: whom it follows; Revision: offset; Token: run id; TTL: for how long without a link
	opIsDown      = network.NewOp("sentinel.is-master-down")    // Value: which; Token: epoch; Key: for whom a vote is asked, or nobody
	opIsDownReply = network.NewOp("sentinel.is-master-down.ok") // OK: it is; Key: voted for; Revision: in epoch
	opHello       = network.NewOp("sentinel.hello")             // Key: the master; Revision: of which configuration; Token: the current epoch
)

// Times of src/sentinel.c, in milliseconds.
const (
	pingPeriod      = 1000
	infoPeriod      = 10_000
	infoPeriodFast  = 1000 // while a failover is near
	askPeriod       = 1000
	helloPeriod     = 2000
	maxDesync       = 1000
	electionTimeout = 10_000
	reconfTimeout   = 10_000
	tiltTrigger     = 2000
	tiltPeriod      = 30_000
	convertAfter    = 4 * helloPeriod
)

// instance is a server as a Sentinel sees it. Times are the Sentinel's wall clock.
type instance struct {
	available  int64 // last valid reply to a ping
	ponged     int64
	pinged     int64
	unanswered int64 // since when a ping is, 0 is none
	asked      int64 // for INFO
	informed   int64 // last INFO, 0 is none
	down       bool  // subjectively
	downSince  int64 // the last time

	follows     int // by its INFO, nobody is a master
	followsFrom int64
	offset      int64
	runID       uint64
	linkDown    int64
	reconf      reconfiguration
	reconfAt    int64
}

// reconfiguration is how far a replica has come with its new master.
type reconfiguration uint8

const (
	reconfNone reconfiguration = iota
	reconfSent
	reconfUnderWay
	reconfDone
)

// peer is another Sentinel.
type peer struct {
	saysDown    bool
	answered    int64 // last opinion
	asked       int64
	leader      int // whom it voted for
	leaderEpoch int64
	greeted     int64 // last hello to it
}

// sentinel is the state of one Sentinel (sentinelRedisInstance of the master).
type sentinel struct {
	// In the configuration file.
	master       int
	configEpoch  int64
	currentEpoch int64
	leader       int // voted for
	leaderEpoch  int64

	servers     []instance
	peers       []peer
	objectively bool
	failover    failover
	previous    int64 // last tick
	tilt        int64 // since when, 0 is not
	subscribers []network.Addr
}

// startSentinel is the start of a process: nothing is known but the configuration.
func (b *box) startSentinel() {
	s := &b.sentinel
	if s.leaderEpoch == 0 {
		s.leader = nobody
	}
	s.peers, s.subscribers, s.tilt, s.previous = s.peers[:0], s.subscribers[:0], 0, b.wall()
	for range b.system.boxes {
		s.peers = append(s.peers, peer{leader: nobody})
	}
	b.watch(s.master)
	b.schedule()
}

// watch begins to watch the servers with one as the master (sentinelResetMaster).
func (b *box) watch(master int) {
	s, now := &b.sentinel, b.wall()
	s.master, s.objectively, s.failover = master, false, failover{promoted: nobody}
	s.servers = s.servers[:0]
	for i := range b.system.boxes {
		follows := master
		if i == master {
			follows = nobody
		}
		s.servers = append(s.servers, instance{available: now, ponged: now, unanswered: now, follows: follows, followsFrom: now})
	}
}

// schedule sets the periodic timer, whose frequency is drawn anew each time so that Sentinels
// do not run in step (sentinelTimer, server.hz).
func (b *box) schedule() {
	hz := 10 + b.random.Int64N(10)
	b.host.After(time.Second/time.Duration(hz), tagSentinel)
}

// tick is sentinelTimer.
func (b *box) tick() {
	s, now := &b.sentinel, b.wall()
	if delta := now - s.previous; delta < 0 || delta > tiltTrigger {
		s.tilt = now
	}
	s.previous = now
	b.poll(now)
	if s.tilt != 0 && now-s.tilt >= tiltPeriod {
		s.tilt = 0
	}
	if s.tilt == 0 {
		b.judge(now)
	}
	b.schedule()
}

// poll sends what is sent from time to time (sentinelSendPeriodicCommands).
func (b *box) poll(now int64) {
	s := &b.sentinel
	ping := min(pingPeriod, b.system.downAfter)
	for i := range s.servers {
		in := &s.servers[i]
		period := int64(infoPeriod)
		if i != s.master && (s.objectively || s.failover.state != failoverNone || in.linkDown != 0) {
			period = infoPeriodFast
		}
		if (in.informed == 0 || now-in.informed > period) && (in.asked == 0 || now-in.asked > infoPeriodFast) {
			in.asked = now
			b.send(i, network.Body{Op: opInfo})
		}
		if now-in.ponged > ping && now-in.pinged > ping/2 {
			if in.pinged = now; in.unanswered == 0 {
				in.unanswered = now
			}
			b.send(i, network.Body{Op: opPing})
		}
	}
	for i := range s.peers {
		if i != b.index && now-s.peers[i].greeted > helloPeriod {
			b.greet(i, now)
		}
	}
}

// greet sends a hello: the latest configuration that the Sentinel knows of.
func (b *box) greet(to int, now int64) {
	s := &b.sentinel
	s.peers[to].greeted = now
	b.send(to, network.Body{Op: opHello, Key: int64(s.current()), Revision: s.configEpoch, Token: s.currentEpoch})
}

// current is the master that a Sentinel tells others of: the promoted one as soon as that has
// said that it is a master (sentinelGetCurrentMasterAddress).
func (s *sentinel) current() int {
	if s.failover.state >= failoverReconfigure {
		return s.failover.promoted
	}
	return s.master
}

// answerSentinel is a server's answer: it is there, or what INFO says.
func (b *box) answerSentinel(m *network.Message) {
	if m.Op == opPing {
		b.host.Reply(m, network.Body{Op: opPong})
		return
	}
	n := &b.node
	b.host.Reply(m, network.Body{Op: opInfoReply, Key: int64(n.master), Revision: n.offset, Token: int64(n.runID),
		TTL: time.Duration(b.linkDown()) * time.Millisecond})
}

func (b *box) receiveSentinel(m *network.Message) {
	s, now, from := &b.sentinel, b.wall(), b.from(m)
	switch m.Op {
	case opPong:
		in := &s.servers[from]
		in.available, in.ponged, in.unanswered = now, now, 0
	case opInfoReply:
		b.informed(from, m, now)
	case opIsDown:
		b.giveOpinion(m)
	case opIsDownReply:
		p := &s.peers[from]
		p.answered, p.saysDown = now, m.OK
		if m.Key != nobody {
			p.leader, p.leaderEpoch = int(m.Key), m.Revision
		}
	case opHello:
		b.greeted(m)
	case opGetMaster:
		b.host.Reply(m, network.Body{Op: opMasterIs, Key: int64(s.current())})
	case opSubscribe:
		who := network.Addr{Node: m.From.Node, Port: int16(m.Key)}
		if !slices.Contains(s.subscribers, who) {
			s.subscribers = append(s.subscribers, who)
		}
	}
}

// greeted takes in another Sentinel's hello (sentinelProcessHelloMessage): the configuration
// of the greater epoch wins.
func (b *box) greeted(m *network.Message) {
	s := &b.sentinel
	s.currentEpoch = max(s.currentEpoch, m.Token)
	if m.Revision > s.configEpoch {
		s.configEpoch = m.Revision
		if int(m.Key) != s.master {
			b.switchTo(int(m.Key))
		}
	}
}

// switchTo is +switch-master (sentinelResetMasterAndChangeAddress).
func (b *box) switchTo(master int) {
	b.watch(master)
	for _, a := range b.sentinel.subscribers {
		b.host.Send(a, 0, network.Body{Op: opSwitchMaster, Key: int64(master)})
	}
}
