package virtual

import (
	"testing"

	"fencepost/models"
)

// redislocks is redislock, asked to try forty times; by itself it does not wait.
func redislocks() *library {
	return &library{
		model: "redis", real: NewRedislock, stack: NewRedislockStack,
		params: map[string]int64{"client": 1, "command-retries": -1, "attempts": 40},
		own: func(p models.Params) bool {
			return unset(p, "client", "acquire", "release", "extend", "watchdog", "mutex", "token", "refresh")
		},
		without: map[string]string{
			"bad-weather": onOtherClocks, "swarm": onOtherClocks, "suspend-during-acquire": onOtherClocks,
			"queued-lease-expires": whileItWaits, "own-clock-runs-fast": onOtherClocks,
		},
	}
}

// TestRedislock: redislock sends what the model sends, at the same instants, and tells its program the
// same, in every scenario.
func TestRedislock(t *testing.T) {
	publish(t, "redislock", redislocks().compare(t))
}
