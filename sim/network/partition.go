package network

import "slices"

// OneWay appends to rules those that do what like does on the links from the hosts of
// one group to those of another. No host is cut off from itself, so a group may be all
// hosts: what is sent by one of them to all is a partition in which it still hears.
func OneWay(rules []Rule, like Rule, from, to []NodeID) []Rule {
	for _, a := range from {
		for _, b := range to {
			if a != b {
				like.From, like.To = a, b
				rules = append(rules, like)
			}
		}
	}
	return rules
}

// TwoWay appends the rules of both directions: a partition between two hosts, between
// two halves, or of one host from all.
func TwoWay(rules []Rule, like Rule, one, other []NodeID) []Rule {
	rules = slices.Grow(rules, 2*len(one)*len(other))
	return OneWay(OneWay(rules, like, one, other), like, other, one)
}
