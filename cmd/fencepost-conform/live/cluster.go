//go:build linux

package live

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// cluster is the real servers of a lock.
type cluster struct {
	dir     string
	servers []*server
	// answers fails if a server does not.
	answers func(s *server) error
	// leader is the one that leads now; nil if none ever does.
	leader func() (server int, ok bool)
	links  *links
	deaths chan error // of programs that nobody has killed
}

// server is one of the lock's hosts: its programs, which run and crash together.
type server struct {
	cluster  *cluster
	address  string // where clients reach it
	programs []*program
	clock    *wallClock // nil if nobody moves it
	// peers is the link by which the other servers reach it, and announced the address where that begins;
	// nil is none that could be cut.
	peers     *link
	announced string
	sentinel  string // the address of the Sentinel beside it

	mutex     sync.Mutex // of its programs
	life      int        // how often it was killed
	ended     bool       // they are not started any more
	answering bool
}

func newCluster(dir string) *cluster {
	return &cluster{dir: dir, answers: listens, links: newLinks(), deaths: make(chan error, 64)}
}

// add adds a server with an address, and returns it.
func (c *cluster) add(address string) *server {
	s := &server{cluster: c, address: address}
	c.servers = append(c.servers, s)
	return s
}

// runs adds a program to a server.
func (s *server) runs(env []string, args ...string) {
	dir := filepath.Join(s.cluster.dir, fmt.Sprintf("server-%d-%d", len(s.cluster.servers), len(s.programs)+1))
	s.programs = append(s.programs, &program{dir: dir, args: args, env: env})
}

// start starts its programs and waits until it answers, unless it is killed meanwhile.
func (s *server) start(ctx context.Context, life int) error {
	if err := s.launch(life); err != nil {
		return err
	}
	return s.ready(ctx, life)
}

func (s *server) launch(life int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, p := range s.programs {
		if s.ended || s.life != life {
			return nil
		}
		if err := p.start(s.cluster.died); err != nil {
			return err
		}
	}
	return nil
}

// ready waits until a server answers.
func (s *server) ready(ctx context.Context, life int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := s.cluster.answers(s)
		if err == nil || s.current() != life {
			s.answersNow(life)
			return nil
		}
		select {
		case died := <-s.cluster.deaths:
			return died
		case <-ctx.Done():
			return fmt.Errorf("nobody answers at %s: %w\n%s", s.address, err, s.programs[0].last())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answersNow notes that it answers, if it still does.
func (s *server) answersNow(life int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.answering = s.life == life
}

func (s *server) current() (life int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.life
}

// reachable reports whether it has answered since it was started.
func (s *server) reachable() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.answering
}

// silent has nobody hear of it any more, and returns its next life.
func (s *server) silent() (life int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.answering = false
	s.life++
	return s.life
}

// kill ends its programs.
func (s *server) kill() {
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
		if err := s.launch(0); err != nil {
			return err
		}
	}
	for _, s := range c.servers {
		if err := s.ready(ctx, 0); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) died(err error) {
	select {
	case c.deaths <- err:
	default: // there are more than enough
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

// listens fails unless somebody listens at a server's address.
func listens(s *server) error {
	conn, err := net.DialTimeout("tcp", s.address, time.Second)
	if err == nil {
		conn.Close()
	}
	return err
}
