package zookeeper

import (
	"time"

	"fencepost/sim/history"
)

// node is a child of the lock's znode: ephemeral, sequential, with a GUID in its name.
type node struct {
	guid     int64
	sequence int64 // suffix of the name
	czxid    int64
	session  int64          // ephemeral owner
	hold     history.HoldID // for the record: on whose behalf it stands
}

// session is a session as the log has it. Its deadline is the leader's alone.
type session struct {
	id      int64
	timeout time.Duration
	owner   uint64 // connection that may speak for it
}

// tree is the replicated state of one server: the lock's znode, its children in the order
// of their suffixes, and the sessions.
type tree struct {
	zxid     int64
	parent   bool
	children int64 // created below the parent so far, which is the next suffix
	nodes    []node
	sessions []session
}

func (t *tree) reset() { *t = tree{nodes: t.nodes[:0], sessions: t.sessions[:0]} }

// epochBits is where the epoch begins in a zxid (server/util/ZxidUtils.java).
const epochBits = 32

// begin begins an epoch. The term of the leader stands for it.
func (t *tree) begin(term uint64) { t.zxid = max(t.zxid, int64(term<<epochBits)) }

// first returns the node that has the lock, or none.
func (t *tree) first() node {
	if len(t.nodes) == 0 {
		return node{}
	}
	return t.nodes[0]
}

// find returns the place of a node, or -1.
func (t *tree) find(guid int64) int {
	for i := range t.nodes {
		if t.nodes[i].guid == guid {
			return i
		}
	}
	return -1
}

// session returns a session, or nil.
func (t *tree) session(id int64) *session {
	for i := range t.sessions {
		if t.sessions[i].id == id {
			return &t.sessions[i]
		}
	}
	return nil
}

// create adds a child. Its suffix is the parent's count of creations, which ends with the
// parent (PrepRequestProcessor.java, pRequest2TxnCreate).
func (t *tree) create(n node) node {
	n.sequence, n.czxid = t.children, t.zxid
	t.children++
	t.nodes = append(t.nodes, n)
	return n
}

// delete deletes a child and reports whether there was one.
func (t *tree) delete(guid int64) bool {
	i := t.find(guid)
	if i < 0 {
		return false
	}
	t.nodes = append(t.nodes[:i], t.nodes[i+1:]...)
	return true
}

// forget ends a session, not its nodes.
func (t *tree) forget(id int64) {
	for i := range t.sessions {
		if t.sessions[i].id == id {
			t.sessions = append(t.sessions[:i], t.sessions[i+1:]...)
			return
		}
	}
}

// empty reports whether the parent is a container without children that has had some: only
// such a one is deleted (ContainerManager.java, getCandidates).
func (t *tree) empty() bool { return t.parent && t.children > 0 && len(t.nodes) == 0 }

// dropParent deletes the lock's znode.
func (t *tree) dropParent() { t.parent, t.children = false, 0 }
