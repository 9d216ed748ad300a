package resource

import (
	"slices"
	"testing"
	"time"

	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
	"fencepost/sim/rng"
)

// answered is what an answer says, and to which call.
type answered struct {
	call              uint32
	ok                bool
	value, version, n int64
	lasts             time.Duration
}

func (x *heard) heardBack() (all []answered) {
	for _, a := range x.answers {
		all = append(all, answered{a.Call, a.OK, a.Value, a.Revision, a.Content, a.TTL})
	}
	return all
}

func (x *heard) count(k history.Kind) (n int) {
	for _, r := range x.r.Records {
		if r.Kind == k {
			n++
		}
	}
	return n
}

// A request that is sent again, in another call, takes effect once and is answered as it was before:
// also if another has written since, and also if it was rejected.
func TestRequestThatIsSentAgain(t *testing.T) {
	x := newHeard(t, "if-match", Settings{Kind: Counter})
	x.call(1, writes(1, 121, 1))
	x.ask(t, over(1, writes(2, 122, 2)))
	x.call(2, writes(1, 121, 1))
	x.call(3, over(7, writes(1, 123, 8)))
	x.ask(t, over(2, writes(2, 124, 3)))
	x.call(4, over(7, writes(1, 123, 8)))
	want := []answered{
		{1, true, 121, 1, 1, 0},
		{0, true, 122, 2, 2, 0},
		{2, true, 121, 1, 1, 0},
		{3, false, 122, 2, 0, 0},
		{0, true, 124, 3, 3, 0},
		{4, false, 122, 2, 0, 0},
	}
	if got := x.heardBack(); !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if x.count(history.Write) != 3 || x.count(history.Reject) != 1 {
		t.Errorf("%d writes and %d rejections", x.count(history.Write), x.count(history.Reject))
	}
}

// An effect that is asked for again goes on as it did, and is begun once.
func TestEffectThatIsAskedForAgain(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Effect, Lasts: rng.Constant(3 * second)})
	x.call(1, does(1, 131, 1))
	x.call(2, does(1, 131, 1))
	want := []answered{{1, true, 0, 0, 0, 3 * second}, {2, true, 0, 0, 0, 3 * second}}
	if got := x.heardBack(); !slices.Equal(got, want) || len(x.performed()) != 1 {
		t.Errorf("got %+v, jobs %v", got, x.performed())
	}
}

// Without a key of its own a copy is another request, whoever made it: the client or the network.
func TestCopiesTakeEffectTwice(t *testing.T) {
	for again, call := range map[string]uint32{"by the client": 2, "by the network": 1} {
		for kind, harm := range map[Kind][]string{Register: nil, Log: {"doubled-effect"}} {
			x := newHeard(t, "none", Settings{Kind: kind, ServesCopies: true})
			x.call(1, writes(1, 141, 0))
			x.call(call, writes(1, 141, 0))
			if n := x.count(history.Write); n != 2 || !slices.Equal(x.harms(), harm) {
				t.Errorf("sent again %s, %s: written %d times, harms %v", again, kind, n, x.harms())
			}
		}
		x := newHeard(t, "none", Settings{Kind: Effect, ServesCopies: true})
		x.call(1, does(1, 142, 1))
		x.call(call, does(1, 142, 1))
		if len(x.performed()) != 2 || !slices.Equal(x.harms(), []string{"doubled-effect"}) {
			t.Errorf("sent again %s: jobs %v, harms %v", again, x.performed(), x.harms())
		}
	}
}

// A mark has no key. One that its sender sends again puts back its token, also if another has set its
// own since; what the network copies is dropped, unless copies are served.
func TestMarkThatComesAgain(t *testing.T) {
	for _, c := range []struct {
		call   uint32
		copies bool
		token  int64
	}{{2, false, 7}, {2, true, 7}, {1, false, 8}, {1, true, 7}} {
		x := newHeard(t, "random-token-cas", Settings{ServesCopies: c.copies})
		x.call(1, marks(1, 7))
		x.ask(t, marks(2, 8))
		x.call(c.call, marks(1, 7))
		if got := x.objects[0].kept.token; got != c.token {
			t.Errorf("call %d again, copies are served: %t: the token is %d, want %d", c.call, c.copies, got, c.token)
		}
	}
}

// A copy that the network made has no effect and no answer: nobody waits for it.
func TestCopyOfTheNetwork(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Log})
	x.call(1, writes(1, 151, 0))
	x.call(2, writes(1, 152, 0))
	for call, value := range map[uint32]int64{1: 151, 2: 152} {
		if a, ok := x.call(call, writes(1, value, 0)); ok {
			t.Errorf("call %d: %+v", call, a)
		}
	}
	if n := x.count(history.Write); n != 2 {
		t.Errorf("%d entries", n)
	}
	x.call(3, reads(1))
	if a, ok := x.call(3, reads(1)); ok {
		t.Errorf("a copy of a read: %+v", a)
	}
	if a, ok := x.call(4, reads(1)); !ok || a.Content != 2 || x.count(history.Read) != 2 {
		t.Errorf("a read that is sent again is another: %+v", a)
	}
}

// While the first one is being applied, a copy waits in vain; the one after it is answered. What is
// applied is applied once.
func TestRequestThatIsSentAgainMeanwhile(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Counter, Apply: rng.Constant(3 * second)})
	x.request(1, writes(1, 161, 1))
	x.wait(second)
	x.request(2, writes(1, 161, 1))
	if x.Pending() != 1 {
		t.Errorf("%d requests are being applied", x.Pending())
	}
	x.wait(3 * second)
	x.call(3, writes(1, 161, 1))
	want := []answered{{1, true, 161, 0, 1, 0}, {3, true, 161, 0, 1, 0}}
	if got := x.heardBack(); !slices.Equal(got, want) || x.count(history.Write) != 1 {
		t.Errorf("got %+v, written %d times", got, x.count(history.Write))
	}
}

// A crash takes what was being applied, and with it the key: what is sent again is served then. What
// had taken effect is known after a crash.
func TestRequestThatIsSentAgainAfterACrash(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Counter, Apply: rng.Constant(3 * second)})
	crash := func() {
		x.host.Crash(host.LoseMemory)
		x.host.Restart(false)
	}
	x.request(1, writes(1, 171, 1))
	x.wait(second)
	crash()
	x.request(2, writes(1, 171, 1))
	x.wait(4 * second)
	if n := x.count(history.Write); n != 1 || len(x.answers) != 1 || x.answers[0].Call != 2 {
		t.Fatalf("written %d times, answers %+v", n, x.heardBack())
	}
	crash()
	x.request(3, writes(1, 171, 1))
	x.wait(4 * second)
	if n := x.count(history.Write); n != 1 || len(x.answers) != 2 {
		t.Errorf("written %d times, answers %+v", n, x.heardBack())
	}
}

// The reply to a put with If-Match is lost, and the client sends the put again. With idempotency it
// hears that it was served. Without, its own write has changed the version: it is told 412, as if
// another had written, though its write took effect. (RFC 9110, 13.1.1 lets a server that can tell
// answer with success.)
func TestPutWhoseReplyIsLost(t *testing.T) {
	for _, copies := range []bool{false, true} {
		for _, content := range []bool{false, true} {
			x := newHeard(t, "if-match", Settings{Kind: Object, ContentETag: content, ServesCopies: copies})
			x.call(1, reads(1))
			x.call(2, over(0, writes(1, 181, 0))) // nobody hears the answer
			a, _ := x.call(3, over(0, writes(1, 181, 0)))
			last := x.r.Records[len(x.r.Records)-1]
			if a.OK == copies || x.value() != 181 || x.count(history.Write) != 1 {
				t.Errorf("copies %t: %+v, value %d", copies, a, x.value())
			}
			if refused := last.Kind == history.Reject && last.Text == history.VersionDiffers; refused != copies {
				t.Errorf("copies %t: %+v", copies, last)
			}
		}
	}
}

// Each process has calls of its own, and keys of two clients are never one.
func TestCopiesAreOfOneProcess(t *testing.T) {
	x := newHeard(t, "none", Settings{Kind: Log})
	x.r.NewHold(0, 1)
	for port := int16(1); port <= 2; port++ {
		x.Store.Receive(&network.Message{From: network.Addr{Node: x.client.ID, Port: port}, Call: 1, Body: writes(1, int64(190+port), 0)})
	}
	if n := x.count(history.Write); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
}

// 409 tells a put that another one overtook it while it was being applied; 412 that it came too late.
func TestConflictOfAnObject(t *testing.T) {
	for _, content := range []bool{false, true} {
		x := newHeard(t, "if-match", Settings{Kind: Object, ContentETag: content, Apply: rng.Constant(2 * second)})
		x.request(0, over(0, writes(1, 201, 0)))
		x.wait(second)
		x.request(0, over(0, writes(2, 202, 0)))
		x.wait(2 * second)
		x.request(0, over(0, writes(2, 203, 0)))
		x.wait(3 * second)
		var got []string
		for _, r := range x.r.Records {
			if r.Kind == history.Write || r.Kind == history.Reject {
				got = append(got, r.Kind.String()+r.Text)
			}
		}
		if want := []string{"write", "reject" + history.Conflict, "reject" + history.VersionDiffers}; !slices.Equal(got, want) {
			t.Errorf("content ETag %t: %q, want %q", content, got, want)
		}
	}
}
