package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// blocks are the commands of a guide.
var blocks = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The first steps of the README and of the guide run as they are written, one block after the other, on the demonstration, and
// every answer is a success. A block that follows a stream does not end, and is left out.
func TestFirstStepsRunAsWritten(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("LEFT OUT: the commands of the guides are NOT RUN, for %s is not installed.", tool)
		}
	}
	s := rig.Start(t, rig.Options{Demo: true})
	for name, from := range map[string]string{"README.md": "## First steps", "docs/first-request.md": "# A first request"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guide, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
			require.NoError(t, err)
			_, steps, found := strings.Cut(string(guide), from)
			require.True(t, found)
			if name == "README.md" {
				steps, _, _ = strings.Cut(steps, "\n## ")
			}
			script := "set -eo pipefail\n"
			for _, block := range blocks.FindAllStringSubmatch(steps, -1) {
				if !strings.Contains(block[1], "curl -N") {
					script += block[1]
				}
			}
			run := exec.CommandContext(t.Context(), "bash")
			run.Dir, run.Stdin = t.TempDir(), strings.NewReader(strings.ReplaceAll(script, "http://127.0.0.1:8080", s.URL))
			printed, err := run.CombinedOutput()
			require.NoError(t, err, "%s", printed)
			answers := 0
			for in := json.NewDecoder(bytes.NewReader(printed)); ; answers++ {
				var answer struct{ Status string }
				err := in.Decode(&answer)
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err, "%s", printed)
				require.Equal(t, "success", answer.Status, "%s", printed)
			}
			require.Greater(t, answers, 1)
		})
	}
}
