package peers

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed _peers/simpy_peer.py
var simpyProgram []byte

//go:embed _peers/ns3.cc
var ns3Program []byte

//go:embed _peers/synctest/synctest_test.go
var synctestProgram []byte

// debianPython is Debian's own Python, for which its package of SimPy is installed; a
// Python of the user's that stands before it on the path does not know it.
const debianPython = "/usr/bin/python3"

func findSimPy(ctx context.Context, folder string) error {
	if out, err := exec.CommandContext(ctx, debianPython, "-c", "import simpy; assert simpy.__version__.startswith('3.')").CombinedOutput(); err != nil {
		return fmt.Errorf("SimPy 3 is not installed for %s (Debian: apt-get install python3-simpy3)%s", debianPython, lastLine(out))
	}
	return os.WriteFile(filepath.Join(folder, "simpy_peer.py"), simpyProgram, 0o666)
}

func runSimPy(ctx context.Context, folder string, n int, check bool) ([]Line, error) {
	return runProgram(exec.CommandContext(ctx, debianPython, arguments(filepath.Join(folder, "simpy_peer.py"), n, check)...))
}

// buildNS3 compiles the program for ns-3 with the machine's C++ compiler.
func buildNS3(ctx context.Context, folder string) error {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return errors.New("there is no g++ to compile it with")
	}
	source := filepath.Join(folder, "ns3.cc")
	if err := os.WriteFile(source, ns3Program, 0o666); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, compiler, "-std=c++17", "-O2", "-o", filepath.Join(folder, "ns3"), source, "-lns3-core").CombinedOutput()
	if err != nil {
		return fmt.Errorf("ns-3 is not installed, or its library has another name (Debian: apt-get install libns3-dev)%s", lastLine(out))
	}
	return nil
}

func runNS3(ctx context.Context, folder string, n int, check bool) ([]Line, error) {
	args := arguments("", n, check)[1:]
	return runProgram(exec.CommandContext(ctx, filepath.Join(folder, "ns3"), args...))
}

// prepareSynctest compiles a test binary, since a bubble exists in tests alone.
func prepareSynctest(ctx context.Context, folder string) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return errors.New("there is no Go toolchain to compile it with")
	}
	for name, content := range map[string][]byte{"go.mod": []byte("module synctest\n\ngo 1.25\n"), "synctest_test.go": synctestProgram} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, tool, "test", "-c", "-o", "synctest", ".")
	c.Dir = folder
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("it does not compile%s", lastLine(out))
	}
	return nil
}

func runSynctest(ctx context.Context, folder string, n int, check bool) ([]Line, error) {
	c := exec.CommandContext(ctx, filepath.Join(folder, "synctest"), "-test.run", "^TestWorkloads$")
	c.Env = append(os.Environ(), "UNITS="+strconv.Itoa(n))
	if check {
		c.Env = append(c.Env, "CHECK=1")
	}
	return runProgram(c)
}

func arguments(program string, n int, check bool) []string {
	args := []string{program, strconv.Itoa(n)}
	if check {
		args = append(args, "check")
	}
	return args
}

func runProgram(c *exec.Cmd) ([]Line, error) {
	out, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, lastLine(out))
	}
	return parseLines(string(out))
}

// lastLine is the end of what a program said, for an error.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
