package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// assessmentTable writes a table of assessments of one field, one per year, each with
// eight sections filled in or declared.
func assessmentTable(to io.Writer, count int) error {
	out := bufio.NewWriter(to)
	_, _ = out.WriteString("resource_type,resource_name,assessment_year,growing_area.value,growing_area.unit,climate_region,farm_country,crop.crop_type," +
		"crop.harvested_yield.value,crop.harvested_yield.unit,soil.soil_class,fertilizers[0].product,fertilizers[0].rate.value,fertilizers[0].rate.unit," +
		"fertilizers[1].product,fertilizers[1].rate.value,fertilizers[1].rate.unit,residues.management[0].practice,residues.management[0].share_pct," +
		"fuel_energy[0].carrier,fuel_energy[0].amount.value,fuel_energy[0].amount.unit,land_management.tillage,land_management.carbon_inputs," +
		"section_declarations.irrigation\n") // Flush returns the error
	for i := range count {
		fmt.Fprintf(out, "field,Field %d,%d,10,ha,cool_temperate_moist,france,winter_wheat,%d,t/ha,high_activity_clay,urea,%d,kg/ha,can,100,kg/ha,left_on_field,100,diesel,900,l,full,medium,none\n",
			i%1000, 1+i/1000, 5+i%5, 100+i%100)
	}
	return out.Flush()
}

// BenchmarkAssessmentTables imports 100,000 assessments of 1,000 fields from a table and
// exports them again. It reports how fast that is, and the most memory that the program,
// including this test, held.
func BenchmarkAssessmentTables(b *testing.B) {
	const count = 100_000
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := rig.Start(b, rig.Options{Database: open(b)})
				c := s.Company("owner", 0)
				farm := c.Make("farm/", map[string]any{"name": "Large"})
				fields := make([]map[string]any, 1000)
				for i := range fields {
					fields[i] = map[string]any{"name": fmt.Sprintf("Field %d", i), "farm_id": farm}
				}
				c.Expect(200, http.MethodPost, "field/", fields)
				peak, stop := watchHeap()
				body, sent := io.Pipe()
				go func() { sent.CloseWithError(assessmentTable(sent, count)) }()
				started := time.Now()
				accepted := c.Upload("ghg/assessments/import/", "text/csv", body)
				require.Equal(b, 202, accepted.Status, "%s", accepted.Body)
				var report struct {
					JobID  int64 `json:"job_id"`
					Status string
					Counts map[string]int64
				}
				accepted.Into(b, &report)
				path := fmt.Sprintf("ghg/assessments/import/%d/", report.JobID)
				require.Eventually(b, func() bool {
					c.Expect(200, http.MethodGet, path, nil).Into(b, &report)
					return report.Status == "completed"
				}, 20*time.Minute, 200*time.Millisecond)
				b.ReportMetric(count/time.Since(started).Seconds(), "imported/s")
				stop()
				require.EqualValues(b, count, report.Counts["create"])
				b.ReportMetric(float64(peak.Load())/(1<<20), "MiB-peak-import")

				peak, stop = watchHeap()
				started = time.Now()
				size := download(b, s, c, "ghg/assessments/export/")
				b.ReportMetric(count/time.Since(started).Seconds(), "exported/s")
				stop()
				b.ReportMetric(float64(size)/(1<<20), "MiB-file")
				b.ReportMetric(float64(peak.Load())/(1<<20), "MiB-peak-export")
				require.Less(b, peak.Load(), uint64(512<<20), "memory grows with the number of assessments")
			}
		})
	}
}

// download reads a file below /api/v1.2/, discards it, and returns its size.
func download(b *testing.B, s *rig.Server, c *rig.Client, path string) int64 {
	b.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL+"/api/v1.2/"+path, nil)
	require.NoError(b, err)
	req.Header.Set("Authorization", "Bearer "+c.Token)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(b, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(b, 200, res.StatusCode)
	n, err := io.Copy(io.Discard, res.Body)
	require.NoError(b, err)
	return n
}
