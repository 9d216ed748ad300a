package checker

import (
	"slices"

	"fencepost/checker/monitor"
)

// KindsOf are the kinds of violations that a property has; none if there is only one answer.
func KindsOf(property string) []string {
	switch property {
	case Grants:
		return []string{"promise-broken"}
	case Exclusion:
		return []string{"overlap"}
	case ResourceName:
		return slices.Clone(monitor.ResourceKinds)
	case Progress:
		return []string{"stuck", "lost-early", "ended-late", "starved"}
	case Tokens:
		return []string{"grant-order", "belief-order"}
	}
	return nil
}
