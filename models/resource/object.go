package resource

import "fencepost/sim/history"

// object is one of the things that a lock protects, and what is kept with it.
type object struct {
	value   int64   // that was written last: nobody writes a value twice
	content int64   // what it holds, where that is more than the value
	jobs    []int64 // whose effect was had
	kept    kept
}

// start is the object before anybody has written.
func (s *Settings) start() (o object) {
	if s.Kind == References {
		o.content = history.Unreferenced
	}
	return o
}

// write takes a value and a content, and says what that does to the object.
func (s *Settings) write(o *object, value, content int64) history.Change {
	change := s.Kind.info().Change
	switch {
	case s.Kind == Log:
		o.content++
	case s.Kind != References:
		o.content = content
	case content == remove:
		// A store of objects does not look for references when it deletes.
		change, o.content = history.Deletes, history.Gone
	case content == create || o.content != history.Gone:
		o.content = history.Referenced
	}
	o.value = value
	s.revise(o)
	return change
}

// revise changes the object's version after a write: to the next one, or to a digest of the
// content, which is the same again when the content is.
func (s *Settings) revise(o *object) {
	switch {
	case !s.ContentETag:
		o.kept.version++
	case s.States > 0:
		o.kept.version = o.content
	default:
		o.kept.version = o.value
	}
}
