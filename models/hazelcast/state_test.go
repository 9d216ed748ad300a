package hazelcast

import (
	"strings"
	"testing"
	"time"

	"fencepost/models"
)

// An expiry that the leader proposed has no effect if a heartbeat was committed in between.
func TestHeartbeatForestallsAnExpiry(t *testing.T) {
	r := registry{}
	r.create(1, 1000, 10*time.Second)
	if s := r.find(1); s.end != 11_000 || s.version != 0 {
		t.Fatalf("%+v", s)
	}
	if !r.heartbeat(1, 11_000, 10*time.Second) || r.expire(1, 0) {
		t.Error("the session ended in spite of its heartbeat")
	}
	r.heartbeat(1, 5_000, 10*time.Second) // a clock that was set back moves no end back
	if s := r.find(1); s.end != 21_000 || s.version != 2 {
		t.Errorf("%+v", s)
	}
	r.shift(5 * time.Second)
	if s := r.find(1); s.end != 26_000 || s.version != 3 {
		t.Errorf("%+v", s)
	}
	if !r.expire(1, 3) || r.heartbeat(1, 0, 0) {
		t.Error("a session that is over is alive")
	}
}

func TestLockState(t *testing.T) {
	l := lockState{}
	if !l.acquire(request{session: 1, id: 10, fence: 4}) || !l.acquire(request{session: 1, id: 10, fence: 5}) || l.owner.fence != 4 {
		t.Errorf("a retry got fence %d", l.owner.fence)
	}
	l.acquire(request{session: 2, id: 20, fence: 6})
	l.acquire(request{session: 3, id: 30, fence: 7})
	l.acquire(request{session: 2, id: 20, fence: 8}) // a retry keeps place and fence
	if len(l.waiters) != 2 || l.waiters[0].fence != 6 {
		t.Errorf("waiters %+v", l.waiters)
	}
	l.acquire(request{session: 2, id: 21, fence: 9}) // a new request of the same caller does not
	if len(l.waiters) != 2 || l.waiters[0].session != 3 || l.waiters[1].fence != 9 {
		t.Errorf("waiters %+v", l.waiters)
	}
	if l.release(2, 99) || !l.release(1, 11) || l.owner.session != 3 || !l.release(1, 11) || l.owner.session != 3 {
		t.Errorf("owner %+v", l.owner)
	}
	l.close(2)
	l.close(3)
	if l.owner.session != 0 || len(l.waiters) != 0 {
		t.Errorf("%+v", l)
	}
}

func TestDescription(t *testing.T) {
	d := New().Describe()
	p := models.Defaults(d.Params)
	// 300 s of TTL, 1 s to the leader's look, 0.5 s for the commit.
	if got := quietTakeover(p); got != 301*sec+500*ms {
		t.Errorf("quiet takeover %v", got)
	}
	// And for one change of the leader 5 s of shift, 45 s of election, 60 s of the waiter's patience.
	if got := d.Takeover(p); got != 411*sec+500*ms {
		t.Errorf("takeover %v", got)
	}
	p["kind"] = imapLock // 60 s of silence, seen within 5 s, and 5 s for the backup, twice; 60 s
	if got := d.Takeover(p); got != 200*sec {
		t.Errorf("takeover of the map's lock %v", got)
	}
	seen := map[string]bool{}
	for _, s := range d.Steps {
		if seen[s.Name] || s.Doc == "" {
			t.Errorf("step %q is listed twice or not described", s.Name)
		}
		seen[s.Name] = true
	}
}

func TestValidate(t *testing.T) {
	d := New().Describe()
	for _, c := range []struct {
		set  models.Params
		says string
	}{
		{models.Params{}, ""},
		{models.Params{"ttl": int64(10 * sec)}, ""},
		{models.Params{"ttl": int64(5 * sec)}, "ttl 5s must be longer than heartbeat 5s"},
		{models.Params{"ttl": int64(5 * sec), "heartbeat": int64(sec)}, ""},
		{models.Params{"ttl": int64(5 * sec), "kind": imapLock}, ""},
		{models.Params{"no-heartbeat": int64(3 * sec), "kind": imapLock}, "no-heartbeat 3s must be longer"},
	} {
		p := models.Defaults(d.Params)
		for name, v := range c.set {
			p[name] = v
		}
		err := d.Validate(p)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.set, err)
		}
	}
}
