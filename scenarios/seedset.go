package scenarios

// seedSet is some of a sweep's seeds, by their index: a bit for each, however many threads find
// them in whatever order.
type seedSet []uint64

func (s *seedSet) add(index uint64) {
	for uint64(len(*s)) <= index/64 {
		*s = append(*s, 0)
	}
	(*s)[index/64] |= 1 << (index % 64)
}

// of lists the seeds, in the order that all of them have.
func (s seedSet) of(all Seeds) (some Seeds) {
	for i := range uint64(len(s)) * 64 {
		if s[i/64]>>(i%64)&1 == 0 {
			continue
		}
		some = some.With(all.At(i))
	}
	return some
}

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
func (s Seeds) With(seed uint64) Seeds {
	if n := len(s) - 1; n >= 0 && s[n].Last+1 == seed {
		s[n].Last = seed
		return s
	}
	return append(s, SeedRange{seed, seed})
}
