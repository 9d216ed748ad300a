package trace

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRecordString(t *testing.T) {
	r := Record{Sequence: 42, At: 3_000_000_007, Digest: 0xabc, Who: "redis/1", What: "deliver", Text: "client/1 set"}
	const want = "000042    3.000000007 0000000000000abc redis/1      deliver   client/1 set"
	if got := r.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSinks(t *testing.T) {
	var text strings.Builder
	memory, writer := &Memory{}, &Writer{W: &text}
	want := ""
	for i := range uint64(3) {
		r := Record{Sequence: i, Who: "a", What: "b"}
		want += r.String() + "\n"
		for _, s := range []Sink{memory, writer} {
			s.Record(r)
		}
	}
	if text.String() != want || writer.Err != nil {
		t.Errorf("written %q, error %v, want %q", text.String(), writer.Err, want)
	}
	if len(memory.Records) != 3 || memory.Records[2].Sequence != 2 {
		t.Errorf("kept %v", memory.Records)
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriterKeepsTheFirstError(t *testing.T) {
	f := &failing{left: 1}
	w := &Writer{W: f}
	for range 4 {
		w.Record(Record{})
	}
	if w.Err == nil || f.left != -1 {
		t.Errorf("error %v, and %d writes after it", w.Err, -1-f.left)
	}
}

// TestDigestTellsSequencesApart: every word and the order of words matter.
func TestDigestTellsSequencesApart(t *testing.T) {
	sum := func(words []uint64) uint64 {
		var d Digest
		for _, w := range words {
			d.Mix(w)
		}
		return d.Sum()
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Uint64(), 1, 8)
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		same := len(a) == len(b)
		for i := range min(len(a), len(b)) {
			same = same && a[i] == b[i]
		}
		if (sum(a) == sum(b)) != same {
			t.Fatalf("sums %x and %x", sum(a), sum(b))
		}
	})
}

// TestLinesAreRecognized: what a record writes is a record, and the digest is the one part
// of it that can be blotted out.
func TestLinesAreRecognized(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Record{Sequence: rapid.Uint64().Draw(t, "sequence"), At: rapid.Int64Range(0, 1<<62).Draw(t, "at"),
			Digest: rapid.Uint64().Draw(t, "digest"), Who: "client/1", What: "send", Text: "redis/1 set"}
		other := r
		other.Digest = rapid.Uint64().Draw(t, "another digest")
		if !IsRecord(r.String()) || IsRecord(r.String()[1:30]) {
			t.Fatalf("%q", r)
		}
		if WithoutDigest(r.String()) != WithoutDigest(other.String()) {
			t.Fatalf("%q and %q", WithoutDigest(r.String()), WithoutDigest(other.String()))
		}
		if other.At++; WithoutDigest(r.String()) == WithoutDigest(other.String()) {
			t.Fatal("more than the digest is gone")
		}
	})
}
