package dbrow

import (
	"strings"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/sim/host"
)

// Who sets parameters that contradict each other is told which, and what would be right.
func TestValidate(t *testing.T) {
	d := New().Describe()
	for _, c := range []struct {
		params set
		says   string // empty is accepted
	}{
		{set{}, ""},
		{set{"ttl": "10s", "client": "shedlock"}, ""},
		{set{"keep-alive": "on", "ttl": "60s"}, "needs client: shedlock"},
		{set{"keep-alive": "on", "client": "shedlock", "ttl": "10s"}, "at least 30s"},
		{set{"keep-alive": "on", "client": "shedlock", "ttl": "30s"}, ""},
		{set{"lock-at-least-for": "5s"}, "needs client: shedlock"},
		{set{"lock-at-least-for": "11s", "client": "shedlock"}, "longer than ttl (10s)"},
		{set{"lock-at-least-for": "10s", "client": "shedlock"}, ""},
		{set{"unlock": "name"}, "needs client: shedlock"},
		{set{"token": "column", "client": "shedlock"}, "needs client: generic"},
		{set{"time": "database-clock", "client": "shedlock"}, "time is database or client"},
		{set{"time": "client", "client": "shedlock"}, ""},
	} {
		p := models.Defaults(d.Params)
		for _, param := range d.Params {
			if text, ok := c.params[param.Name]; ok {
				v, err := param.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				p[param.Name] = v
			}
		}
		err := d.Validate(p)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.params, err, c.says)
		}
	}
}

// The takeover is the lease, what the server grants a silent transaction, and how long the
// next attempt of a waiting client may be away.
func TestTakeover(t *testing.T) {
	for _, c := range []struct {
		params set
		want   time.Duration
	}{
		{set{}, 10*second + ms + 100*ms},
		{set{"retry-jitter": "1s", "transaction-age": "2s"}, 10*second + ms + 100*ms + 3*second},
		{set{"client": "shedlock"}, 10*second + ms},
		{set{"client": "shedlock", "idle-in-transaction": "60s"}, 60*second + ms},
	} {
		r := newRig(t, 1, c.params)
		equal(t, "takeover", New().Describe().Takeover(r.Env.Params), c.want)
	}
}

// steps are those that were reached.
type steps map[string]bool

// ReachedStep implements [host.StepObserver].
func (s steps) ReachedStep(_ *host.Host, _ *host.Process, step string) { s[step] = true }

// Every step that the description lists is reached by some client.
func TestSteps(t *testing.T) {
	reached := steps{}
	for _, params := range []set{
		{"transaction-age": "1ms"},
		{"client": "shedlock", "ttl": "30s", "keep-alive": "on"},
	} {
		r := newRig(t, 2, params)
		r.Fleet.Observer = reached
		r.run(0, 0, 20*second)
		r.run(1, second, 0)
		if _, ok := r.Lockers[0].(models.Renewer); ok {
			r.Renew(0, 2*second)
		}
		r.Run(25 * second)
	}
	for _, s := range New().Describe().Steps {
		if !reached[s.Name] {
			t.Errorf("step %s is not reached", s.Name)
		}
	}
}
