package answer

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"

	"fencepost/models"
)

var errSilent = errors.New("i/o timeout")

// Of five servers a majority can spare two, of four one. redsync joins the errors as the servers answer.
func TestRedsync(t *testing.T) {
	silent := &redsync.RedisError{Node: 1, Err: errSilent}
	taken := &redsync.ErrNodeTaken{Node: 2}
	expired := redsync.ErrLockAlreadyExpired
	for _, c := range []struct {
		name    string
		err     error
		servers int
		notHeld bool
	}{
		{"none", nil, 5, false},
		{"another's on a majority", &redsync.ErrTaken{Nodes: []int{0, 1, 2}}, 5, true},
		{"two have refused", errors.Join(errors.Join(nil, taken), expired), 5, false},
		{"two have refused, and three are silent", joined(silent, taken, silent, expired, silent), 5, false},
		{"three have refused, and two are silent", joined(expired, silent, taken, silent, expired), 5, true},
		{"one of four", joined(taken, silent, silent), 4, false},
		{"two of four", joined(taken, expired), 4, true},
		{"the only one", joined(expired), 1, true},
		{"the only one is silent", joined(silent), 1, false},
		{"too late", redsync.ErrExtendFailed, 5, false},
		{"all attempts too late", redsync.ErrFailed, 5, false},
	} {
		want := c.err
		if c.notHeld {
			want = models.ErrNotHeld
		}
		if got := Redsync(c.err, c.servers); got != want {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

func joined(all ...error) (err error) {
	for _, e := range all {
		err = errors.Join(err, e)
	}
	return err
}

func TestRedislock(t *testing.T) {
	for _, err := range []error{redislock.ErrLockNotHeld, redislock.ErrNotObtained, fmt.Errorf("job 7: %w", redislock.ErrLockNotHeld)} {
		if got := Redislock(err); got != models.ErrNotHeld {
			t.Errorf("%v: %v", err, got)
		}
	}
	for _, err := range []error{nil, errSilent, context.DeadlineExceeded} {
		if got := Redislock(err); got != err {
			t.Errorf("%v: %v", err, got)
		}
	}
}
