// Three workloads on goroutines in a bubble of testing/synctest, whose fake clock
// advances when every goroutine waits.
//
// Each prints "name nanoseconds_per_unit statistic". With CHECK set the random numbers
// are the shared ones, so the statistics have to agree with those of the other programs.
package synctest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const pending = 32

func exponential(seed uint64, rate float64) func() time.Duration {
	if os.Getenv("CHECK") == "" {
		random := rand.New(rand.NewPCG(seed, seed))
		return func() time.Duration { return units(random.ExpFloat64() / rate) }
	}
	state := seed
	return func() time.Duration {
		state = state * 48271 % 2147483647
		return units(-math.Log(float64(state)/2147483647) / rate)
	}
}

func units(n float64) time.Duration { return time.Duration(math.Round(n * float64(time.Second))) }

// mm1 is a goroutine that lets customers in and one that serves them.
func mm1(n int) string {
	arrival, service := exponential(12345, 0.9), exponential(987654321, 1)
	arrivals := make(chan time.Time, n)
	go func() {
		for range n {
			time.Sleep(arrival())
			arrivals <- time.Now()
		}
		close(arrivals)
	}()
	total := time.Duration(0)
	for arrived := range arrivals {
		time.Sleep(service())
		total += time.Since(arrived)
	}
	return fmt.Sprintf("mean_time_in_system=%.6f", total.Seconds()/float64(n))
}

// pingpong is two goroutines with a channel each; a message takes one time unit.
func pingpong(n int) string {
	start := time.Now()
	toPing, toPong := make(chan int), make(chan int)
	go func() {
		for message := range toPong {
			time.Sleep(time.Second)
			toPing <- message
		}
	}()
	rounds := 0
	for i := range n {
		time.Sleep(time.Second)
		toPong <- i
		<-toPing
		rounds++
	}
	close(toPong)
	return fmt.Sprintf("rounds=%d end_time=%d", rounds, time.Since(start)/time.Second)
}

// hold is goroutines that only wait.
func hold(n int) string {
	delay := exponential(55555, 1)
	start, events := time.Now(), 0
	var lock sync.Mutex // for the generator and the count
	draw := func() time.Duration {
		lock.Lock()
		defer lock.Unlock()
		events++
		return delay()
	}
	var all sync.WaitGroup
	for range pending {
		all.Go(func() {
			for range n / pending {
				time.Sleep(draw())
			}
		})
	}
	all.Wait()
	return fmt.Sprintf("events=%d end_time=%.6f", events, time.Since(start).Seconds())
}

func TestWorkloads(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("UNITS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		name string
		run  func(n int) string
	}{{"mm1", mm1}, {"pingpong", pingpong}, {"hold", hold}} {
		start, statistic := time.Now(), ""
		synctest.Test(t, func(*testing.T) { statistic = w.run(n) })
		fmt.Printf("%s %.1f %s\n", w.name, float64(time.Since(start))/float64(n), statistic)
	}
}
