package k8slease

import (
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/modeltest"
	"fencepost/sim/history"
	"fencepost/sim/host"
)

func paramsWith(set given) models.Params {
	p := models.Defaults(params)
	for name, v := range set {
		p[name] = v
	}
	return p
}

// What is not given follows from what is: with the default ttl the core components' 15, 10
// and 2 s, and 5 s a request.
func TestDerivedTiming(t *testing.T) {
	s := int64(second)
	for _, c := range []struct {
		set    given
		client int
		want   [4]time.Duration // lease, renew deadline, retry period, timeout
	}{
		{nil, 0, [4]time.Duration{15 * second, 10 * second, 2 * second, 5 * second}},
		{nil, 1, [4]time.Duration{15 * second, 10 * second, 2 * second, 5 * second}},
		{given{"ttl": 3 * s}, 0, [4]time.Duration{3 * second, 2 * second, 400 * ms, second}},
		{given{"renew-deadline": 5 * s}, 1, [4]time.Duration{15 * second, 5 * second, second, 2500 * ms}},
		{given{"renew-deadline": 5 * s, "timeout": 7 * s}, 0, [4]time.Duration{15 * second, 5 * second, second, 7 * second}},
		{given{"retry-period": s, "ttl-others": 6 * s}, 0, [4]time.Duration{15 * second, 10 * second, second, 5 * second}},
		{given{"retry-period": s, "ttl-others": 6 * s}, 1, [4]time.Duration{6 * second, 4 * second, 800 * ms, 2 * second}},
		{given{"retry-period": s, "retry-period-others": 3 * s}, 1, [4]time.Duration{15 * second, 10 * second, 3 * second, 5 * second}},
		{given{"retry-period": s, "renew-deadline-others": 5 * s}, 1, [4]time.Duration{15 * second, 5 * second, second, 2500 * ms}},
	} {
		got := configOf(paramsWith(c.set), c.client)
		if all := [4]time.Duration{got.lease, got.renew, got.retry, got.timeout}; all != c.want {
			t.Errorf("%v, client %d: %v, want %v", c.set, c.client, all, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	s := int64(second)
	for _, c := range []struct {
		set  given
		says string // empty is valid
	}{
		{nil, ""},
		{given{"ttl": s}, ""},
		{given{"ttl": 10 * s, "renew-deadline": 10 * s}, "renew-deadline is 10s and ttl 10s"},
		{given{"renew-deadline": 6 * s, "retry-period": 5 * s}, "retry-period is 5s and renew-deadline 6s"},
		{given{"renew-deadline": 6*s + 1, "retry-period": 5 * s}, ""},
		{given{"ttl-others": 6 * s, "renew-deadline-others": 7 * s}, "renew-deadline-others is 7s and ttl-others 6s"},
		{given{"retry-period-others": 9 * s}, "retry-period-others is 9s"},
		{given{"ttl-others": s / 2}, "ttl-others is 500ms"},
	} {
		err := validate(paramsWith(c.set))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.set, err, c.says)
		}
	}
}

// The record has whole seconds: of a lease of 2.9 s others wait 2 s. They have seen it at
// 102 ms; all later renewals are in the same second, and change nothing.
func TestLeaseInWholeSeconds(t *testing.T) {
	r := newRig(t, 2, given{"ttl": int64(2900 * ms), "retry-period": int64(100 * ms)})
	r.Lock(0, 0, 900*ms)
	other := r.Lock(1, 100*ms, 0)
	r.Run(10 * second)
	between(t, "granted", r.Want(other.Hold, history.Grant).At, at(2102*ms), at(2102*ms+quickLag))
	r.Sound()
}

// The first client's lease is 15 s, the others' is 4 s. It is silent for 8 s. Others wait
// what its record says; before Kubernetes 1.27 they waited what they had themselves.
func TestCandidatesWithAShorterLease(t *testing.T) {
	for _, own := range []int64{expiryByRecord, 1} {
		r := newRig(t, 2, given{"ttl-others": int64(4 * second), "expiry": own}.quick())
		r.Lock(0, 0, 0)
		other := r.Lock(1, 100*ms, 0)
		r.At(renewal(2)+10*ms, func() { r.Env.Clients[0].Pause(at(12 * second)) })
		r.Run(15 * second)
		if own == expiryByRecord {
			if other.Acquired != 0 {
				t.Errorf("client 2 acquired at %v", other.Acquired)
			}
			r.Sound()
			continue
		}
		between(t, "client 2 granted", r.Want(other.Hold, history.Grant).At, at(renewal(2)+ms+4*second), at(renewal(2)+4*second+2*quickLag))
		if !r.Grants.Violated() || !r.Exclusion.Violated() {
			t.Error("the promise in the record is 15 s")
		}
	}
}

// A process that crashes and starts anew: with an identity of its own it waits for the lease
// of its predecessor; with the host's it goes on at once, under the same leaseTransitions.
func TestIdentityOfARestartedProcess(t *testing.T) {
	for _, identity := range []int64{identityOfProcess, 1} {
		for _, token := range []int64{tokenTransitions, tokenVersion} {
			r := newRig(t, 1, given{"identity": identity, "token": token})
			first := r.Lock(0, 0, 0)
			var again *modeltest.Use
			r.At(5*second, func() {
				r.Env.Clients[0].Crash(host.LoseMemory)
				r.Env.Clients[0].Restart(false)
				r.restart(0)
				again = r.lockAs(0, history.ExecutorOf(0, 2))
			})
			r.Run(60 * second)
			if identity == identityOfProcess {
				between(t, "acquired", again.Acquired, at(20*second), at(20*second+4400*ms+10*ms))
			} else {
				equal(t, "acquired", again.Acquired, at(5*second+4*ms))
			}
			if rises := again.Token > first.Token; rises != (identity == identityOfProcess || token == tokenVersion) {
				t.Errorf("identity %d: token %d after %d", identity, again.Token, first.Token)
			}
			r.Sound()
		}
	}
}

// client-go hands its program no number, so nobody has a token who has not asked for one.
func TestNoTokenByDefault(t *testing.T) {
	if d := New().Describe(); d.HasToken(models.Defaults(d.Params)) {
		t.Error("the defaults have a token")
	}
	r := newRig(t, 1, nil)
	u := r.Lock(0, 0, 0)
	r.Run(second)
	if g := r.Want(u.Hold, history.Grant); u.Acquired == 0 || u.Token != 0 || g.Token != 0 {
		t.Errorf("acquired at %v with token %d, granted %+v", u.Acquired, u.Token, g)
	}
}

// A process that acquires again after it has let its lease run on has its own name in the
// record: it regains the lease at once, and leaseTransitions do not rise.
func TestSameProcessRegains(t *testing.T) {
	for token, want := range [][2]int64{{0, 0}, {1, 1}, {1, 5}} {
		r := newRig(t, 1, given{"token": int64(token)})
		first, second1 := r.Lock(0, 0, 5*second), r.Lock(0, 6*second, 0)
		r.Run(10 * second)
		equal(t, "acquired", second1.Acquired, at(6*second+2*ms)) // it need not even read it
		r.ended(t, first, at(6*second+ms), "regained by its own identity")
		r.Want(first.Hold, history.ReleaseBegin) // its own
		if got := [2]int64{first.Token, second1.Token}; got != want {
			t.Errorf("tokens %v, want %v", got, want)
		}
		if g := r.Want(second1.Hold, history.Grant); g.Token != want[1] {
			t.Errorf("granted with token %d", g.Token)
		}
		r.Sound()
	}
}
