package edn

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// all reads every value of a text.
func all(text string) (values []Value, err error) {
	r := NewReader(text)
	for {
		v, err := r.Next()
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return values, err
		}
		values = append(values, v)
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"nil true false":                   "null true false",
		"12 -3 +4 0 7N":                    "12 -3 4 0 7",
		"1.5 -2e3 3.0M 1e-2":               "1.5 -2000 3 0.01",
		`"a\n\"b\" A"`:                     `"a\u000a\"b\" A"`,
		":acquire :a/b":                    `":acquire" ":a/b"`,
		"sym clojure.core/map +":           `"#symbol sym" "#symbol clojure.core/map" "#symbol +"`,
		`\a \newline \u0041 \u000a \ud800`: `"\\a" "\\newline" "\\A" "\\newline" "\\ud800"`,
		`"\ud83d\ude00"`:                   `"😀"`,
		"[1 (2 3) []]":                     "[1,[2,3],[]]",
		"#{2 1}":                           `["#{}",1,2]`,
		"{:b 1, :a [2]}":                   `{":a":[2],":b":1}`,
		`{"k" 1 2 3}`:                      `{"#2":3,"k":1}`,
		"; a comment\n1 ; end":             "1",
		"#_ignored 1 [2 #_3]":              "1 [2]",
		`#inst "2020-01-01" 5`:             `["#inst","2020-01-01"] 5`,
		"#jepsen.history.Op{:index 0}":     `["#jepsen.history.Op",{":index":0}]`,
		"{}{}":                             "{} {}",
	} {
		values, err := all(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := strings.Join(texts(values), " "); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\n[1\n2":                  `line 2: the '[' of this line is never closed`,
		"{:a}":                     "line 1: a map needs a value for each key",
		"\n\n)":                    `line 3: ')' closes nothing`,
		"[1}":                      `line 1: '}' closes nothing`,
		"\"a\nb":                   "line 1: the string of this line is never closed",
		`"\x"`:                     `line 1: an escape was expected`,
		"01":                       `line 1: "01" is no value`,
		":":                        `line 1: ":" is no value`,
		"# {}":                     "line 1: a tag was expected after #",
		"#op":                      "line 1: the text ends where the value of #op was expected",
		"1 #_":                     "line 1: the text ends where a value after #_ was expected",
		`\`:                        `line 1: a character was expected`,
		"\n{:a 1\n:b 2 :a 3}":      "line 3: :a stands twice in a map",
		"{1 2 1.0 3}":              "line 1: 1 stands twice in a map",
		"#{[1] [1]}":               "line 1: [1] stands twice in a set",
		"\n\"\xff\"":               `line 2: the string "\xff" is not UTF-8`,
		":\xff":                    `line 1: ":\xff" is not UTF-8`,
		"\\\xff":                   `line 1: "\\\xff" is not UTF-8`,
		`"\ud800"`:                 `line 1: an escape was expected`,
		`"\udfff"`:                 `line 1: an escape was expected`,
		`"\ud800\ud800"`:           `line 1: an escape was expected`,
		strings.Repeat("[", 1000):  "line 1: values lie more than 100 deep",
		strings.Repeat("#_", 1000): "line 1: values lie more than 100 deep",
	} {
		_, err := all(text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

func TestLines(t *testing.T) {
	values, err := all("; first\n{:a \"x\ny\"}\n\n#tag\n[1]\n\\\n 2")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 5, 7, 8} {
		if values[i].Line != want {
			t.Errorf("value %d begins on line %d, want %d", i, values[i].Line, want)
		}
	}
}

func TestGet(t *testing.T) {
	values, err := all(`{:a 1, "a" 2, :b nil} [1]`)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := values[0].Get("a"); !ok || v.Text != "1" {
		t.Errorf("a is %v, %t", v, ok)
	}
	if v, ok := values[0].Get("b"); !ok || v.Kind != Nil {
		t.Errorf("b is %v, %t", v, ok)
	}
	for _, v := range values {
		if _, ok := v.Get("c"); ok {
			t.Errorf("c is in %v", v)
		}
	}
}

// Values that Clojure takes for different are written differently. (Numbers are compared as
// numbers, and a list is equal to a vector there, too.)
func TestDifferentValuesAreWrittenDifferently(t *testing.T) {
	text := `nil true "nil" "true" :a ":a" a "a" "#symbol a" "#string #symbol a" \a "\\a" 1 "1" [] #{} ["#{}"] {} ["#inst" "x"] #inst "x" "x"
		#uuid "x" {1 2} {"1" 2} {"#1" 2} {:a 1} {":a" 1} {a 1} {"a" 1} [[1] 2] [1 [2]] ["a" "b"] ["a,b"] ["a\",\"b"]`
	values, err := all(text)
	if err != nil || len(values) < 30 {
		t.Fatal(len(values), err)
	}
	seen := map[string]int{}
	for i, v := range values {
		if before, twice := seen[v.JSON()]; twice {
			t.Errorf("value %d and value %d are both %s", before, i, v.JSON())
		}
		seen[v.JSON()] = i
	}
}

// FuzzReader: the reader ends on every text, and what it reads is JSON and the same when it
// is read twice.
func FuzzReader(f *testing.F) {
	f.Add(`{:type :invoke, :f :cas, :value [1 2], :process 0, :time 1, :index 0}`)
	f.Add("#jepsen.history.Op{:a \"\\u00e9\\n\"} #_x \\a #{1 1.5M} ; end")
	f.Add("((((((")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := all(text)
		var syntax *SyntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.Line < 1 || syntax.Line > 1+strings.Count(text, "\n")) {
			t.Fatalf("%v", err)
		}
		last := 1
		for _, v := range values {
			if v.Line < last {
				t.Errorf("line %d after line %d", v.Line, last)
			}
			last = v.Line
			if !json.Valid([]byte(v.JSON())) {
				t.Errorf("%s is not JSON", v.JSON())
			}
		}
	})
}
