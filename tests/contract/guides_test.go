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

// blocks are the commands of a guide, each with what it prints where the guide shows that.
var blocks = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n```output\n(.*?)```)?")

// tutorial has commands whose output is shown.
const tutorial = "docs/tutorial.md"

// guidesIn are the guides whose commands run on the demonstration, and the heading that they begin behind.
var guidesIn = map[string]string{"README.md": "## First steps", "docs/first-request.md": "# A first request", "docs/examples.md": "# Examples", tutorial: "# From nothing"}

// commandsOf returns the commands of a guide as one script, and what it prints where the guide shows that.
func commandsOf(t *testing.T, name string) (script, output string) {
	guide, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	require.NoError(t, err)
	_, steps, found := strings.Cut(string(guide), guidesIn[name])
	require.True(t, found)
	if name == "README.md" {
		steps, _, _ = strings.Cut(steps, "\n## ")
	}
	script = "set -e\n"
	if name != tutorial { // which reads answers until it has seen what it waits for
		script = "set -eo pipefail\n"
	}
	for _, block := range blocks.FindAllStringSubmatch(steps, -1) {
		if !strings.Contains(block[1], "curl -N") {
			script, output = script+block[1], output+block[2]
		}
	}
	return script, output
}

// The tutorial, the first steps of the README and the guide to a first request run as they are written, one block after the
// other, on the demonstration: they print what they show, or else every answer is a success. A block that follows a stream
// does not end, and is left out.
func TestFirstStepsRunAsWritten(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			require.NotEqual(t, "1", os.Getenv("TILTH_REQUIRE_CURL"), "%s is required, and not installed", tool)
			t.Skipf("LEFT OUT: the commands of the guides are NOT RUN, for %s is not installed.", tool)
		}
	}
	s := rig.Start(t, rig.Options{Full: true})
	for name := range guidesIn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, output := commandsOf(t, name)
			run := exec.CommandContext(t.Context(), "bash")
			run.Dir, run.Stdin = t.TempDir(), strings.NewReader(strings.ReplaceAll(script, "http://127.0.0.1:8080", s.URL))
			printed, err := run.CombinedOutput()
			require.NoError(t, err, "%s", printed)
			if output != "" {
				require.Equal(t, output, string(printed))
				return
			}
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
			require.Positive(t, answers)
		})
	}
}
