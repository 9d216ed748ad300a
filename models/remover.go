package models

import (
	"time"

	"fencepost/sim/host"
)

// Remover is a System whose record of the lock can be removed by somebody who is none of its
// clients: an operator, a reaper, an eviction, the housekeeping of a store.
type Remover interface {
	// Remove has the record removed by way of the server with an index, or of whichever it takes
	// if that is [AnyServer]. Each record that is removed the system tells the recorder of, with
	// the number of the order ([history.Recorder.AddRemoval]), also if that comes about later. A
	// server that is down does nothing.
	Remove(server, order int)
}

// AnyServer is the index of no server in particular.
const AnyServer = -1

// orders is where the tags of orders begin. No other timer has a tag that low.
const orders = -1 << 30

// Order has the server on a host carry out an order after a while, or when it next runs: its
// Timer is called with a tag of which [OrderOf] knows the order.
func Order(h *host.Host, after time.Duration, order int) {
	if h.State() != host.Crashed {
		h.After(after, orders+order)
	}
}

// OrderOf returns the order that a timer with a tag stands for, if it does for one.
func OrderOf(tag int) (order int, ok bool) {
	if tag >= orders/2 {
		return 0, false
	}
	return tag - orders, true
}
