package virtual

import (
	"testing"

	"fencepost/models"
)

// ofRedsync are choices of Redlock's clients that redsync has made.
var ofRedsync = []string{"client", "order", "replies", "elapsed-check", "clock", "start", "value", "undo", "extend-sets", "using", "token", "valid"}

func redsyncs(contextEnds int64) *library {
	return &library{
		model: "redlock", real: NewRedsync, stack: NewRedsyncStack,
		params: map[string]int64{"client": 2, "command-retries": -1, "context-timeout": contextEnds},
		own: func(p models.Params) bool {
			return unset(p, ofRedsync...) && p.Millionths("drift") == 10_000
		},
		without: map[string]string{
			"bad-weather": onOtherClocks, "swarm": onOtherClocks, "suspend-during-acquire": onOtherClocks,
			"queued-lease-expires": whileItWaits,
		},
	}
}

// TestRedsync: redsync sends what the model sends, at the same instants, and tells its program the same,
// in every scenario.
func TestRedsync(t *testing.T) {
	publish(t, "redsync", redsyncs(1).compare(t))
}

// TestRedsyncWithoutContext: the same on a client that does not heed the context of an attempt.
func TestRedsyncWithoutContext(t *testing.T) {
	publish(t, "redsync without ContextTimeoutEnabled", redsyncs(0).compare(t))
}
