package monitor

// flags is a set of small numbers, such as holds or executors.
type flags []bool

func (f flags) has(n int) bool { return n < len(f) && f[n] }

// set adds a number to the set or takes it out.
func (f *flags) set(n int, in bool) {
	for len(*f) <= n {
		*f = append(*f, false)
	}
	(*f)[n] = in
}
