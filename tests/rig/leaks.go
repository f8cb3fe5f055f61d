package rig

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"tilth/tests/secrets"
)

// MainWithoutLeaks is Main, and fails if a secret that a client sent or received appears in a
// log, in metrics, or in an error response.
func MainWithoutLeaks(m *testing.M) {
	if os.Getenv(beTheProgram) == "1" {
		Main(m)
	}
	secrets.Keep()
	http.DefaultTransport = secrets.Watched(http.DefaultTransport)
	status := m.Run()
	if wrong := witnessed(); wrong != "" {
		fmt.Printf("--- FAIL: versions that a second witness recomputes otherwise:\n%s\n", wrong)
		status = max(status, 1)
	}
	if found := secrets.Leaks(); len(found) > 0 {
		fmt.Printf("--- FAIL: secrets in logs, figures or errors:\n%s\n", strings.Join(found, "\n"))
		status = max(status, 1)
	}
	os.Exit(status)
}
