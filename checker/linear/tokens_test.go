package linear

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fencepost/sim/history"
)

// believers runs kinds for holds as [locks] does; "b1:7" begins a belief of hold 1 with token 7.
func believers(holds int, events ...string) script {
	s := newScript(holds)
	for _, e := range events {
		what, token, _ := strings.Cut(e, ":")
		one := locks(holds, what)
		r := one.Records[0]
		for _, digit := range token {
			r.Token = 10*r.Token + int64(digit-'0')
		}
		s.Add(r)
	}
	return s
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		name, events string
		want         Answer
	}{
		{"nothing", "", Linearizable},
		{"rising", "a1 b1:3 a2 e1 r1 b2:4 e2 r2", Linearizable},
		{"repeated", "a1 b1:3 a2 e1 r1 b2:3 e2 r2", NotLinearizable},
		{"falling", "a1 b1:3 a2 e1 r1 b2:2 e2 r2", NotLinearizable},
		{"order of attempts is not order of tokens", "a1 a2 b2:3 e2 b1:4 e1", Linearizable},
		{"a reply that comes late", "a1 a2 b2:4 e2 r2 b1:3 e1 r1", NotLinearizable},
		{"a release that never comes back", "a1 b1:3 e1 a2 b2:4", Linearizable},
		{"a crash", "a1 b1:3 x1 a2 b2:4", Linearizable},
		{"a crash, and the token again", "a1 b1:3 x1 a2 b2:3", NotLinearizable},
		{"resumed", "a1 b1:3 e1 b1:3 e1 r1 a2 b2:4", Linearizable},
		{"resumed and crashed", "a1 b1:3 e1 b1:3 x1 a2 b2:4", Linearizable},
		{"resumed with a higher one", "a1 b1:3 e1 b1:5 e1 r1 a2 b2:6", Linearizable},
		{"resumed with a lower one", "a1 b1:3 e1 b1:2 e1 r1", NotLinearizable},
		{"resumed after another", "a1 b1:3 e1 a2 b2:4 e2 b1:3", NotLinearizable},
		{"one without a token is left out", "a1 b1:3 a2 b2 e1 e2 a3 b3:4", Linearizable},
		{"and may stand between a hold and its resumption", "a1 b1:3 e1 a2 b2 e2 b1:3 e1 b1 e1 b1:3", Linearizable},
		{"beliefs that overlap", "a1 b1:3 a2 b2:4 e1 r1 e2 r2", NotLinearizable},
	} {
		var l Checker
		s := believers(3, strings.Fields(c.events)...)
		for range 2 {
			if got := l.Tokens(s.Recorder); got != c.want {
				t.Errorf("%s (%s): %v, want %v", c.name, c.events, got, c.want)
			}
		}
	}
}

// tokensRise asks of each belief with a token whether it is above those of the beliefs of
// other holds that began before, and not below those of its own.
func tokensRise(records []history.Record) bool {
	for i, r := range records {
		for _, before := range records[:i] {
			if r.Kind != history.BeliefBegin || before.Kind != history.BeliefBegin || r.Token == 0 {
				continue
			}
			if before.Token > r.Token || before.Token == r.Token && before.Hold != r.Hold {
				return false
			}
		}
	}
	return true
}

// drawTokens gives the beliefs of a record tokens that mostly rise.
func drawTokens(pick chooser, records []history.Record) {
	highest := int64(1)
	for i := range records {
		if r := &records[i]; r.Kind == history.BeliefBegin {
			for j := range i {
				if records[j].Kind == history.BeliefBegin && records[j].Hold == r.Hold {
					r.Token = records[j].Token
				}
			}
			switch pick(8) {
			case 0:
				r.Token = 0
			case 1:
				r.Token = int64(pick(int(highest) + 1))
			default:
				if r.Token == 0 || pick(4) == 0 {
					r.Token = highest + 1
				}
			}
			highest = max(highest, r.Token)
		}
	}
}

// Where no beliefs overlap, tokens rise exactly if the token history is linearizable.
func TestTokensRiseIfLinearizable(t *testing.T) {
	count := manyHistories()
	var l Checker
	s := newScript(0)
	random := rand.New(rand.NewPCG(1, 1))
	seen := map[bool]int{}
	for range count {
		s.drawMoves(random.IntN, 1+random.IntN(3), 6+random.IntN(14), true)
		drawTokens(random.IntN, s.Records)
		rise := tokensRise(s.Records)
		seen[rise]++
		if got := l.Tokens(s.Recorder); (got == Linearizable) != rise || got == Unknown {
			t.Fatalf("tokens rise: %t, but the history is %v: %+v", rise, got, s.Records)
		}
	}
	if least := count / 25; seen[true] < least || seen[false] < least {
		t.Errorf("the histories are of one kind: %v", seen)
	}
}

// On small histories, an order is found exactly if one of all orders is one.
func TestTokensAgainstAllOrders(t *testing.T) {
	const small = 6
	var l Checker
	s := newScript(0)
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		s.drawLock(pick, 3, pick(14))
		drawTokens(pick, s.Records)
		answer := l.Tokens(s.Recorder)
		if len(l.operations) > small {
			return
		}
		if found := ordered(fencedMutex, l.operations, make([]bool, small), fencedMutex.Init()); found != (answer == Linearizable) {
			t.Fatalf("an order exists: %t, but it is %v", found, answer)
		}
	})
}
