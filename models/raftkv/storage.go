package raftkv

import (
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/sim/host"
)

// storage is a member's disk, as raft reads it. What is written is readable at once,
// and durable only when synced; a crash loses the difference. It is never compacted.
type storage struct {
	conf *pb.ConfState
	host.Stable[disk]
}

// disk is what a disk holds. Entries are never changed, and log[i] has index i+1.
type disk struct {
	term, vote, commit uint64
	log                []*pb.Entry
}

// newStorage returns an empty disk of a cluster of n members. The configuration is
// given here instead of by bootstrap entries, as NewRawNode recommends.
func newStorage(n int) storage {
	conf := &pb.ConfState{}
	for id := 1; id <= n; id++ {
		conf.Voters = append(conf.Voters, uint64(id))
	}
	return storage{conf: conf}
}

// write writes what a Ready asks to be saved. New entries replace those from their
// first index on; the durable log may share the array and must not see it.
func (s *storage) write(hard *pb.HardState, entries []*pb.Entry) {
	w := &s.Written
	if !raft.IsEmptyHardState(hard) {
		w.term, w.vote, w.commit = hard.GetTerm(), hard.GetVote(), hard.GetCommit()
	}
	if len(entries) == 0 {
		return
	}
	keep := int(entries[0].GetIndex()) - 1
	if keep < len(w.log) {
		w.log = w.log[:keep:keep]
	}
	w.log = append(w.log, entries...)
}

// lose forgets what a crash takes. What is left counts as synced, since the member will
// answer for it without another sync; see "Left out". Its log may share its array with
// entries that are lost.
func (s *storage) lose(lost host.Lost) {
	s.Lose(lost)
	s.Sync()
	s.Written.log = slices.Clip(s.Written.log)
}

// InitialState implements [raft.Storage].
func (s *storage) InitialState() (*pb.HardState, *pb.ConfState, error) {
	w := &s.Written
	return &pb.HardState{Term: new(w.term), Vote: new(w.vote), Commit: new(w.commit)}, s.conf, nil
}

// Entries implements [raft.Storage]. The members are configured without a limit on
// the size of messages, so there is none to apply.
func (s *storage) Entries(lo, hi, _ uint64) ([]*pb.Entry, error) {
	if hi > uint64(len(s.Written.log))+1 {
		return nil, raft.ErrUnavailable
	}
	return s.Written.log[lo-1 : hi-1 : hi-1], nil
}

// Term implements [raft.Storage].
func (s *storage) Term(i uint64) (uint64, error) {
	switch {
	case i == 0:
		return 0, nil
	case i > uint64(len(s.Written.log)):
		return 0, raft.ErrUnavailable
	}
	return s.Written.log[i-1].GetTerm(), nil
}

// LastIndex implements [raft.Storage].
func (s *storage) LastIndex() (uint64, error) { return uint64(len(s.Written.log)), nil }

// FirstIndex implements [raft.Storage].
func (s *storage) FirstIndex() (uint64, error) { return 1, nil }

// Snapshot implements [raft.Storage]. The whole log is kept, so nobody needs one.
func (s *storage) Snapshot() (*pb.Snapshot, error) {
	return nil, raft.ErrSnapshotTemporarilyUnavailable
}
