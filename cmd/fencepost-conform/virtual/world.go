package virtual

import (
	"fmt"

	"fencepost/models"
	"fencepost/sim/host"
)

// world is the servers of a model, with a bridge to them for real libraries.
type world struct {
	models.System
	env    *models.Env
	bridge *bridge
}

func newWorld(l models.Lock, e *models.Env) world {
	return world{System: l.Build(e), env: e, bridge: newBridge(e)}
}

// Reset implements [models.System].
func (w *world) Reset() {
	w.System.Reset()
	w.bridge.reset()
}

// Remove implements [models.Remover].
func (w *world) Remove(server, order int) { w.System.(models.Remover).Remove(server, order) }

// host is that of a Redis server, by its number from 1.
func (w *world) host(number int) *host.Host { return w.env.Fleet.Find(fmt.Sprintf("redis/%d", number)) }

// notAcquired is what Acquire of a model returns for an error of a library's: [models.ErrNotAcquired] alone if servers
// have refused, and with the error otherwise.
func notAcquired(err error) error {
	if err == models.ErrNotHeld {
		return models.ErrNotAcquired
	}
	return fmt.Errorf("%w: %w", models.ErrNotAcquired, err)
}
