package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"fencepost/scenarios/sweeps"
)

// ErrNotBegun says that a file has no whole line: whoever wrote it was ended before its header was
// whole, and nothing is lost if it is begun anew.
var ErrNotBegun = errors.New("it is no journal of a sweep, or was ended before it had begun: it has no whole line")

// ErrNoJournal says that the first line of a file is no header, or one that was changed since.
var ErrNoJournal = errors.New("it is no journal of a sweep, or its header is not whole")

// ErrOtherForm says that a file is a journal of a form that this program does not read.
var ErrOtherForm = errors.New("this program does not read it")

// reader reads the lines of a journal.
type reader struct {
	in *bufio.Reader
	// line is the last one, from and to where it stands in the file.
	line     []byte
	from, to int64
	number   int
}

// next reads a line, which may be torn; the error is io.EOF after the last.
func (r *reader) next() error {
	line, err := r.in.ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	r.line, r.from, r.to = line, r.to, r.to+int64(len(line))
	r.number++
	return err
}

// header reads the first line.
func (r *reader) header() (*Header, error) {
	err := r.next()
	switch {
	case errors.Is(err, io.EOF), err == nil && r.line[len(r.line)-1] != '\n':
		return nil, ErrNotBegun
	case err != nil:
		return nil, err
	}
	h, err := r.headerHere()
	if errors.Is(err, errDamaged) || h == nil && err == nil {
		return nil, ErrNoJournal
	}
	return h, err
}

// headerHere is the header that the line is which was read; nil if it is whole and something else.
func (r *reader) headerHere() (*Header, error) {
	// Who has written it is read first, so that it can be told whatever else has changed since.
	var by struct {
		Schema  string `json:"schema"`
		Version string `json:"fencepost"`
	}
	object, err := objectOf(r.line)
	switch {
	case err != nil:
		return nil, err
	case lenient(object, &by) != nil, by.Schema == "":
		return nil, nil
	case by.Schema != Schema:
		return nil, fmt.Errorf("it was written by fencepost %s in the form %s, and this program reads %s: %w", by.Version, by.Schema, Schema, ErrOtherForm)
	}
	h := &Header{}
	if err := strict(object, h); err != nil {
		return nil, fmt.Errorf("it was written by fencepost %s, and its line %d has something that is not known here (%w): %w", by.Version, r.number, err, ErrOtherForm)
	}
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("it was written by fencepost %s, and its line %d says what no sweep is: %w: %w", by.Version, r.number, err, ErrOtherForm)
	}
	return h, nil
}

// batch is the batch of the line that was read; errDamaged if that is not whole.
func (r *reader) batch() (*sweeps.Batch, error) {
	object, err := objectOf(r.line)
	if err != nil {
		return nil, err
	}
	b := &sweeps.Batch{}
	if err := strict(object, b); err != nil {
		return nil, fmt.Errorf("line %d is whole, and no batch that this program knows: %w", r.number, err)
	}
	return b, nil
}
