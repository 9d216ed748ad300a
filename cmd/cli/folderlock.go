package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// lockFile is the file of a result's directory that the process holds locked which writes there. It is
// empty, and stays: whoever removed it could remove it under another that has just locked it.
const lockFile = ".fencepost-lock"

// errLocked says that another process has a file locked.
var errLocked = errors.New("locked by another process")

// folderLock is a directory that one process alone writes its journal into. The system gives it back
// when the process ends, however it does.
type folderLock struct{ file *os.File }

// lockFolder locks a directory that is there. Where the system or the file system has no such locks, it
// does nothing.
func lockFolder(dir string) (*folderLock, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, &outputError{err}
	}
	if err := lock(f); errors.Is(err, errLocked) {
		f.Close()
		return nil, fmt.Errorf("another fencepost is at work in %s: wait until it has ended, or name another --out", dir)
	}
	return &folderLock{f}, nil
}

// unlock gives the directory back.
func (l *folderLock) unlock() { l.file.Close() }
