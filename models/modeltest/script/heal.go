package script

import "fmt"

// heal lifts a cut: heal from=client/1 to=redis/1, named as it was cut.
func heal(s *story, c *command) error {
	name := c.text("from", "") + " " + c.text("to", "")
	if s.undo[name] == nil {
		return fmt.Errorf("that link is not cut")
	}
	s.undo[name]()
	delete(s.undo, name)
	return nil
}
