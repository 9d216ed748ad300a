package models_test

import (
	"slices"
	"testing"
	"time"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/local"
	"fencepost/models/redis"
	"fencepost/models/redlock"
)

func TestRegistry(t *testing.T) {
	r, err := models.NewRegistry(redlock.New(), local.New(), redis.New())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Names(), []string{"local", "redis", "redlock"}; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v: sorted", got, want)
	}
	if got := r.Locks()[0].Describe().Name; got != "redlock" {
		t.Errorf("the first is %s: the order is the one given", got)
	}
	if l, ok := r.Find("redis"); !ok || l.Describe().Name != "redis" {
		t.Errorf("found %v", l)
	}
	if l, ok := r.Find("Redis"); ok {
		t.Errorf("found %v", l)
	}
}

func TestTwoOfOneName(t *testing.T) {
	if _, err := models.NewRegistry(redis.New(), local.New(), redis.New()); err == nil || err.Error() != `two lock systems are called "redis"` {
		t.Errorf("error %v", err)
	}
}

// What a built-in system says of itself is complete and fits together.
func TestDescriptions(t *testing.T) {
	for _, l := range all.Locks() {
		d := l.Describe()
		if d.Summary == "" || len(d.Sources) == 0 || d.Promise == "" || d.Granted == "" || d.Notice == "" || d.Takeover == nil {
			t.Errorf("%s: something is missing: %+v", d.Name, d)
		}
		if d.OneProcess != (d.Role == "") || (d.Role == "") != (d.Servers == 0) {
			t.Errorf("%s: role %q, %d servers, one process %t", d.Name, d.Role, d.Servers, d.OneProcess)
		}
		names := map[string]bool{}
		for _, p := range d.Params {
			if v, err := p.Parse(p.Format(p.Default)); err != nil || v != p.Default || names[p.Name] || p.Doc == "" {
				t.Errorf("%s: parameter %s: default %d, %v, %q", d.Name, p.Name, p.Default, err, p.Doc)
			}
			names[p.Name] = true
		}
		for _, s := range models.StepsOfAcquire {
			if !slices.Contains(d.Steps, s) {
				t.Errorf("%s has no step %s", d.Name, s.Name)
			}
		}
		if d.Takeover(models.Defaults(d.Params)) < 0 {
			t.Errorf("%s: takeover %v", d.Name, d.Takeover(models.Defaults(d.Params)))
		}
	}
}

// A promise is shortened by the bound on clock rates and by the clock's granularity.
func TestPromiseEnd(t *testing.T) {
	for _, c := range []struct {
		rho              int64
		ttl, granularity time.Duration
		want             time.Duration // from the start
	}{
		{0, 10 * time.Second, 0, 10 * time.Second},
		{0, 10 * time.Second, time.Millisecond, 9999 * time.Millisecond},
		{100_000, 10 * time.Second, 0, 10*time.Second - time.Millisecond}, // 100 ppm
		{200_000_000, 1500 * time.Millisecond, 0, 1200 * time.Millisecond},
		{999_999_999, 365 * 24 * time.Hour, 0, 365 * 24 * 3600},
	} {
		e := models.Env{RhoPPB: c.rho}
		if got := e.PromiseEnd(5, c.ttl, c.granularity); got.Sub(5) != c.want {
			t.Errorf("rho %d ppb, %v, %v: %v, want %v", c.rho, c.ttl, c.granularity, got.Sub(5), c.want)
		}
	}
}
