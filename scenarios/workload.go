package scenarios

import (
	"fmt"
	"strings"

	"fencepost/models/client"
)

// Workload says in words what the clients do, so that a rate can be read with what it is
// a rate of.
func (in *Instance) Workload() string {
	var clients []string
	for i := range in.workloads {
		clients = append(clients, fmt.Sprintf("client %d %s", i+1, describe(&in.workloads[i])))
	}
	return strings.Join(clients, "; ")
}

func describe(w *client.Workload) string {
	text := fmt.Sprintf("starts at %v, works %v, reads, works %v, writes, works %v",
		w.Start, w.BeforeRead, w.Between, w.AfterWrite)
	if w.Cycles > 1 {
		text += fmt.Sprintf(", %d cycles %v apart", w.Cycles, w.Think)
	}
	if w.Renew > 0 {
		text += fmt.Sprintf(", renews every %v", w.Renew)
	}
	return text + ", checks " + string(w.Check)
}
