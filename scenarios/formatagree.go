package scenarios

import (
	"reflect"
	"slices"
)

// notInVariants are the keys of a file that a variant does not have.
var notInVariants = []string{"name", "variants", "boundary"}

// agreements are which keys of a mapping stand together, as the schema says it.
var agreements = map[reflect.Type]func() object{
	reflect.TypeFor[networkPart](): func() object {
		return object{"dependencies": object{"resend": []string{"loss"}}}
	},
	reflect.TypeFor[linkPart](): func() object {
		return object{"dependencies": object{"resend": []string{"loss"}}, "anyOf": required("delay", "loss", "bandwidth")}
	},
	reflect.TypeFor[expectPart](): func() object {
		return object{"anyOf": required("grants", "exclusion", "resource", "progress", "tokens", "kind", "linearizable", "evidence")}
	},
	reflect.TypeFor[faultPart](): ofFault,
	reflect.TypeFor[kindsPart](): func() object { return object{"minProperties": 1, "maxProperties": 1} },
	reflect.TypeFor[forPart](): func() object {
		return object{"not": object{"required": []string{"n/a"}, "anyOf": required("lock", "faults")}}
	},
}

// ofFault: one kind and one trigger, with the length of a kind that needs one.
func ofFault() object {
	needing := object{}
	for i := range FaultKinds {
		if k := &FaultKinds[i]; slices.Contains(k.Needs, "for") {
			needing[k.Name] = object{"required": []string{"for"}}
		}
	}
	own := object{"properties": object{"joint": object{"items": object{"properties": needing}}}}
	for _, name := range sortedKeys(needing) {
		own["properties"].(object)[name] = needing[name]
	}
	return object{
		"allOf": []any{
			object{"oneOf": required(append(kindNames(), "joint")...)},
			object{"oneOf": required("at", "every", "when")},
			object{"anyOf": append(required("for"), own)},
		},
		"dependencies": object{"from": []string{"every"}, "until": []string{"every"}, "times": []string{"every"}},
	}
}
