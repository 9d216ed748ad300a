package network

import (
	"fmt"
	"testing"
)

func TestPartitions(t *testing.T) {
	all := []NodeID{0, 1, 2, 3}
	for _, c := range []struct {
		name  string
		rules []Rule
		want  string
	}{
		{"two hosts", TwoWay(nil, Rule{}, all[:1], all[2:3]), "0>2 2>0"},
		{"one way", OneWay(nil, Rule{}, all[:1], all[2:3]), "0>2"},
		{"one from all", TwoWay(nil, Rule{}, all[1:2], all), "1>0 1>2 1>3 0>1 2>1 3>1"},
		{"one that hears nobody", OneWay(nil, Rule{}, all, all[1:2]), "0>1 2>1 3>1"},
		{"two halves", TwoWay(nil, Rule{}, all[:2], all[2:]), "0>2 0>3 1>2 1>3 2>0 2>1 3>0 3>1"},
		{"nobody from all", TwoWay(nil, Rule{}, nil, all), ""},
		{"more rules", OneWay([]Rule{{From: 3, To: 3}}, Rule{}, all[:1], all[1:2]), "3>3 0>1"},
	} {
		text := ""
		for _, r := range c.rules {
			text += fmt.Sprintf(" %d>%d", r.From, r.To)
		}
		if text != "" {
			text = text[1:]
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
	for _, r := range TwoWay(nil, Rule{Cut: true, Resend: true, Port: 3}, all[:2], all[2:]) {
		if !r.Cut || !r.Resend || r.Port != 3 {
			t.Errorf("%+v is not like the rule that it is made after", r)
		}
	}
}
