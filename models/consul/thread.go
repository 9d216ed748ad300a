package consul

import "fencepost/sim/host"

// thread is a process of the library that does one task after the other. The real library
// starts a new one for each; but their requests all go over the agent's one connection, so
// that nothing tells them apart, and the simulator's host gives every process connections of
// its own, which it keeps.
type thread struct {
	process *host.Process
	task    func(q *host.Process) // nil is idle
}

// threads are those of one name.
type threads struct {
	name string
	all  []*thread
}

// start has a task done by a thread that is idle, or by a new one: a task may hang in a
// request long after it has lost its purpose.
func (ts *threads) start(p *host.Process, task func(q *host.Process)) *host.Process {
	for _, t := range ts.all {
		if t.task == nil {
			t.task = task
			t.process.Signal()
			return t.process
		}
	}
	t := &thread{task: task}
	t.process = p.Go(ts.name, t.run)
	ts.all = append(ts.all, t)
	return t.process
}

func (t *thread) run(p *host.Process) {
	for {
		for t.task == nil {
			p.SleepUnlessSignalled(host.Forever)
		}
		t.task(p)
		t.task = nil
	}
}
