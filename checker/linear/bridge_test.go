package linear

import "fencepost/sim/history"

// DrawLock makes a random record for tests that stand outside of the package, because they
// import what imports it.
func DrawLock(pick func(int) int, clients, steps int) *history.Recorder {
	s := newScript(0)
	s.drawLock(pick, clients, steps)
	drawTokens(pick, s.Records)
	return s.Recorder
}
