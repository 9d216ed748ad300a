package scenarios

import (
	"fencepost/models"
	"fencepost/models/resource"
)

// PlanAlone is the plan for one lock and one guard. A fault that the lock cannot have makes it not
// applicable, as it would among other locks; Plans refuses it, since nobody selected can have it.
func (in *Instance) PlanAlone(l models.Lock, g resource.Guard) (*Plan, error) {
	r := in.reader()
	p := in.plan(r, l, g, &reach{why: map[*faultPart]missing{}, able: map[*faultPart]bool{}})
	in.checkRefusals(r, []*Plan{p})
	return p, r.err()
}
