package host

// Stable is a value on a disk. What is written is what programs read; what was synced is
// what a crash of the machine leaves. T is copied by assignment: what it refers to is
// never changed in place.
type Stable[T any] struct {
	Written T
	synced  T
}

// Sync makes what is written last.
func (s *Stable[T]) Sync() { s.synced = s.Written }

// SyncAs makes an earlier value last: what was written when the sync began.
func (s *Stable[T]) SyncAs(then T) { s.synced = then }

// Lose is what a crash does.
func (s *Stable[T]) Lose(lost Lost) {
	switch lost {
	case LoseUnsynced:
		s.Written = s.synced
	case LoseEverything:
		*s = Stable[T]{}
	}
}
