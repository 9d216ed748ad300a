package monitor

import (
	"fencepost/sim/history"
)

// Tokens: the fencing tokens do not rise from hold to hold, so that comparing them cannot
// tell an older holder from a newer one.
//
//   - grant-order: the service let a hold in with a token that is not above those of all
//     other holds that it had let in before.
//   - belief-order: a belief began with a token that is not above those of all other holds
//     whose beliefs had ended by then. Beliefs that overlap are not compared: in which
//     order they ought to be, nobody can say.
//
// The same hold may be let in, or go on, with the token that it had or a higher one, and
// not with a lower one. A grant whose reply comes late may break the second alone: the
// service counted rightly, and yet an old token was believed in after a new one. Holds
// without a token are left out.
type Tokens struct {
	findings
	// Seen counts the records with a token. If there is none, nothing was compared.
	Seen int
	// BeliefOrder counts the violations of that kind.
	BeliefOrder int

	granted summit
	ended   summit
	open    []tokened // beliefs
}

// tokened is a belief in a token.
type tokened struct {
	belief
	token int64
}

// Reset prepares for a new run.
func (m *Tokens) Reset() {
	m.reset()
	m.Seen, m.BeliefOrder = 0, 0
	m.granted, m.ended, m.open = summit{}, summit{}, m.open[:0]
}

// Observe implements [history.Observer].
func (m *Tokens) Observe(r *history.Record) {
	switch r.Kind {
	case history.Grant:
		m.grant(r)
	case history.BeliefBegin:
		m.begin(r)
	case history.BeliefEnd:
		m.end(func(t tokened) bool { return t.hold == r.Hold && t.executor == r.Executor })
	case history.Crash:
		m.end(func(t tokened) bool { return t.executor == r.Executor })
	}
}

func (m *Tokens) grant(r *history.Record) {
	if r.Token == 0 {
		return
	}
	m.Seen++
	m.compare("grant-order", &m.granted, r)
	m.granted.raise(r.Token, r.Hold)
}

func (m *Tokens) begin(r *history.Record) {
	if r.Token == 0 {
		return
	}
	m.Seen++
	if m.compare("belief-order", &m.ended, r) {
		m.BeliefOrder++
	}
	m.open = append(m.open, tokened{belief{r.Hold, r.Executor}, r.Token})
}

// compare reports whether a token is too low.
func (m *Tokens) compare(kind string, before *summit, r *history.Record) bool {
	other, low := before.above(r.Token, r.Hold)
	if low {
		m.add(Finding{Kind: kind, At: r.At, First: other, Second: r.Hold, From: r.At, To: r.At,
			FirstToken: before.token, SecondToken: r.Token})
	}
	return low
}

func (m *Tokens) end(over func(tokened) bool) {
	kept := m.open[:0]
	for _, t := range m.open {
		if over(t) {
			m.ended.raise(t.token, t.hold)
		} else {
			kept = append(kept, t)
		}
	}
	m.open = kept
}

// summit is the highest token so far and who has had it. Two holds are enough to know: at
// least one of them is not the one that is compared.
type summit struct {
	token       int64
	first, next history.HoldID
}

func (s *summit) raise(token int64, hold history.HoldID) {
	switch {
	case token > s.token:
		*s = summit{token: token, first: hold}
	case token == s.token && hold != s.first && s.next == 0:
		s.next = hold
	}
}

// above reports whether a token is too low for a hold, and names the hold with the highest
// one: another if there is another.
func (s *summit) above(token int64, hold history.HoldID) (history.HoldID, bool) {
	other := s.first
	if other == hold && s.next != 0 {
		other = s.next
	}
	return other, token < s.token || token == s.token && other != hold
}
