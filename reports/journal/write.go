package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fencepost/scenarios/sweeps"
)

// File is the name that a journal has in the directory of a result.
const File = "sweep.batches"

// In is the path of the journal in a directory; the path of a file stays as it is.
func In(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, File)
	}
	return path
}

// Write writes a journal, as a file of which nobody must see a half.
func Write(out io.Writer, h *Header, batches []*sweeps.Batch) error {
	line, err := encode(h)
	if err != nil {
		return err
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	for _, b := range batches {
		if line, err = encode(b); err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// ErrGone says that the file of a writer is not at its path any more, or not as it was left.
var ErrGone = errors.New("it was removed, replaced or changed meanwhile")

// file is what a writer needs of an [os.File].
type file interface {
	io.WriteCloser
	Stat() (os.FileInfo, error)
	Sync() error
}

// Writer adds batches to a journal's file.
type Writer struct {
	file file
	path string
	size int64 // as it was left
	kept int
}

// Continue goes on with the only file of an index. What stands behind its last whole line was torn.
func (x *Index) Continue() (*Writer, error) {
	path := x.files[0].Name()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(x.good); err != nil {
		f.Close()
		return nil, err
	}
	return &Writer{file: f, path: path, size: x.good, kept: len(x.entries)}, nil
}

// Add writes a batch, in one piece. It fails with [ErrGone] if nobody would find it.
func (w *Writer) Add(b *sweeps.Batch) error {
	line, err := encode(b)
	if err != nil {
		return err
	}
	if err := w.inPlace(); err != nil {
		return err
	}
	n, err := w.file.Write(line)
	w.size += int64(n)
	if err != nil {
		return fmt.Errorf("%w; the %d batches that were finished before are kept there", err, w.kept)
	}
	w.kept++
	return nil
}

// inPlace fails if the file is not where it was opened, or is shorter or longer than it was left.
func (w *Writer) inPlace() error {
	open, err := w.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(w.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: %w", w.path, ErrGone)
	case err != nil:
		return err
	case !os.SameFile(open, there) || open.Size() != w.size:
		return fmt.Errorf("%s: %w", w.path, ErrGone)
	}
	return nil
}

// Sync brings what was added to the disk.
func (w *Writer) Sync() error { return w.file.Sync() }

// Kept is how many batches the file has.
func (w *Writer) Kept() int { return w.kept }

// Close brings everything to the disk, and fails as Add does if nobody would find it.
func (w *Writer) Close() error {
	err := w.inPlace()
	if syncErr := w.file.Sync(); err == nil {
		err = syncErr
	}
	if closeErr := w.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
