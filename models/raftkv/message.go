package raftkv

import (
	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// Messages of raft, one op per class, so that the delays of one class do not depend on
// how many messages of another there are.
var (
	OpAppend         = network.NewOp("raft.append")
	OpAppendReply    = network.NewOp("raft.append.reply")
	OpHeartbeat      = network.NewUpkeep("raft.heartbeat")
	OpHeartbeatReply = network.NewUpkeep("raft.heartbeat.reply")
	OpVote           = network.NewOp("raft.vote")
	OpVoteReply      = network.NewOp("raft.vote.reply")
	OpPreVote        = network.NewOp("raft.prevote")
	OpPreVoteReply   = network.NewOp("raft.prevote.reply")
	OpPropose        = network.NewOp("raft.propose")
	OpReadIndex      = network.NewOp("raft.readindex")
	OpReadIndexReply = network.NewOp("raft.readindex.reply")
	opOther          = network.NewOp("raft.other")
)

func opOf(t pb.MessageType) *network.Op {
	switch t {
	case pb.MsgApp:
		return OpAppend
	case pb.MsgAppResp:
		return OpAppendReply
	case pb.MsgHeartbeat:
		return OpHeartbeat
	case pb.MsgHeartbeatResp:
		return OpHeartbeatReply
	case pb.MsgVote:
		return OpVote
	case pb.MsgVoteResp:
		return OpVoteReply
	case pb.MsgPreVote:
		return OpPreVote
	case pb.MsgPreVoteResp:
		return OpPreVoteReply
	case pb.MsgProp:
		return OpPropose
	case pb.MsgReadIndex:
		return OpReadIndex
	case pb.MsgReadIndexResp:
		return OpReadIndexReply
	}
	return opOther
}

// fromLeader reports whether only a leader sends messages of a type: they end a
// follower's silence (go.etcd.io/raft/v3, stepFollower, electionElapsed).
func fromLeader(t pb.MessageType) bool {
	return t == pb.MsgApp || t == pb.MsgHeartbeat || t == pb.MsgSnap
}

// send puts raft's messages on the network. The digest takes their fields, because
// raftpb's text and its bytes differ between builds of the protobuf library.
func (m *Member) send(messages []*pb.Message) {
	digest := m.host.World().Digest()
	for _, msg := range messages {
		digest.Mix(fingerprint(msg))
		m.host.Send(m.cluster.members[msg.GetTo()-1].host.Addr(), 0, envelope(msg))
	}
}

func envelope(msg *pb.Message) network.Body {
	return network.Body{Op: opOf(msg.GetType()), OK: !msg.GetReject(),
		Token: int64(msg.GetTerm()), Revision: int64(msg.GetIndex()), Ref: msg}
}

// fingerprint hashes the fields of a message that matter.
func fingerprint(m *pb.Message) uint64 {
	reject := uint64(0)
	if m.GetReject() {
		reject = 1
	}
	h := rng.Hash(uint64(m.GetType()), m.GetFrom(), m.GetTo(), m.GetTerm(), m.GetIndex(), m.GetLogTerm(),
		m.GetCommit(), reject, m.GetRejectHint(), bytesHash(m.GetContext()), uint64(len(m.GetEntries())))
	for _, e := range m.GetEntries() {
		h = rng.Hash(h, e.GetTerm(), e.GetIndex(), bytesHash(e.GetData()))
	}
	return h
}

// bytesHash hashes commands and contexts, which are in encodings of our own.
func bytesHash(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	return rng.HashString(string(b))
}

// ownCopy returns a message that may be given to raft. Messages are shared with
// whoever sent them, and raft writes the new receiver into those that it forwards.
func ownCopy(m *pb.Message) *pb.Message {
	if m.GetType() != pb.MsgProp && m.GetType() != pb.MsgReadIndex {
		return m
	}
	return &pb.Message{Type: m.Type, From: m.From, To: m.To, Term: m.Term, Entries: m.Entries}
}
