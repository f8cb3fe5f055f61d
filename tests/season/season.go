// Package season makes the synthetic archive of a season's imagery, once for all tests of the machine. It starts no server:
// tests of the reading of imagery need none. Only tests import it.
package season

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/synthetic"
)

// Made returns the archive. Processes that ask for it at the same time make it once.
var Made = sync.OnceValues(func() (synthetic.Archive, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tilth-test-archive-%d-%d", synthetic.Format, os.Getuid()))
	return synthetic.Make(context.Background(), dir, synthetic.Options{})
})

// Archive is [Made] for a test.
func Archive(t testing.TB) synthetic.Archive {
	t.Helper()
	a, err := Made()
	require.NoError(t, err)
	return a
}
