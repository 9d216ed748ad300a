package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// writeDirectory writes files into a directory, each into a folder inside it first and then
// renamed, all of them only after all have been written. A reader never sees half a
// file, and a failure leaves what was there before.
func writeDirectory(dir string, files map[string]func(io.Writer) error) error {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(dir, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a directory", filepath.Join(dir, name))
		}
	}
	for _, name := range names {
		if err := writeFile(filepath.Join(beside, name), files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return removeStale(dir, files)
}

// removeStale removes the pictures and rates that an earlier result has left in the
// directory and this one does not have: beside another result they would mislead.
func removeStale(dir string, files map[string]func(io.Writer) error) error {
	for _, pattern := range []string{"timeline-*.svg", "rates.*"} {
		old, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range old {
			if _, ours := files[filepath.Base(path)]; !ours {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	err = write(b)
	if flushErr := b.Flush(); err == nil {
		err = flushErr
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// replaceFile writes one file beside its place and renames it.
func replaceFile(path string, write func(io.Writer) error) error {
	beside := fmt.Sprintf("%s.new-%d", path, os.Getpid())
	if err := writeFile(beside, write); err != nil {
		os.Remove(beside)
		return err
	}
	return os.Rename(beside, path)
}
