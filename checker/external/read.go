package external

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Format is how a history is written.
type Format string

const (
	JSONLines Format = "jsonl"
	Jepsen    Format = "jepsen"
)

// Options say how to read what a file does not say itself.
type Options struct {
	Format Format // "" tells by the file's name: .edn is Jepsen
	// Keyed says that values of a Jepsen history are pairs of a key and a value, as its
	// library jepsen.independent makes them.
	Keyed bool
	// Threads is the number of clients of a Jepsen test, its concurrency: the processes P and
	// P + Threads are the same client. 0 takes each process for a client of its own.
	Threads int
}

// ReadFile reads a history.
func ReadFile(path string, o Options) (*History, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		var broken *fs.PathError
		if errors.As(err, &broken) {
			err = broken.Err
		}
		return nil, fmt.Errorf("%s: cannot be read: %w", path, err)
	}
	return Read(path, string(text), o)
}

// byteOrderMark is what some editors of Windows put before a text.
const byteOrderMark = "\ufeff"

// Read reads a history from a text. The file's name is for errors.
func Read(file, text string, o Options) (*History, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	if o.Format == "" {
		o.Format = JSONLines
		if strings.EqualFold(filepath.Ext(file), ".edn") {
			o.Format = Jepsen
		}
	}
	h := &History{File: file, Format: o.Format}
	if o.Format == Jepsen {
		if err := h.readJepsen(text, o); err != nil {
			return nil, err
		}
		return h, nil
	}
	if o.Keyed || o.Threads != 0 {
		return nil, fmt.Errorf("%s: keyed values and threads are of Jepsen's histories; JSON lines name key and owner themselves", file)
	}
	if err := h.readLines(text); err != nil {
		return nil, err
	}
	return h, nil
}
