//go:build !race

package modeltest

// Raced says that the race detector is on, which makes simulations twenty times slower.
const Raced = false
