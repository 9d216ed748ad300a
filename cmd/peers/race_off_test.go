//go:build !race

package peers

// raced says that the race detector is on, which makes simulations ten times slower.
const raced = false
