package journal

import (
	"fmt"
	"strings"

	"fencepost/checker/stats"
	"fencepost/models"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// Sweep plans the sweep of a journal again, to count its batches or to run them. It fails if the scenario
// is not the journal's, or the locks here have other parameters.
func (h *Header) Sweep(locks *models.Registry, s *scenarios.Scenario) (*sweeps.Sweep, []*sweeps.Cell, error) {
	if s.Hash != h.Hash {
		return nil, nil, fmt.Errorf("scenario %s has the hash %s here, and the journal is of %s", s.Name, s.Hash, h.Hash)
	}
	sweep := &sweeps.Sweep{Scenario: s, Registry: locks, Seeds: h.Seeds, Porcupine: sweeps.Porcupine(h.Porcupine)}
	sweep.Estimate, sweep.Property = h.Estimated()
	if property, stop, ok := h.stop(); ok {
		sweep.Property, sweep.Stop = property, stop
	}
	cells, err := sweep.CellsOf(h.Wanted())
	if err != nil {
		return nil, nil, err
	}
	again := New(sweep, cells, h.Version, h.Build)
	if err := again.Same(h); err != nil {
		return nil, nil, fmt.Errorf("not of this program's sweep: %w", err)
	}
	return sweep, cells, nil
}

// stopForm is how a header says when a cell has seen enough: of which property, and how much.
const stopForm = "%s: width %v, budget %v"

// stop is when a cell has seen enough, if it may stop before all its trials are run.
func (h *Header) stop() (property string, stop stats.Stop, ok bool) {
	property, limits, ok := strings.Cut(h.Stop, ":")
	if !ok {
		return "", stop, false
	}
	_, form, _ := strings.Cut(stopForm, ":")
	_, err := fmt.Sscanf(limits, form, &stop.RelativeWidth, &stop.Budget)
	return property, stop, err == nil
}
