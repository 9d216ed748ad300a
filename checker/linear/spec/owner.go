package spec

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"
)

// Owner is who asks for a lock: whatever the lock tells apart, such as a client, a thread
// or a single hold. Owners are numbered from 0.
type Owner int64

// Nobody is the owner of a free lock.
const Nobody Owner = -1

// String returns the number, or "nobody".
func (o Owner) String() string {
	if o == Nobody {
		return "nobody"
	}
	return fmt.Sprint(int64(o))
}

// holders is a bag of owners in rising order, eight bytes each. It is a string so that
// states can be compared with ==.
type holders string

const ownerSize = 8

func encode(o Owner) holders {
	var b [ownerSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(o))
	return holders(b[:])
}

// find returns the place of the first of an owner's bytes, or where they would be.
func (h holders) find(o holders) int {
	return ownerSize * sort.Search(h.size(), func(i int) bool { return h[i*ownerSize:(i+1)*ownerSize] >= o })
}

func (h holders) size() int { return len(h) / ownerSize }

// count returns how often an owner is in the bag.
func (h holders) count(o Owner) int {
	return (h.find(encode(o+1)) - h.find(encode(o))) / ownerSize
}

func (h holders) add(o Owner, n int) holders {
	at := h.find(encode(o))
	return h[:at] + holders(strings.Repeat(string(encode(o)), n)) + h[at:]
}

// remove takes an owner out who is in the bag at least n times.
func (h holders) remove(o Owner, n int) holders {
	at := h.find(encode(o))
	return h[:at] + h[at+n*ownerSize:]
}

// String returns the owners in brackets.
func (h holders) String() string {
	owners := make([]Owner, h.size())
	for i := range owners {
		owners[i] = Owner(binary.BigEndian.Uint64([]byte(h[i*ownerSize:])))
	}
	return fmt.Sprint(owners)
}
