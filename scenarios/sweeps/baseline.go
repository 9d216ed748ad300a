package sweeps

import (
	"fmt"
	"strings"

	"fencepost/models"
	"fencepost/models/resource"
)

// Wanted is a cell that is to be run again: what an earlier sweep ran.
type Wanted struct {
	Lock, Guard string
	Values      map[string]string
}

// CellsOf plans cells that are named one by one. A lock, a guard or a parameter that there is no
// longer is an error.
func (s *Sweep) CellsOf(wanted []Wanted) (cells []*Cell, err error) {
	for _, w := range wanted {
		lock, ok := s.Registry.Find(w.Lock)
		if !ok {
			return nil, fmt.Errorf("there is no lock system %q here; there are %s", w.Lock, strings.Join(s.Registry.Names(), ", "))
		}
		guard, ok := resource.FindGuard(w.Guard)
		if !ok {
			return nil, fmt.Errorf("there is no guard %q here; there are %s", w.Guard, strings.Join(resource.GuardNames(), ", "))
		}
		c, err := s.cellOf(lock, guard, w.Values)
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return s.number(cells), nil
}

func (s *Sweep) cellOf(lock models.Lock, guard resource.Guard, values map[string]string) (*Cell, error) {
	in, err := s.instantiate(values)
	if err != nil {
		return nil, err
	}
	plan, err := in.PlanAlone(lock, guard)
	if err != nil {
		return nil, err
	}
	return s.newCell(plan), nil
}
