package spec

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// DescribeState writes a state of a model for people, with names for the owners of locks. The
// states' own texts show their numbers.
func DescribeState(state any, name func(Owner) string) string {
	switch s := state.(type) {
	case Owner:
		return held(s, name, "")
	case reentrant:
		return held(s.holder, name, times(s.depth))
	case fenced:
		if s.depth == 0 {
			return fmt.Sprintf("nobody holds it, last token %d", s.token)
		}
		return fmt.Sprintf("%s, token %d", held(s.owner, name, times(s.depth)), s.token)
	case rwState:
		if s.readers == "" {
			return strings.Replace(held(s.writer, name, ""), "holder", "writer", 1)
		}
		return "it is read by " + s.readers.named(name, "%s (%d times)")
	case holders:
		if s == "" {
			return "nobody holds a permit"
		}
		return "permits are held by " + s.named(name, "%s (%d)")
	}
	return fmt.Sprint(state)
}

// held says who the holder is.
func held(o Owner, name func(Owner) string, more string) string {
	if o == Nobody {
		return "nobody holds it"
	}
	return "the holder is " + name(o) + more
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(", %d times", n)
}

// named lists the owners in a bag, each once, with how often if it is more than once.
func (h holders) named(name func(Owner) string, often string) string {
	var words []string
	for h != "" {
		owner := Owner(binary.BigEndian.Uint64([]byte(h[:ownerSize])))
		n := h.count(owner)
		word := name(owner)
		if n > 1 {
			word = fmt.Sprintf(often, word, n)
		}
		words, h = append(words, word), h[n*ownerSize:]
	}
	return strings.Join(words, ", ")
}
