package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fencepost/models"
	"fencepost/models/all"
	"fencepost/models/resource"
	"fencepost/scenarios"
	"fencepost/scenarios/sweeps"
)

// small is a sweep of two cells of three batches each, and all its batches.
type small struct {
	header  *Header
	batches []*sweeps.Batch
}

func sweepOf(t testing.TB) small {
	t.Helper()
	registry, err := models.NewRegistry(all.Locks()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load("kleppmann")
	if err != nil {
		t.Fatal(err)
	}
	lock, _ := registry.Find("local")
	sweep := &sweeps.Sweep{Scenario: s, Registry: registry, Locks: []models.Lock{lock}, Guards: resource.Guards[:1], Workers: 1,
		Porcupine: sweeps.PorcupineNone, Axes: []scenarios.Axis{{Name: "ttl", Values: []string{"5s", "10s"}}},
		Seeds: sweeps.Seeds{{First: 1, Last: 2*500 + 7}}}
	cells, err := sweep.Cells()
	if err != nil {
		t.Fatal(err)
	}
	var batches []*sweeps.Batch
	sweep.Keep = func(b *sweeps.Batch) error { batches = append(batches, b); return nil }
	if err := sweep.Run(context.Background(), cells); err != nil {
		t.Fatal(err)
	}
	return small{New(sweep, cells, "1.0.0", "test"), batches}
}

// write writes a journal of some batches.
func (s small) write(t testing.TB, batches ...*sweeps.Batch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), File)
	var b bytes.Buffer
	if err := Write(&b, s.header, batches); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// bytesOf loads journals and writes what is in them.
func (s small) bytesOf(t testing.TB, paths ...string) string {
	t.Helper()
	x, err := Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var b bytes.Buffer
	if err := x.Write(&b, s.header, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAddUp: whichever batches stand in which of some journals, in whatever order and however often, all
// together are the same bytes.
func TestAddUp(t *testing.T) {
	s := sweepOf(t)
	if len(s.batches) != 6 || s.header.Batches() != 6 {
		t.Fatalf("%d and %d batches, want 6", len(s.batches), s.header.Batches())
	}
	want := s.bytesOf(t, s.write(t, s.batches...))
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(r, "journals")
		parts := make([][]*sweeps.Batch, n)
		for i, b := range rapid.Permutation(s.batches).Draw(r, "order") {
			for k := range parts {
				if k == i%n || rapid.Bool().Draw(r, "again") {
					parts[k] = append(parts[k], b)
				}
			}
		}
		var paths []string
		for _, part := range parts {
			paths = append(paths, s.write(t, part...))
		}
		if got := s.bytesOf(t, paths...); got != want {
			r.Errorf("other bytes from %d journals", n)
		}
	})
}

// TestTorn: a journal that was cut off anywhere has the batches whose lines are whole, and going on
// with it gives a journal without damage.
func TestTorn(t *testing.T) {
	s := sweepOf(t)
	whole, err := os.ReadFile(s.write(t, s.batches...))
	if err != nil {
		t.Fatal(err)
	}
	header := bytes.IndexByte(whole, '\n') + 1
	path := filepath.Join(t.TempDir(), File)
	for cut := 0; cut <= len(whole); cut += 37 {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Load(path)
		if cut < header {
			if !errors.Is(err, ErrNotBegun) {
				t.Fatalf("cut at %d, in the header: %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(whole[:cut], []byte{'\n'})
		if x.Len() != lines-1 || (x.Damaged == 1) != (whole[cut-1] != '\n') {
			t.Fatalf("cut at %d: %d batches, %d damaged; %d lines are whole", cut, x.Len(), x.Damaged, lines)
		}
		w, err := x.Continue()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range s.batches[x.Len():] {
			if err := w.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		x.Close()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("cut at %d and gone on with: other bytes (%v)", cut, err)
		}
	}
}

// TestDamaged: no byte of a batch can change without the batch being left out.
func TestDamaged(t *testing.T) {
	s := sweepOf(t)
	whole, err := os.ReadFile(s.write(t, s.batches[0]))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), File)
	for at := bytes.IndexByte(whole, '\n') + 1; at < len(whole); at += 11 {
		changed := bytes.Clone(whole)
		changed[at] ^= 0x04
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if x.Len() != 0 || x.Damaged == 0 {
			t.Fatalf("byte %d changed: %d batches, %d damaged", at, x.Len(), x.Damaged)
		}
		x.Close()
	}
}

// TestOthers: what is not of the same sweep is refused, and told in what it differs.
func TestOthers(t *testing.T) {
	s := sweepOf(t)
	path := s.write(t, s.batches...)
	for change, says := range map[string]func(h *Header){
		"version of fencepost is 1.0.1, and not 1.0.0": func(h *Header) { h.Version = "1.0.1" },
		"build of fencepost is other, and not test":    func(h *Header) { h.Build = "other" },
		"scenario's hash is 0, and not ":               func(h *Header) { h.Hash = "0" },
		"seeds is 1-3, and not 1-1007":                 func(h *Header) { h.Seeds = sweeps.Seeds{{First: 1, Last: 3}} },
		"number of cells is 1, and not 2":              func(h *Header) { h.Cells = h.Cells[:1] },
		"cell 2 is etcd / none":                        func(h *Header) { h.Cells = slices.Clone(h.Cells); h.Cells[1].Lock = "etcd" },
		"use of porcupine is all, and not none":        func(h *Header) { h.Porcupine = "all" },
	} {
		h := *s.header
		says(&h)
		other := small{&h, nil}.write(t)
		if x, err := Load(path, other); err == nil || !strings.Contains(err.Error(), "its "+change) {
			t.Errorf("want %q: %v", change, err)
			if x != nil {
				x.Close()
			}
		}
	}
	changed := *s.batches[0]
	changed.Acquisitions++
	if _, err := Load(path, s.write(t, &changed)); err == nil || !strings.Contains(err.Error(), "two results of batch 0 of cell 0") {
		t.Errorf("two results of one batch: %v", err)
	}
}

// TestShards: each batch is one shard's, and what is missing is told.
func TestShards(t *testing.T) {
	s := sweepOf(t)
	for n := 1; n <= 8; n++ {
		of := make([][]*sweeps.Batch, n)
		for _, b := range s.batches {
			for i := range n {
				if (Shard{i + 1, n}).Has(b.Cell*s.header.perCell() + b.Index) {
					of[i] = append(of[i], b)
				}
			}
		}
		sum := 0
		for i := range n {
			h := *s.header
			h.Shard = Shard{i + 1, n}
			sum += h.Batches()
			if h.Batches() != len(of[i]) {
				t.Errorf("shard %v: %d batches, want %d", h.Shard, len(of[i]), h.Batches())
			}
		}
		if sum != len(s.batches) {
			t.Errorf("%d shards have %d batches", n, sum)
		}
		var paths []string
		for i := range n {
			if i != 1 {
				paths = append(paths, s.write(t, of[i]...))
			}
		}
		x, err := Load(paths...)
		if err != nil {
			t.Fatal(err)
		}
		shards, batches := x.Missing(n)
		want := "[] 0"
		if n > 1 {
			want = fmt.Sprintf("[2/%d] %d", n, len(of[1]))
		}
		if got := fmt.Sprint(shards, " ", batches.Len()); n <= 6 && got != want {
			t.Errorf("%d shards without the second: missing %s, want %s", n, got, want)
		}
		x.Close()
	}
	for _, text := range []string{"", "0/3", "4/3", "1", "a/b", "1/0", "1/1000000", "-1/2"} {
		if shard, err := ParseShard(text); err == nil {
			t.Errorf("%q is %v", text, shard)
		}
	}
}
