package browser

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// serve starts a server for pages. Without a browser the whole test is left out, so that it compares nothing that its parts
// would have seen.
func serve(t testing.TB, opts rig.Options) *rig.Server {
	t.Helper()
	program(t)
	return rig.Start(t, opts)
}

// Where there is no Chromium, tests that open pages are left out and none fails: make test passes on a fresh machine.
func TestNoPageFailsWithoutAChromium(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.skip=^"+t.Name()+"$")
	for _, setting := range os.Environ() {
		switch name, _, _ := strings.Cut(setting, "="); name {
		case "PATH", "TILTH_REQUIRE_CHROMIUM", "TILTH_TEST_PAGES":
		default:
			cmd.Env = append(cmd.Env, setting)
		}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), missing)
}
