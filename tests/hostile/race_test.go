//go:build race

package hostile

// watched is whether the race detector takes memory of its own.
const watched = true
