// Package bench measures the program from outside, at the sizes of real companies.
package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// features writes a FeatureCollection of squares, of which one in a thousand crosses itself.
func features(b *testing.B, to io.Writer, count int) error {
	out := bufio.NewWriter(to)
	_, _ = out.WriteString(`{"type":"FeatureCollection","features":[`) // Flush returns the error
	for i := range count {
		separator := ","
		if i == 0 {
			separator = ""
		}
		m := rig.Square(100, i%1000)
		for j := range m[0][0] {
			m[0][0][j].Y += float64(i/1000) * 0.002
		}
		if i%1000 == 500 {
			m[0][0][1], m[0][0][2] = m[0][0][2], m[0][0][1]
		}
		fmt.Fprintf(out, `%s{"type":"Feature","properties":{"name":"Field %d","key":"%d"},"geometry":%s}`, separator, i, i, rig.GeoJSON(b, m))
	}
	_, _ = out.WriteString("]}")
	return out.Flush()
}

// BenchmarkImport imports 100,000 fields as one GeoJSON, streamed, and reports how fast
// that is and the most memory that the program, including this test, held.
func BenchmarkImport(b *testing.B) {
	const count = 100_000
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := rig.Start(b, rig.Options{Database: open(b)}).Company("owner", 0)
				farm := c.Make("farm/", map[string]any{"name": "Large"})
				peak, stop := watchHeap()
				body, sent := io.Pipe()
				go func() { sent.CloseWithError(features(b, sent, count)) }()
				started := time.Now()
				accepted := c.Upload(fmt.Sprintf("field/import/?external_id_property=key&farm_id=%d", farm), "application/geo+json", body)
				require.Equal(b, 202, accepted.Status, "%s", accepted.Body)
				var report struct {
					JobID                  int64 `json:"job_id"`
					Status                 string
					Created, Failed, Total int64
					Features               []json.RawMessage
				}
				accepted.Into(b, &report)
				b.ReportMetric(time.Since(started).Seconds(), "s/upload")
				require.EqualValues(b, count, report.Total)
				path := fmt.Sprintf("field/import/%d/", report.JobID)
				require.Eventually(b, func() bool {
					c.Expect(200, "GET", path, nil).Into(b, &report)
					return report.Status == "completed"
				}, 10*time.Minute, 100*time.Millisecond)
				b.ReportMetric(count/time.Since(started).Seconds(), "features/s")
				stop()
				require.EqualValues(b, count/1000, report.Failed)
				require.Len(b, report.Features, count/1000)
				b.ReportMetric(float64(peak.Load())/(1<<20), "MiB-peak-heap")
				require.Less(b, peak.Load(), uint64(512<<20), "memory grows with the file")
			}
		})
	}
}

// watchHeap records the largest heap seen until it is stopped.
func watchHeap() (peak *atomic.Uint64, stop func()) {
	peak, done := &atomic.Uint64{}, make(chan struct{})
	go func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse))
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	return peak, func() { close(done) }
}
