package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// What is written stands beside its place first, under a name that says whose it is: a process
// that is killed leaves it there, and a later one has to know that nobody writes it any more.

// newPrefix begins the names of what a process of this machine is writing.
func newPrefix(pid int) string { return fmt.Sprintf("%s%d-", newOfMachine(), pid) }

// newOfMachine begins those of all processes of this machine. Others may share the directory,
// and of their processes nothing is known here.
func newOfMachine() string {
	host, _ := os.Hostname()
	return ".new-" + host + "-"
}

// removeLeftovers removes from a directory what processes that are gone were writing there. That it
// cannot is no failure of what was written since.
func removeLeftovers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), newOfMachine())
		number, _, whole := strings.Cut(rest, "-")
		if pid, err := strconv.Atoi(number); ours && whole && err == nil && isGone(pid) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// isGone reports whether there is no such process for sure.
func isGone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || pid <= 0 {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
