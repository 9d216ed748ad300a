package recorded

import (
	"fmt"
	"strconv"

	"fencepost/checker/external"
	"fencepost/checker/linear/spec"
)

// owners numbers owners and processes. Where all of them are numbers, they keep them, so that
// what is shown is what was recorded.
type owners struct {
	byName    map[string]spec.Owner
	names     map[spec.Owner]string
	processes map[string]int
	holds     map[*external.Operation]spec.Owner
	acquires  []*external.Operation // by the number of the hold
}

// mostOwn bounds the numbers that are kept: porcupine's page has a row for each.
const mostOwn = 1 << 20

func newOwners(ops []external.Operation) *owners {
	o := &owners{byName: map[string]spec.Owner{}, names: map[spec.Owner]string{}, processes: map[string]int{},
		holds: map[*external.Operation]spec.Owner{}}
	numbers := true
	for i := range ops {
		numbers = numbers && isNumber(ops[i].Owner)
	}
	for i := range ops {
		if _, known := o.byName[ops[i].Owner]; !known {
			n := len(o.byName)
			if numbers {
				n, _ = strconv.Atoi(ops[i].Owner)
			}
			o.byName[ops[i].Owner] = spec.Owner(n)
			o.names[spec.Owner(n)] = ops[i].Owner
		}
		if _, known := o.processes[ops[i].Process]; !known {
			o.processes[ops[i].Process] = len(o.processes)
		}
	}
	return o
}

// isNumber reports whether a name is a number as Go writes it.
func isNumber(name string) bool {
	n, err := strconv.Atoi(name)
	return err == nil && n >= 0 && n < mostOwn && strconv.Itoa(n) == name
}

func (o *owners) number(name string) spec.Owner { return o.byName[name] }

func (o *owners) process(name string) int { return o.processes[name] }

// hold returns the owner that stands for one lease, the same each time it is asked. With
// leases no other owners are asked for, so holds have the numbers from 0 for themselves.
func (o *owners) hold(op *external.Operation) spec.Owner {
	n, known := o.holds[op]
	if !known {
		n = spec.Owner(len(o.acquires))
		o.holds[op], o.acquires = n, append(o.acquires, op)
	}
	return n
}

// name returns what was recorded as an owner.
func (o *owners) name(owner spec.Owner) string {
	if owner >= 0 && int(owner) < len(o.acquires) {
		return fmt.Sprintf("%s, since line %d", o.acquires[owner].Owner, o.acquires[owner].Line)
	}
	if name, known := o.names[owner]; known {
		return name
	}
	return owner.String()
}
