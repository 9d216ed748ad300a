package cli

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeDirectory writes files into a directory, each into a folder inside it first and then
// renamed, all of them only after all have been written. A reader never sees half a
// file, and a failure, also of the power, leaves what was there before.
func writeDirectory(dir string, files map[string]func(io.Writer) error) error {
	dir = filepath.Clean(dir)
	if err := makeDirectory(dir); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(dir, newPrefix(os.Getpid()))
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	names := slices.Sorted(maps.Keys(files))
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
	if err := syncFiles(beside, names); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	removeLeftovers(dir)
	return removeStale(dir, files)
}

// ownedBy fails if writing into a directory could take the place of what another command has written, or
// the user. A result of the same sort has the file of a name, and may be replaced.
func ownedBy(dir, sort string, mayWrite func(name string) bool) error {
	listed, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	ours := strings.Fields(string(listed))
	if len(ours) > 0 && !slices.Contains(ours, sort) {
		return fmt.Errorf("%s has the result of another command; name a directory of its own", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); mayWrite(name) && !slices.Contains(ours, name) {
			return fmt.Errorf("%s is there, and was not written by this command; name another directory, or move it", filepath.Join(dir, name))
		}
	}
	return nil
}

// manifest is the file of a result's directory that names what fencepost has written there.
const manifest = ".fencepost"

// removeStale removes the pictures, pages, rates and histories that an earlier result has left in the
// directory and this one does not have: beside another result they would mislead. Files that
// fencepost has not written stay.
func removeStale(dir string, files map[string]func(io.Writer) error) error {
	path := filepath.Join(dir, manifest)
	earlier, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, name := range strings.Fields(string(earlier)) {
		if _, again := files[name]; again || filepath.Base(name) != name || !isPicture(name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(files))
	return replaceFile(path, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, strings.Join(names, "\n"))
		return err
	})
}

// isPicture reports whether a file belongs to one result alone.
func isPicture(name string) bool {
	for _, start := range []string{"timeline-", "rates.", "lock.", "lock-", "tokens.", "resource.", "resource-", "history."} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return figureOf(name) != ""
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
	beside := filepath.Join(filepath.Dir(path), newPrefix(os.Getpid())+filepath.Base(path))
	err := writeFile(beside, write)
	if err == nil {
		err = syncFile(beside)
	}
	if err != nil {
		os.Remove(beside)
		return err
	}
	if err := os.Rename(beside, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}
