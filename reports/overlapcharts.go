package reports

import (
	"strconv"
	"strings"
	"time"

	"fencepost/scenarios/sweeps"
)

// CutOffChart draws the overlaps of a holder that is cut off, against how late its last reply was.
func CutOffChart(t *SweepTable) (Figure, error) {
	f := Figure{Name: "cut-off", Title: "For how long do two believe, if the holder is cut off?",
		Shows: "The longest overlap of beliefs in all trials, for a holder that heeds what its library tells it, against how late the last reply came before its links went silent. " +
			"Dashed is the bound that follows from when the client stops and when the service lets the next one in.",
		Read: "At zero the lock is safe without any guard, as long as nothing else goes wrong. What is simulated must not be above the dashed line but for the 10 ms between two looks of the program; " +
			"it may stay below, where replies are so late that the library gives up. A lock whose client tells the program nothing, or for which more than the delay counts, has no bound and no plot."}
	return BoundChart(t, f, "delay", "delay of the last reply (s)", 1, func(lock, value string, params map[string]string) (time.Duration, bool) {
		delay, constant := durationOf(value)
		ttl, known := durationOf(params["ttl"])
		if !constant || !known {
			return 0, false
		}
		return sweeps.CutOffBound(lock, ttl, delay)
	}, sweeps.CutOffWithoutBound)
}

// DriftChart draws the overlaps of Redlock against how fast the clocks of its servers are.
func DriftChart(t *SweepTable) (Figure, error) {
	f := Figure{Name: "drift", Title: "How much clock drift does Redlock's allowance cover?",
		Shows: "The longest overlap of beliefs under Redlock when the clocks of a majority of its servers run fast and the holder uses all of its validity. " +
			"Dashed is TTL − drift allowance − TTL ÷ (1 + ρ), with an allowance of a hundredth of the TTL and 2 ms.",
		Read: "Up to a drift of one percent there is no overlap: that is what the allowance is for. Beyond it two holders believe at once, for longer the faster the clocks are."}
	return BoundChart(t, f, "drift", "servers' clocks too fast by ρ (%)", 100, func(lock, value string, params map[string]string) (time.Duration, bool) {
		ppm, err := strconv.ParseInt(strings.TrimSuffix(value, "ppm"), 10, 64)
		ttl, known := durationOf(params["ttl"])
		if lock != "redlock" || err != nil || !known {
			return 0, false
		}
		return sweeps.RedlockDriftBound(ttl, ppm), true
	}, func(string) string { return "it is no Redlock" })
}
