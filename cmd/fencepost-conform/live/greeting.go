//go:build linux

package live

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// A proxy accepts a connection also when the link behind it is cut, where a machine that cannot be reached
// answers no SYN, and client libraries treat the one otherwise than the other. So a connection begins with a
// byte there and a byte back, through the proxy: it is made when both have come through, and the server has
// been reached.

// greeter stands between a proxy and a server.
type greeter struct {
	listener net.Listener
	server   string
}

func newGreeter(server string) (*greeter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &greeter{l, server}
	go g.serve()
	return g, nil
}

func (g *greeter) address() string { return g.listener.Addr().String() }

func (g *greeter) stop() { g.listener.Close() }

func (g *greeter) serve() {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return
		}
		go g.greet(conn)
	}
}

// greet waits for the byte, reaches the server, answers, and carries what is said from then on.
func (g *greeter) greet(client net.Conn) {
	defer client.Close()
	var b [1]byte
	if _, err := io.ReadFull(client, b[:]); err != nil {
		return
	}
	server, err := net.Dial("tcp", g.server)
	if err != nil {
		return // refused
	}
	defer server.Close()
	if _, err := client.Write(b[:]); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(server, client)
		server.Close()
		client.Close()
	}()
	_, _ = io.Copy(client, server)
}

// dial makes a connection that begins with a greeting. What goes wrong is an error of dialling. A greeting that
// is lost is sent again as a SYN is, after 1, 3 and 7 s (tcp_syn_retries), on a connection of its own.
func dial(ctx context.Context, network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for wait := time.Second; ; wait *= 2 {
		conn, err := dialOnce(ctx, network, address, wait)
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
			return conn, err
		}
	}
}

func dialOnce(ctx context.Context, network, address string, wait time.Duration) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(wait)
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	if err := greeted(ctx, conn, deadline); err != nil {
		conn.Close()
		return nil, &net.OpError{Op: "dial", Net: network, Addr: conn.RemoteAddr(), Err: err}
	}
	return conn, nil
}

// greeted sends the byte and waits for its answer.
func greeted(ctx context.Context, conn net.Conn, deadline time.Time) error {
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	var b [1]byte
	_, err := conn.Write(b[:])
	if err == nil {
		_, err = io.ReadFull(conn, b[:])
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	return err
}
