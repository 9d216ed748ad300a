package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"fencepost/scenarios"
)

// ErrNoJournal says that a file is no journal, or that not even its header is whole.
var ErrNoJournal = errors.New("it is no journal of a sweep, or its header is not whole")

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

func (r *reader) header() (*Header, error) {
	h := &Header{}
	switch err := r.next(); {
	case errors.Is(err, io.EOF), err == nil && decode(r.line, h) != nil:
		return nil, ErrNoJournal
	case err != nil:
		return nil, err
	case h.Schema != Schema:
		return nil, fmt.Errorf("its schema is %q, not %q", h.Schema, Schema)
	}
	return h, nil
}

// batch is the batch of the line that was read; errDamaged if that is not whole.
func (r *reader) batch() (*scenarios.Batch, error) {
	b := &scenarios.Batch{}
	if err := decode(r.line, b); err != nil {
		if errors.Is(err, errDamaged) {
			return nil, err
		}
		return nil, fmt.Errorf("line %d: %w", r.number, err)
	}
	return b, nil
}
