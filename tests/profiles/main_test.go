package profiles

import (
	"flag"
	"os"
	"testing"
)

// walks is how many random walks a property test takes here, where every step is a
// transaction of a database; -rapid.checks says otherwise.
const walks = "40"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", walks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
