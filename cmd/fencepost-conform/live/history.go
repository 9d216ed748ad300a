//go:build linux

package live

import (
	"encoding/json"
	"io"
)

// history is what workers did with the lock, as `fencepost check` reads it.
type history struct{ lines []entry }

type entry struct {
	Process string `json:"process"`
	Op      string `json:"op"`
	Outcome string `json:"outcome"`
	Call    int64  `json:"call"`
	Return  int64  `json:"return"`
	Token   int64  `json:"token,omitempty"`
}

// add notes an order that was carried out, if it is one to the lock.
func (h *history) add(process string, o order) {
	if o.Do != "acquire" && o.Do != "release" {
		return
	}
	outcome := "ok"
	if !o.OK {
		outcome = "fail"
	}
	h.lines = append(h.lines, entry{process, o.Do, outcome, o.Called, o.Returned, o.Token})
}

// write writes it as JSON lines.
func (h *history) write(w io.Writer) error {
	e := json.NewEncoder(w)
	for _, l := range h.lines {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
