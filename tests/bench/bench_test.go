// Package bench times the whole program as clients use it. Absolute times depend on
// the machine; only figures of the same run are compared.
package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/imagery/catalog"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
	"tilth/tests/rig"
)

func TestMain(m *testing.M) {
	if database := os.Getenv(beTheFloor); database != "" {
		fmt.Fprintln(os.Stderr, serveFloor(database))
		os.Exit(1)
	}
	rig.Main(m)
}

// eachDatabase runs a benchmark against a server on each database.
func eachDatabase(b *testing.B, run func(b *testing.B, c *rig.Client, land rig.Land)) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			s := rig.Start(b, rig.Options{Database: open(b), Config: func(c *cli.Config) { c.RateLimit = 0 }})
			c := s.Company("owner", 0)
			land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
			bulk := make([]any, 1000)
			for i := range bulk {
				bulk[i] = map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop}
			}
			c.Expect(200, "POST", "cultivation/", bulk)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, c, land)
		})
	}
}

func BenchmarkCultivationList(b *testing.B) {
	eachDatabase(b, func(b *testing.B, c *rig.Client, _ rig.Land) {
		for b.Loop() {
			c.Expect(200, http.MethodGet, "cultivation/", nil)
		}
	})
}

func BenchmarkCultivationListAll1000(b *testing.B) {
	eachDatabase(b, func(b *testing.B, c *rig.Client, _ rig.Land) {
		for b.Loop() {
			c.Expect(200, http.MethodGet, "cultivation/?page=all", nil)
		}
	})
}

func BenchmarkCultivationRetrieve(b *testing.B) {
	eachDatabase(b, func(b *testing.B, c *rig.Client, _ rig.Land) {
		for b.Loop() {
			c.Expect(200, http.MethodGet, "cultivation/1/", nil)
		}
	})
}

func BenchmarkCultivationCreate(b *testing.B) {
	eachDatabase(b, func(b *testing.B, c *rig.Client, land rig.Land) {
		body := map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop}
		for b.Loop() {
			c.Expect(200, http.MethodPost, "cultivation/", body)
		}
	})
}

func BenchmarkCultivationCreateBulk1000(b *testing.B) {
	eachDatabase(b, func(b *testing.B, c *rig.Client, land rig.Land) {
		bulk := make([]any, 1000)
		for i := range bulk {
			bulk[i] = map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop}
		}
		raw, err := json.Marshal(bulk)
		require.NoError(b, err)
		for b.Loop() {
			c.Expect(200, http.MethodPost, "cultivation/", raw)
		}
	})
}

// The 33 dates of the real pivot field, from files to points; blocks are cached after
// the first turn, as they are on a server.
func BenchmarkProfile33Dates(b *testing.B) {
	folder := realdata.Path(b, "satellite", "s2-spain-valladolid-2019")
	outline, err := os.ReadFile(filepath.Join(folder, "field.geojson"))
	require.NoError(b, err)
	boundary, err := geo.ParseGeoJSON(nil, outline, geo.DefaultLimits())
	require.NoError(b, err)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(b, err)
	source, err := catalog.Open(folder)
	require.NoError(b, err)
	b.Cleanup(func() { _ = source.Close() })
	computer := &satellite.Computer{Imagery: source}
	request := satellite.SeriesRequest{
		Boundary: boundary.Geometry(), Index: index, Mask: vegetation.MaskStandard,
		From: time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2019, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	b.ReportAllocs()
	for b.Loop() {
		got, err := computer.Compute(context.Background(), request)
		require.NoError(b, err)
		require.Len(b, got.Observations, 31)
	}
}

// The program as an artefact: its size, the time until it is ready on an existing
// database, and the memory it holds while idle.
func BenchmarkProgram(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "tilth")
	out, err := exec.Command("make", "-C", "../..", "build", "BIN="+binary).CombinedOutput()
	require.NoError(b, err, string(out))
	size, packed := sizesOf(b, binary)
	require.LessOrEqual(b, size, 64e6, "the binary is larger than 64 MB")
	require.LessOrEqual(b, packed, 24e6, "the gzipped binary is larger than 24 MB")
	database, imagery := rig.SQLite(b), rig.Archive(b).Dir
	var ready time.Duration
	var resident float64
	for b.Loop() {
		started := time.Now()
		p := rig.StartBinary(b, binary, database, imagery)
		rig.Remote(b, p.URL, "").Expect(200, "GET", "/readyz", nil)
		ready += time.Since(started)
		resident = max(resident, residentMB(b, p.Cmd.Process.Pid))
		p.Kill()
	}
	b.ReportMetric(size/1e6, "MB-binary")
	b.ReportMetric(packed/1e6, "MB-gzipped")
	b.ReportMetric(float64(ready.Milliseconds())/float64(b.N), "ms-to-ready")
	b.ReportMetric(resident, "MB-resident")
}

// sizesOf returns the size of a file and of the same file gzipped, in bytes.
func sizesOf(b *testing.B, file string) (size, packed float64) {
	b.Helper()
	content, err := os.ReadFile(file)
	require.NoError(b, err)
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err = zip.Write(content)
	require.NoError(b, err)
	require.NoError(b, zip.Close())
	return float64(len(content)), float64(out.Len())
}

// residentMB reads the resident memory of a process; it returns 0 where the system does not report it.
func residentMB(b *testing.B, pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Log("no /proc: resident memory is not measured")
		return 0
	}
	var size, resident float64
	_, err = fmt.Sscan(string(status), &size, &resident)
	require.NoError(b, err)
	return resident * float64(os.Getpagesize()) / 1e6
}
