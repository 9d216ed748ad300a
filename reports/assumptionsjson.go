package reports

import (
	"io"

	"fencepost/scenarios/assume"
)

// AssumptionsSchema names the form of the JSON.
const AssumptionsSchema = "fencepost/assumptions/v1"

type assumptionsJSON struct {
	Schema     string             `json:"schema"`
	Version    string             `json:"fencepost"`
	Seeds      int                `json:"seeds"`
	Resolution float64            `json:"resolution"`
	Method     string             `json:"method"`
	Locks      []assumingLockJSON `json:"locks"`
}

type assumingLockJSON struct {
	Lock       string               `json:"lock"`
	Documented []documentedJSON     `json:"documented"`
	Findings   []assumptionFindJSON `json:"findings"`
}

type documentedJSON struct {
	Text   string `json:"text"`
	Source string `json:"source"`
}

type assumptionFindJSON struct {
	Kind          string   `json:"kind"`
	Group         string   `json:"group"`
	Guard         string   `json:"guard"`
	Property      string   `json:"property"`
	Largest       string   `json:"largest_tried"`
	Smallest      string   `json:"smallest_that_broke_it,omitempty"`
	Seed          uint64   `json:"seed,omitempty"`
	Replay        string   `json:"replay,omitempty"`
	Unbroken      []string `json:"larger_that_did_not,omitempty"`
	Trials        int      `json:"trials"`
	Unknown       int      `json:"unknown"`
	NoEffect      bool     `json:"no_effect,omitempty"`
	NotRun        bool     `json:"not_run,omitempty"`
	Anyway        bool     `json:"broken_anyway,omitempty"`
	NotApplicable string   `json:"not_applicable,omitempty"`
	Documented    *bool    `json:"documented,omitempty"` // left out for a lock that is not on record
	Note          string   `json:"note,omitempty"`
}

// WriteAssumptionsJSON writes the rows as one JSON object.
func WriteAssumptionsJSON(w io.Writer, locks []assume.LockRows) error {
	d := assumptionsJSON{Schema: AssumptionsSchema, Version: Version, Seeds: assume.Seeds, Resolution: assume.Resolution, Method: howMeasured()}
	for i := range locks {
		d.Locks = append(d.Locks, assumingLock(&locks[i]))
	}
	return encode(w, d)
}

func assumingLock(l *assume.LockRows) assumingLockJSON {
	doc, known := assume.Of(l.Lock.Name)
	out := assumingLockJSON{Lock: l.Lock.Name, Documented: []documentedJSON{}, Findings: []assumptionFindJSON{}}
	for _, a := range doc.Assumes {
		out.Documented = append(out.Documented, documentedJSON(a))
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		for _, f := range r.Findings {
			find := assumptionFindJSON{Kind: r.Kind.Name, Group: r.Kind.Group, Guard: f.Guard, Property: f.Property, Largest: f.Largest,
				Smallest: f.Smallest, Seed: f.Seed, Replay: f.Replay, Unbroken: f.Unbroken, Trials: f.Trials, Unknown: f.Unknown,
				NoEffect: f.NoEffect, NotRun: f.NotRun, Anyway: f.Anyway, NotApplicable: f.NotApplicable, Note: doc.Explains(r.Kind.Name)}
			if admits := doc.Admits(r.Kind.Name); known {
				find.Documented = &admits
			}
			out.Findings = append(out.Findings, find)
		}
	}
	return out
}
