package wire_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
)

// The files that Tilth is installed from are in a module of their own (make test-release). A setting that gets another name
// must not be forgotten there, so the names are compared here too.
func TestPackagedSettingsAreKnown(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"TILTH_VERSION": true, "TILTH_RELEASE": true, "TILTH_COMPOSE": true} // of the compose file, and of the tests
	for field := range reflect.TypeFor[cli.Config]().Fields() {
		known[field.Tag.Get("env")] = true
	}
	name, seen := regexp.MustCompile(`\bTILTH_[A-Z_]+[A-Z]\b`), 0
	check := func(file string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range name.FindAllString(string(text), -1) {
			seen++
			require.True(t, known[found], "%s: %s is no setting", file, found)
		}
	}
	check("../docs/install.md")
	require.NoError(t, filepath.WalkDir("packaging", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasSuffix(file, ".sum") {
			check(file)
		}
		return err
	}))
	require.Greater(t, seen, 30)
}
