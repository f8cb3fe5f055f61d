// Package witness has exported versions recomputed by docs/replay.py, the second witness beside `tilth ghg replay`.
package witness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// errNone is the reason why there is no second witness.
var errNone = errors.New("the second witness of replays needs python3 (Debian: apt-get install python3)")

// required is the environment variable that makes a missing Python an error.
const required = "TILTH_REQUIRE_PYTHON"

// Python returns what the script prints about each version. If there is no Python 3 the test is skipped, or fails
// where TILTH_REQUIRE_PYTHON is set.
func Python(t testing.TB, versions [][]byte) []string {
	t.Helper()
	said, err := script(versions)
	if errors.Is(err, errNone) && os.Getenv(required) == "" {
		t.Skipf("LEFT OUT: %v", err)
	}
	require.NoError(t, err)
	return said
}

// Run is Python without a test: if there is no Python 3, it prints what is left out and returns nothing.
func Run(versions [][]byte) ([]string, error) {
	said, err := script(versions)
	if errors.Is(err, errNone) && os.Getenv(required) == "" {
		fmt.Println("LEFT OUT:", err)
		return nil, nil
	}
	return said, err
}

// script runs once for all versions, from a package two folders below the root.
func script(versions [][]byte) (said []string, err error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, errNone
	}
	folder, err := os.MkdirTemp("", "versions")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	args := []string{filepath.Join("..", "..", "docs", "replay.py")}
	for i, version := range versions {
		file := filepath.Join(folder, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(file, version, 0o600); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	out, err := exec.Command(python, args...).Output()
	status := 0
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		if status = failed.ExitCode(); len(failed.Stderr) > 0 {
			return nil, fmt.Errorf("the script fails: %s", failed.Stderr)
		}
	} else if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(versions) {
		return nil, fmt.Errorf("the script says %d lines of %d versions", len(lines), len(versions))
	}
	want := 0
	for i, line := range lines {
		line = strings.TrimPrefix(line, args[i+1]+": ")
		said = append(said, line)
		switch {
		case strings.HasPrefix(line, "DIFFERS"):
			want = max(want, 1)
		case !strings.HasPrefix(line, "same"):
			want = 2
		}
	}
	if status != want {
		return nil, fmt.Errorf("the exit status of the script is %d, not %d", status, want)
	}
	return said, nil
}
