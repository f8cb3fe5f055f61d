package storms

import (
	"os"
	"testing"

	"tilth/tests/rig"
)

func TestMain(m *testing.M) {
	if plan := os.Getenv(beTheCrowd); plan != "" {
		os.Exit(crowdOf(plan))
	}
	rig.Main(m)
}
