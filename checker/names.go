package checker

import (
	"fmt"
	"time"

	"fencepost/sim"
	"fencepost/sim/history"
)

// who names a hold by its client, and by its token if it has one.
func (f *facts) who(id history.HoldID) string {
	if id == 0 {
		return "nobody"
	}
	name := f.name(id)
	if token := f.holds[id].Token; token != 0 {
		name += fmt.Sprintf(" (token %d)", token)
	}
	return name
}

// name is that of a hold's client, with the hold if the client has several.
func (f *facts) name(id history.HoldID) string {
	client := f.holds[id].Client
	if f.cycles(client) > 1 {
		return fmt.Sprintf("client %d (hold %d)", client, id)
	}
	return fmt.Sprintf("client %d", client)
}

// cycles counts the holds of a client.
func (f *facts) cycles(client int) (n int) {
	for _, h := range f.holds {
		if h.Client == client {
			n++
		}
	}
	return n
}

// Seconds writes an instant for people: seconds, to the millisecond.
func Seconds(t sim.Time) string { return fmt.Sprintf("%.3f s", time.Duration(t).Seconds()) }

// Length writes a duration for people, to three digits or so.
func Length(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3f µs", float64(d)/1e3)
}
