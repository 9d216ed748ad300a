package scenarios

import "strings"

// Path is how the scenario is loaded: by its name, or by its file and, after a slash, its variant.
func (s *Scenario) Path() string {
	if s.Library {
		return s.Name
	}
	if _, variant, ok := strings.Cut(s.Name, "/"); ok {
		return s.File + "/" + variant
	}
	return s.File
}
