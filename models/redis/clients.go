package redis

import (
	"fencepost/models"
	"fencepost/sim/history"
)

// Clients are the libraries of all clients. They are the [Watcher] of the servers: what a
// server tells is recorded for the hold on whose behalf it was done.
type Clients struct {
	settings
	env     *models.Env
	service Service
	all     []*library
	// foresight is of attempts of a bare client that sets the key with one command, at a service that
	// is one server without a file.
	foresight *Foresight
}

// NewClients makes the clients of a service. The parameters are those of [ClientParams].
func NewClients(e *models.Env, s Service) *Clients {
	c := &Clients{settings: settingsOf(e.Params), env: e, service: s}
	for i := range e.Clients {
		c.all = append(c.all, &library{clients: c, index: i})
	}
	return c
}

// Reset begins a trial.
func (c *Clients) Reset() {
	for i, l := range c.all {
		*l = library{clients: c, index: i, random: c.env.Stream("redis.client", i)}
	}
}

// Locker returns the library of a client as a process has it that has just started.
func (c *Clients) Locker(client int) models.Locker {
	l := c.all[client]
	*l = library{clients: c, index: client, random: l.random}
	switch c.client {
	case redislockClient:
		return &redislock{library: l}
	case redissonClient:
		return newRedisson(l)
	}
	return &bare{library: l}
}

// KeySet implements [Watcher].
func (c *Clients) KeySet(k Key) {
	until := PromiseEnd(c.env, k.Since, k.TTL)
	c.env.Recorder.Add(history.Record{Kind: history.Grant, Hold: k.Hold, Token: k.Token, Until: until})
	if c.late(k) {
		c.release(k.Hold)
	}
}

// KeyExtended implements [Watcher].
func (c *Clients) KeyExtended(k Key) {
	until := PromiseEnd(c.env, k.Since, k.TTL)
	c.env.Recorder.Add(history.Record{Kind: history.Promise, Hold: k.Hold, Until: until})
}

// KeyGone implements [Watcher]. A hold that its thread enters anew, without ever having been
// told of it, is given back by that.
func (c *Clients) KeyGone(k Key, why string) {
	if why == Reentered {
		c.release(k.Hold)
	}
	c.env.Recorder.Add(history.Record{Kind: history.ServiceEnd, Hold: k.Hold, Text: why})
}

// late reports whether the key that has just been set is one that no client waits for
// any more: the command came after its client had asked the key back. A client that has
// crashed asked nothing back.
func (c *Clients) late(k Key) bool {
	l := c.all[c.env.Recorder.Hold(k.Hold).Client]
	if l.hold == k.Hold {
		return l.taken || l.value != k.Value
	}
	return l.hold > k.Hold
}

// release records that the client of a hold has begun to give it back.
func (c *Clients) release(hold history.HoldID) {
	c.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold})
}
