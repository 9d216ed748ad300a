package redlock

import (
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/redis"
	"fencepost/sim"
	"fencepost/sim/history"
)

// kinds are what was recorded.
func kinds(r *history.Recorder) (list []history.Kind) {
	for _, rec := range r.Records {
		list = append(list, rec.Kind)
	}
	return list
}

// TestOnlyTheCurrentAttemptStandsBehindAHold: keys that an earlier attempt left behind are no
// votes, a hold ends when the majority is gone, and one that has lost it before the
// client accepts has ended at once.
func TestOnlyTheCurrentAttemptStandsBehindAHold(t *testing.T) {
	newSystem := func() *system {
		return &system{quorum: 3, behaviour: behaviour{ttl: 10 * time.Second}, env: &models.Env{
			Recorder: history.NewRecorder(func() sim.Time { return 0 })}}
	}
	old, now := redis.Key{Value: 1, Hold: 1}, redis.Key{Value: 2, Hold: 1}

	s := newSystem()
	hold := s.env.Recorder.NewHold(0, 1)
	s.begin(hold, old.Value)
	s.KeySet(old)
	s.KeySet(old)
	s.begin(hold, now.Value)
	for range 3 {
		s.KeySet(now)
	}
	s.accept(hold, 0, s.ttl, 0)
	s.KeyGone(old, "expired")
	s.KeyGone(old, "expired")
	if got, want := kinds(s.env.Recorder), []history.Kind{history.Grant}; !slices.Equal(got, want) {
		t.Errorf("with three keys of the current attempt: %v, want %v", got, want)
	}
	s.KeyGone(now, "expired")
	s.KeyGone(now, "expired")
	if got, want := kinds(s.env.Recorder), []history.Kind{history.Grant, history.ServiceEnd}; !slices.Equal(got, want) {
		t.Errorf("with the majority gone: %v, want %v", got, want)
	}

	s = newSystem()
	hold = s.env.Recorder.NewHold(0, 1)
	s.begin(hold, now.Value)
	for range 3 {
		s.KeySet(now)
	}
	s.KeyGone(now, "expired")
	s.accept(hold, 0, s.ttl, 0)
	if got, want := kinds(s.env.Recorder), []history.Kind{history.Grant, history.ServiceEnd}; !slices.Equal(got, want) {
		t.Errorf("accepted without a majority: %v, want %v", got, want)
	}
}
