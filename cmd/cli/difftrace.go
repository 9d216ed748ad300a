package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/scenarios"
	"fencepost/sim/trace"
)

func (a *app) diffTraceCommand() *cobra.Command {
	around := 0
	c := &cobra.Command{
		Use:   "diff-trace A B",
		Short: "Show the first event in which two traces differ",
		Long: `Compare two traces line by line and show the first record in which they differ, with the
last records that they share. A and B are each a file that "replay TOKEN --trace" wrote, on this
machine or another, "-" for standard input, or a replay token of a scenario of the library, which
is then run.

A record holds the digest of all that happened before it, also of events and draws that have no
line of their own. So two records may differ in their digests alone: then the cause lies between
the last shared record and them, and their event numbers say where.

The exit code is 0 if the traces are the same and 1 if they differ.`,
		Args: exactly(2, "two traces: files, - or replay tokens"),
		RunE: func(c *cobra.Command, args []string) error { return a.diffTrace(c.Context(), args, around) },
	}
	wholeVar(c.Flags(), &around, "context", 3, "how many shared records to show before the difference")
	return c
}

func (a *app) diffTrace(ctx context.Context, args []string, around int) error {
	if around < 0 {
		return fmt.Errorf("--context %d: it must be 0 or more", around)
	}
	if args[0] == "-" && args[1] == "-" {
		return errors.New("both traces cannot come from standard input: give a file or a token for one of them")
	}
	var sides [2]*traceReader
	for i, arg := range args {
		side, err := a.openTrace(ctx, arg)
		if err != nil {
			return err
		}
		defer side.close()
		sides[i] = side
	}
	d := &traceDiff{context: around}
	if err := d.find(sides); err != nil {
		return err
	}
	if d.differ {
		a.code = ExitUnexpected
	}
	if err := d.write(a.streams.Out, args); err != nil {
		return &outputError{err}
	}
	return nil
}

// traceReader reads the lines of one trace.
type traceReader struct {
	name  string
	lines *bufio.Reader
	file  *os.File
}

// openTrace opens a file, or runs what a token names.
func (a *app) openTrace(ctx context.Context, arg string) (*traceReader, error) {
	switch {
	case arg == "-":
		return &traceReader{name: arg, lines: bufio.NewReader(os.Stdin)}, nil
	case strings.HasPrefix(arg, scenarios.TokenVersion+"/"):
		text, err := a.traceOf(ctx, arg)
		return &traceReader{name: arg, lines: bufio.NewReader(strings.NewReader(text))}, err
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, fmt.Errorf("%w; give a file that \"fencepost replay TOKEN --trace\" wrote, or a replay token", err)
	}
	return &traceReader{name: arg, lines: bufio.NewReader(f), file: f}, nil
}

// traceOf runs a token and returns the trace.
func (a *app) traceOf(ctx context.Context, token string) (string, error) {
	plan, seed, err := a.planOf([]string{token})
	if err != nil {
		return "", err
	}
	if plan.NotApplicable != "" {
		return "", fmt.Errorf("%s is not applicable: %s", plan.Name(), plan.NotApplicable)
	}
	t := scenarios.NewTrial(plan)
	defer t.Close()
	var text strings.Builder
	t.Trace(&trace.Writer{W: &text})
	_, err = t.RunWith(ctx, seed)
	return text.String(), err
}

// next returns the next record, and false at the end.
func (r *traceReader) next() (line string, ok bool, err error) {
	line, err = r.lines.ReadString('\n')
	switch {
	case err == io.EOF && line == "":
		return "", false, nil
	case err == io.EOF:
		return "", false, fmt.Errorf("%s: its last line is cut off: %q", r.name, line)
	case err != nil:
		return "", false, err
	}
	return strings.TrimRight(line, "\r\n"), true, nil
}

func (r *traceReader) close() {
	if r.file != nil {
		_ = r.file.Close()
	}
}

// traceDiff is what two traces share and where they part.
type traceDiff struct {
	context int
	shared  int
	last    []string // shared records, the latest ones
	parted  [2]string
	ended   [2]bool
	differ  bool
}

func (d *traceDiff) find(sides [2]*traceReader) error {
	for {
		for i, side := range sides {
			line, ok, err := side.next()
			if err != nil {
				return err
			}
			if ok && !trace.IsRecord(line) {
				return fmt.Errorf("%s: line %d is no record of a trace: %q", side.name, d.shared+1, line)
			}
			d.parted[i], d.ended[i] = line, !ok
		}
		if d.shared == 0 && d.ended[0] && d.ended[1] {
			return fmt.Errorf("%s and %s are empty: there is nothing to compare", sides[0].name, sides[1].name)
		}
		if d.differ = d.parted[0] != d.parted[1]; d.differ || d.ended[0] {
			return nil
		}
		d.shared++
		if d.last = append(d.last, d.parted[0]); len(d.last) > d.context {
			d.last = d.last[1:]
		}
	}
}

func (d *traceDiff) write(w io.Writer, names []string) error {
	p := &printed{w: w}
	if !d.differ {
		p.line("the traces are the same: %d records", d.shared)
		return p.err
	}
	p.line("the first %d records are the same; then:", d.shared)
	for _, line := range d.last {
		p.line("  %s", line)
	}
	for i, mark := range []string{"<", ">"} {
		if d.ended[i] {
			p.line("%s (%s ends here)", mark, names[i])
		} else {
			p.line("%s %s", mark, d.parted[i])
		}
	}
	if !d.ended[0] && !d.ended[1] && trace.WithoutDigest(d.parted[0]) == trace.WithoutDigest(d.parted[1]) {
		p.line("only the digests differ: an event or a draw without a line of its own, after the last shared record")
	}
	return p.err
}

// printed writes lines and keeps the first error.
type printed struct {
	w   io.Writer
	err error
}

func (p *printed) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
