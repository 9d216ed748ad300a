//go:build linux

package live

import (
	"bytes"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// way is one direction of a link, whose connections have a toxic each.
type way struct {
	number  int64
	mutex   sync.Mutex
	state   state
	changed chan struct{} // closed when the state is another
}

// ways are all, by number: toxiproxy makes toxics of JSON, which has no pointers.
var ways sync.Map

// lastWay is the number of the last one.
var lastWay atomic.Int64

// newWay puts the toxic into a direction of a proxy.
func newWay(p *toxiproxy.Proxy, stream string) (*way, error) {
	w := &way{number: lastWay.Add(1), changed: make(chan struct{})}
	ways.Store(w.number, w)
	text, err := json.Marshal(map[string]any{"name": stream, "stream": stream, "type": toxicType, "attributes": toxic{Way: w.number}})
	if err == nil {
		_, err = p.Toxics.AddToxicJson(bytes.NewReader(text))
	}
	return w, err
}

func (w *way) set(s state) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.state != s {
		w.state = s
		close(w.changed)
		w.changed = make(chan struct{})
	}
}

func (w *way) now() (state, <-chan struct{}) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.state, w.changed
}

// toxic does to a connection what its way does.
type toxic struct {
	Way int64 `json:"way"`
}

const toxicType = "fencepost"

func init() { toxics.Register(toxicType, new(toxic)) }

// Pipe implements [toxics.Toxic].
func (t *toxic) Pipe(stub *toxics.ToxicStub) {
	found, ok := ways.Load(t.Way)
	if !ok {
		stub.Close()
		return
	}
	w := found.(*way)
	for {
		s, changed := w.now()
		input := stub.Input
		if s.held {
			input = nil
		}
		select {
		case <-stub.Interrupt:
			return
		case <-changed:
		case c := <-input:
			switch {
			case c == nil:
				w.untilWell(stub)
				stub.Close()
				return
			case !s.lost:
				time.Sleep(s.extra - time.Since(c.Timestamp))
				stub.Output <- c
			}
		}
	}
}

// untilWell waits until the end of a connection can come through: as long as nothing does, nobody hears of it.
func (w *way) untilWell(stub *toxics.ToxicStub) {
	for {
		s, changed := w.now()
		if !s.lost && !s.held {
			return
		}
		select {
		case <-changed:
		case <-stub.Interrupt:
			return
		}
	}
}
