package spec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

var resourceSubjects = []subject{
	{"Register", spec.Register(0), []string{"write is forgotten", "read is stale", "read resets"}, startRegister},
	{"Counter", spec.Counter(), []string{"addition is forgotten", "addition counts twice", "answer is stale"}, startCounter},
	{"Log", spec.Log[int](), []string{"append replaces the last", "index repeats", "read misses the last", "entries swap"}, startLog},
	{"Object", spec.Object[int](), []string{"older ETag passes", "If-Match is ignored", "If-Absent is ignored", "ETag stays",
		"refused put takes effect"}, startObject},
	{"Section", spec.Section(0), []string{"sees a stale value", "write is forgotten", "compares with <=", "refused write takes effect"}, startSection},
}

// third is every third instant: bugs are seldom there all the time.
func third(now int64) bool { return now%3 == 0 }

func startRegister(random *rand.Rand, bug string) system {
	value, before, written := 0, 0, 0
	next := func(int) any {
		if random.IntN(2) == 0 {
			return spec.RegisterInput[int]{}
		}
		written++
		return spec.RegisterInput[int]{Write: true, Value: written}
	}
	do := func(op *porcupine.Operation, now int64) bool {
		in := op.Input.(spec.RegisterInput[int])
		switch {
		case !in.Write && bug == "read is stale":
			op.Output = before
		case !in.Write:
			op.Output = value
			if bug == "read resets" {
				value = 0
			}
		case bug == "write is forgotten" && third(now):
		default:
			value, before = in.Value, value
		}
		return true
	}
	lost := func(in any) any {
		if !in.(spec.RegisterInput[int]).Write {
			return nil
		}
		return spec.Unknown
	}
	return system{next: next, do: do, lost: lost}
}

func startCounter(random *rand.Rand, bug string) system {
	value := int64(0)
	next := func(int) any { return spec.CounterInput{Delta: int64(random.IntN(3))} }
	do := func(op *porcupine.Operation, now int64) bool {
		before := value
		delta := op.Input.(spec.CounterInput).Delta
		switch {
		case bug == "addition is forgotten" && third(now):
		case bug == "addition counts twice" && third(now):
			value += 2 * delta
		default:
			value += delta
		}
		op.Output = value
		if bug == "answer is stale" {
			op.Output = before
		}
		return true
	}
	return system{next: next, do: do, lost: unknown}
}

func startLog(random *rand.Rand, bug string) system {
	var log []int
	written := 0
	next := func(int) any {
		if random.IntN(2) == 0 {
			return spec.LogInput[int]{}
		}
		written++
		return spec.LogInput[int]{Append: true, Value: written}
	}
	do := func(op *porcupine.Operation, now int64) bool {
		last := len(log) - 1
		switch in := op.Input.(spec.LogInput[int]); {
		case in.Append && bug == "append replaces the last" && last >= 0 && third(now):
			log[last], op.Output = in.Value, last
		case in.Append && bug == "index repeats" && last >= 0:
			log, op.Output = append(log, in.Value), last
		case in.Append:
			log, op.Output = append(log, in.Value), len(log)
		case bug == "read misses the last" && last >= 0:
			op.Output = slices.Clone(log[:last])
		default:
			op.Output = slices.Clone(log)
		}
		if bug == "entries swap" && last > 0 {
			log[last-1], log[last] = log[last], log[last-1]
		}
		return true
	}
	lost := func(in any) any {
		if !in.(spec.LogInput[int]).Append {
			return nil
		}
		return spec.Unknown
	}
	return system{next: next, do: do, lost: lost}
}

// store is an object with an ETag, on the server's side.
type store struct {
	bug    string
	exists bool
	value  int
	etag   int
	etags  int
}

func tag(n int) string { return fmt.Sprintf("%03d", n) }

func (s *store) admits(in spec.ObjectInput[int]) bool {
	switch {
	case in.IfAbsent && s.exists:
		return s.bug == "If-Absent is ignored"
	case in.IfMatch == "" || s.bug == "If-Match is ignored":
		return true
	case s.bug == "older ETag passes":
		return s.exists && in.IfMatch <= tag(s.etag)
	}
	return s.exists && in.IfMatch == tag(s.etag)
}

func (s *store) serve(in spec.ObjectInput[int]) spec.ObjectOutput[int] {
	switch {
	case in.Op == spec.Get && !s.exists:
		return spec.ObjectOutput[int]{Outcome: spec.Failed}
	case in.Op == spec.Get:
		return spec.ObjectOutput[int]{Value: s.value, ETag: tag(s.etag)}
	}
	refused := !s.admits(in)
	if refused && s.bug != "refused put takes effect" {
		return spec.ObjectOutput[int]{Outcome: spec.Failed}
	}
	if in.Op == spec.Delete {
		s.exists = false
		return spec.ObjectOutput[int]{}
	}
	if s.bug != "ETag stays" || !s.exists {
		s.etags++
		s.etag = s.etags
	}
	s.exists, s.value = true, in.Value
	if refused {
		return spec.ObjectOutput[int]{Outcome: spec.Failed}
	}
	return spec.ObjectOutput[int]{ETag: tag(s.etag)}
}

func startObject(random *rand.Rand, bug string) system {
	s := &store{bug: bug}
	written := 0
	next := func(int) any {
		written++
		in := spec.ObjectInput[int]{Op: []spec.ObjectOp{spec.Get, spec.Put, spec.Put, spec.Delete}[random.IntN(4)], Value: written}
		switch random.IntN(3) {
		case 0:
			in.IfMatch = tag(max(1, s.etags-random.IntN(2)))
		case 1:
			in.IfAbsent = in.Op == spec.Put
		}
		return in
	}
	do := func(op *porcupine.Operation, _ int64) bool {
		op.Output = s.serve(op.Input.(spec.ObjectInput[int]))
		return true
	}
	lost := func(in any) any {
		if in.(spec.ObjectInput[int]).Op == spec.Get {
			return nil
		}
		return spec.ObjectOutput[int]{Outcome: spec.Unknown}
	}
	return system{next: next, do: do, lost: lost}
}

// startSection has clients that replace what is there, and others that replace what they
// had seen last, if it is still there.
func startSection(random *rand.Rand, bug string) system {
	value, before, written := 0, 0, 0
	seen := [clients]int{}
	next := func(client int) any {
		written++
		in := spec.SectionInput[int]{Reads: true, Writes: random.IntN(3) > 0, Seen: -1, Written: written}
		if in.Writes && random.IntN(2) == 0 {
			in.Seen = seen[client]
		}
		return in
	}
	do := func(op *porcupine.Operation, now int64) bool {
		in := op.Input.(spec.SectionInput[int])
		if in.Seen < 0 {
			in.Seen = value
			if bug == "sees a stale value" {
				in.Seen = before
			}
		}
		op.Input, op.Output = in, spec.OK
		seen[op.ClientId] = in.Seen
		if matches := in.Seen == value || bug == "compares with <=" && in.Seen <= value; in.Writes && !matches && bug != "sees a stale value" {
			op.Output = spec.Failed
			if bug != "refused write takes effect" {
				return true
			}
		}
		if in.Writes && !(bug == "write is forgotten" && third(now)) {
			before, value = value, in.Written
		}
		return true
	}
	return system{next: next, do: do, lost: unknown}
}
