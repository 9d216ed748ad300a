package virtual

import (
	"bufio"
	"context"
	"io"
	"net"

	"github.com/alicebob/miniredis/v2/proto"
)

// wire is a connection: a pipe to go-redis, and one to the server. What comes out of the one is put into
// the other when the simulated network has carried it.
type wire struct {
	client *client
	near   io.ReadWriteCloser
	peer   peer
}

// dial is go-redis' Dialer.
func (c *client) dial(context.Context, string, string) (net.Conn, error) {
	far, err := c.server.redis.Dial()
	if err != nil {
		return nil, err
	}
	end, near := net.Pipe()
	go (&wire{c, near, newPeer(far)}).carry()
	return end, nil
}

// carry carries commands until go-redis ends the connection, as it does when a reply is late.
func (w *wire) carry() {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() { cancel(); _ = w.near.Close(); _ = w.peer.conn.Close() }()
	commands := make(chan string)
	go func() {
		defer cancel()
		for r := bufio.NewReader(w.near); ; {
			said, err := proto.Read(r)
			if err != nil {
				return
			}
			select {
			case commands <- said:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case said := <-commands:
			reply, err := w.reply(ctx, said)
			if err == nil {
				_, err = io.WriteString(w.near, reply)
			}
			if err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// reply sends a command over the simulated network and waits for the reply; those of the hand-shake it
// takes to the server itself.
func (w *wire) reply(ctx context.Context, said string) (string, error) {
	words, err := proto.ReadStrings(said)
	if err != nil {
		return "", err
	}
	if handShake(words[0]) {
		return w.peer.answer(said)
	}
	under := w.client.find(words)
	m, err := under.call.ask(ctx, under.request, &sent{said, w.peer}, never)
	if err != nil {
		return "", err
	}
	return m.Ref.(string), nil
}

// peer is what a server has of a connection.
type peer struct {
	conn net.Conn
	read *bufio.Reader
}

func newPeer(conn net.Conn) peer { return peer{conn, bufio.NewReader(conn)} }

// answer has the server run a command.
func (p peer) answer(said string) (string, error) {
	if _, err := io.WriteString(p.conn, said); err != nil {
		return "", err
	}
	return proto.Read(p.read)
}

// sent is a command on its way, in a message to its server.
type sent struct {
	said string
	peer peer
}
