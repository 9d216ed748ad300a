package reports

import "fmt"

// spread is the least and the largest of some counts.
type spread struct {
	least, most int64
	any         bool
}

func (s *spread) add(n int64) {
	if !s.any {
		s.least, s.most, s.any = n, n, true
	}
	s.least, s.most = min(s.least, n), max(s.most, n)
}

// of writes "1 trial", "100 trials", or "99 to 100 trials".
func (s *spread) of(one, many string) string {
	switch {
	case s.least < s.most:
		return fmt.Sprintf("%d to %d %s", s.least, s.most, many)
	case s.most == 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", s.most, many)
}

// trialsAPoint is how many trials stand behind each point of a picture.
func (t *SweepTable) trialsAPoint() string { return t.trials() + " a point" }

// stampCost is the foot of a picture of what using the lock costs.
func (t *SweepTable) stampCost() string {
	return fmt.Sprintf("fencepost %s; scenario %s, seeds %s; %s", Version, t.Scenario, t.Seeds, t.trialsAPoint())
}
