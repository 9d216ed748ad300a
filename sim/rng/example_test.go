package rng_test

import (
	"fmt"

	"fencepost/sim/rng"
	"fencepost/sim/trace"
)

// A stream per concern, and a distribution as a scenario file writes it.
func Example() {
	var digest trace.Digest
	s := rng.New(rng.Hash(1, rng.HashString("pause/client"), 3), &digest)
	d, err := rng.Parse("pause/hbase-juliet(4)")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d, "mean", d.Mean())
	fmt.Println(d.Sample(&s), d.Sample(&s))
	fmt.Printf("P(pause > 38s) = %.3f\n", d.Survival(38e9))
	// Output:
	// scaled(4, uniform(8s, 10s)) mean 36s
	// 35.926905244s 34.359119644s
	// P(pause > 38s) = 0.250
}

// An error says where and what, and lists the accepted forms (cut here).
func ExampleParse_error() {
	_, err := rng.Parse("mixture(9: 1ms, 1: uniform(5ms, 2ms))")
	fmt.Printf("%.120s\n", err)
	// Output:
	// rng: distribution "mixture(9: 1ms, 1: uniform(5ms, 2ms))", offset 19: uniform: the upper end 2ms is below the lower end
}
