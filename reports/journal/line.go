package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"fencepost/reports/plainjson"
	"fencepost/scenarios/sweeps"
)

// A line is eight hexadecimal digits, a space, one JSON object and a newline. The digits are the
// CRC-32C of the object.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const prefix = "%08x "

// encode makes a line of a value.
func encode(v any) ([]byte, error) {
	object, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, prefix, crc32.Checksum(object, castagnoli))
	return append(append(line, object...), '\n'), nil
}

var errDamaged = errors.New("damaged")

// objectOf is the object of a line with its newline; errDamaged if the line is not whole.
func objectOf(line []byte) ([]byte, error) {
	object, whole := bytes.CutSuffix(line, []byte{'\n'})
	if n := len(fmt.Sprintf(prefix, 0)); whole && len(object) > n {
		object = object[n:]
	}
	if want := fmt.Appendf(nil, prefix, crc32.Checksum(object, castagnoli)); !whole || !bytes.HasPrefix(line, want) {
		return nil, errDamaged
	}
	return object, nil
}

// strict reads an object that has nothing but what is known, lenient one that may.
func strict(object []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	return plainjson.Error(d.Decode(to))
}

func lenient(object []byte, to any) error { return plainjson.Error(json.Unmarshal(object, to)) }

// Line is the line of a batch, without its newline. The same batch always has the same line.
func Line(b *sweeps.Batch) ([]byte, error) {
	line, err := encode(b)
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}

// ParseLine reads what [Line] has written.
func ParseLine(line []byte) (*sweeps.Batch, error) {
	b := &sweeps.Batch{}
	object, err := objectOf(append(bytes.Clone(line), '\n'))
	if err == nil {
		err = strict(object, b)
	}
	if err != nil {
		return nil, fmt.Errorf("a batch's line cannot be read: %w", err)
	}
	return b, nil
}
