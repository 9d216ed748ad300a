//go:build linux

package live

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// connected is a connection by way of a link: the client's end and the server's.
func connected(t *testing.T) (way *link, client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	links := newLinks()
	t.Cleanup(func() { listener.Close(); links.stop() })
	way, address, err := links.bare(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if client, err = net.Dial("tcp", address); err != nil {
		t.Fatal(err)
	}
	if server, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return way, client, server
}

// hears is what comes within a tenth of a second.
func hears(c net.Conn) (string, error) {
	_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	var b [10]byte
	n, err := c.Read(b[:])
	return string(b[:n]), err
}

func tells(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestLost: what is sent never comes, also not when the link is well again, and what is sent then does. The other
// direction is another matter.
func TestLost(t *testing.T) {
	way, client, server := connected(t)
	way.set(state{lost: true}, state{})
	tells(t, client, "one")
	tells(t, server, "back")
	if text, err := hears(server); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("heard %q, %v", text, err)
	}
	if text, err := hears(client); text != "back" {
		t.Errorf("heard %q, %v", text, err)
	}
	way.set(state{}, state{})
	tells(t, client, "two")
	if text, err := hears(server); text != "two" {
		t.Errorf("heard %q, %v", text, err)
	}
}

// TestHeld: what is sent comes when the link is well again.
func TestHeld(t *testing.T) {
	way, client, server := connected(t)
	way.set(state{held: true}, state{})
	tells(t, client, "one")
	if text, err := hears(server); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("heard %q, %v", text, err)
	}
	way.set(state{}, state{})
	if text, err := hears(server); text != "one" {
		t.Errorf("heard %q, %v", text, err)
	}
}

// TestEndInACut: nobody hears of the end of a connection before the link is well again.
func TestEndInACut(t *testing.T) {
	for _, s := range []state{{lost: true}, {held: true}} {
		way, client, server := connected(t)
		way.set(s, s)
		client.Close()
		if text, err := hears(server); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%+v: heard %q, %v", s, text, err)
		}
		way.set(state{}, state{})
		if text, err := hears(server); !errors.Is(err, io.EOF) {
			t.Errorf("%+v: heard %q, %v", s, text, err)
		}
	}
}

// TestSlow: it comes later.
func TestSlow(t *testing.T) {
	way, client, server := connected(t)
	way.set(state{extra: 60 * time.Millisecond}, state{})
	begin := time.Now()
	tells(t, client, "one")
	if text, err := hears(server); text != "one" || time.Since(begin) < 60*time.Millisecond {
		t.Errorf("heard %q, %v after %v", text, err, time.Since(begin))
	}
}

// TestBeyondLinks: a link cannot do all that a rule can say, and says so.
func TestBeyondLinks(t *testing.T) {
	half := rng.Chance{Num: 1, Den: 2}
	for _, r := range []network.Rule{
		{Cut: true, Existing: true}, {Cut: true, Op: opBell}, {Cut: true, Port: 1}, {Loss: half}, {Duplicate: half}, {BytesPerSecond: 1},
		{Extra: rng.Uniform(0, time.Second)},
	} {
		if beyond(&r) == "" {
			t.Errorf("a link can do %+v", r)
		}
	}
	for _, r := range []network.Rule{{Cut: true}, {Cut: true, Resend: true}, {Extra: rng.Constant(time.Second)}} {
		if what := beyond(&r); what != "" {
			t.Errorf("a link cannot do %+v: %s", r, what)
		}
	}
}
