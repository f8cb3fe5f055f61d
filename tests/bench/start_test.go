package bench

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// BenchmarkStart starts the built program on an existing database, and stops it again. median-ms is the time from its start
// until it reports that it is ready, with the default imagery: a folder is read meanwhile, which takes longer the larger it is.
func BenchmarkStart(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "tilth")
	said, err := exec.CommandContext(b.Context(), "go", "build", "-buildvcs=false", "-trimpath", "-o", binary, "../../wire/tilth").CombinedOutput()
	require.NoError(b, err, "%s", said)
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			database := open(b)
			start := func() time.Duration {
				began := time.Now()
				p := rig.StartBinary(b, binary, database, "")
				took := time.Since(began)
				require.NoError(b, p.Terminate())
				return took
			}
			start() // applies the pending migrations
			var all []time.Duration
			for b.Loop() {
				all = append(all, start())
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "median-ms")
		})
	}
}
