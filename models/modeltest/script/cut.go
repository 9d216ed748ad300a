package script

import (
	"fmt"

	"fencepost/sim/network"
)

// cut makes a link carry nothing, both ways or one way, lost or sent again as TCP does:
// cut from=client/1 to=redis/1 [one-way] [resend] [hang].
func cut(s *story, c *command) error {
	name, rules, err := s.link(c)
	if err != nil {
		return err
	}
	for i := range rules {
		rules[i].Cut, rules[i].Resend, rules[i].Existing = true, c.given("resend"), c.given("hang")
		s.rig.Net.Impose(&rules[i])
	}
	s.undo[name] = func() {
		for i := range rules {
			s.rig.Net.Lift(&rules[i])
		}
	}
	return nil
}

// link reads the ends of a link, and makes a rule for each of its directions.
func (s *story) link(c *command) (name string, rules []network.Rule, err error) {
	from, to, err := s.ends(c, "", "")
	if err != nil {
		return "", nil, err
	}
	name = from.Name + " " + to.Name
	if s.undo[name] != nil {
		return "", nil, fmt.Errorf("that link is cut already")
	}
	one, other := []network.NodeID{from.ID}, []network.NodeID{to.ID}
	if c.given("one-way") {
		return name, network.OneWay(nil, network.Rule{}, one, other), nil
	}
	return name, network.TwoWay(nil, network.Rule{}, one, other), nil
}
