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
}

// mostOwn bounds the numbers that are kept: porcupine's page has a row for each.
const mostOwn = 1 << 20

func newOwners(ops []external.Operation) *owners {
	o := &owners{map[string]spec.Owner{}, map[spec.Owner]string{}, map[string]int{}, map[*external.Operation]spec.Owner{}}
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
		n = spec.Owner(len(o.holds))
		o.holds[op] = n
	}
	return n
}

// name returns what was recorded as an owner.
func (o *owners) name(owner spec.Owner) string {
	for op, n := range o.holds {
		if n == owner {
			return fmt.Sprintf("%s, since line %d", op.Owner, op.Line)
		}
	}
	if name, known := o.names[owner]; known {
		return name
	}
	return owner.String()
}
