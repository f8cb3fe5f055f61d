package browser

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
