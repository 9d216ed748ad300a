package timeline

import (
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	second = time.Second
	milli  = time.Millisecond
)

// kleppmann is the story of "How to do distributed locking" (2016): a client pauses past
// the end of its lease, and its late write is fenced off.
func kleppmann() Timeline {
	return Timeline{
		Title:    "A pause outlasts the lease, and fencing rejects the late write",
		Subtitle: "redis / fencing, TTL 10 s, client 1 pauses from 1 s to 16 s",
		Start:    0,
		End:      18 * second,
		Lanes: []Lane{
			{Name: "client 1", Kind: "client",
				Bars: []Bar{{Belief, 5 * milli, 16010 * milli, "thinks to hold the lock (token 33)"}, {Pause, 1 * second, 16 * second, "stop-the-world pause"}}},
			{Name: "client 2", Kind: "client",
				Bars: []Bar{{Belief, 10110 * milli, -1, "thinks to hold the lock (token 34)"}}},
			{Name: "lock service", Kind: "service",
				Bars:  []Bar{{Promise, 2 * milli, 10002 * milli, "client 1, token 33"}, {Promise, 10105 * milli, 20105 * milli, "client 2, token 34"}},
				Marks: []Mark{{2 * milli, Grant, "grant token 33"}, {10105 * milli, Grant, "grant token 34"}}},
			{Name: "storage", Kind: "resource",
				Marks: []Mark{{10205 * milli, Accepted, "write v2 token 34 accepted"}, {16007 * milli, Rejected, "write v1 token 33 rejected"}}},
		},
		Messages: []Message{
			{0, 2, 0, 2 * milli, "acquire", false, false, false},
			{2, 0, 2 * milli, 5 * milli, "granted, token 33", false, false, false},
			{1, 2, 5 * second, 5003 * milli, "acquire", false, false, false},
			{2, 1, 5003 * milli, 5006 * milli, "busy", false, false, false},
			{1, 2, 10100 * milli, 10105 * milli, "acquire", false, false, false},
			{2, 1, 10105 * milli, 10110 * milli, "granted, token 34", false, false, false},
			{1, 3, 10200 * milli, 10205 * milli, "write v2 token 34", false, false, false},
			{3, 1, 10205 * milli, 10209 * milli, "ok", false, false, false},
			{0, 3, 16 * second, 16007 * milli, "write v1 token 33", false, false, false},
			{3, 0, 16007 * milli, 16010 * milli, "stale token", false, false, false},
		},
		Notes: []string{"Seed 1. Latency 2 to 7 ms a message."},
	}
}

// crowded has five services, 300 retries, every kind of sign, and hostile texts.
func crowded() Timeline {
	random := rand.New(rand.NewPCG(1, 2))
	t := Timeline{
		Title:    "Redlock with five services, hundreds of retries, a cut and a crash <&>",
		Subtitle: "redlock / none, TTL 8 s, retry each 100 ms; " + "a subtitle that goes on for so long that it does not fit on a single line of this figure, and has to be broken somewhere",
		Start:    0,
		End:      30 * second,
		Lanes: []Lane{
			{Name: "client 1", Kind: "client", Bars: []Bar{{Belief, 40 * milli, 21 * second, "belief"}, {Pause, 6 * second, 19500 * milli, "pause"}, {Pause, 24 * second, 24005 * milli, "5 ms pause"}}},
			{Name: "client 2", Kind: "client", Bars: []Bar{{Belief, 9 * second, -1, "belief of client 2"}},
				Marks: []Mark{{12 * second, Fault, "clock steps by -3 s"}}},
			{Name: "a client with a name that is too long for any margin", Kind: "client", Bars: []Bar{{Crash, 14 * second, -1, "crash"}}},
		},
		Notes: []string{"Seed 17. Trigger: pause at the write."},
	}
	for i := range 5 {
		lane := Lane{Name: fmt.Sprintf("redis %d", i+1), Kind: "service"}
		lane.Bars = append(lane.Bars, Bar{Promise, time.Duration(i+10) * milli, time.Duration(i+8010) * milli, "client 1"})
		lane.Bars = append(lane.Bars, Bar{Promise, time.Duration(i+8900) * milli, -1, "client 2"})
		lane.Marks = append(lane.Marks, Mark{time.Duration(i+10) * milli, Grant, "grant"}, Mark{time.Duration(i+8900) * milli, Grant, "grant"})
		t.Lanes = append(t.Lanes, lane)
	}
	t.Lanes[4].Bars = append(t.Lanes[4].Bars, Bar{Cut, 10 * second, 17 * second, "cut off from all clients"})
	t.Lanes[6].Bars = append(t.Lanes[6].Bars, Bar{Crash, 20 * second, 20100 * milli, "crash, restarts empty"})
	storage := Lane{Name: "storage", Kind: "resource", Marks: []Mark{{9190 * milli, Left, "client 2 leaves its mark, token 34"}}}
	for i := range 12 {
		at := 9200*milli + time.Duration(i)*900*milli
		storage.Marks = append(storage.Marks, Mark{at, Accepted, fmt.Sprintf("write v%d token 34 accepted", i+2)}, Mark{at + 3*milli, Read, ""})
	}
	for i := range 5 {
		storage.Marks = append(storage.Marks, Mark{19600*milli + time.Duration(i)*5*milli, Rejected, fmt.Sprintf("write v%d token 33 rejected", i+20)})
	}
	storage.Marks = append(storage.Marks, Mark{29900 * milli, Accepted, "a last write at the very edge"}, Mark{29950 * milli, Rejected, "another one"})
	t.Lanes = append(t.Lanes, storage)
	for i := range 300 {
		at := 100*milli + time.Duration(i)*29*milli
		delay := time.Duration(random.Int64N(int64(60 * milli)))
		t.Messages = append(t.Messages, Message{FromLane: 1, ToLane: 3 + i%5, Sent: at, Arrived: at + delay, Label: "try"})
	}
	for i := range 12 {
		at := 9195*milli + time.Duration(i)*900*milli
		t.Messages = append(t.Messages, Message{FromLane: 1, ToLane: 8, Sent: at, Arrived: at + 5*milli, Label: fmt.Sprintf("write v%d", i+2)})
	}
	t.Messages = append(t.Messages,
		Message{FromLane: 2, ToLane: 4, Sent: 11 * second, Arrived: -1, Label: "lost request", Lost: true},
		Message{FromLane: 2, ToLane: 4, Sent: 12 * second, Arrived: 12050 * milli, Lost: true},
		Message{FromLane: 2, ToLane: 4, Sent: 13 * second, Arrived: 17200 * milli, Label: "held request", Held: true},
		Message{FromLane: 0, ToLane: 5, Sent: 29 * second, Arrived: 33 * second, Label: "in flight at the end"},
		Message{FromLane: 0, ToLane: 5, Sent: 29 * second, Arrived: -1, Held: true})
	return t
}
