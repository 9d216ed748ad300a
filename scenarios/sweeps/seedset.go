package sweeps

// Has reports whether a seed is in the list.
func (s Seeds) Has(seed uint64) bool {
	for _, r := range s {
		if r.First <= seed && seed <= r.Last {
			return true
		}
	}
	return false
}

// With is the list with one more seed, which comes last.
func (s Seeds) With(seed uint64) Seeds { return s.and(Seeds{{seed, seed}}) }

// and is the list with others behind it.
func (s Seeds) and(others Seeds) Seeds {
	for _, r := range others {
		if n := len(s) - 1; n >= 0 && s[n].Last+1 == r.First {
			s[n].Last = r.Last
		} else {
			s = append(s, r)
		}
	}
	return s
}

// MarshalText implements [encoding.TextMarshaler]: the list as it is written on a command line.
func (s Seeds) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. The list may be empty.
func (s *Seeds) UnmarshalText(text []byte) (err error) {
	*s = nil
	if len(text) > 0 {
		*s, err = ParseSeeds(string(text))
	}
	return err
}

// Minus is the list without the seeds of another one, in its order.
func (s Seeds) Minus(others Seeds) (left Seeds) {
	gone := others.set()
	for i := range s.Len() {
		if seed := s.At(i); !gone[seed] {
			left = left.With(seed)
		}
	}
	return left
}

// Union is the list with those seeds of another one behind it that it does not have.
func (s Seeds) Union(others Seeds) Seeds {
	all := append(Seeds{}, s...)
	return all.and(others.Minus(s))
}

func (s Seeds) set() map[uint64]bool {
	set := make(map[uint64]bool, s.Len())
	for _, r := range s {
		for seed := r.First; seed <= r.Last; seed++ {
			set[seed] = true
		}
	}
	return set
}
