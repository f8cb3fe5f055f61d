package guide_test

import (
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"tilth/docs"
)

// step matches the line with which a guide names the next page.
var step = regexp.MustCompile(`(?m)^Next: .*\]\(`)

// Every guide ends with a next step. The changelog has none.
func TestEveryGuideHasANextStep(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(docs.Files, "*.md")
	require.NoError(t, err)
	for _, name := range append(names, "observability/README.md") {
		if name == "CHANGELOG.md" {
			continue
		}
		text, err := fs.ReadFile(docs.Files, name)
		require.NoError(t, err)
		assert.Regexp(t, step, string(text), "%s. Fix: end it with a line \"Next: [a page](page.md).\"", name)
	}
}

// The README is one screen.
func TestTheREADMEIsOneScreen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	assert.LessOrEqual(t, len(lines), 60)
	for _, line := range lines {
		assert.True(t, utf8.RuneCountInString(line) <= 100, line)
	}
}

// known are words that codespell takes for misspellings: land that rests, the detection limits of laboratories,
// and a name that an example misspells.
const known = "fallow,lod,boundry" //nolint:misspell // an example shows this misspelling

// Words of the guides, the README and the console are spelled correctly, as far as codespell knows.
func TestSpelling(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("codespell"); err != nil {
		require.NotEqual(t, "1", os.Getenv("TILTH_REQUIRE_CODESPELL"), "codespell is required, and not installed")
		t.Skip("LEFT OUT: SPELLING, for codespell is not installed. Fix: apt-get install codespell (Debian).")
	}
	said, err := exec.CommandContext(t.Context(), "codespell", "--ignore-words-list", known, "--skip", "openapi.json,package-lock.json,*.png,*.csv,*.svg",
		"../../README.md", "../../CONTRIBUTING.md", "../../docs", "../console/web/src/texts/en.ts").CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Empty(t, string(said))
}
