//go:build race

package storms

// watched is whether the race detector takes memory of its own.
const watched = true
