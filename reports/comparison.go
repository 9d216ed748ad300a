package reports

import (
	"fmt"
	"io"
	"strings"
)

// Comparison is a set of figures about some locks.
type Comparison struct {
	Locks, Guards []string
	Command       string // that made it
	Figures       []Figure
	// Interrupted says that not everything was run: figures are missing.
	Interrupted bool
}

// PageFile is the name of the page among a comparison's files.
const PageFile = "compare.md"

// Files are those of the comparison, by name.
func (c *Comparison) Files() map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{PageFile: c.WriteMarkdown}
	for i := range c.Figures {
		f := &c.Figures[i]
		files[f.Name+".csv"] = f.Data.WriteCSV
		if f.Picture != nil {
			files[f.Name+".svg"], files[f.Name+".png"] = f.Picture.WriteSVG, f.Picture.WritePNG
		}
	}
	return files
}

// WriteMarkdown writes the page that shows the figures and says how to read each.
func (c *Comparison) WriteMarkdown(w io.Writer) error {
	p := &printer{w: w}
	p.printf("# %s compared\n\nfencepost %s, guards %s. Made by\n\n```console\n$ %s\n```\n\n", strings.Join(c.Locks, ", "), Version, strings.Join(c.Guards, ", "), c.Command)
	if c.Interrupted {
		p.printf("**Interrupted: only the pictures whose sweeps were finished are here.**\n\n")
	}
	p.printf("Every picture names its scenario, seeds and trials; the same command gives the same files. A rate is that of a scenario, with its faults and its workload: " +
		"compare locks by it, and take no rate for one of your own system. The CSV beside each picture has all its numbers.\n")
	for i := range c.Figures {
		c.Figures[i].write(p)
	}
	return p.err
}

func (f *Figure) write(p *printer) {
	p.printf("\n## %s\n\n%s\n\n", f.Title, f.Shows)
	if f.Picture == nil {
		p.printf("There is no picture: %s.\n", f.Why)
	} else {
		p.printf("![%s](%s.svg)\n\n%s\n", strings.TrimSuffix(f.Title, "?"), f.Name, f.Read)
		p.printf("\nNumbers: [%s.csv](%s.csv). The picture as [SVG](%s.svg) and [PNG](%s.png).\n", f.Name, f.Name, f.Name, f.Name)
	}
	if len(f.Commands) > 0 {
		p.printf("\nWhat it is drawn from, alone:\n\n```console\n$ %s\n```\n", strings.Join(f.Commands, "\n$ "))
	}
}

// Summary is a line for each figure: its files and its title.
func (c *Comparison) Summary() string {
	var b strings.Builder
	for i := range c.Figures {
		f := &c.Figures[i]
		if f.Picture == nil {
			fmt.Fprintf(&b, "%-9s  %s (no picture: %s)\n", f.Name, f.Title, f.Why)
		} else {
			fmt.Fprintf(&b, "%-9s  %s\n", f.Name, f.Title)
		}
	}
	return b.String()
}
