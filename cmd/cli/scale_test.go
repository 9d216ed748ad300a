package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArraysInDocs runs the commands that docs/scale.md gives to Slurm and Kubernetes, with a loop in the
// place of the cluster: what is merged has to be what one machine writes.
func TestArraysInDocs(t *testing.T) {
	skipIfRaced(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", commandIn(t, dir)+string(os.PathListSeparator)+os.Getenv("PATH"))
	var array, pod string
	for _, b := range blocks(string(page)) {
		switch {
		case strings.HasPrefix(b.text, "# file: sweep.yaml\n"):
			if err := os.WriteFile("sweep.yaml", []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		case strings.Contains(b.text, "# file: array.sh\n"):
			array = b.text
		case strings.HasPrefix(b.text, "# file: job.yaml\n"):
			lines := regexp.MustCompile(`(?s)- \|\n(.*?)\n +resources:`).FindStringSubmatch(b.text)
			if lines == nil {
				t.Fatal("the job has no command")
			}
			pod = strings.NewReplacer("/results/", "pod/", "/sweep/", "").Replace(lines[1])
		}
	}
	execute(t, "fencepost", "sweep", "sweep.yaml", "--out", "one")
	for i := 1; i <= 3; i++ {
		t.Setenv("SLURM_ARRAY_TASK_ID", fmt.Sprint(i))
		t.Setenv("JOB_COMPLETION_INDEX", fmt.Sprint(i-1))
		execute(t, "sh", "-c", array)
		execute(t, "sh", "-c", pod)
	}
	execute(t, "sh", "-c", "fencepost merge part-* --out slurm && fencepost merge pod/part-* --out kubernetes")
	for _, name := range []string{"sweep.batches", "sweep.csv", "sweep.json"} {
		want, err := os.ReadFile(filepath.Join("one", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range []string{"slurm", "kubernetes"} {
			if got, err := os.ReadFile(filepath.Join(where, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s of %s is another one than of one machine (%v)", name, where, err)
			}
		}
	}
}

// commandIn makes this program the command fencepost in a directory for commands.
func commandIn(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "fencepost")); err != nil {
		t.Fatal(err)
	}
	return bin
}
