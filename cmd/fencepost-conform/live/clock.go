//go:build linux

package live

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

//go:embed preload/clock.c
var clockSource []byte

// compiler is what makes the library that moves a server's wall clock.
const compiler = "cc"

// preload is the compiled library, which is made once.
type preload struct {
	once sync.Once
	file string
	err  error
}

// library compiles the source into a directory and returns the library's file.
func (p *preload) library(dir string) (string, error) {
	p.once.Do(func() {
		source := filepath.Join(dir, "clock.c")
		p.file = filepath.Join(dir, "clock.so")
		if p.err = os.WriteFile(source, clockSource, 0o644); p.err != nil {
			return
		}
		if text, err := exec.Command(compiler, "-shared", "-fPIC", "-O2", "-Wall", "-o", p.file, source).CombinedOutput(); err != nil {
			p.err = fmt.Errorf("%s of the clock's library: %w\n%s", compiler, err, text)
			return
		}
		if _, p.err = os.Stat(p.file); p.err == nil && strings.ContainsAny(p.file, " :") {
			p.err = fmt.Errorf("%s cannot be preloaded, since LD_PRELOAD ends a name at a blank or a colon: set TMPDIR to another directory", p.file)
		}
	})
	return p.file, p.err
}

// wallClock is how much a server's wall clock is ahead of the machine's: a file that it has mapped.
type wallClock struct {
	file   string
	mapped []byte
}

// newWallClock makes the file of a clock that is right.
func newWallClock(file string) (*wallClock, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const size = 8
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return &wallClock{file, mapped}, err
}

// set moves the clock at once.
func (c *wallClock) set(ahead time.Duration) { binary.NativeEndian.PutUint64(c.mapped, uint64(ahead)) }

func (c *wallClock) close() { _ = unix.Munmap(c.mapped) }

// environment is what has a program go by the clock.
func (c *wallClock) environment(library string) []string {
	return append(os.Environ(), "LD_PRELOAD="+library, "FENCEPOST_CLOCK="+c.file)
}
