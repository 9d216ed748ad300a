//go:build linux

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"fencepost/models"
)

// outfit is what a worker is given: which library it uses, and how.
type outfit struct {
	Library string   `json:"library"`
	First   int      `json:"first"`   // which of them it tries first
	Servers []string `json:"servers"` // where this client reaches each of them
	// Sentinels and Announced are of replicated servers: where the Sentinels are, and how they name each server.
	Sentinels []string         `json:"sentinels,omitempty"`
	Announced []string         `json:"announced,omitempty"`
	Params    map[string]int64 `json:"params"`
}

func (o *outfit) duration(name string) time.Duration { return time.Duration(o.Params[name]) }

// order is something that a worker is told to do, and what came of it.
type order struct {
	Number int    `json:"number"`
	Do     string `json:"do"`
	OK     bool   `json:"ok"`
	Token  int64  `json:"token,omitempty"`
	Error  string `json:"error,omitempty"`
	// NotHeld says that the library's error is its word for a lock that is not, or no longer, the caller's.
	NotHeld bool `json:"not_held,omitempty"`
	// Broken says that the order was not carried out.
	Broken bool `json:"broken,omitempty"`
}

// library is a real client library.
type library interface {
	Acquire(ctx context.Context) (token int64, err error)
	// Valid is what the library says, true if it says nothing.
	Valid() bool
	// Renew has the lock for its whole TTL from now on.
	Renew(ctx context.Context) error
	Release(ctx context.Context) error
	// Meant is an error of its own in the words of the models.
	Meant(err error) error
}

// Work is a worker: it takes orders on its standard input, and answers each on its standard output.
func Work(ctx context.Context, text string, in io.Reader, out io.Writer) error {
	var o outfit
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	l, err := newLibrary(ctx, &o)
	if err != nil {
		return err
	}
	w := &worker{library: l, answers: json.NewEncoder(out)}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		go w.take(ctx, o) // a program may renew while it does something else
	}
	return lines.Err()
}

// worker is a program that uses a lock.
type worker struct {
	library library
	mutex   sync.Mutex
	answers *json.Encoder
}

// take carries an order out and answers it.
func (w *worker) take(ctx context.Context, o order) {
	var err error
	switch o.Do {
	case "ready":
	case "acquire":
		o.Token, err = w.library.Acquire(ctx)
	case "check":
		o.OK = w.library.Valid()
	case "renew":
		err = w.library.Renew(ctx)
	case "release":
		err = w.library.Release(ctx)
	default:
		err, o.Broken = fmt.Errorf("no step %q", o.Do), true
	}
	if o.Do != "check" {
		o.OK = err == nil
	}
	if err != nil {
		o.Error, o.NotHeld = err.Error(), errors.Is(w.library.Meant(err), models.ErrNotHeld)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_ = w.answers.Encode(o)
}

// newLibrary makes the library of an outfit.
func newLibrary(ctx context.Context, o *outfit) (library, error) {
	begin, ok := libraries[o.Library]
	if !ok {
		return nil, fmt.Errorf("no library %q", o.Library)
	}
	return begin(ctx, o)
}

var libraries = map[string]func(context.Context, *outfit) (library, error){
	"go-redis": newBareRedis, "redislock": newRedislock, "redsync": newRedsync, "concurrency": newConcurrency, "go-zookeeper": newGoZookeeper,
}
