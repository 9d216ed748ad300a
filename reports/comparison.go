package reports

import (
	"fmt"
	"io"
	"slices"
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
		names, pages := f.pictures()
		for i, name := range names {
			files[name+".svg"], files[name+".png"] = pages[i].WriteSVG, pages[i].WritePNG
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
		"compare locks by it, and take no rate for one of your own system. The CSV beside each picture has all its numbers. Each sweep can be run alone: the rates that are drawn stand in its table, and waits, costs, recoveries and overlaps under `cells` of the `sweep.json` " +
		"that it writes with `--out`.\n")
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
		f.writePictures(p)
	}
	if len(f.Commands) > 0 {
		p.printf("\nWhat it is drawn from, alone:\n\n```console\n$ %s\n```\n", strings.Join(f.Commands, "\n$ "))
	}
}

// writePictures shows each page, and links its files.
func (f *Figure) writePictures(p *printer) {
	names, _ := f.pictures()
	var files []string
	for i, name := range names {
		page := ""
		if len(names) > 1 {
			page = fmt.Sprintf(", page %d of %d", i+1, len(names))
		}
		p.printf("![%s%s](%s.svg)\n\n", strings.TrimSuffix(f.Title, "?"), page, name)
		files = append(files, fmt.Sprintf("[%s.svg](%s.svg) and [%s.png](%s.png)", name, name, name, name))
	}
	p.printf("%s\n\nNumbers: [%s.csv](%s.csv). The picture: %s.\n", f.Read, f.Name, f.Name, strings.Join(files, "; "))
}

// Drawn reports whether there is any picture.
func (c *Comparison) Drawn() bool {
	return slices.ContainsFunc(c.Figures, func(f Figure) bool { return f.Picture != nil })
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
