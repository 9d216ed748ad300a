// Package journal keeps the finished batches of a sweep in a file, from the moment on at which each
// is finished.
//
// A journal is made of lines, each of which has a checksum and is written at once at the end of the
// file: the header says what sweep it is of, and each other line is a batch. A process that is
// killed, or a disk that is full, leaves at most the last line torn; it is not read, and the batch
// is run again. Batches may stand in any order and more than once, so that the journals of several
// machines add up whichever way they are put together.
package journal

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fencepost/scenarios/sweeps"
)

// Schema names the form of the file.
const Schema = "fencepost/batches/v1"

// Header says what a journal is of. Batches of one sweep have equal headers, but for the shard.
type Header struct {
	Schema string `json:"schema"`
	// Version and Build are those of the program: batches of two programs do not add up.
	Version string `json:"fencepost"`
	Build   string `json:"build"`
	// Scenario, Hash and File say which, as in a sweep's JSON.
	Scenario string `json:"scenario"`
	Hash     string `json:"scenario_hash"`
	File     string `json:"scenario_file,omitempty"`
	// Seeds are those of every cell, BatchTrials how many of them a batch has.
	Seeds       sweeps.Seeds `json:"seeds"`
	BatchTrials int          `json:"batch_trials"`
	Porcupine   string       `json:"porcupine"`
	// Estimate is how rates are estimated, and of which property if of one, if they are not counted.
	Estimate string `json:"estimate,omitempty"`
	// Stop says when a cell has seen enough, if it may stop before all its trials are run.
	Stop string `json:"stop,omitempty"`
	// Cells are counted from 0 in the batches.
	Cells []Cell `json:"cells"`
	// Shard says which part of the batches the file is to have: all or i/n.
	Shard Shard `json:"shard"`
	// Parts is the number of shards that the sweep was divided into, in a file that was put together
	// of some of them and lacks others; else 0.
	Parts int `json:"parts,omitempty"`
}

// validate fails if the header says what no sweep is.
func (h *Header) validate() error {
	switch {
	case h.BatchTrials < 1:
		return fmt.Errorf("batch_trials %d", h.BatchTrials)
	case h.Seeds.Len() == 0:
		return errors.New("no seeds")
	case len(h.Cells) == 0:
		return errors.New("no cells")
	case h.Parts < 0 || h.Parts > MaxShards:
		return fmt.Errorf("parts %d", h.Parts)
	}
	return nil
}

// Cell names a cell.
type Cell struct {
	Lock          string            `json:"lock"`
	Guard         string            `json:"guard"`
	Params        map[string]string `json:"params"`
	NotApplicable bool              `json:"not_applicable,omitempty"`
}

// New is the header of a sweep.
func New(s *sweeps.Sweep, cells []*sweeps.Cell, version, build string) *Header {
	h := &Header{Schema: Schema, Version: version, Build: build, Scenario: s.Scenario.Name, Hash: s.Scenario.Hash,
		Seeds: s.Seeds, BatchTrials: s.BatchTrials(), Porcupine: string(s.Porcupine)}
	if !s.Scenario.Library {
		h.File = s.Scenario.Path()
	}
	switch s.Estimate {
	case sweeps.Biased:
		h.Estimate = string(s.Estimate)
	case sweeps.Conditional:
		h.Estimate = string(s.Estimate) + " " + s.Property
	}
	if s.Stops() {
		h.Stop = fmt.Sprintf(stopForm, s.Property, s.Stop.RelativeWidth, s.Stop.Budget)
	}
	for _, c := range cells {
		h.Cells = append(h.Cells, Cell{c.Plan.Describe.Name, c.Plan.Guard.Name, c.Plan.Instance.Values, c.Plan.NotApplicable != ""})
	}
	return h
}

// Path is how the scenario is loaded.
func (h *Header) Path() string { return cmp.Or(h.File, h.Scenario) }

// Wanted are the cells, to be planned again.
func (h *Header) Wanted() (wanted []sweeps.Wanted) {
	for _, c := range h.Cells {
		wanted = append(wanted, sweeps.Wanted{Lock: c.Lock, Guard: c.Guard, Values: c.Params})
	}
	return wanted
}

// Estimated is how rates are estimated, and of which property.
func (h *Header) Estimated() (e sweeps.Estimator, property string) {
	word, property, _ := strings.Cut(h.Estimate, " ")
	return sweeps.Estimator(word), property
}

// perCell is how many batches a cell has.
func (h *Header) perCell() int {
	return (int(h.Seeds.Len()) + h.BatchTrials - 1) / h.BatchTrials
}

// trialsOf is how many trials a batch has, by its index; 0 if there is none.
func (h *Header) trialsOf(index int) uint64 {
	if index < 0 || index >= h.perCell() {
		return 0
	}
	return min(uint64(h.BatchTrials), h.Seeds.Len()-uint64(index*h.BatchTrials))
}

// Batches is how many batches the shard is to have.
func (h *Header) Batches() (n int) {
	for cell := range h.Cells {
		for index := range h.perCell() {
			if h.wants(cell, index) {
				n++
			}
		}
	}
	return n
}

func (h *Header) wants(cell, index int) bool {
	return !h.Cells[cell].NotApplicable && h.Shard.Has(cell*h.perCell()+index)
}

// Translation says which cell of this sweep each cell of another one is.
func (h *Header) Translation(o *Header) map[int]int {
	here := map[string]int{}
	for i, c := range h.Cells {
		here[c.String()] = i
	}
	cells := map[int]int{}
	for i, c := range o.Cells {
		if cell, ok := here[c.String()]; ok {
			cells[i] = cell
		}
	}
	return cells
}

// Same fails if batches of another journal are not of the same sweep.
func (h *Header) Same(o *Header) error {
	if err := h.Adds(o); err != nil {
		return err
	}
	if is, other := h.Seeds.String(), o.Seeds.String(); is != other {
		return differ("seeds", is, other)
	}
	if h.Stop != o.Stop {
		return differ("stop", h.Stop, o.Stop)
	}
	if is, other := len(h.Cells), len(o.Cells); is != other {
		return differ("number of cells", fmt.Sprint(is), fmt.Sprint(other))
	}
	for i := range h.Cells {
		if is, other := h.Cells[i].String(), o.Cells[i].String(); is != other {
			return differ(fmt.Sprintf("cell %d", i+1), is, other)
		}
	}
	return nil
}

// Adds fails if no batch of another journal can be one of this sweep's, whatever the cell and seeds.
func (h *Header) Adds(o *Header) error {
	for _, f := range []struct{ what, is, other string }{
		{"version of fencepost", h.Version, o.Version},
		{"build of fencepost", h.Build, o.Build},
		{"scenario", h.Scenario, o.Scenario},
		{"scenario's hash", h.Hash, o.Hash},
		{"size of a batch", fmt.Sprint(h.BatchTrials), fmt.Sprint(o.BatchTrials)},
		{"estimate", h.Estimate, o.Estimate},
		{"use of porcupine", h.Porcupine, o.Porcupine},
	} {
		if f.is != f.other {
			return differ(f.what, f.is, f.other)
		}
	}
	return nil
}

func differ(what, is, other string) error {
	return fmt.Errorf("its %s is %s, and not %s", what, other, is)
}

// String names a cell with its parameters, in order.
func (c Cell) String() string {
	text := c.Lock + " / " + c.Guard
	names := make([]string, 0, len(c.Params))
	for name := range c.Params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text += " " + name + "=" + c.Params[name]
	}
	return text
}
