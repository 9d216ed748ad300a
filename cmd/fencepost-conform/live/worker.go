//go:build linux

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// order is a step that a worker is told to take, and what came of it.
type order struct {
	Do    string `json:"do"`
	Value int64  `json:"value,omitempty"`

	OK       bool   `json:"ok"`
	Token    int64  `json:"token,omitempty"`
	Read     int64  `json:"read,omitempty"`
	Called   int64  `json:"called"`   // on the machine's monotonic clock, in nanoseconds
	Returned int64  `json:"returned"` // likewise
	Error    string `json:"error,omitempty"`
}

// now reads the clock that all processes of the machine share.
func now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err)
	}
	return t.Nano()
}

// Work is a worker: it takes orders on its standard input, and answers each on its standard output.
func Work(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	ttl, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	c, err := newClient(ctx, args[0], ttl, args[3:])
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", args[2])
	if err != nil {
		return err
	}
	w := &worker{client: c, out: json.NewEncoder(conn), in: bufio.NewReader(conn)}
	lines, answers := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		o.Called = now()
		if err := w.take(ctx, &o); err != nil {
			o.Error = err.Error()
		}
		o.Returned = now()
		if err := answers.Encode(o); err != nil {
			return err
		}
	}
	return lines.Err()
}

// worker is a program that uses a lock.
type worker struct {
	client client
	out    *json.Encoder // to the resource
	in     *bufio.Reader
	token  int64
	read   int64
}

// client is a real client library.
type client interface {
	Acquire(ctx context.Context) (token int64, err error)
	// Valid is what the library says, true if it says nothing.
	Valid() bool
	Release(ctx context.Context) error
}

func (w *worker) take(ctx context.Context, o *order) (err error) {
	switch o.Do {
	case "ready":
		o.OK = true
	case "acquire":
		o.Token, err = w.client.Acquire(ctx)
		w.token, o.OK = o.Token, err == nil
	case "check":
		o.OK = w.client.Valid()
	case "release":
		err = w.client.Release(ctx)
		o.OK = err == nil
	case "read", "write":
		a := ask{Write: o.Do == "write", Value: o.Value, Base: w.read, Token: w.token}
		if err = w.ask(&a); err == nil {
			o.OK = a.OK
			if !a.Write && a.OK {
				w.read, o.Read = a.Value, a.Value
			}
		}
	default:
		err = fmt.Errorf("no step %q", o.Do)
	}
	return err
}

func (w *worker) ask(a *ask) error {
	if err := w.out.Encode(a); err != nil {
		return err
	}
	text, err := w.in.ReadString('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(strings.TrimSpace(text)), a)
}
