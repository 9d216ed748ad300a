package recorded

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// lines makes a history of operations that follow each other: "1 acquire ok token=3" is what
// process 1 did and how it came out. With @10-20 an operation has times of its own.
func lines(operations ...string) string {
	var b strings.Builder
	for i, op := range operations {
		words := strings.Fields(op)
		call, ret := 100*i, 100*i+50
		for _, w := range words[3:] {
			if strings.HasPrefix(w, "@") {
				fmt.Sscanf(w, "@%d-%d", &call, &ret)
			}
		}
		fmt.Fprintf(&b, `{"process": %q, "op": %q, "outcome": %q, "call": %d, "return": %d`, words[0], words[1], words[2], call, ret)
		for _, w := range words[3:] {
			if name, value, ok := strings.Cut(w, "="); ok {
				fmt.Fprintf(&b, `, %q: %s`, name, value)
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func judged(t *testing.T, text string, o Options) *Result {
	t.Helper()
	h, err := external.Read("h.jsonl", text, external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Judge(h, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two histories that hardly differ: the model allows the first one alone.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		name      string
		options   Options
		good, bad []string
	}{
		{"one holder", Options{Model: "mutex"},
			[]string{"1 acquire ok", "1 release ok", "2 acquire ok"},
			[]string{"1 acquire ok", "2 acquire ok", "1 release ok"}},
		{"a stranger releases nothing", Options{Model: "mutex"},
			[]string{"1 acquire ok", "2 release fail", "1 release ok"},
			[]string{"1 acquire ok", "2 release ok"}},
		{"a try fails for a reason", Options{Model: "mutex"},
			[]string{"1 acquire ok", "2 acquire fail"},
			[]string{"2 acquire fail", "1 acquire ok"}},
		{"an unknown acquire may hold", Options{Model: "mutex"},
			[]string{"1 acquire info", "2 acquire fail"},
			[]string{"1 release info", "2 acquire fail"}},
		{"one owner may have two processes", Options{Model: "mutex"},
			[]string{`1 acquire ok owner="a"`, `2 release ok owner="a"`, `3 acquire ok owner="b"`},
			[]string{`1 acquire ok owner="a"`, `2 release ok owner="b"`, `3 acquire ok owner="b"`}},
		{"beliefs: a failure says nothing", Options{Model: "mutex", Failures: Nothing},
			[]string{"2 acquire fail", "1 acquire ok", "1 release ok", "2 acquire ok"},
			[]string{"2 acquire fail", "1 acquire ok", "2 acquire ok"}},
		{"beliefs: a failed release ends one too, and may be repeated", Options{Model: "mutex", Failures: Nothing},
			[]string{"1 acquire ok", "1 release fail", "2 acquire ok", "1 release ok"},
			[]string{"1 acquire ok", "2 acquire ok", "1 release fail"}},
		{"beliefs: what an unknown acquire took is taken back", Options{Model: "mutex", Failures: Nothing},
			[]string{"1 acquire info", "2 acquire ok", "1 release ok", "2 release ok"},
			[]string{"2 acquire ok", "1 release ok", "2 release ok"}},
		{"as often as it was acquired", Options{Model: "reentrant-mutex"},
			[]string{"1 acquire ok", "1 acquire ok", "1 release ok", "1 release ok", "2 acquire ok"},
			[]string{"1 acquire ok", "1 acquire ok", "1 release ok", "2 acquire ok"}},
		{"and not more often than the limit", Options{Model: "reentrant-mutex", Limit: 2},
			[]string{"1 acquire ok", "1 acquire ok"},
			[]string{"1 acquire ok", "1 acquire ok", "1 acquire ok"}},
		{"tokens rise", Options{Model: "fenced-mutex"},
			[]string{"1 acquire ok token=1", "1 release ok", "2 acquire ok token=2"},
			[]string{"1 acquire ok token=1", "1 release ok", "2 acquire ok token=1"}},
		{"a hold goes on if nobody had the lock meanwhile", Options{Model: "fenced-mutex"},
			[]string{"1 acquire ok token=1", "1 release info", "1 resume ok token=1", "1 release ok", "2 acquire ok token=2"},
			[]string{"1 acquire ok token=1", "1 release info", "2 acquire ok token=2", "2 release ok", "1 resume ok token=1"}},
		{"a hold within a hold has one token", Options{Model: "reentrant-fenced-mutex"},
			[]string{"1 acquire ok token=1", "1 acquire ok token=1"},
			[]string{"1 acquire ok token=1", "1 acquire ok token=2"}},
		{"readers share", Options{Model: "rwlock"},
			[]string{"1 acquire-shared ok", "2 acquire-shared ok", "1 release-shared ok", "2 release-shared ok", "3 acquire ok"},
			[]string{"1 acquire-shared ok", "2 acquire-shared ok", "1 release-shared ok", "3 acquire ok"}},
		{"permits", Options{Model: "semaphore", Permits: 3},
			[]string{"1 acquire ok permits=2", "2 acquire ok"},
			[]string{"1 acquire ok permits=2", "2 acquire ok permits=2"}},
		{"more permits than any number has", Options{Model: "semaphore", Permits: 3},
			[]string{"1 acquire ok", "2 acquire ok permits=2"},
			[]string{"1 acquire ok", "2 acquire ok permits=9223372036854775807"}},
		{"a release of more than is known to be held", Options{Model: "semaphore", Permits: 2},
			[]string{"1 acquire ok", "1 acquire info", "1 release ok permits=2", "2 acquire ok permits=2"},
			[]string{"1 acquire ok", "1 release ok permits=2", "2 acquire ok permits=2"}},
		{"a release after an acquire of unknown outcome", Options{Model: "lease", TTL: 1000},
			[]string{"1 acquire ok @0-10", "1 acquire info @20-30", "1 release ok @40-50", "2 acquire ok @60-70"},
			[]string{"1 acquire ok @0-10", "2 acquire ok @60-70"}},
		{"a lease that was perhaps got keeps others out, and is perhaps what is released", Options{Model: "lease", TTL: 1000},
			[]string{"1 acquire ok @0-10", "3 acquire ok @1100-1110", "3 release ok @1120-1130", "1 acquire info @1500-1510",
				"2 acquire fail @1600-1610", "1 release ok @1620-1630", "2 acquire ok @1640-1650"},
			[]string{"1 acquire ok @0-10", "3 acquire ok @1100-1110", "3 release ok @1120-1130",
				"2 acquire fail @1600-1610", "1 release ok @1620-1630", "2 acquire ok @1640-1650"}},
		{"a lease keeps others out", Options{Model: "lease", TTL: 1000},
			[]string{"1 acquire ok @0-50", "2 acquire ok @900-1000"},
			[]string{"1 acquire ok @0-50", "2 acquire ok @900-999"}},
		{"longer when it is renewed", Options{Model: "lease", TTL: 1000},
			[]string{"1 acquire ok @0-50", "1 renew info @500-550", "2 acquire ok @900-1000"},
			[]string{"1 acquire ok @0-50", "1 renew ok @500-550", "2 acquire ok @900-1000"}},
		{"until it is released", Options{Model: "lease", TTL: 1000},
			[]string{"1 acquire ok @0-50", "1 release ok @60-70", "2 acquire ok @80-90"},
			[]string{"1 acquire ok @0-50", "1 release fail @60-70", "2 acquire ok @80-90"}},
		{"and a try fails while it runs", Options{Model: "lease", TTL: 1000},
			[]string{"1 acquire ok @0-50", "2 acquire fail @80-90"},
			[]string{"1 acquire ok @0-50", "1 release ok @60-70", "2 acquire fail @80-90"}},
		{"or for another reason", Options{Model: "lease", TTL: 1000, Failures: Nothing},
			[]string{"1 acquire ok @0-50", "1 release ok @60-70", "2 acquire fail @80-90"},
			[]string{"1 acquire ok @0-50", "2 renew ok @80-90"}},
		{"a read sees the last write", Options{Model: "register", Initial: "0"},
			[]string{"1 read ok value=0", "1 write ok value=1", "2 read ok value=1"},
			[]string{"1 read ok value=0", "1 write ok value=1", "2 read ok value=0"}},
		{"a register without a value is null", Options{Model: "register"},
			[]string{"1 read ok value=null"}, []string{"1 read ok value=0"}},
		{"a compare-and-set replaces what it expects", Options{Model: "register"},
			[]string{"1 cas ok expected=null value=1", "2 cas ok expected=1 value=2"},
			[]string{"1 cas ok expected=null value=1", "2 cas ok expected=null value=2"}},
		{"and fails if it is not there", Options{Model: "register"},
			[]string{"1 write ok value=1", "2 cas fail expected=2 value=3"},
			[]string{"1 write ok value=1", "2 cas fail expected=1 value=3"}},
		{"if failures say so", Options{Model: "register", Failures: Nothing},
			[]string{"1 write ok value=1", "2 cas fail expected=1 value=3"},
			[]string{"1 write ok value=1", "2 cas ok expected=2 value=3"}},
		{"a write that is not answered may come late, once", Options{Model: "register"},
			[]string{"1 write info value=1", "2 read ok value=null", "2 read ok value=1"},
			[]string{"1 write info value=1", "2 read ok value=1", "2 read ok value=null"}},
		{"a failed write did not happen", Options{Model: "register"},
			[]string{"1 write fail value=1", "1 read fail", "2 read ok value=null"},
			[]string{"1 write fail value=1", "2 read ok value=1"}},
		{"a counter adds", Options{Model: "counter"},
			[]string{"1 add ok value=2 result=2", "1 add info value=3", "2 read ok value=2", "2 read ok value=5"},
			[]string{"1 add ok value=2", "1 add info value=3", "2 read ok value=4"}},
		{"a log keeps the order", Options{Model: "log"},
			[]string{`1 append ok value="a" result=0`, `1 append ok value={"b":1}`, `2 read ok value=["a",{"b":1}]`},
			[]string{`1 append ok value="a" result=0`, `1 append ok value="b"`, `2 read ok value=["b","a"]`}},
		{"an object is put if it is the one", Options{Model: "object"},
			[]string{`1 put ok value=1 if_absent=true etag="a"`, `2 put fail value=2 if_match="b"`, `2 get ok value=1 etag="a"`},
			[]string{`1 put ok value=1 if_absent=true etag="a"`, `2 put ok value=2 if_match="b" etag="c"`, `2 get ok value=2`}},
		{"and absent when it is deleted", Options{Model: "object"},
			[]string{`1 put ok value=1`, `1 delete ok`, `2 get fail`},
			[]string{`1 put ok value=1`, `1 delete fail`, `2 get fail`}},
	} {
		if r := judged(t, lines(c.good...), c.options); r.Verdict != spec.Linearizable {
			t.Errorf("%s: the good one is %v", c.name, r.Verdict)
		}
		if r := judged(t, lines(c.bad...), c.options); r.Verdict != spec.NotLinearizable || r.Keys[0].Evidence == nil {
			t.Errorf("%s: the bad one is %v", c.name, r.Verdict)
		}
	}
}

// A bad history names the operations: the prefix ends with the one that made it bad, which
// has no place, however many good ones follow.
func TestEvidence(t *testing.T) {
	r := judged(t, lines(`a acquire ok key="good"`, `a acquire ok key="disk"`, `b acquire info key="disk"`, `a release ok key="disk"`,
		`c acquire ok key="disk"`, `d acquire ok key="disk"`, `c release ok key="disk"`, `d release ok key="disk"`), Options{})
	if len(r.Keys) != 2 || r.Model != "mutex" || r.Failures != Answers {
		t.Fatalf("%+v", r)
	}
	if good := r.Keys[0]; good.Name != "good" || good.Verdict != spec.Linearizable || good.Evidence != nil {
		t.Errorf("%+v", good)
	}
	bad := r.Keys[1]
	e := bad.Evidence
	if bad.Operations != 7 || bad.Judged != 7 || e.Until != 6 || !e.Shortest || e.Of != 5 || len(e.Order)+len(e.NoPlace) < 4 {
		t.Errorf("%+v, %+v", bad, e)
	}
	if len(e.NoPlace) != 1 || e.NoPlace[0].Line != 6 || e.NoPlace[0].Text != "acquire by d" || e.State != "the holder is c" {
		t.Errorf("%+v", e)
	}
}

// What the model is not asked about is counted with the reason.
func TestLeftOut(t *testing.T) {
	r := judged(t, lines("1 acquire ok token=1", "2 acquire fail", "2 acquire info", "1 release fail", "1 release ok"), Options{Model: "fenced-mutex"})
	k := r.Keys[0]
	if k.Judged != 2 || k.LeftOut[failed] != 1 || k.LeftOut[unknownTake] != 1 || k.LeftOut[takenBack] != 1 {
		t.Errorf("%+v", k)
	}
}

func TestHeader(t *testing.T) {
	text := `{"model": "lease", "ttl": 1000}` + "\n" + lines("1 acquire ok @0-50", "2 acquire ok @60-1010")
	for ttl, want := range map[int64]spec.Answer{0: spec.Linearizable, 2000: spec.NotLinearizable} {
		if r := judged(t, text, Options{TTL: ttl}); r.Verdict != want || r.Model != "lease" {
			t.Errorf("ttl %d: %v", ttl, r.Verdict)
		}
	}
	if r := judged(t, text, Options{Model: "mutex"}); r.Verdict != spec.NotLinearizable || r.Model != "mutex" {
		t.Errorf("%+v", r)
	}
	if r := judged(t, lines("1 cas ok expected=null value=1"), Options{}); r.Model != "register" {
		t.Errorf("%+v", r)
	}
	if r := judged(t, `{"model": "register"}`, Options{}); r.Verdict != spec.Linearizable || len(r.Keys) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestBound(t *testing.T) {
	text := lines("1 acquire ok", "1 release ok") + lines(`3 acquire ok key="b" @1000-1001`, `4 acquire ok key="b" @1002-1003`)
	for steps, want := range map[int][2]spec.Answer{1: {spec.Undecided, spec.Undecided}, 2: {spec.Linearizable, spec.NotLinearizable}} {
		r := judged(t, text, Options{MaxSteps: steps})
		if r.Keys[0].Verdict != want[0] || r.Keys[1].Verdict != want[1] {
			t.Errorf("%d steps: %v, %v", steps, r.Keys[0].Verdict, r.Keys[1].Verdict)
		}
	}
	if worse(spec.Undecided, spec.Linearizable) != spec.Undecided || worse(spec.Undecided, spec.NotLinearizable) != spec.NotLinearizable {
		t.Error("a violation outranks unknown, and that linearizable")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		options Options
		text    []string
		want    string
	}{
		{Options{}, []string{"1 lock ok"}, `h.jsonl:1: op "lock" is none of any model; accepted: acquire, `},
		{Options{}, nil, "h.jsonl: its operations do not tell"},
		{Options{Model: "mutx"}, nil, `model "mutx" is not known; accepted: mutex, `},
		{Options{Model: "semaphore"}, nil, "a semaphore needs its number of permits"},
		{Options{Model: "lease"}, nil, "a lease needs its length, the ttl"},
		{Options{Model: "mutex", Permits: 2}, nil, "permits is not a parameter of a mutex"},
		{Options{Model: "register", Limit: 2}, nil, "limit is not a parameter of a register"},
		{Options{Model: "reentrant-mutex", TTL: 2}, nil, "ttl is not a parameter of a reentrant-mutex"},
		{Options{Model: "lease", TTL: 2, Initial: "0"}, nil, "initial is not a parameter of a lease"},
		{Options{Model: "mutex", Failures: "maybe"}, nil, `failures "maybe" are not known; accepted: answers, nothing`},
		{Options{Model: "mutex"}, []string{"1 acquire ok", "1 renew ok"}, `h.jsonl:2: op "renew" is none of a mutex; accepted: acquire, release`},
		{Options{Model: "fenced-mutex"}, []string{"1 acquire ok"}, "h.jsonl:1: token is missing: each acquire of a fenced-mutex that is ok has one"},
		{Options{Model: "register"}, []string{"1 write info"}, "h.jsonl:1: value is missing: each write of a register has one"},
		{Options{Model: "register"}, []string{"1 cas info value=1"}, "h.jsonl:1: expected is missing: each cas of a register has one"},
		{Options{Model: "register"}, []string{"1 read ok"}, "h.jsonl:1: value is missing: each read of a register that is ok has one"},
		{Options{Model: "register"}, []string{"1 read ok value=1 token=3"}, "h.jsonl:1: token is not for the read of a register"},
		{Options{Model: "mutex"}, []string{"1 acquire ok value=1"}, "h.jsonl:1: value is not for the acquire of a mutex"},
		{Options{Model: "counter"}, []string{"1 add ok value=0"}, "h.jsonl:1: value: a number other than 0 was expected"},
		{Options{Model: "counter"}, []string{"1 add ok value=1.5"}, "h.jsonl:1: value: a whole number was expected, not 1.5"},
		{Options{Model: "counter"}, []string{`1 add ok value=1 result="a"`}, `h.jsonl:1: result: a whole number was expected, not "a"`},
		{Options{Model: "counter"}, []string{`1 read ok value=null`}, `h.jsonl:1: value: a whole number was expected, not null`},
		{Options{Model: "log"}, []string{`1 read ok value=3`}, `h.jsonl:1: value: the list of the entries was expected, not 3`},
	} {
		h, err := external.Read("h.jsonl", lines(c.text...), external.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Judge(h, c.options); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %s", c.text, err, c.want)
		}
	}
	if h, err := external.Read("h.jsonl", `{"model": "mutex", "ttl": 3}`, external.Options{}); err != nil {
		t.Fatal(err)
	} else if _, err = Judge(h, Options{}); err == nil || err.Error() != "h.jsonl:1: ttl is not a parameter of a mutex, which has none" {
		t.Error(err)
	}
	h, err := external.Read("h.edn", "", external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Judge(h, Options{Model: "lease", TTL: 1}); err == nil || !strings.Contains(err.Error(), "a lease needs times on one clock") {
		t.Error(err)
	}
}
