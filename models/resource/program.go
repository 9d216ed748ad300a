package resource

import "fencepost/sim/history"

// Write is what a holder makes of what it has read.
type Write struct {
	// Content is what the object is to hold, or the number of the job that is done.
	Content int64
	// Nothing says that there is nothing to write.
	Nothing bool
}

// Contents of a write to data that can be deleted.
const (
	remove = iota // the data
	refer         // to the data
	create        // the data, and refer to them
)

// Next is what the program of a holder does with the content that it has read.
func (s *Settings) Next(read int64, prunes bool) Write {
	switch s.Kind {
	case Counter, Effect:
		return Write{Content: read + 1}
	case Object:
		if s.States > 0 {
			return Write{Content: (read + 1) % int64(s.States)}
		}
	case References:
		switch {
		case prunes:
			return Write{Content: remove, Nothing: read != history.Unreferenced}
		case read == history.Gone:
			return Write{Content: create}
		}
		return Write{Content: refer}
	}
	return Write{}
}
