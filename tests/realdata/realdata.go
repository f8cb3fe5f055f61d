// Package realdata finds the folder of real imagery for tests.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns a folder or file below the real data: below $TILTH_REAL_DATA, or else below
// ../shared/data seen from the module. Where it is absent the test is skipped, loudly, or
// fails when TILTH_REQUIRE_REAL_DATA=1.
func Dir(t testing.TB, elem ...string) string {
	t.Helper()
	base := os.Getenv("TILTH_REAL_DATA")
	if base == "" {
		base = filepath.Join(moduleRoot(t), "..", "shared", "data")
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

func moduleRoot(t testing.TB) string {
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
