package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"fencepost/models/modeltest"
)

// TestKilledSweepGoesOn: a sweep that is killed without warning, at random instants, again and again, has
// in the end the same files as one that was left alone.
func TestKilledSweepGoesOn(t *testing.T) {
	modeltest.ManyTrials(t)
	dir := t.TempDir()
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	if out, err := sweepProcess(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	random := rand.New(rand.NewPCG(1, 2))
	// A slow machine needs longer for a batch, so it is left alone for longer from one kill to the next.
	longest := 200 * time.Millisecond
	kills := 0
	for ; ; kills++ {
		longest += longest / 4
		c := sweepProcess(killed, "--resume")
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(time.Duration(random.Int64N(int64(longest))), func() { _ = c.Process.Kill() })
		err := c.Wait()
		killer.Stop()
		if err == nil {
			break
		}
		if c.ProcessState.Exited() {
			t.Fatalf("it was not killed, and failed: %v\n%s", err, out.String())
		}
	}
	t.Logf("killed %d times", kills)
	if kills == 0 {
		t.Error("it was never killed")
	}
	for _, name := range []string{"sweep.csv", "sweep.json", "sweep.batches"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(killed, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another one than without a kill (%v)", name, err)
		}
	}
}

// sweepProcess is a sweep as a process of its own: this program, under the name of the command.
func sweepProcess(out string, more ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Args = append([]string{"fencepost", "sweep", "kleppmann", "--vary", "fault.pause=5s,10s,15s", "--trials", "2500", "--lock", "redis,etcd", "--guard", "none", "--out", out}, more...)
	return c
}
