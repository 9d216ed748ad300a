package checker

import (
	"fmt"

	"fencepost/sim/history"
)

// Did says what a request that took effect has done: "writes v2 over v1". Several says that the lock
// protects more than one object, so that they have to be told apart.
func Did(r *history.Record, several bool) string {
	of := ""
	if several {
		of = fmt.Sprintf(" of object %d", r.Object+1)
	}
	switch {
	case r.Kind == history.Perform:
		return fmt.Sprintf("does job %d%s", r.Content, of)
	case r.Kind == history.Read:
		return saw(r) + of
	}
	switch r.Change {
	case history.Counts:
		return fmt.Sprintf("counts to %d%s (v%d over v%d)", r.Content, of, r.Value, r.Base)
	case history.Appends:
		return fmt.Sprintf("appends v%d%s after v%d", r.Value, of, r.Base)
	case history.Refers:
		return "makes a reference to the data" + of
	case history.Deletes:
		return "deletes the data" + of
	case history.Completes:
		return fmt.Sprintf("records job %d%s as done", r.Content, of)
	}
	return fmt.Sprintf("writes v%d%s over v%d", r.Value, of, r.Base)
}

// saw says what a read has returned.
func saw(r *history.Record) string {
	switch r.Change {
	case history.Counts:
		return fmt.Sprintf("reads %d (v%d)", r.Content, r.Value)
	case history.Completes:
		return "reads that " + jobs(r.Content)
	case history.Refers:
		return "reads " + [...]string{history.Gone: "that the data are gone", history.Unreferenced: "that nobody refers to the data", history.Referenced: "that somebody refers to the data"}[r.Content]
	}
	return fmt.Sprintf("reads v%d", r.Value)
}

// Several reports whether the record speaks of more than one object.
func Several(r *history.Recorder) bool {
	for i := range r.Records {
		if r.Records[i].Object > 0 {
			return true
		}
	}
	return false
}

// jobs says how many jobs are done.
func jobs(n int64) string {
	switch n {
	case 0:
		return "no job is done"
	case 1:
		return "one job is done"
	}
	return fmt.Sprintf("%d jobs are done", n)
}
