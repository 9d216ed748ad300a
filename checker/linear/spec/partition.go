package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// partition splits a history by key, the keys in the order in which they come. Most
// histories have one key and stay as they are.
func partition(history []porcupine.Operation) [][]porcupine.Operation {
	for i := range history {
		if keyOf(&history[i]) != keyOf(&history[0]) {
			return group(history, func(op porcupine.Operation) string { return keyOf(&op) })
		}
	}
	return [][]porcupine.Operation{history}
}

func keyOf(op *porcupine.Operation) string { return known(op.Input).key() }

// known is an input of one of the models here.
func known(in any) input {
	i, is := in.(input)
	if !is {
		panic(fmt.Sprintf("spec: the models do not know inputs such as %s", told(in)))
	}
	return i
}

// partitionEvents splits a history of calls and returns. A return has no key: it goes
// where its call went.
func partitionEvents(history []porcupine.Event) [][]porcupine.Event {
	keys := map[int]string{}
	return group(history, func(e porcupine.Event) string {
		if e.Kind == porcupine.CallEvent {
			keys[e.Id] = known(e.Value).key()
		}
		return keys[e.Id]
	})
}

// group splits a list by key and keeps the order.
func group[T any](all []T, key func(T) string) (groups [][]T) {
	index := map[string]int{}
	for _, v := range all {
		k := key(v)
		i, known := index[k]
		if !known {
			i = len(groups)
			index[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}
