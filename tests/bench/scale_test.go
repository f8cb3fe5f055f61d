package bench

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/persistence"
	"tilth/tests/migrated"
	"tilth/tests/rig"
)

// scales are the numbers of fields, cultivations and entries of the audit trail that a company has: with BIG=1 up to a
// million, and with BIG=all up to ten million.
func scales() []int {
	switch os.Getenv("BIG") {
	case "all":
		return []int{10_000, 100_000, 1_000_000, 10_000_000}
	case "1":
		return []int{10_000, 100_000, 1_000_000}
	}
	return []int{10_000, 100_000}
}

const (
	scaleRounds = 41   // the median counts
	scaleSlope  = 0.15 // the highest slope of time over rows, both as logarithms, for an answer of constant size
)

// BenchmarkScale requests answers of constant size from a company that grows. It reports the milliseconds of each at
// each size and the slope of time over rows, both as logarithms: 0 is flat.
func BenchmarkScale(b *testing.B) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				growth(b, open(b))
			}
		})
	}
}

func growth(b *testing.B, database string) {
	s := rig.Start(b, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit, c.CompanyRateLimit = 0, 0 }})
	c := s.Company("owner", 0)
	made := herd{database: database, company: c.CompanyID, farm: c.Make("farm/", map[string]any{"name": "Farm", "country": "spain"})}
	made.season = c.Make("season/", map[string]any{"name": "2025", "start_date": "2025-01-01", "end_date": "2025-12-31"})
	db := openSQL(b, database)
	require.Eventually(b, func() bool { // the chain has a head
		var n int
		return db.QueryRow(fmt.Sprintf("SELECT count(*) FROM chain_heads WHERE chain = 'audit' AND company_id = %d", c.CompanyID)).Scan(&n) == nil && n == 1
	}, time.Minute, 50*time.Millisecond)
	times := map[string][]float64{}
	var order []string
	sizes := scales()
	for i, size := range sizes {
		started := time.Now()
		made.grow(b, db, size)
		settled(b, database)
		b.Logf("%d rows of each table after %s", size, time.Since(started).Round(time.Second))
		for _, one := range made.questions(b) {
			if i == 0 {
				order = append(order, one.name)
			}
			times[one.name] = append(times[one.name], median(scaleRounds, func() {
				_, err := rival{one.name, &rig.Process{URL: s.URL}, one, "Bearer " + c.Token}.send(http.DefaultClient)
				require.NoError(b, err)
			}))
		}
	}
	for _, name := range order {
		var figures strings.Builder
		for _, ms := range times[name] {
			fmt.Fprintf(&figures, " %.2f |", ms)
		}
		b.Logf("| %s |%s %.2f |", name, figures.String(), slope(sizes, times[name]))
		b.ReportMetric(slope(sizes, times[name]), "slope-"+strings.ReplaceAll(name, " ", "-"))
		if slope(sizes, times[name]) > scaleSlope {
			b.Logf("%s grows with the rows", name)
		}
	}
}

// settled does what the server does within seconds after writes.
func settled(b *testing.B, database string) {
	db, err := persistence.Open(context.Background(), database, persistence.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
	require.NoError(b, err)
	_, err = db.FoldSums(context.Background())
	require.NoError(b, err)
	_, err = db.FoldSearch(context.Background())
	require.NoError(b, err)
	require.NoError(b, db.Close())
}

func median(rounds int, do func()) float64 {
	times := make([]float64, rounds)
	for i := range times {
		began := time.Now()
		do()
		times[i] = float64(time.Since(began).Microseconds()) / 1000
	}
	slices.Sort(times)
	return times[rounds/2]
}

// slope returns the slope of the line that fits the logarithms of times over those of sizes, by least squares.
func slope(sizes []int, times []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i, size := range sizes {
		x, y := math.Log(float64(size)), math.Log(times[i])
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// herd is a company whose tables are filled directly with SQL statements.
type herd struct {
	database              string
	company, farm, season int64
	rows                  int
	first                 int64 // id of the first field
}

// grow fills the tables up to a number of rows.
func (h *herd) grow(b *testing.B, db *sql.DB, rows int) {
	series := fmt.Sprintf("(SELECT n FROM generate_series(%d, %d) AS g(n)) AS s", h.rows+1, rows)
	stamp, json := "TIMESTAMPTZ '2025-01-01T00:00:00Z' + n * INTERVAL '1 second'", "'[]'::jsonb"
	if strings.HasPrefix(h.database, "sqlite:") {
		series = fmt.Sprintf("(WITH RECURSIVE s(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", h.rows+1, rows)
		stamp, json = "strftime('%Y-%m-%dT%H:%M:%S.000000Z', 1735689600 + n, 'unixepoch')", "'[]'"
	}
	exec := func(query string, args ...any) {
		_, err := db.ExecContext(context.Background(), fmt.Sprintf(query, args...))
		require.NoError(b, err)
	}
	exec(`INSERT INTO fields (company_id, created_at, updated_at, uuid, name, name_folded, farm_id, area_m2, boundary_category, boundary_method,
		soil_type, tenure, notes, external_id, source)
		SELECT %[1]d, %[2]s, '2025-01-01T00:00:00.000000Z', 'u' || n, 'Field ' || n, 'field ' || n, %[3]d, n, '', '', '', '', '', '', '' FROM %[4]s`, h.company, stamp, h.farm, series)
	require.NoError(b, db.QueryRow(fmt.Sprintf("SELECT MIN(id) FROM fields WHERE company_id = %d", h.company)).Scan(&h.first))
	exec(`INSERT INTO cultivations (company_id, created_at, updated_at, season_id, crop_id, field_id)
		SELECT %[1]d, %[2]s, %[2]s, %[3]d, 1 + n %% 20, %[4]d + n - 1 FROM %[5]s`, h.company, stamp, h.season, h.first, series)
	// As if the entries had been chained.
	tx, err := db.BeginTx(context.Background(), nil)
	require.NoError(b, err)
	for _, query := range []string{
		`INSERT INTO audit_entries (company_id, at, operator, action, resource, record_id, changes)
			SELECT %[1]d, %[2]s, FALSE, 'create', 'field', %[3]d + n - 1, %[5]s FROM %[4]s`,
		`DELETE FROM chain_waiting WHERE chain = 'audit' AND company_id = %[1]d`,
		`UPDATE chain_heads SET position = (SELECT count(*) FROM audit_entries WHERE company_id = %[1]d) WHERE chain = 'audit' AND company_id = %[1]d`,
	} {
		_, err := tx.Exec(fmt.Sprintf(query, h.company, stamp, h.first, series, json))
		require.NoError(b, err)
	}
	require.NoError(b, tx.Commit())
	if h.database[0] == 'p' {
		exec("VACUUM") // as PostgreSQL does by itself
	}
	exec("ANALYZE")
	h.rows = rows
}

// questions are requests whose answers do not grow.
func (h *herd) questions(b *testing.B) []errand {
	field := h.first + int64(h.rows)/2
	one := marshal(b, map[string]any{"name": "New", "farm_id": h.farm})
	out := []errand{
		{"one field", http.MethodGet, fmt.Sprintf("field/%d/", field), nil},
		{"fields", http.MethodGet, "field/", nil},
		{"fields of a farm", http.MethodGet, fmt.Sprintf("field/?farm=%d", h.farm), nil},
		{"fields, searched", http.MethodGet, fmt.Sprintf("field/?search=FIELD%%20%d", h.rows-7), nil},
		{"fields, nothing found", http.MethodGet, "field/?search=nowhere", nil},
		{"cultivations", http.MethodGet, "cultivation/", nil},
		{"cultivations of a field", http.MethodGet, fmt.Sprintf("cultivation/?field=%d", field), nil},
		{"cultivations of a crop", http.MethodGet, "cultivation/?crop=3", nil},
		{"cultivations, searched", http.MethodGet, fmt.Sprintf("cultivation/?search=%d", h.rows/2-77), nil}, // the last have none: the ids of created fields shift theirs
		{"audit trail", http.MethodGet, "audit/?page=1", nil},
		{"audit trail of a record", http.MethodGet, fmt.Sprintf("audit/?page=1&resource=field&record=%d", field), nil},
		{"create a field", http.MethodPost, "field/", one},
	}
	for _, by := range []string{"name", "area_ha", "updated_at", "created_at", "id"} {
		for _, sign := range []string{"", "-"} {
			out = append(out, errand{"fields by " + sign + by, http.MethodGet, "field/?ordering=" + sign + by, nil})
		}
	}
	// All were written at the same time: only the id determines where to continue.
	cursor := fmt.Sprintf(`{"o":[{"Field":"updated_at","Descending":false}],"k":["2025-01-01T00:00:00Z",%d]}`, field)
	return append(out, errand{"fields by updated_at, from the middle on", http.MethodGet,
		"field/?ordering=updated_at&cursor=" + base64.RawURLEncoding.EncodeToString([]byte(cursor)), nil})
}
