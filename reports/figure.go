package reports

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"fencepost/reports/plots"
)

// Figure is a picture with the numbers behind it and what a page says of it.
type Figure struct {
	Name  string // of its files, without what follows the dot
	Title string
	Shows string // in a sentence or two
	Read  string // how to read it
	// Picture is nil if there is nothing to draw; Why says why, then.
	Picture plots.Picture
	Why     string
	// More are the pages after the first, of a picture that is too large for one.
	More []plots.Picture
	Data Data
	// Commands make what it is drawn from, each alone.
	Commands []string
}

// Data are the numbers behind a figure, as a CSV has them.
type Data struct {
	Head []string
	Rows [][]string
}

func (d *Data) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case float64:
			if !math.IsNaN(c) { // there is no such number: the cell stays empty
				row[i] = formatRate(c)
			}
		case int64:
			row[i] = strconv.FormatInt(c, 10)
		case *float64:
			if c != nil {
				row[i] = formatRate(*c)
			}
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	d.Rows = append(d.Rows, row)
}

// pictures are all pages, each with the name of its files.
func (f *Figure) pictures() (names []string, pages []plots.Picture) {
	if f.Picture == nil {
		return nil, nil
	}
	names, pages = []string{f.Name}, []plots.Picture{f.Picture}
	for i, p := range f.More {
		names, pages = append(names, fmt.Sprintf("%s-%d", f.Name, i+2)), append(pages, p)
	}
	return names, pages
}

// WriteCSV writes the numbers.
func (d Data) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(d.Head); err != nil {
		return err
	}
	if err := c.WriteAll(d.Rows); err != nil {
		return err
	}
	return c.Error()
}

// nothing is a figure that has no picture.
func (f Figure) nothing(why string) Figure {
	f.Picture, f.Why = nil, why
	return f
}
