package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost/scenarios/sweeps"
)

// full is a file on a disk that has room for so many bytes more: of what is written in one piece, it takes
// what there is room for.
type full struct {
	*os.File
	room int
}

func (f *full) Write(p []byte) (int, error) {
	n, err := f.File.Write(p[:min(len(p), f.room)])
	f.room -= n
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

// TestFull: wherever the disk is full, the batches before are kept, the error says how many, and going on
// when there is room gives what there would be had there always been room.
func TestFull(t *testing.T) {
	s := sweepOf(t)
	want, err := os.ReadFile(s.write(t, s.batches...))
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; ; room += 331 {
		path := s.write(t)
		w := goOn(t, path)
		w.file = &full{w.file.(*os.File), room}
		failed := -1
		for i, b := range s.batches {
			if err := w.Add(b); err != nil {
				failed = i
				if says := fmt.Sprintf("the %d batches that were finished before are kept there", i); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), says) {
					t.Fatalf("room for %d bytes: %v; want %q", room, err, says)
				}
				break
			}
		}
		w.Close()
		if failed < 0 {
			break
		}
		again := goOn(t, path)
		if again.Kept() != failed {
			t.Fatalf("room for %d bytes: %d batches are kept, want %d", room, again.Kept(), failed)
		}
		for _, b := range s.batches[failed:] {
			if err := again.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("room for %d bytes, and gone on: other bytes (%v)", room, err)
		}
	}
}

// goOn goes on with a journal.
func goOn(t *testing.T, path string) *Writer {
	t.Helper()
	x, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	w, err := x.Continue()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestGone: nothing is added to a file that nobody would find, or that was changed by another.
func TestGone(t *testing.T) {
	s := sweepOf(t)
	for name, change := range map[string]func(path string) error{
		"removed":   os.Remove,
		"renamed":   func(path string) error { return os.Rename(path, path+"-moved") },
		"truncated": func(path string) error { return os.Truncate(path, 100) },
		"grown":     func(path string) error { return os.Truncate(path, 100_000) },
		"replaced": func(path string) error {
			if err := os.Rename(path, path+"-moved"); err != nil {
				return err
			}
			return os.WriteFile(path, nil, 0o644)
		},
	} {
		path := s.write(t)
		w := goOn(t, path)
		if err := w.Add(s.batches[0]); err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(s.batches[1]); !errors.Is(err, ErrGone) || w.Kept() != 1 {
			t.Errorf("%s: %v, and %d are kept", name, err, w.Kept())
		}
		if err := w.Close(); !errors.Is(err, ErrGone) {
			t.Errorf("%s: %v at the end", name, err)
		}
	}
}

// TestEqualChecksums: two results of one batch are told apart also if their checksums are equal.
func TestEqualChecksums(t *testing.T) {
	s := sweepOf(t)
	one, other := *s.batches[0], *s.batches[0]
	one.Held, other.Held = sameChecksum(t, one)
	paths := []string{s.write(t, &one), s.write(t, &other)}
	var sums []string
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(bytes.Split(content, []byte("\n"))[1][:8]))
	}
	if sums[0] != sums[1] || one.Held == other.Held {
		t.Fatalf("the checksums are %v, of %v and %v", sums, one.Held, other.Held)
	}
	if x, err := Load(paths...); err == nil || !strings.Contains(err.Error(), "two results of batch 0 of cell 0") {
		t.Errorf("two results of one batch: %v", err)
		if x != nil {
			x.Close()
		}
	}
}

// sameChecksum finds two times that a batch's holders may have held, with which its lines have one checksum.
func sameChecksum(t *testing.T, b sweeps.Batch) (one, other time.Duration) {
	t.Helper()
	// Eighteen digits have more bits than a checksum, so that some pair out of a hundred thousand has one.
	random := rand.New(rand.NewPCG(1, 2))
	some := func() int64 { return 1e17 + random.Int64N(9e17) }
	b.Held = time.Duration(some())
	line, err := Line(&b)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(line, fmt.Appendf(nil, `"held_ns":%d`, b.Held)) + len(`"held_ns":`)
	seen := map[uint32]int64{}
	for range 2_000_000 {
		held := some()
		copy(line[at:], fmt.Sprint(held))
		sum := crc32.Checksum(line[len("00000000 "):], castagnoli)
		if before, ok := seen[sum]; ok && before != held {
			return time.Duration(before), time.Duration(held)
		}
		seen[sum] = held
	}
	t.Fatal("no two checksums are equal")
	return 0, 0
}
