package models

import (
	"fmt"
	"sort"
)

// Registry is a set of lock systems by name.
type Registry struct {
	locks []Lock
}

// NewRegistry returns a registry of the given systems. Two systems of one name are
// an error.
func NewRegistry(locks ...Lock) (*Registry, error) {
	r := &Registry{}
	for _, l := range locks {
		name := l.Describe().Name
		if _, ok := r.Find(name); ok {
			return nil, fmt.Errorf("two lock systems are called %q", name)
		}
		r.locks = append(r.locks, l)
	}
	return r, nil
}

// Locks returns the systems in the order in which they were given.
func (r *Registry) Locks() []Lock { return r.locks }

// Find returns the system of a name.
func (r *Registry) Find(name string) (Lock, bool) {
	for _, l := range r.locks {
		if l.Describe().Name == name {
			return l, true
		}
	}
	return nil, false
}

// Names returns all names, sorted.
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.locks))
	for _, l := range r.locks {
		names = append(names, l.Describe().Name)
	}
	sort.Strings(names)
	return names
}
