package external

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func readLines(t *testing.T, text string) *History {
	t.Helper()
	h, err := Read("h.jsonl", text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOperations(t *testing.T) {
	h := readLines(t, `{"model": "fenced-mutex", "limit": 2, "permits": 3, "ttl": 1000, "initial": {"b": 1, "a": [2, 1.50]}}
 # a comment
{"process": 1, "op": "acquire", "key": "disk", "token": 33, "outcome": "ok", "call": 10, "return": 20}
{"process": "w-2", "owner": "a", "op": "put", "value": "x<y", "if_match": "e1", "if_absent": true, "etag": "e2", "outcome": "fail", "call": -5, "return": 15}
{"process": 1, "op": "cas", "key": 7, "expected": null, "value": 1, "outcome": "info", "call": 20, "return": 25}
{"process": 1, "op": "add", "value": 1, "result": 4, "permits": 2, "outcome": "info", "call": 25}
`)
	if want := (Header{Line: 1, Model: "fenced-mutex", Limit: 2, Permits: 3, TTL: 1000, Initial: `{"a":[2,1.5],"b":1}`}); h.Header != want {
		t.Errorf("the header is %+v, want %+v", h.Header, want)
	}
	want := []Operation{
		{Line: 3, End: 3, Process: "1", Owner: "1", Op: "acquire", Key: "disk", Token: 33, Call: 10, Return: 20},
		{Line: 4, End: 4, Process: "w-2", Owner: "a", Op: "put", Value: `"x<y"`, IfMatch: "e1", IfAbsent: true, ETag: "e2", Outcome: Fail, Call: -5, Return: 15},
		{Line: 5, End: 5, Process: "1", Owner: "1", Op: "cas", Key: "7", Expected: "null", Value: "1", Outcome: Info, Call: 20, Return: Never},
		{Line: 6, End: 6, Process: "1", Owner: "1", Op: "add", Value: "1", Result: "4", Permits: 2, Outcome: Info, Call: 25, Return: Never},
	}
	if !reflect.DeepEqual(h.Operations, want) {
		t.Errorf("the operations are\n%+v, want\n%+v", h.Operations, want)
	}
}

func TestEvents(t *testing.T) {
	h := readLines(t, `{"type": "invoke", "process": 1, "op": "acquire", "time": 10}
{"type": "invoke", "process": 2, "op": "read", "value": null, "time": 11}
{"type": "ok", "process": 1, "token": 33, "owner": "a", "time": 20}
{"type": "ok", "process": 2, "op": "read", "value": [1], "time": 12}
{"type": "invoke", "process": 1, "op": "release", "time": 30}
{"type": "invoke", "process": 2, "op": "write", "value": 5, "time": 31}
{"type": "info", "process": 2, "value": 5, "time": 32}
{"type": "invoke", "process": 3, "op": "get", "value": null, "time": 33}
{"type": "ok", "process": 3, "value": "a", "etag": "e", "time": 34}
`)
	want := []Operation{
		{Line: 1, End: 3, Process: "1", Owner: "a", Op: "acquire", Token: 33, Call: 10, Return: 20},
		{Line: 2, End: 4, Process: "2", Owner: "2", Op: "read", Value: "[1]", Call: 11, Return: 12},
		{Line: 5, Process: "1", Owner: "1", Op: "release", Outcome: Info, Call: 30, Return: Never},
		{Line: 6, End: 7, Process: "2", Owner: "2", Op: "write", Value: "5", Outcome: Info, Call: 31, Return: Never},
		{Line: 8, End: 9, Process: "3", Owner: "3", Op: "get", Value: `"a"`, ETag: "e", Call: 33, Return: 34},
	}
	if !reflect.DeepEqual(h.Operations, want) {
		t.Errorf("the operations are\n%+v, want\n%+v", h.Operations, want)
	}
}

// A value is the same however it is written, and different values are written differently.
func TestCanonical(t *testing.T) {
	canonicals := map[string]string{}
	for _, alike := range [][]string{
		{"1", "1.0", "10e-1", " 1 "}, {"100", "1e2", "1E+2"}, {"0", "-0", "0.0"}, {"1e400", "10e399"}, {"9007199254740993"}, {"9007199254740992"},
		{`"a"`, `"\u0061"`}, {`"😀"`, `"\ud83d\ude00"`}, {`"\\ud800"`}, {`{"a":1,"b":[2]}`, `{"b": [2.0], "a": 1}`}, {`"<"`, `"\u003c"`}, {`"1"`}, {"[1]"}, {"null"}, {"true"}, {`"true"`}, {"{}"}, {"[]"},
	} {
		for _, text := range alike {
			got, err := Canonical([]byte(text))
			if want, _ := Canonical([]byte(alike[0])); err != nil || got != want {
				t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
			}
			if before, ok := canonicals[got]; ok && before != alike[0] {
				t.Errorf("%s and %s are both %s", text, before, got)
			}
			canonicals[got] = alike[0]
		}
	}
	for _, text := range []string{"", "1 2", "nan", `"\ud800"`, "\"\xff\"", `[{"a":1,"a":1}]`} {
		if got, err := Canonical([]byte(text)); err == nil {
			t.Errorf("%s is %s, want an error", text, got)
		}
	}
}

// Whatever is wrong with a line is said with its number.
func TestLineErrors(t *testing.T) {
	const (
		acquire = `{"process": 1, "op": "acquire", "outcome": "ok", "call": 10, "return": 20}`
		invoke  = `{"type": "invoke", "process": 1, "op": "read", "time": 10}`
	)
	for _, c := range []struct{ text, want string }{
		{"nonsense", "1: a JSON object was expected, not nonsense"},
		{"[1]", "1: a JSON object was expected, not [1]"},
		{`{"process": 1`, "1: a whole JSON object was expected; it ends too early"},
		{`{"process" 1}`, "1: a JSON object was expected: "},
		{acquire + " 1", "1: one JSON object a line was expected; there is more behind it"},
		{`{"op": "a", "op": "b"}`, "1: op stands there twice"},
		{`{"op": "a", "proces": 1}`, `1: unknown field "proces"; accepted: call, etag, expected, if_absent, if_match, key, op, outcome, owner, permits, process, result, return, token, value`},
		{`{"op": "acquire", "outcome": "ok", "call": 1, "return": 2}`, "1: process is missing"},
		{`{"process": 1, "outcome": "ok", "call": 1, "return": 2}`, "1: op is missing"},
		{`{"process": 1, "op": "acquire", "call": 1, "return": 2}`, "1: outcome is missing"},
		{`{"process": 1, "op": "acquire", "outcome": "ok", "return": 2}`, "1: call is missing"},
		{`{"process": 1, "op": "acquire", "outcome": "ok", "call": 1}`, "1: return is missing; an operation without one has the outcome info"},
		{`{"process": null, "op": "a"}`, "1: process: a string or a whole number was expected, not null"},
		{`{"process": 1.5, "op": "a"}`, "1: process: a string or a whole number was expected, not 1.5"},
		{`{"op": ""}`, `1: op: a string was expected, not ""`},
		{`{"op": 3}`, "1: op: a string was expected, not 3"},
		{`{"call": 1.5}`, "1: call: a time in whole nanoseconds was expected, not 1.5"},
		{`{"call": null}`, "1: call: a time in whole nanoseconds was expected, not null"},
		{`{"call": 9223372036854775807}`, "1: call: a time in whole nanoseconds was expected"},
		{`{"token": 0}`, "1: token: a fencing token above 0 was expected, not 0"},
		{`{"permits": -1}`, "1: permits: a whole number above 0 was expected, not -1"},
		{`{"if_absent": null}`, "1: if_absent: true or false was expected, not null"},
		{`{"outcome": "good"}`, `1: outcome: one of ok, fail, info was expected, not "good"`},
		{"\n" + strings.Replace(acquire, "20", "9", 1), "2: the return was expected not to be before the call"},
		{acquire + "\n" + strings.Replace(acquire, "10", "15", 1), "2: process 1 calls before its operation of line 1 has returned"},
		{strings.Replace(acquire, "10", "15", 1) + "\n" + acquire, "1: process 1 calls before its operation of line 2 has returned"},
		{`{"process": 1, "op": "read", "outcome": "info", "call": 3}` + "\n" + acquire, "2: process 1 calls, but its operation of line 1 has no return; if it gave up, say when"},
		{acquire + "\n" + `{"model": "mutex"}`, "2: the line with the model stands first, and once"},
		{`{"model": "mutex"}` + "\n" + `{"model": "mutex"}`, "2: the line with the model stands first, and once"},
		{`{"model": "mutex", "permit": 1}`, `1: unknown field "permit"; accepted: initial, limit, model, permits, ttl`},
		{`{"model": "lease", "ttl": "10s"}`, `1: ttl: the length of a lease in nanoseconds was expected, not "10s"`},
		{acquire + "\n" + invoke, "2: an operation was expected, not an event: the lines before are operations"},
		{invoke + "\n" + acquire, "2: an event was expected, with a type: the lines before are events"},
		{`{"type": "done"}`, `1: type: one of invoke, ok, fail, info was expected, not "done"`},
		{`{"type": "invoke", "process": 1, "op": "a"}`, "1: time is missing"},
		{`{"type": "invoke", "process": 1, "time": 1}`, "1: op is missing"},
		{"# a \xff in a comment harms nobody\n{\"owner\": \"\xff\"}", "2: text in UTF-8 was expected; byte 12 is 0xff"},
		{`{"owner": "\ud800"}`, `1: the escape \ud800 at byte 12 is half a pair, and no text`},
		{`{"owner": "\udfff\ud800"}`, `1: the escape \udfff at byte 12 is half a pair, and no text`},
		{`{"key": "\ud800\u0041"}`, `1: the escape \ud800 at byte 10 is half a pair, and no text`},
		{`{"value": {"a": 1, "\u0061": 2}}`, `1: value: "a" stands there twice`},
		{`{"type": "invoke", "process": 1, "op": "write", "value": null, "time": 1}` + "\n" + `{"type": "ok", "process": 1, "value": 5, "time": 2}`,
			"2: value was expected to be null, as in the call of line 1, not 5"},
		{invoke + "\n" + invoke, "2: process 1 calls before its operation of line 1 has returned"},
		{`{"type": "ok", "process": 1, "time": 1}`, "1: process 1 returns, but has called nothing"},
		{invoke + "\n" + `{"type": "ok", "process": 1, "time": 9}`, "2: the return was expected not to be before the call of line 1"},
		{invoke + "\n" + `{"type": "ok", "process": 1, "op": "write", "time": 11}`, "2: op was expected to be read, as in the call of line 1, not write"},
		{`{"type": "invoke", "process": 1, "op": "a", "token": 1, "time": 1}` + "\n" + `{"type": "ok", "process": 1, "token": 2, "time": 1}`, "2: token and permits were expected to be those of the call"},
		{invoke + "\n" + `{"type": "ok", "process": 1, "time": 12}` + "\n" + invoke, "3: the time was expected not to be before 12, when process 1 returned"},
	} {
		_, err := Read("h.jsonl", c.text, Options{})
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "h.jsonl:"+c.want) {
			t.Errorf("%s\nerror %v, want h.jsonl:%s", c.text, err, c.want)
		}
	}
}

// What editors put before a text is no part of it.
func TestByteOrderMark(t *testing.T) {
	if h := readLines(t, "\ufeff"+`{"model": "mutex"}`); h.Header.Model != "mutex" {
		t.Errorf("%+v", h)
	}
	h, err := Read("h.edn", "\ufeff{:type :invoke, :f :read, :process 0}", Options{})
	if err != nil || len(h.Operations) != 1 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]Format{"a.jsonl": JSONLines, "b.EDN": Jepsen, "c": JSONLines} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := ReadFile(path, Options{})
		if err != nil || h.Format != want || len(h.Operations) != 0 {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), Options{}); err == nil || !strings.HasSuffix(err.Error(), "none: cannot be read: no such file or directory") {
		t.Error(err)
	}
	if _, err := Read("h", "", Options{Threads: 2}); err == nil {
		t.Error("threads of JSON lines are accepted")
	}
}

// FuzzLines: a text is a history, or an error that names one of its lines.
func FuzzLines(f *testing.F) {
	f.Add(`{"model": "mutex"}` + "\n" + `{"process": 1, "op": "acquire", "outcome": "ok", "call": 10, "return": 20}`)
	f.Add(`{"type": "invoke", "process": "a", "op": "cas", "value": [1, {"a": 2}], "time": 3}` + "\n" + `{"type": "fail", "process": "a", "time": 4}`)
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, Options{Format: JSONLines}) })
}

// checkRead checks what holds for every text.
func checkRead(t *testing.T, text string, o Options) {
	h, err := Read("h", text, o)
	if err != nil {
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Line < 1 || wrong.Line > 1+strings.Count(text, "\n") {
			t.Fatal(err)
		}
		return
	}
	over := map[string]int64{}
	last := 0
	for _, op := range h.Operations {
		if op.Line < last || op.Process == "" || op.Owner == "" || op.Op == "" || op.Return < op.Call || op.Outcome == Info && op.Return != Never {
			t.Errorf("%+v", op)
		}
		last = op.Line
		if o.Format == Jepsen {
			if op.Call < over[op.Process] {
				t.Errorf("%+v overlaps", op)
			}
			if op.Return != Never {
				over[op.Process] = op.Return
			}
		}
	}
}
