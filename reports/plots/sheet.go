package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is a figure of any sort. Both fail on what cannot be drawn before they write
// anything; the same figure gives the same bytes of SVG. PNG has 144 dots an inch.
//
// Fonts of the SVG are named and not embedded; the fallbacks have the metrics of the named one.
type Picture interface {
	WriteSVG(w io.Writer) error
	WritePNG(w io.Writer) error
}

// Heading is what a figure says of itself in words.
type Heading struct {
	Title, Subtitle string
	Note            string // the footer: workload, trials, seeds, version
}

// body is what a figure shows between its heading and its note.
type body interface {
	size() (width, height vg.Length)
	draw(c draw.Canvas, left, top vg.Length)
	// about is for those who cannot see it.
	about() string
}

const outerMargin vg.Length = 14

// narrowest is the width at which a heading still reads well.
const narrowestSheet vg.Length = 420

// sheet is a figure with the place of everything decided. From the top: title, subtitle, the
// body, and the note.
type sheet struct {
	heading               Heading
	body                  body
	title, subtitle, note paragraph
	width, height         vg.Length
}

func newSheet(h Heading, b body) sheet {
	width, height := b.size()
	s := sheet{heading: h, body: b, width: 2*outerMargin + max(width, narrowestSheet)}
	text := s.width - 2*outerMargin
	s.title = wrapped(h.Title, bold(textStyle(14, ink)), text)
	s.subtitle = wrapped(h.Subtitle, textStyle(10.5, grey), text)
	s.note = wrapped(h.Note, textStyle(9, grey), text)
	s.height = 2*outerMargin + s.headHeight() + height + 8 + s.note.height()
	return s
}

func (s sheet) headHeight() vg.Length { return s.title.height() + s.subtitle.height() + 8 }

func (s sheet) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - outerMargin
	s.subtitle.draw(c, outerMargin, s.title.draw(c, outerMargin, top))
	top -= s.headHeight()
	s.body.draw(c, outerMargin, top)
	_, height := s.body.size()
	s.note.draw(c, outerMargin, top-height-8)
}

func (s sheet) writeSVG(w io.Writer) error {
	canvas := vgsvg.New(s.width, s.height)
	s.draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	_, err := w.Write(s.portable(out.Bytes()))
	return err
}

func (s sheet) writePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(s.width, s.height), vgimg.UseDPI(144))
	s.draw(draw.New(canvas))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// portable lets viewers without the Liberation fonts fall back to a sans-serif of the same
// widths, and gives those who cannot see the picture its title and note.
func (s sheet) portable(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg,
		[]byte("font-family:Liberation Sans;font-variant:normal"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	text := strings.TrimSpace(strings.Join([]string{s.heading.Subtitle, s.body.about(), s.heading.Note}, "\n"))
	head := []byte("<g transform=\"scale(1, -1)")
	about := fmt.Sprintf("<title>%s</title>\n<desc>%s</desc>\n", escaped(s.heading.Title), escaped(text))
	return bytes.Replace(svg, head, append([]byte(about), head...), 1)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escaped(s string) string { return escaper.Replace(strings.ToValidUTF8(s, "?")) }

// checked is a figure that can say beforehand what of it cannot be drawn. Its sheet is asked for only if
// there is nothing.
type checked interface {
	check() error
	sheet() sheet
}

func writeSVG(f checked, w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	return f.sheet().writeSVG(w)
}

func writePNG(f checked, w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	return f.sheet().writePNG(w)
}
