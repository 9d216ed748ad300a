package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	goredispool "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis "github.com/redis/go-redis/v9"

	"fencepost/sim/history"
)

// stack is what lies below a library: a go-redis client for each server in each client's process, whose
// connections carry commands over the simulated network, and a miniredis server on each server's host,
// which runs them when they arrive.
//
// A new connection and its hand-shake (HELLO, CLIENT) take no time and always succeed, and a connection
// outlives its server's crash: connections are not modelled.
type stack struct {
	cold    bool // the servers do not know the libraries' scripts
	servers []*server
	clients map[int][]*client // by the index of the simulated client
	heard   []string          // what the libraries returned
}

// hear notes what a library returned to a client.
func (s *stack) hear(client int, what string, err error) {
	if s == nil {
		return
	}
	text := "ok"
	if err != nil {
		text = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	s.heard = append(s.heard, fmt.Sprintf("%d %s: %s", client+1, what, text))
}

// serve puts a miniredis server on hosts of a world.
func (s *stack) serve(w *world, n int) {
	s.clients = map[int][]*client{}
	for i := range n {
		s.servers = append(s.servers, newServer(w.env, w.host(i+1), s.cold))
	}
}

// reset empties the servers.
func (s *stack) reset() {
	s.heard = nil
	for _, server := range s.servers {
		server.reset()
	}
}

// connect makes new go-redis clients for the process of a simulated client, and ends those of an earlier
// process.
func (s *stack) connect(w *world, index int, hold *history.HoldID) []*client {
	s.disconnect(index)
	for i, server := range s.servers {
		s.clients[index] = append(s.clients[index], newClient(w, i, server, hold))
	}
	return s.clients[index]
}

func (s *stack) disconnect(index int) {
	for _, c := range s.clients[index] {
		_ = c.Close()
	}
	delete(s.clients, index)
}

// close ends all goroutines of a stack, if there is one.
func (s *stack) close() {
	if s == nil {
		return
	}
	for index := range s.clients {
		s.disconnect(index)
	}
	for _, server := range s.servers {
		server.redis.Close()
	}
	s.servers = nil
}

// address is one that go-redis does not look up.
const address = "127.0.0.1:6379"

// scripts are those that the libraries send.
var scripts = sync.OnceValues(func() (sent []string, err error) {
	server := miniredis.NewMiniRedis()
	defer server.Close()
	r := goredis.NewClient(&goredis.Options{
		Addr: address, Dialer: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
	})
	defer func() { err = errors.Join(err, r.Close()) }()
	r.AddHook(hook(func(next goredis.ProcessHook) goredis.ProcessHook {
		return func(ctx context.Context, cmd goredis.Cmder) error {
			if cmd.Name() == "eval" {
				sent = append(sent, cmd.Args()[1].(string))
			}
			return next(ctx, cmd)
		}
	}))
	mutex := redsync.New(goredispool.NewPool(r)).NewMutex("redsync")
	err = mutex.Lock()
	_, err2 := mutex.Extend()
	_, err3 := mutex.Unlock()
	ctx := context.Background()
	lock, err4 := redislock.Obtain(ctx, r, "redislock", time.Second, nil)
	return sent, errors.Join(err, err2, err3, err4, lock.Refresh(ctx, time.Second, nil), lock.Release(ctx))
})
