// Package trace is the canonical text of a run, rendered the same on every machine: a line
// for every message, step, pause, resume and crash. Its digest covers more than the text:
// every event, also a timer that says nothing, and every draw.
package trace

import (
	"fmt"
	"io"
	"regexp"
)

// Record is one line of a trace. Who and What are short words; Text is free.
type Record struct {
	Sequence uint64 // events fired so far in this run
	At       int64  // true time, nanoseconds since the run began
	Digest   uint64 // the run's digest when the record was made
	Who      string // host, process or link
	What     string // "send", "deliver", "step", "timer", "pause", ...
	Text     string
}

// Sink receives records as they happen.
type Sink interface {
	Record(r Record)
}

// String renders the canonical line, without a newline.
func (r Record) String() string {
	return fmt.Sprintf("%06d %4d.%09d %016x %-12s %-9s %s",
		r.Sequence, r.At/1e9, r.At%1e9, r.Digest, r.Who, r.What, r.Text)
}

// line is the form of a canonical line: the number of events, the instant, the digest and
// the rest.
var line = regexp.MustCompile(`^(\d{6,} +\d+\.\d{9} )([0-9a-f]{16})( .*)$`)

// IsRecord reports whether a text is a canonical line.
func IsRecord(text string) bool { return line.MatchString(text) }

// WithoutDigest returns a canonical line with its digest blotted out.
func WithoutDigest(text string) string { return line.ReplaceAllString(text, "$1----------------$3") }

// Writer writes canonical lines.
type Writer struct {
	W   io.Writer
	Err error // the first error of W
}

// Record implements [Sink].
func (w *Writer) Record(r Record) {
	if w.Err == nil {
		_, w.Err = fmt.Fprintln(w.W, r)
	}
}

// Memory keeps records.
type Memory struct {
	Records []Record
}

// Record implements [Sink].
func (m *Memory) Record(r Record) { m.Records = append(m.Records, r) }
