package sim

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCoroutineAlternates(t *testing.T) {
	var p Pool
	defer p.Close()
	var got []string
	var c *Coroutine
	c = p.Get(func() {
		for i := range 3 {
			got = append(got, fmt.Sprint("in ", i))
			c.Suspend()
		}
	})
	for i := 0; !c.Resume(); i++ {
		got = append(got, fmt.Sprint("out ", i))
	}
	if want := []string{"in 0", "out 0", "in 1", "out 1", "in 2", "out 2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if c.Busy() {
		t.Error("busy after its end")
	}
}

func TestKillBeforeStart(t *testing.T) {
	var p Pool
	defer p.Close()
	ran := false
	c := p.Get(func() { ran = true })
	c.Kill()
	if ran || c.Busy() {
		t.Errorf("ran %v, busy %v, want neither", ran, c.Busy())
	}
}

// TestKillWhileSuspended: the job unwinds, its deferred functions run, and what they
// call has no effect.
func TestKillWhileSuspended(t *testing.T) {
	var p Pool
	defer p.Close()
	var got []string
	var c *Coroutine
	c = p.Get(func() {
		defer func() { got = append(got, "outer") }()
		defer func() {
			got = append(got, "inner")
			c.Suspend()
			got = append(got, "after a call in a deferred function")
		}()
		c.Suspend()
		got = append(got, "after the kill")
	})
	c.Resume()
	c.Kill()
	if want := []string{"inner", "outer"}; !slices.Equal(got, want) || c.Busy() {
		t.Errorf("%v (busy %v), want %v", got, c.Busy(), want)
	}
	c.Kill() // once more is nothing
}

// TestKillItself: a job that is killed from inside goes on to its next call.
func TestKillItself(t *testing.T) {
	var p Pool
	defer p.Close()
	var got []string
	var c *Coroutine
	c = p.Get(func() {
		c.Kill()
		got = append(got, "to the next call")
		c.CheckAlive("call")
		got = append(got, "beyond")
	})
	if ended := c.Resume(); !ended || !slices.Equal(got, []string{"to the next call"}) {
		t.Errorf("ended %v after %q", ended, got)
	}
}

// TestRecoveringOnce: a job that takes the unwinding for an error of its own gets away
// with it, as long as it stops calling.
func TestRecoveringOnce(t *testing.T) {
	var p Pool
	defer p.Close()
	recovered := 0
	var c *Coroutine
	c = p.Get(func() {
		for range 10 {
			func() {
				defer func() {
					if recover() != nil {
						recovered++
					}
				}()
				c.Suspend()
			}()
		}
	})
	c.Resume()
	c.Kill()
	if c.Busy() || recovered != 10 {
		t.Errorf("busy %v after %d calls, want the end after 10", c.Busy(), recovered)
	}
}

func TestRecoveringForeverIsReported(t *testing.T) {
	var p Pool
	var c *Coroutine
	c = p.Get(func() {
		for {
			func() {
				defer func() { _ = recover() }()
				c.CheckAlive("Sleep")
				c.Suspend()
			}()
		}
	})
	c.Resume()
	defer func() {
		err, _ := recover().(error)
		if err == nil || !strings.Contains(err.Error(), "Sleep") || !strings.Contains(err.Error(), "after its crash") {
			t.Errorf("error %v does not say what the process does", err)
		}
		p.Close() // does not hang on it
	}()
	c.Kill()
}

func TestPanicOfAJobComesOut(t *testing.T) {
	var p Pool
	defer p.Close()
	c := p.Get(func() { panic("of the job") })
	defer func() {
		if r := recover(); r != "of the job" {
			t.Errorf("recovered %v", r)
		}
	}()
	c.Resume()
}

func TestPoolReuses(t *testing.T) {
	var p Pool
	defer p.Close()
	var seen []*Coroutine
	for i := range 5 {
		runs := 0
		c := p.Get(func() { runs++ })
		if i%2 == 0 {
			c.Kill()
		} else if !c.Resume() || runs != 1 {
			t.Errorf("the job of use %d ran %d times", i, runs)
		}
		p.Put(c)
		seen = append(seen, c)
	}
	if len(slices.Compact(seen)) != 1 {
		t.Error("a coroutine that was put back was not used again")
	}
	a := p.Get(func() {})
	if b := p.Get(func() {}); a == b {
		t.Error("two jobs got one coroutine")
	}
}

func TestPutOfARunningOnePanics(t *testing.T) {
	var p Pool
	defer p.Close()
	c := p.Get(func() {})
	defer func() {
		if recover() == nil {
			t.Error("a running coroutine was taken back")
		}
	}()
	p.Put(c)
}

func TestCloseEndsEveryGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	var p Pool
	for i := range 20 {
		var c *Coroutine
		c = p.Get(func() {
			for {
				c.Suspend()
			}
		})
		if i%3 > 0 {
			c.Resume() // the others have not started
		}
		if i%3 > 1 {
			c.Kill()
			p.Put(c)
		}
	}
	if runtime.NumGoroutine() == before {
		t.Fatal("the pool has no goroutines to end")
	}
	p.Close()
	for range 100 { // a goroutine that has ended may be counted for a moment
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d at the start", runtime.NumGoroutine(), before)
}
