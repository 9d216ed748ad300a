// Package answer says what errors of real client libraries mean in the words of fencepost's models.
package answer

import (
	"errors"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"

	"fencepost/models"
)

// Redsync is [models.ErrNotHeld] for an error of redsync's by which more servers have refused than a majority can
// spare: they have no such key, or another's. Any other error stays what it is: servers did not answer, or it took
// too long.
func Redsync(err error, servers int) error {
	if quorum := servers/2 + 1; refusals(err) > servers-quorum {
		return models.ErrNotHeld
	}
	return err
}

// refusals is how many servers refused. An error by itself says it of all of them (ErrTaken), of one of them, or is
// made of others.
func refusals(err error) (n int) {
	switch e := err.(type) {
	case *redsync.ErrTaken:
		return len(e.Nodes)
	case *redsync.ErrNodeTaken:
		return 1
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			n += refusals(part)
		}
		return n
	}
	if err == redsync.ErrLockAlreadyExpired {
		return 1
	}
	return 0
}

// Redislock is [models.ErrNotHeld] for redislock's words for that: ErrLockNotHeld of Release, and ErrNotObtained of
// Refresh, which Obtain says as well if the lock is another's.
func Redislock(err error) error {
	if errors.Is(err, redislock.ErrLockNotHeld) || errors.Is(err, redislock.ErrNotObtained) {
		return models.ErrNotHeld
	}
	return err
}
