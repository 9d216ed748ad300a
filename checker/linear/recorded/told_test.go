package recorded

import (
	"strings"
	"testing"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// What is wrong with a history is said with the line on which it stands, and with what would
// be accepted there.
func TestErrorsHaveLines(t *testing.T) {
	acquire := lines("1 acquire ok")
	for _, c := range []struct{ file, text, want string }{
		{"h.jsonl", acquire + lines("2 aquire ok"), `h.jsonl:2: op "aquire" is none of any model; accepted: acquire, release, resume, `},
		{"h.jsonl", acquire + lines("2 read ok value=1"), `h.jsonl:2: op "read" is one of register, counter, log, and the operations before are of mutex, reentrant-mutex, `},
		{"h.jsonl", lines("1 read ok value=1", "1 add ok value=1"), `h.jsonl:2: op "add" is none of a mutex or a register, one of which is meant if no model is named; name it: counter`},
		{"h.edn", "{:type :invoke, :f :acquire, :process 0}\n{:type :invoke, :f :frob, :process 1}", `h.edn:2: op "frob" is none of any model; accepted: acquire, `},
		{"h.jsonl", `{"model": "mutx"}` + "\n" + acquire, `h.jsonl:1: model "mutx" is not known; accepted: mutex, `},
		{"h.jsonl", "# a comment\n" + `{"model": "semaphore"}`, `h.jsonl:2: a semaphore needs its number of permits: "permits" beside "model", or --permits`},
		{"h.jsonl", `{"model": "lease"}`, `h.jsonl:1: a lease needs its length, the ttl: "ttl" beside "model", in nanoseconds, or --ttl`},
		{"h.jsonl", `{"model": "mutex", "permits": 2}`, "h.jsonl:1: permits is not a parameter of a mutex, which has none"},
		{"h.jsonl", `{"model": "semaphore", "permits": 2, "limit": 1000000}`, "h.jsonl:1: limit is not a parameter of a semaphore, which has permits"},
		{"h.jsonl", `{"model": "semaphore", "permits": 1000000000}`, "h.jsonl:1: permits 1000000000 are too many: at most 10000"},
		{"h.jsonl", `{"model": "mutex"}` + "\n" + `{"type": "invoke", "process": 1, "op": "renew", "time": 1}` + "\n" + `{"type": "ok", "process": 1, "time": 2}`,
			`h.jsonl:2: op "renew" is none of a mutex; accepted: acquire, release`},
		{"h.jsonl", `{"model": "object"}` + "\n" + lines("1 get ok"), "h.jsonl:2: value is missing: each get of an object that is ok has one; null if there is no object"},
		{"h.jsonl", `{"model": "object"}` + "\n" + lines(`1 get ok value=null etag="a"`), "h.jsonl:2: etag: none was expected"},
		{"h.jsonl", `{"model": "object"}` + "\n" + lines("1 put ok value=null"), "h.jsonl:2: value: another value than null was expected"},
		{"h.jsonl", `{"model": "counter"}` + "\n" + lines("1 add ok value=9223372036854775807", "1 add fail value=5", "1 add info value=1"), "h.jsonl:4: value: with the additions before, the counter may leave"},
		{"h.jsonl", `{"model": "counter"}` + "\n" + lines("1 add ok value=-9223372036854775808", "1 add ok value=-1"), "h.jsonl:3: value: with the additions before, the counter may leave"},
	} {
		h, err := external.Read(c.file, c.text, external.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Judge(h, Options{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\nerror %v, want %s", c.text, err, c.want)
		}
	}
	// What a flag says stands on no line.
	h, err := external.Read("h.jsonl", `{"model": "semaphore", "permits": 2}`, external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Judge(h, Options{Permits: 20_000}); err == nil || err.Error() != "permits 20000 are too many: at most 10000" {
		t.Error(err)
	}
}

// States and operations have the names that the history has.
func TestStatesNameOwners(t *testing.T) {
	for _, c := range []struct {
		options     Options
		text        []string
		state, last string
	}{
		{Options{Model: "semaphore", Permits: 2}, []string{"w1 acquire ok permits=2", "w2 acquire ok"}, "permits are held by w1 (2)", "acquire by w2 of 1"},
		{Options{Model: "rwlock"}, []string{"w1 acquire-shared ok", "w3 acquire-shared ok", "w2 acquire ok"}, "it is read by w1, w3", "acquire by w2"},
		{Options{Model: "rwlock"}, []string{"w1 acquire ok", "w2 acquire-shared ok"}, "the writer is w1", "acquire-shared by w2"},
		{Options{Model: "reentrant-mutex"}, []string{"w1 acquire ok", "w1 acquire ok", "w2 acquire ok"}, "the holder is w1, 2 times", "acquire by w2"},
		{Options{Model: "fenced-mutex"}, []string{"w1 acquire ok token=4", "w1 release ok", "w2 acquire ok token=3"}, "nobody holds it, last token 4", "acquire by w2, token 3"},
		{Options{Model: "register", Initial: "0"}, []string{"w1 write ok value=1", "w1 read ok value=3"}, "the value is 1", "read of 3"},
		{Options{Model: "register", Initial: "0"}, []string{"w1 write ok value=1", "w1 cas ok expected=0 value=3"}, "the value is 1", "cas of 0 to 3"},
		{Options{Model: "counter"}, []string{"w1 add ok value=1", "w1 read ok value=3"}, "the number is 1", "read() -> 3"},
	} {
		r := judged(t, lines(c.text...), c.options)
		e := r.Keys[0].Evidence
		if e == nil || e.State != c.state || len(e.NoPlace) != 1 || e.NoPlace[0].Text != c.last {
			t.Errorf("%v: %+v, want the state %q and no place for %q", c.text, e, c.state, c.last)
		}
	}
}

// Tokens that no model was asked about are counted.
func TestTokensThatAreNotJudged(t *testing.T) {
	for model, want := range map[string]struct {
		tokens int
		judges string
	}{"": {2, "fenced-mutex"}, "mutex": {2, "fenced-mutex"}, "reentrant-mutex": {2, "reentrant-fenced-mutex"}, "rwlock": {2, ""}, "fenced-mutex": {0, ""}} {
		r := judged(t, lines("1 acquire ok token=7", "1 release ok", "2 acquire ok token=7"), Options{Model: model})
		if r.Tokens != want.tokens || r.JudgesTokens != want.judges {
			t.Errorf("%s: %d tokens, judged by %q", model, r.Tokens, r.JudgesTokens)
		}
	}
	if r := judged(t, lines("1 acquire ok"), Options{}); r.Tokens != 0 {
		t.Errorf("%d tokens", r.Tokens)
	}
}

// A get that found nothing is one with the value null, or one that failed.
func TestAbsentObject(t *testing.T) {
	for _, absent := range []string{"2 get ok value=null", "2 get fail"} {
		for want, text := range map[spec.Answer][]string{
			spec.Linearizable:    {absent, "1 put ok value=1", "1 delete ok", absent},
			spec.NotLinearizable: {"1 put ok value=1", absent},
		} {
			if r := judged(t, lines(text...), Options{Model: "object"}); r.Verdict != want {
				t.Errorf("%v: %v, want %v", text, r.Verdict, want)
			}
		}
	}
}
