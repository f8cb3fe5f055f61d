package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where a page names the test that guarantees something, that test must exist.
func TestPagesNameTestsThatExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	found, err := exec.Command("grep", "-rhoE", "--include=*_test.go", "^func Test[A-Za-z0-9]+", root).Output()
	require.NoError(t, err)
	exists := map[string]bool{}
	for line := range strings.Lines(string(found)) {
		exists[strings.TrimPrefix(strings.TrimSpace(line), "func ")] = true
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1) {
			named++
			require.True(t, exists[name[1]], "%s names %s", filepath.Base(page), name[1])
		}
	}
	require.Greater(t, named, 40)
}
