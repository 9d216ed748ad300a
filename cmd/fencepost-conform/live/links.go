//go:build linux

package live

import (
	"fmt"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// state is what a link does to what is sent in one direction.
type state struct {
	lost  bool          // it is lost
	held  bool          // it is kept until the link is well again, as TCP does that sends again
	extra time.Duration // it comes later by so much
}

// link is a proxy between somebody and a server. There is the direction to the server, back the other one.
type link struct {
	proxy       *toxiproxy.Proxy
	there, back *way
}

// links makes links.
type links struct {
	api      *toxiproxy.ApiServer
	links    []*link
	greeters []*greeter
}

func newLinks() *links {
	return &links{api: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())}
}

// to makes a link to a server for a client, which begins at an address and with a greeting ([dial]).
func (l *links) to(server string) (*link, string, error) {
	g, err := newGreeter(server)
	if err != nil {
		return nil, "", err
	}
	l.greeters = append(l.greeters, g)
	return l.bare(g.address())
}

// bare makes a link for who greets nobody.
func (l *links) bare(server string) (made *link, address string, err error) {
	p := toxiproxy.NewProxy(l.api, fmt.Sprint(len(l.links)), "127.0.0.1:0", server)
	if err := p.Start(); err != nil {
		return nil, "", err
	}
	made = &link{proxy: p}
	l.links = append(l.links, made)
	if made.there, err = newWay(p, "upstream"); err == nil {
		made.back, err = newWay(p, "downstream")
	}
	return made, p.Listen, err
}

func (l *links) stop() {
	for _, made := range l.links {
		made.set(state{}, state{}) // what is kept goes on, and finds its connection closed
		made.proxy.Stop()
		ways.Delete(made.there.number)
		ways.Delete(made.back.number)
	}
	for _, g := range l.greeters {
		g.stop()
	}
}

// set has a link do something from now on.
func (l *link) set(there, back state) {
	l.there.set(there)
	l.back.set(back)
}
