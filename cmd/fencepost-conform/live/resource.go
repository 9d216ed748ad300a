//go:build linux

package live

import (
	"bufio"
	"encoding/json"
	"net"
	"sync"
)

// resource is what the lock protects: a value, behind a guard, that is read and written over TCP.
type resource struct {
	guard    string
	listener net.Listener

	mutex  sync.Mutex
	value  int64
	token  int64 // the highest that counts
	base   map[int64]int64
	writes []int64 // in their order
}

// ask is a request to the resource, and its answer.
type ask struct {
	Write bool  `json:"write"`
	Value int64 `json:"value"`
	Base  int64 `json:"base"` // what the writer has read
	Token int64 `json:"token"`
	OK    bool  `json:"ok"`
}

func newResource(guard string) (*resource, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &resource{guard: guard, listener: l, base: map[int64]int64{}}
	go r.serve()
	return r, nil
}

func (r *resource) serve() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.answer(conn)
	}
}

func (r *resource) answer(conn net.Conn) {
	defer conn.Close()
	lines, out := bufio.NewScanner(conn), json.NewEncoder(conn)
	for lines.Scan() {
		var a ask
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			return
		}
		r.do(&a)
		if out.Encode(a) != nil {
			return
		}
	}
}

// do serves a request as the guard lets it.
func (r *resource) do(a *ask) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	fenced := a.Write && r.guard != "none" || r.guard == "fence-reads-writes"
	if fenced && a.Token < r.token {
		return
	}
	if fenced {
		r.token = a.Token
	}
	a.OK = true
	if !a.Write {
		a.Value = r.value
		return
	}
	r.writes = append(r.writes, a.Value)
	r.base[a.Value] = a.Base
	r.value = a.Value
}

// lostUpdate reports whether a write replaced one that it had not seen.
func (r *resource) lostUpdate() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	before := int64(0)
	for _, value := range r.writes {
		if r.base[value] != before {
			return true
		}
		before = value
	}
	return false
}
