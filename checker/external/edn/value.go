// Package edn reads the notation in which Clojure programs write their data
// (https://github.com/edn-format/edn), as far as histories of Jepsen use it. Each value knows
// the line on which it begins, so that whoever reads one can say where it is wrong.
//
// It is a package of ours because the errors of a history need lines, which the library for
// Go (olympos.io/encoding/edn, last released in 2020) does not tell.
package edn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a value is.
type Kind uint8

const (
	Nil Kind = iota
	Bool
	Int
	Float
	Char
	String
	Symbol
	Keyword
	List
	Vector
	Set
	Map
)

// String returns the word for the kind.
func (k Kind) String() string {
	words := [...]string{"nil", "a boolean", "an integer", "a number", "a character", "a string",
		"a symbol", "a keyword", "a list", "a vector", "a set", "a map"}
	if int(k) < len(words) {
		return words[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Value is one value.
type Value struct {
	Kind  Kind
	Line  int     // where it begins, from 1
	Tag   string  // of a tagged value, such as "inst", without the #
	Text  string  // of what has no parts: a number as it was written, a string's content, a name without its colon
	Items []Value // of what has parts: a map's keys and values by turns
}

// Get returns the value of a keyword in a map.
func (v Value) Get(keyword string) (Value, bool) {
	if v.Kind != Map {
		return Value{}, false
	}
	for i := 0; i < len(v.Items); i += 2 {
		if k := v.Items[i]; k.Kind == Keyword && k.Text == keyword {
			return v.Items[i+1], true
		}
	}
	return Value{}, false
}

// JSON writes the value in JSON: equal values alike, and different ones differently. The parts
// of sets and maps are sorted. What JSON does not have becomes a string: a keyword with its
// colon, a character with its backslash, a symbol after #symbol, a key that is no string after
// #. Strings that look like one of these have #string before them. A set is a list that begins
// with "#{}", a tagged value one that begins with its tag.
func (v Value) JSON() string {
	if v.Tag != "" {
		untagged := v
		untagged.Tag = ""
		return "[" + quote("#"+v.Tag) + "," + untagged.JSON() + "]"
	}
	switch v.Kind {
	case Nil:
		return "null"
	case Bool, Int, Float:
		return v.Text
	case Keyword:
		return quote(":" + v.Text)
	case Char:
		return quote(`\` + v.Text)
	case Symbol:
		return quote("#symbol " + v.Text)
	case List, Vector:
		return "[" + strings.Join(texts(v.Items), ",") + "]"
	case Set:
		parts := texts(v.Items)
		slices.Sort(parts)
		return "[" + strings.Join(append([]string{`"#{}"`}, parts...), ",") + "]"
	case Map:
		return v.object()
	}
	if strings.HasPrefix(v.Text, ":") || strings.HasPrefix(v.Text, `\`) || strings.HasPrefix(v.Text, "#") {
		return quote("#string " + v.Text)
	}
	return quote(v.Text)
}

// object writes a map.
func (v Value) object() string {
	var parts []string
	for i := 0; i+1 < len(v.Items); i += 2 {
		key := v.Items[i].JSON()
		if !strings.HasPrefix(key, `"`) {
			key = quote("#" + key)
		}
		parts = append(parts, key+":"+v.Items[i+1].JSON())
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

// notation writes a value for people, as far as it is short: as it stands in the text.
func (v Value) notation() string {
	if v.Kind == Keyword {
		return ":" + v.Text
	}
	return v.JSON()
}

func texts(items []Value) []string {
	list := make([]string, len(items))
	for i, v := range items {
		list[i] = v.JSON()
	}
	return list
}

// quote writes a JSON string. Every byte that needs care becomes an escape that JSON knows.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			b.WriteString(`\u00` + strconv.FormatInt(0x100|int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
