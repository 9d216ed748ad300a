package fault

import "fencepost/sim/host"

func beginSlowDisk(i *Injector, s *strike) {
	s.disk = host.Slowdown{Replace: true, Instead: s.action.Fsync, Key: i.key("fault.fsync", s)}
	s.host.Disk.Slow(&s.disk)
}

func endSlowDisk(_ *Injector, s *strike) { s.host.Disk.Restore(&s.disk) }

// slowed: an fsync began while the disk was slow.
func slowed(s *strike) bool { return s.disk.Touched > 0 }

func beginDiskStall(_ *Injector, s *strike) {
	s.shadowed = s.until <= s.host.Disk.Stalled()
	s.covered = s.host.Disk.Delayed()
	s.host.Disk.Stall(s.until)
}

// stalled: an fsync ended later.
func stalled(s *strike) bool { return !s.shadowed && s.host.Disk.Delayed() > s.covered }
