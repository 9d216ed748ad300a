package raftkv

import (
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"fencepost/sim/host"
)

func entry(term, index uint64) *pb.Entry { return &pb.Entry{Term: new(term), Index: new(index)} }

func terms(s *storage) []uint64 {
	var terms []uint64
	last, _ := s.LastIndex()
	for i := uint64(1); i <= last; i++ {
		term, _ := s.Term(i)
		terms = append(terms, term)
	}
	return terms
}

func wantTerms(t *testing.T, s *storage, want ...uint64) {
	t.Helper()
	got := terms(s)
	if len(got) != len(want) {
		t.Fatalf("terms %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("terms %v, want %v", got, want)
		}
	}
}

func TestCrashLosesTheUnsyncedSuffix(t *testing.T) {
	s := newStorage(3)
	s.write(&pb.HardState{Term: new(uint64(1)), Vote: new(uint64(2)), Commit: new(uint64(0))}, []*pb.Entry{entry(1, 1), entry(1, 2)})
	s.Sync()
	s.write(&pb.HardState{Term: new(uint64(3)), Vote: new(uint64(0)), Commit: new(uint64(2))}, []*pb.Entry{entry(1, 3)})
	wantTerms(t, &s, 1, 1, 1)
	s.lose(host.LoseUnsynced)
	wantTerms(t, &s, 1, 1)
	hard, conf, _ := s.InitialState()
	if hard.GetTerm() != 1 || hard.GetVote() != 2 || hard.GetCommit() != 0 || len(conf.Voters) != 3 {
		t.Errorf("initial state %d/%d/%d of %d voters", hard.GetTerm(), hard.GetVote(), hard.GetCommit(), len(conf.Voters))
	}
}

// Entries that replace synced ones are lost like others, and the old ones are back.
func TestCrashBringsReplacedEntriesBack(t *testing.T) {
	s := newStorage(3)
	s.write(nil, []*pb.Entry{entry(1, 1), entry(1, 2), entry(1, 3)})
	s.Sync()
	s.write(nil, []*pb.Entry{entry(2, 2)})
	wantTerms(t, &s, 1, 2)
	s.lose(host.LoseUnsynced)
	wantTerms(t, &s, 1, 1, 1)
	s.write(nil, []*pb.Entry{entry(3, 4)})
	s.Sync()
	s.lose(host.LoseUnsynced)
	wantTerms(t, &s, 1, 1, 1, 3)
}

// What raft was given is not touched by later writes, nor by the caller's appends.
func TestEntriesAreTheCallers(t *testing.T) {
	s := newStorage(1)
	s.write(nil, []*pb.Entry{entry(1, 1), entry(1, 2)})
	got, err := s.Entries(1, 3, 0)
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	_ = append(got, entry(9, 3))
	s.write(nil, []*pb.Entry{entry(2, 2), entry(2, 3)})
	if got[1].GetTerm() != 1 {
		t.Error("a later write changed a slice that was handed out")
	}
	wantTerms(t, &s, 1, 2, 2)
	if _, err := s.Entries(1, 9, 0); err == nil {
		t.Error("entries beyond the end were returned")
	}
}

// What a process that died had written, the next one answers for without another sync, so
// the crash of the machine may not take it.
func TestRestartMakesDurableWhatItFinds(t *testing.T) {
	s := newStorage(3)
	s.write(nil, []*pb.Entry{entry(1, 1)})
	s.lose(host.LoseMemory)
	wantTerms(t, &s, 1)
	s.write(nil, []*pb.Entry{entry(1, 2)})
	s.lose(host.LoseUnsynced)
	wantTerms(t, &s, 1)
}
