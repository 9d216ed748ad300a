package scenarios_test

import (
	"strings"
	"testing"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
)

// TestAnEntryStandsForSeveralClients, as many as a parameter says, each with a number of its own.
func TestAnEntryStandsForSeveralClients(t *testing.T) {
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	const text = "name: n\nparams: {n: 3}\nclients:\n  - between: 1s\n  - count: $n\n    start: 2s\nfaults:\n  - pause: {client: 4, for: 1s}\n    at: 1s\n"
	s, err := scenarios.Parse("n.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[string]string{
		"3":  "client 1 starts at 0s, works 0s, reads, works 1s, writes, works 0s, checks as its library's example does; each of clients 2 to 4 starts at 2s, ",
		"2":  "no client 4",
		"63": "each of clients 2 to 64 starts at 2s, ",
		"64": "n=64: 65 clients: at most 64 (n is used at n.yaml:5:5)",
		"0":  "0 is out of range: 1 to 64",
	} {
		in, err := s.Instantiate(registry, map[string]string{"n": n})
		got := ""
		if err == nil {
			_, err = in.Plans(registry.Locks(), resource.Guards[:1])
			got = in.Workload()
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s clients: %q, want %q", n, got, want)
		}
	}
}
