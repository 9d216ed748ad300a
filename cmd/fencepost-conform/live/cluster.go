//go:build linux

package live

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// cluster is the real servers of a lock.
type cluster struct {
	dir     string
	servers []*server
	// answers fails if the server at an address does not.
	answers func(address string) error
	// leader is the one that leads now; nil if none ever does.
	leader func() (server int, ok bool)
	links  *links
}

// server is one of the lock's hosts: its programs, which run and crash together.
type server struct {
	address  string // where clients reach it
	programs []*program
	clock    *wallClock // nil if nobody moves it
	// peers is the link by which the other servers reach it, and announced the address where that begins;
	// nil is none that could be cut.
	peers     *link
	announced string
	sentinel  string // the address of the Sentinel beside it

	mutex     sync.Mutex // of its programs
	ended     bool       // they are not started any more
	answering atomic.Bool
}

func newCluster(dir string) *cluster { return &cluster{dir: dir, answers: listens, links: newLinks()} }

// add adds a server with an address, and returns it.
func (c *cluster) add(address string) *server {
	s := &server{address: address}
	c.servers = append(c.servers, s)
	return s
}

// runs adds a program to a server.
func (s *server) runs(c *cluster, env []string, args ...string) {
	dir := filepath.Join(c.dir, fmt.Sprintf("server-%d-%d", len(c.servers), len(s.programs)+1))
	s.programs = append(s.programs, &program{dir: dir, args: args, env: env})
}

func (s *server) start() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, p := range s.programs {
		if s.ended {
			return nil
		}
		if err := p.start(); err != nil {
			return err
		}
	}
	return nil
}

// silence has it say nothing any more.
func (s *server) silence() error {
	s.answering.Store(false)
	return s.each(freeze)
}

// kill ends its programs.
func (s *server) kill() {
	s.answering.Store(false)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, p := range s.programs {
		p.kill()
	}
}

// end is kill for good.
func (s *server) end() {
	s.mutex.Lock()
	s.ended = true
	s.mutex.Unlock()
	s.kill()
}

// each does something with every process of a server.
func (s *server) each(do func(p *program) error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, p := range s.programs {
		if p.process == nil {
			continue
		}
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// start starts all servers, and waits until each answers.
func (c *cluster) start(ctx context.Context) error {
	for _, s := range c.servers {
		if err := s.start(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, s := range c.servers {
		if err := c.ready(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// ready waits until a server answers.
func (c *cluster) ready(ctx context.Context, s *server) error {
	for {
		err := c.answers(s.address)
		if err == nil {
			s.answering.Store(true)
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nobody answers at %s: %w\n%s", s.address, err, s.programs[0].last())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends everything.
func (c *cluster) stop() {
	c.links.stop()
	for _, s := range c.servers {
		s.end()
		if s.clock != nil {
			s.clock.close()
		}
	}
}

// listens fails unless somebody listens at an address.
func listens(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		conn.Close()
	}
	return err
}
