package journal

import (
	"fmt"

	"fencepost/models"
	"fencepost/scenarios"
)

// Sweep plans the sweep of a journal again, to count its batches or to run them. It fails if the scenario
// is not the journal's, or the locks here have other parameters.
func (h *Header) Sweep(locks *models.Registry, s *scenarios.Scenario) (*scenarios.Sweep, []*scenarios.Cell, error) {
	if s.Hash != h.Hash {
		return nil, nil, fmt.Errorf("scenario %s has the hash %s here, and the journal is of %s", s.Name, s.Hash, h.Hash)
	}
	sweep := &scenarios.Sweep{Scenario: s, Registry: locks, Seeds: h.Seeds, Porcupine: scenarios.Porcupine(h.Porcupine)}
	sweep.Estimate, sweep.Property = h.Estimated()
	cells, err := sweep.CellsOf(h.Wanted())
	if err != nil {
		return nil, nil, err
	}
	again := New(sweep, cells, h.Version, h.Build)
	again.Stop = h.Stop // where it stops makes no difference to a batch
	if err := again.Same(h); err != nil {
		return nil, nil, fmt.Errorf("not of this program's sweep: %w", err)
	}
	return sweep, cells, nil
}
