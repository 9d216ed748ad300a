package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"fencepost/reports/wrap"
)

// item is a line of a list: a name and what is said about it.
type item struct {
	name string
	rest []string
}

// printItems writes names alone when piped, and names with their text otherwise. Only for
// a person is the text wrapped: programs want a fact in a line.
func (a *app) printItems(items []item) error {
	var out strings.Builder
	switch width, terminal := a.terminal(); {
	case terminal:
		describeItems(&out, items, width)
	case a.long:
		describeItems(&out, items, 0)
	default:
		nameItems(&out, items)
	}
	if _, err := io.WriteString(a.streams.Out, out.String()); err != nil {
		return &outputError{err}
	}
	return nil
}

// nameItems writes each name once.
func nameItems(out *strings.Builder, items []item) {
	named := map[string]bool{}
	for _, it := range items {
		if !named[it.name] {
			fmt.Fprintln(out, it.name)
		}
		named[it.name] = true
	}
}

// describeItems writes names and, beside them, their texts. Those that are wider than width
// go on below, further in; a width of 0 wraps nothing. Where names would take half of it,
// they stand above their texts.
func describeItems(out *strings.Builder, items []item, width int) {
	const gap, narrowest = 2, 30
	column := gap
	for _, it := range items {
		column = max(column, len(it.name)+gap)
	}
	above := width > 0 && column > width/2
	if above {
		column = 2 * gap
	}
	for _, it := range items {
		name := it.name
		if above {
			fmt.Fprintln(out, name)
			name = ""
		}
		for _, text := range it.rest {
			if text == "" && name == "" {
				continue
			}
			for _, line := range hanging(text, width, max(narrowest, width-column)) {
				fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-*s%s", column, name, line), " "))
				name = ""
			}
		}
	}
}

// hanging breaks a text that has no room, and indents what follows its first line.
func hanging(text string, width, room int) []string {
	const hang = 2
	if width == 0 || len([]rune(text)) <= room {
		return []string{text}
	}
	lines := wrap.Lines(text, room-hang)
	for i := range lines[1:] {
		lines[i+1] = strings.Repeat(" ", hang) + lines[i+1]
	}
	return lines
}

// usualWidth is that of a terminal which does not say how wide it is.
const usualWidth = 100

// terminal reports whether a person reads standard output, and how many columns there are.
func (a *app) terminal() (width int, ok bool) {
	f, ok := a.streams.Out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width, true
	}
	return usualWidth, true
}
