package modeltest

import "testing"

// ManyTrials skips a test of hundreds of trials with -short and under the race detector,
// which can learn nothing from them: a world runs one goroutine at a time. The plain run
// is their proof.
func ManyTrials(t testing.TB) {
	t.Helper()
	if Raced || testing.Short() {
		t.Skip("many trials, each of one goroutine at a time: the plain run is their proof")
	}
}
