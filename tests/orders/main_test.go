package orders

import (
	"flag"
	"testing"

	"tilth/tests/rig"
)

// walks is the number of random walks of a property test here, where every step is a
// database transaction, and steps is the average number of actions of a walk over a state
// machine; -rapid.checks and -rapid.steps override them.
const (
	walks = "40"
	steps = "15"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", walks); err != nil {
		panic(err)
	}
	if err := flag.Set("rapid.steps", steps); err != nil {
		panic(err)
	}
	rig.Main(m)
}
