//go:build linux

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// state is what a link does to what is sent in one direction.
type state struct {
	lost  bool          // it is lost
	held  bool          // it is kept until the link is well again, as TCP does that sends again
	extra time.Duration // it comes later by so much
}

// link is a proxy between somebody and a server.
type link struct {
	proxy *toxiproxy.Proxy
	// there is the direction to the server, back the other one.
	there, back state
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
func (l *links) bare(server string) (*link, string, error) {
	p := toxiproxy.NewProxy(l.api, fmt.Sprint(len(l.links)), "127.0.0.1:0", server)
	if err := p.Start(); err != nil {
		return nil, "", err
	}
	made := &link{proxy: p}
	l.links = append(l.links, made)
	return made, p.Listen, nil
}

func (l *links) stop() {
	for _, made := range l.links {
		made.proxy.Stop()
	}
	for _, g := range l.greeters {
		g.stop()
	}
}

// set has a link do something from now on.
func (l *link) set(ctx context.Context, there, back state) error {
	err := l.direct(ctx, "upstream", &l.there, there)
	if err == nil {
		err = l.direct(ctx, "downstream", &l.back, back)
	}
	return err
}

func (l *link) direct(ctx context.Context, stream string, was *state, is state) error {
	if *was == is {
		return nil
	}
	if *was != (state{}) {
		if err := l.proxy.Toxics.RemoveToxic(ctx, stream); err != nil {
			return err
		}
	}
	*was = is
	if is == (state{}) {
		return nil
	}
	toxic := map[string]any{"name": stream, "stream": stream, "type": "latency", "attributes": map[string]any{"latency": is.extra.Milliseconds()}}
	switch {
	case is.lost:
		toxic["type"], toxic["attributes"] = lostType, map[string]any{}
	case is.held:
		toxic["type"], toxic["attributes"] = heldType, map[string]any{}
	}
	text, err := json.Marshal(toxic)
	if err == nil {
		_, err = l.proxy.Toxics.AddToxicJson(bytes.NewReader(text))
	}
	return err
}

// lost is a toxic that loses all. Unlike toxiproxy's timeout it leaves the connection when it is over: a cut
// tells nobody of its end.
type lost struct{}

// Pipe implements [toxics.Toxic].
func (*lost) Pipe(stub *toxics.ToxicStub) {
	for {
		select {
		case <-stub.Interrupt:
			return
		case c := <-stub.Input:
			if c == nil {
				stub.Close()
				return
			}
		}
	}
}

// held is a toxic that lets nothing through and loses nothing.
type held struct{}

// Pipe implements [toxics.Toxic].
func (*held) Pipe(stub *toxics.ToxicStub) { <-stub.Interrupt }

const (
	lostType = "fencepost-lost"
	heldType = "fencepost-held"
)

func init() {
	toxics.Register(lostType, new(lost))
	toxics.Register(heldType, new(held))
}
