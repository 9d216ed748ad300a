package journal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fencepost/scenarios"
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
func Write(out io.Writer, h *Header, batches []*scenarios.Batch) error {
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

// Writer adds batches to a journal's file.
type Writer struct {
	file *os.File
	kept int
}

// Create begins a journal. A file that is there is replaced.
func Create(path string, h *Header) (*Writer, error) {
	line, err := encode(h)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(line); err != nil {
		f.Close()
		return nil, err
	}
	return &Writer{file: f}, nil
}

// Continue goes on with the only file of an index. What stands behind its last whole line was torn.
func (x *Index) Continue() (*Writer, error) {
	f, err := os.OpenFile(x.files[0].Name(), os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(x.good); err != nil {
		f.Close()
		return nil, err
	}
	return &Writer{file: f, kept: len(x.entries)}, nil
}

// Add writes a batch, in one piece.
func (w *Writer) Add(b *scenarios.Batch) error {
	line, err := encode(b)
	if err != nil {
		return err
	}
	if _, err := w.file.Write(line); err != nil {
		return fmt.Errorf("%w; the %d batches that were finished before are kept there", err, w.kept)
	}
	w.kept++
	return nil
}

// Kept is how many batches the file has.
func (w *Writer) Kept() int { return w.kept }

// Close brings everything to the disk.
func (w *Writer) Close() error {
	err := w.file.Sync()
	if closeErr := w.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
