package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/models/modeltest"
)

// pages are the documents whose examples are run.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(list, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

// skipIfRaced leaves out what runs many simulations: the workers that could race are the
// same in the scripts.
func skipIfRaced(t *testing.T) {
	t.Helper()
	if modeltest.Raced {
		t.Skip("too slow under the race detector; the scripts run the same workers")
	}
}

// block is a fenced block of a page.
type block struct {
	kind, text string
	line       int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocks(content string) []block {
	var list []block
	for _, m := range fence.FindAllStringSubmatchIndex(content, -1) {
		list = append(list, block{content[m[2]:m[3]], content[m[4]:m[5]], 1 + strings.Count(content[:m[0]], "\n")})
	}
	return list
}

// fileKinds are the kinds of blocks that show a whole file.
var fileKinds = []string{"yaml", "jsonl", "edn"}

// TestExamplesInDocs runs every console block: each line that starts with "$ fencepost"
// is a command, and what follows is its output, where a line "..." stands for any
// lines. A block of a file that starts with "# file: NAME", or "; file: NAME", is written to
// that file first.
func TestExamplesInDocs(t *testing.T) {
	skipIfRaced(t)
	total := 0
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, b := range blocks(string(content)) {
				if name, ok := strings.CutPrefix(strings.TrimLeft(strings.SplitN(b.text, "\n", 2)[0], "#;"), " file: "); ok && slices.Contains(fileKinds, b.kind) {
					if err := os.WriteFile(strings.TrimSpace(name), []byte(b.text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if b.kind == "console" {
					total += runConsole(t, b)
				}
			}
		})
	}
	if total < 15 {
		t.Errorf("only %d examples were found in the documents", total)
	}
}

// runConsole runs the commands of a block and compares their output.
func runConsole(t *testing.T, b block) (commands int) {
	t.Helper()
	parts := strings.Split("\n"+b.text, "\n$ ")
	for _, part := range parts[1:] {
		command, want, _ := strings.Cut(part, "\n")
		command = strings.Replace(command, "go run ./cmd/fencepost", "fencepost", 1)
		args, ok := strings.CutPrefix(command, "fencepost")
		if !ok {
			continue
		}
		commands++
		var out bytes.Buffer
		Run(context.Background(), words(args), Streams{&out, &out})
		want = strings.TrimRight(want, "\n")
		if want != "" && !matches(want, strings.TrimRight(out.String(), "\n")) {
			t.Errorf("line %d: $ %s\nprints\n%s\nthe page says\n%s", b.line, command, out.String(), want)
		}
	}
	return commands
}

// words splits a command as a shell does, with double quotes and nothing more.
func words(command string) (list []string) {
	for i, part := range strings.Split(command, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// matches compares output with what a page shows, where a line "..." stands for any
// lines, none too.
func matches(want, got string) bool {
	var pattern strings.Builder
	pattern.WriteString("(?s)^")
	for _, line := range strings.Split(want, "\n") {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString("(?:.*\n)??")
		} else {
			pattern.WriteString(regexp.QuoteMeta(line) + "\n")
		}
	}
	pattern.WriteString("$")
	return regexp.MustCompile(pattern.String()).MatchString(got + "\n")
}

// TestPicturesInDocs: the pictures that the documents show are those that the commands
// draw. UPDATE_GOLDEN=1 draws them anew.
func TestPicturesInDocs(t *testing.T) {
	skipIfRaced(t)
	images, err := filepath.Abs(filepath.Join(root, "docs", "images"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []struct {
		args, prefix string
		pictures     []string
	}{
		{"reproduce kleppmann", "", []string{"rates.svg", "timeline-redis-none.svg", "timeline-etcd-fence-writes.svg"}},
		{"compare redis,redlock,etcd,zookeeper --figure rates,frontier", "compare-", []string{"rates.svg", "frontier.svg"}},
	} {
		out := t.TempDir()
		var streams bytes.Buffer
		if code := Run(context.Background(), append(strings.Fields(command.args), "--out", out), Streams{&streams, &streams}); code != ExitExpected {
			t.Fatalf("%s: exit %d\n%s", command.args, code, streams.String())
		}
		for _, name := range command.pictures {
			comparePictures(t, command.args, filepath.Join(out, name), filepath.Join(images, command.prefix+name))
		}
	}
}

// comparePictures holds a picture of the documents to the one that a command has just drawn.
func comparePictures(t *testing.T, command, drawnPath, shownPath string) {
	t.Helper()
	drawn, err := os.ReadFile(drawnPath)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(shownPath, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile(shownPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(drawn, shown) {
		t.Errorf("docs/images/%s is not what `fencepost %s` draws now; UPDATE_GOLDEN=1 draws it anew", filepath.Base(shownPath), command)
	}
}

// TestREADMETestCommand: the continuous build runs the test command of the README.
func TestREADMETestCommand(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	build, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, b := range blocks(string(readme)) {
		for _, line := range strings.Split(b.text, "\n") {
			command := strings.TrimPrefix(line, "$ ")
			if strings.HasPrefix(command, "go test") {
				found = true
				if !strings.Contains(string(build), "\n"+command+"\n") {
					t.Errorf(".ci/run does not run %q", command)
				}
			}
		}
	}
	if !found {
		t.Error("the README names no command that runs the tests")
	}
}
