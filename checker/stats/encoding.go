package stats

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"strconv"
)

// ErrEncoding is what every error wraps of text that no [Latencies], [Weighted] or [Conditional] is
// encoded as. There is one text for a value, so text that merely means the same is refused, too.
var ErrEncoding = errors.New("stats: not an encoding")

// written returns an error unless text is what is read of it would be written as.
func written(text []byte, what string, read encoding.TextMarshaler) error {
	if again, _ := read.MarshalText(); !bytes.Equal(again, text) {
		return fmt.Errorf("%w of %s: it would be written as %.80q", ErrEncoding, what, again)
	}
	return nil
}

// readCount reads a whole number in [least, most].
func readCount(what, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s %.20q: it is a whole number from %d to %d", what, text, least, most)
	}
	return n, nil
}
