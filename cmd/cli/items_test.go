package cli

import (
	"strings"
	"testing"
	"time"

	"fencepost/models"
)

// TestItemsHang: a text that is wider than the terminal goes on below itself, and nothing is
// wrapped for programs.
func TestItemsHang(t *testing.T) {
	items := []item{{"redis", []string{"one server", "param ttl=30s: time to live of the key, in 30000 ms"}}, {"k8s", []string{""}}}
	for width, want := range map[int]string{
		0:  "redis  one server\n       param ttl=30s: time to live of the key, in 30000 ms\nk8s\n",
		52: "redis  one server\n       param ttl=30s: time to live of the key, in\n         30000 ms\nk8s\n",
		// A terminal that is too narrow for anything still gets short lines.
		13: "redis\n    one server\n    param ttl=30s: time to live\n      of the key, in 30000 ms\nk8s\n",
	} {
		var out strings.Builder
		describeItems(&out, items, width)
		if out.String() != want {
			t.Errorf("width %d:\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

// TestFactsThatALockDoesNotSay are left out.
func TestFactsThatALockDoesNotSay(t *testing.T) {
	d := models.Description{Name: "desk", Promise: "for the TTL", Takeover: func(models.Params) time.Duration { return time.Second }}
	for _, fact := range factsOf(&d) {
		if fact[1] == "" {
			t.Errorf("an empty %q", fact[0])
		}
	}
}
