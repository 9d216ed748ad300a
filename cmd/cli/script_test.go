package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"fencepost/models/modeltest"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts run the real command line as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"fencepost": func() { os.Exit(Main(os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_GOLDEN") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(condition string) (bool, error) {
			if condition != "race" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return modeltest.Raced, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status, "replayed": replayed, "explained": explained, "replace": replace,
		},
	})
}

// status runs a command and checks its exit code: status 3 fencepost run nothing.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND...")
	}
	code := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code = exitCode(err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// exitCode returns a finished command's exit code.
func exitCode(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}

// replayed runs the replay command that stands in the last column of a result's CSV,
// with more arguments if there are any.
func replayed(ts *testscript.TestScript, neg bool, args []string) {
	command := replayOf(ts, neg, args[0])
	more := args[1:]
	if len(more) == 0 {
		more = []string{"--format", "csv"}
	}
	ts.Check(ts.Exec(command[0], append(command[1:], more...)...))
}

// replace replaces a text in a file, which must have it: replace OLD NEW FILE.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[2])
	if neg || !strings.Contains(text, args[0]) {
		ts.Fatalf("%s has no %s", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o644))
}

// explained explains the same run.
func explained(ts *testscript.TestScript, neg bool, args []string) {
	command := replayOf(ts, neg, args[0])
	ts.Check(ts.Exec(command[0], append([]string{"explain"}, command[2:]...)...))
}

// replayOf is the replay command of the one run in a result's CSV, in words.
func replayOf(ts *testscript.TestScript, neg bool, file string) []string {
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(file))).ReadAll()
	ts.Check(err)
	if neg || len(rows) != 2 {
		ts.Fatalf("%s has %d rows, want a head and one run", file, len(rows))
	}
	return strings.Fields(rows[1][len(rows[1])-1])
}
