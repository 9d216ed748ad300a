package network

import (
	"fmt"
	"strings"
)

// describe renders the fields that are set, in a fixed order: the canonical text of
// a message in a trace.
func (m *Message) describe() string {
	var b strings.Builder
	b.WriteString(m.Op.Name)
	if m.OK {
		b.WriteString(" ok")
	}
	for _, word := range []struct {
		name  string
		value int64
	}{
		{"call", int64(m.Call)}, {"key", m.Key}, {"value", m.Value}, {"token", m.Token},
		{"revision", m.Revision}, {"hold", int64(m.Hold)},
	} {
		if word.value != 0 {
			fmt.Fprintf(&b, " %s=%d", word.name, word.value)
		}
	}
	if m.TTL != 0 {
		fmt.Fprintf(&b, " ttl=%v", m.TTL)
	}
	return b.String()
}
