package zookeeper

import (
	"testing"
	"time"

	"fencepost/models/modeltest"
	"fencepost/sim/host"
)

// tokens are those of two uses right after each other, and of one that comes after the
// leader has looked for empty containers.
func tokens(t *testing.T, params map[string]int64) (all []int64) {
	r := newRig(t, 1, params)
	uses := []*modeltest.Use{r.Lock(0, second, second), r.Lock(0, 5*second, second), r.Lock(0, 130*second, second)}
	r.Run(140 * second)
	for _, u := range uses {
		if u.Released == 0 {
			t.Fatal("not released")
		}
		all = append(all, u.Token)
	}
	return all
}

// The suffix counts the children of the lock's znode. Curator's is a container: the leader
// deletes it once it is empty, and the suffix begins anew. A persistent one stays, and the
// czxid rises in any case.
func TestSuffixRegressesWithTheContainer(t *testing.T) {
	for _, c := range []struct {
		recipe int64
		want   [3]int64
	}{{interProcessMutex, [3]int64{1, 2, 1}}, {leaderLatch, [3]int64{1, 2, 1}}, {plain, [3]int64{1, 2, 3}}} {
		if got := tokens(t, map[string]int64{"recipe": c.recipe, "token": bySequence}); [3]int64(got) != c.want {
			t.Errorf("recipe %d: suffixes %v, want %v", c.recipe, got, c.want)
		}
		got := tokens(t, map[string]int64{"recipe": c.recipe})
		if !(got[0] < got[1] && got[1] < got[2]) {
			t.Errorf("recipe %d: czxids %v do not rise", c.recipe, got)
		}
	}
}

// A container with children stays, and so does one that has never had any.
func TestContainerInUseStays(t *testing.T) {
	r := newRig(t, 1, map[string]int64{"token": bySequence})
	r.Lock(0, second, 0)
	r.Run(200 * second)
	for i, s := range r.system().servers {
		if !s.tree.parent || s.tree.children != 1 {
			t.Errorf("server %d: parent %v with %d creations", i+1, s.tree.parent, s.tree.children)
		}
	}
	var fresh tree
	fresh.parent = true
	if fresh.empty() {
		t.Error("a container that has had no child would be deleted")
	}
}

// The epoch of the leader is in the upper half of the czxid: it rises with every election.
func TestCzxidCarriesTheEpoch(t *testing.T) {
	r := newRig(t, 2, nil)
	first := r.Lock(0, second, second)
	r.Run(10 * second)
	before := r.leader().member.Term()
	r.leader().member.Host().Crash(host.LoseUnsynced)
	r.Run(40 * second)
	second := r.Lock(1, 0, time.Second)
	r.Run(60 * time.Second)
	after := r.leader().member.Term()
	if uint64(first.Token)>>epochBits != before || uint64(second.Token)>>epochBits != after || after <= before {
		t.Errorf("tokens %x and %x in terms %d and %d", first.Token, second.Token, before, after)
	}
}
