package bench

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// The crowd: a company with a hundred thousand cultivations in a database of a
// million, or of ten million with BIG=1.
const ours = 100_000

func companies() int {
	if os.Getenv("BIG") == "1" {
		return 100
	}
	return 10
}

// crowd is a server over a crowded database, with the ids to filter by.
type crowd struct {
	client              *rig.Client
	url                 string
	field, season, crop int64
	first               int64 // id of the company's first cultivation
}

const (
	fieldsOfCompany  = 100
	seasonsOfCompany = 5
	cropsSown        = 20
)

func eachCrowd(b *testing.B, run func(b *testing.B, c crowd)) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) { run(b, gather(b, open(b))) })
	}
}

func gather(b *testing.B, database string) crowd {
	b.Helper()
	started := time.Now()
	s := rig.Start(b, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
	var out crowd
	db := openSQL(b, database)
	for i := range companies() {
		c := s.Company("owner", 0)
		farm := c.Make("farm/", map[string]any{"name": "Farm"})
		fields, seasons := make([]any, fieldsOfCompany), make([]any, seasonsOfCompany)
		for j := range fields {
			fields[j] = map[string]any{"name": fmt.Sprintf("Field %d", j), "farm_id": farm}
		}
		for j := range seasons {
			seasons[j] = map[string]any{"name": fmt.Sprint(2020 + j), "start_date": fmt.Sprintf("%d-01-01", 2020+j), "end_date": fmt.Sprintf("%d-12-31", 2020+j)}
		}
		var made []struct{ ID int64 }
		c.Expect(200, http.MethodPost, "season/", seasons).Into(b, &made)
		season := made[0].ID
		c.Expect(200, http.MethodPost, "field/", fields).Into(b, &made)
		field := made[0].ID
		fill(b, db, database, c.CompanyID, field, season)
		if i == companies()/2 { // neither the first nor the last rows of the table
			out = crowd{client: c, url: s.URL, field: field + 7, season: season + 1, crop: 3}
			require.NoError(b, db.QueryRow(fmt.Sprintf("SELECT MIN(id) FROM cultivations WHERE company_id = %d", c.CompanyID)).Scan(&out.first))
		}
	}
	_, err := db.Exec("ANALYZE")
	require.NoError(b, err)
	b.Logf("%d cultivations in %d companies, gathered in %s", ours*companies(), companies(), time.Since(started).Round(time.Second))
	return out
}

func openSQL(b *testing.B, database string) *sql.DB {
	b.Helper()
	driver, address := "pgx", database
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		driver, address = "sqlite", "file:"+path+"?_pragma=busy_timeout(30000)&_pragma=synchronous(OFF)"
	}
	db, err := sql.Open(driver, address)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// fill writes a company's cultivations in one statement.
func fill(b *testing.B, db *sql.DB, database string, company, field, season int64) {
	b.Helper()
	series := fmt.Sprintf("(SELECT n FROM generate_series(0, %d) AS g(n)) AS s", ours-1)
	stamp := "TIMESTAMPTZ '2025-01-01T00:00:00Z'"
	if strings.HasPrefix(database, "sqlite:") {
		series = fmt.Sprintf("(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", ours-1)
		stamp = "'2025-01-01T00:00:00.000000Z'"
	}
	_, err := db.ExecContext(context.Background(), fmt.Sprintf(
		`INSERT INTO cultivations (company_id, created_at, updated_at, season_id, crop_id, field_id)
		 SELECT %d, %s, %s, %d + n %% %d, 1 + n %% %d, %d + n %% %d FROM %s`,
		company, stamp, stamp, season, seasonsOfCompany, cropsSown, field, fieldsOfCompany, series))
	require.NoError(b, err)
}

// The requests that a client of the large company waits for.
func BenchmarkCrowd(b *testing.B) {
	eachCrowd(b, func(b *testing.B, c crowd) {
		body := map[string]any{"field_id": c.field, "season_id": c.season, "crop_id": c.crop}
		bulk := make([]any, 1000)
		for i := range bulk {
			bulk[i] = body
		}
		for _, one := range []struct {
			name, method, path string
			body               any
		}{
			{"page1", http.MethodGet, "cultivation/", nil},
			{"page5000", http.MethodGet, "cultivation/?page=5000", nil},
			{"by-crop", http.MethodGet, fmt.Sprintf("cultivation/?crop=%d", c.crop), nil},
			{"by-field", http.MethodGet, fmt.Sprintf("cultivation/?field=%d", c.field), nil},
			{"by-season", http.MethodGet, fmt.Sprintf("cultivation/?season=%d", c.season), nil},
			{"retrieve", http.MethodGet, fmt.Sprintf("cultivation/%d/", c.first+ours/2), nil},
			{"create", http.MethodPost, "cultivation/", body},
			{"bulk1000", http.MethodPost, "cultivation/", bulk},
		} {
			b.Run(one.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.client.Expect(200, one.method, one.path, one.body)
				}
			})
		}
		b.Run("page-all", func(b *testing.B) { streamAll(b, c) })
	})
}

// maxGrowth bounds the growth of the heap while a list of a hundred thousand is read.
const maxGrowth = 48 << 20

// streamAll reads the whole list as it arrives, and watches the memory of the
// process, which is both client and server.
func streamAll(b *testing.B, c crowd) {
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	upper := before.HeapAlloc
	for b.Loop() {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, c.url+"/api/v1.2/cultivation/?page=all", nil)
		require.NoError(b, err)
		req.Header.Set("Authorization", "Bearer "+c.client.Token)
		res, err := http.DefaultClient.Do(req)
		require.NoError(b, err)
		size, chunk := 0, make([]byte, 1<<20)
		for {
			n, err := io.ReadFull(res.Body, chunk)
			size += n
			runtime.ReadMemStats(&now)
			upper = max(upper, now.HeapAlloc)
			if err != nil {
				break
			}
		}
		_ = res.Body.Close()
		require.Greater(b, size, 200*ours, "the list is not whole")
	}
	grown := upper - before.HeapAlloc
	require.Less(b, grown, uint64(maxGrowth), "the list is gathered in memory")
	b.ReportMetric(float64(grown)/1e6, "MB-grown")
}
