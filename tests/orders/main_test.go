package orders

import (
	"flag"
	"testing"

	"tilth/tests/rig"
)

// walks is how many random walks a property test takes here, where every step is a
// transaction of a database, and steps how many actions a walk over a state machine has on
// average; -rapid.checks and -rapid.steps say otherwise.
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
