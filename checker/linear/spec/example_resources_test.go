package spec_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"fencepost/checker/linear/spec"
)

// A read that began after a write had returned sees it.
func ExampleRegister() {
	history := func(seen string) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.RegisterInput[string]{Write: true, Value: "new"}, Call: 10, Return: 20},
			{ClientId: 1, Input: spec.RegisterInput[string]{}, Output: seen, Call: 30, Return: 40},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.Register("old"), history("new")))
	fmt.Println(porcupine.CheckOperations(spec.Register("old"), history("old")))
	// Output:
	// true
	// false
}

// Two additions at once make 2, whichever came first; 1 would be a lost one.
func ExampleCounter() {
	history := func(total int64) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.CounterInput{Delta: 1}, Output: spec.Unknown, Call: 10, Return: 30},
			{ClientId: 1, Input: spec.CounterInput{Delta: 1}, Output: spec.Unknown, Call: 20, Return: 40},
			{ClientId: 0, Input: spec.CounterInput{}, Output: total, Call: 50, Return: 60},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.Counter(), history(2)))
	fmt.Println(porcupine.CheckOperations(spec.Counter(), history(1)))
	// Output:
	// true
	// false
}

// The append of "b" was not answered, so it may be in the log or not, but not before "a".
func ExampleLog() {
	history := func(entries ...string) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: spec.LogInput[string]{Append: true, Value: "a"}, Output: 0, Call: 10, Return: 20},
			{ClientId: 1, Input: spec.LogInput[string]{Append: true, Value: "b"}, Output: spec.Unknown, Call: 30, Return: spec.Never},
			{ClientId: 0, Input: spec.LogInput[string]{}, Output: entries, Call: 40, Return: 50},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.Log[string](), history("a")))
	fmt.Println(porcupine.CheckOperations(spec.Log[string](), history("a", "b")))
	fmt.Println(porcupine.CheckOperations(spec.Log[string](), history("b", "a")))
	// Output:
	// true
	// true
	// false
}

// Two clients have read ETag "1" and replace what they read. The second one has to fail.
func ExampleObject() {
	put := func(value, etag string) spec.ObjectInput[string] {
		return spec.ObjectInput[string]{Op: spec.Put, Value: value, IfMatch: etag}
	}
	history := func(last spec.ObjectOutput[string]) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: put("a", ""), Output: spec.ObjectOutput[string]{ETag: "1"}, Call: 10, Return: 20},
			{ClientId: 0, Input: put("b", "1"), Output: spec.ObjectOutput[string]{ETag: "2"}, Call: 30, Return: 40},
			{ClientId: 1, Input: put("c", "1"), Output: last, Call: 50, Return: 60},
		}
	}
	fmt.Println(porcupine.CheckOperations(spec.Object[string](), history(spec.ObjectOutput[string]{Outcome: spec.Failed})))
	fmt.Println(porcupine.CheckOperations(spec.Object[string](), history(spec.ObjectOutput[string]{ETag: "3"})))
	// Output:
	// true
	// false
}

// Two sections saw 0 and both replaced it: an update is lost. As single reads and writes,
// which [spec.Register] models, the same run is linearizable.
func ExampleSection() {
	section := func(client int, seen, written int, call, ret int64) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Call: call, Return: ret, Output: spec.OK,
			Input: spec.SectionInput[int]{Reads: true, Writes: true, Seen: seen, Written: written}}
	}
	final := porcupine.Operation{Call: 90, Return: 95, Output: spec.OK, Input: spec.SectionInput[int]{Reads: true, Seen: 2}}
	fmt.Println(porcupine.CheckOperations(spec.Section(0), []porcupine.Operation{
		section(0, 0, 1, 10, 40), section(1, 1, 2, 50, 80), final}))
	fmt.Println(porcupine.CheckOperations(spec.Section(0), []porcupine.Operation{
		section(0, 0, 1, 10, 60), section(1, 0, 2, 20, 80), final}))
	// Output:
	// true
	// false
}

// The search is bounded by steps, so that it ends alike on every machine.
func ExampleCheck() {
	history := []porcupine.Operation{
		{Input: spec.LockInput{Key: "disk", Op: spec.Acquire}, Call: 10, Return: 20},
		{Input: spec.LockInput{Key: "disk", Op: spec.Release}, Call: 30, Return: 40},
	}
	fmt.Println(spec.Check(spec.Mutex(), history, 1000))
	fmt.Println(spec.Check(spec.Mutex(), history, 1))
	// Output:
	// linearizable
	// unknown
}
