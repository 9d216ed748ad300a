package checker

import (
	"fmt"

	"fencepost/sim/history"
)

// Did says what a request that took effect has done: "writes v2 over v1". Several says that the lock
// protects more than one object, so that they have to be told apart.
func Did(r *history.Record, several bool) string {
	object, of, to := "", "", ""
	if several {
		object = fmt.Sprintf(" object %d", r.Object+1)
		of, to = " of"+object, " to"+object
	}
	switch {
	case r.Kind == history.Perform:
		return fmt.Sprintf("does job %d%s", r.Content, of)
	case r.Kind == history.Read:
		return saw(r, of)
	}
	switch r.Change {
	case history.Counts:
		return fmt.Sprintf("counts%s to %d (v%d over v%d)", object, r.Content, r.Value, r.Base)
	case history.Appends:
		return fmt.Sprintf("appends v%d%s after v%d", r.Value, to, r.Base)
	case history.Refers:
		return "makes a reference to the data" + of
	case history.Deletes:
		return "deletes the data" + of
	case history.Completes:
		return fmt.Sprintf("records job %d%s as done", r.Content, of)
	}
	return fmt.Sprintf("writes v%d%s over v%d", r.Value, of, r.Base)
}

// saw says what a read has returned, and of which object.
func saw(r *history.Record, of string) string {
	switch r.Change {
	case history.Counts:
		return fmt.Sprintf("reads %d (v%d)%s", r.Content, r.Value, of)
	case history.Completes:
		return fmt.Sprintf("reads%s that %s", of, jobs(r.Content))
	case history.Refers:
		return fmt.Sprintf("reads%s that %s", of, [...]string{history.Gone: "the data are gone",
			history.Unreferenced: "nobody refers to the data", history.Referenced: "somebody refers to the data"}[r.Content])
	}
	return fmt.Sprintf("reads v%d%s", r.Value, of)
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
