package scenarios

import "strings"

// Carried is a scenario's file with its content, from which the scenario is loaded where there is no
// such file: on another machine.
type Carried struct {
	File    string `json:"file"`
	Variant string `json:"variant,omitempty"`
	Library bool   `json:"library,omitempty"`
	Content string `json:"content"`
}

// Carry reads the scenario's file once more. Whoever loads it has to compare the hashes: the file may
// have changed since.
func (s *Scenario) Carry() (*Carried, error) {
	name, variant, _ := strings.Cut(s.Name, "/")
	c := &Carried{File: s.File, Variant: variant, Library: s.Library}
	if !s.Library {
		name = s.File
	}
	_, content, err := contentOf(name)
	c.Content = string(content)
	return c, err
}

// Load is [Load] of the file.
func (c *Carried) Load() (*Scenario, error) {
	s, err := Parse(c.File, []byte(c.Content))
	if err == nil && c.Variant != "" {
		s, err = s.variant(c.Variant)
	}
	if err != nil {
		return nil, err
	}
	s.Library = c.Library
	return s, nil
}
