package host

// OnDisturb has f called before anything changes what a host does by itself or how its
// monotonic clock runs: a halt, a crash, a restart, another rate; not the end of a halt, and not the
// clock that a host is given at time zero. It serves models that
// work out what hosts would do instead of having them do it. f stays for good, and who
// registered first is called first.
func (f *Fleet) OnDisturb(disturbed func(h *Host)) {
	f.disturbed = append(f.disturbed, disturbed)
}

// disturb is called before the change.
func (h *Host) disturb() {
	for _, f := range h.fleet.disturbed {
		f(h)
	}
}
