//go:build race

package storms

// watched is whether the race detector uses memory of its own.
const watched = true
