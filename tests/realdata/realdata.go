// Package realdata finds the real data for tests; the repository does not hold it.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns a folder or file of the real data: below $TILTH_REAL_DATA, or else below
// ../shared/data seen from the module. If it is missing the test is skipped with a
// notice, or fails when TILTH_REQUIRE_REAL_DATA=1.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	base := os.Getenv("TILTH_REAL_DATA")
	if base == "" {
		base = filepath.Join(Module(t), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{base}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("TILTH_REQUIRE_REAL_DATA") == "1" {
			t.Fatalf("the real data is required, but %v", err)
		}
		t.Logf("NOT TESTED AGAINST REAL DATA: %v (set TILTH_REAL_DATA)", err)
		t.Skip("real data absent")
	}
	return path
}

// Module returns the folder of go.mod, above the folder of the test.
func Module(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the working folder")
		}
		dir = parent
	}
}
