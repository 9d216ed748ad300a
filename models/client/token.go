package client

import (
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/rng"
)

// tokenToShow is the lock's token, or a random one if the guard wants that: never 0, which is none.
func (c *Client) tokenToShow() int64 {
	if !c.Protocol.OwnToken {
		return c.belief.token
	}
	key := rng.Hash(c.Seed, rng.HashString("client.token"), uint64(c.executor), uint64(c.cycle))
	random := rng.New(key, c.process.Host().World().Digest())
	return 1 + random.Int64N(1<<62)
}

// mark leaves the token at each object before anything else, if the guard wants that.
func (c *Client) mark(p *host.Process) error {
	if !c.Protocol.Marks {
		return nil
	}
	if err := c.check(p, CheckEvery, CheckTimer); err != nil {
		return err
	}
	return c.each(p, history.MarkEffect, nil)
}
