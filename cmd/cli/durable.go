package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// A file that was renamed, and a directory that was made, are where they are after a power cut only if
// the directory in which they stand was brought to the disk, too.

// makeDirectory makes a directory and those above it that are missing.
func makeDirectory(dir string) error {
	dir = filepath.Clean(dir)
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, os.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, filepath.Dir(at))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, above := range made {
		if err := syncDirectory(above); err != nil {
			return err
		}
	}
	return nil
}

// syncDirectory brings the names of a directory's files to the disk, where a system can do that:
// Windows cannot, nor can some file systems of a network.
func syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// syncFile brings what was written to a file to the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// syncFiles brings files of a directory to the disk, all at the same time: a file system does many such
// requests together in the time of a few.
func syncFiles(dir string, names []string) error {
	done := make(chan error, len(names))
	for _, name := range names {
		go func() { done <- syncFile(filepath.Join(dir, name)) }()
	}
	var failed error
	for range names {
		if err := <-done; err != nil {
			failed = err
		}
	}
	return failed
}
