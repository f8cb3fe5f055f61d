package replicas

import (
	"testing"

	"tilth/tests/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
