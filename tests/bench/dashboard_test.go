package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/app"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/farm"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/core/record"
	"tilth/core/verification"
	"tilth/ports"
	"tilth/tests/rig"
)

type everyone struct{}

func (everyone) Allowed(context.Context, access.Principal, access.Slug) (bool, error) {
	return true, nil
}

// BenchmarkDashboard requests the dashboard of a company with 1,000 and with 100,000
// assessments over ten years, half of them submitted with a version and verified. It
// reports the median of each and how many times slower the second is. Target: under 20 ms,
// and under 1.5 times.
func BenchmarkDashboard(b *testing.B) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			few, many := newOverview(b, open(b), 1_000), newOverview(b, open(b), 100_000)
			b.ResetTimer()
			var last [2]float64
			for b.Loop() {
				last = [2]float64{few(b), many(b)}
			}
			b.ReportMetric(last[0], "ms-of-1000")
			b.ReportMetric(last[1], "ms-of-100000")
			b.ReportMetric(last[1]/last[0], "times-slower")
		})
	}
}

// newOverview makes a company with n assessments, and returns a function that measures its
// dashboard, in ms: the median of a hundred requests.
func newOverview(b *testing.B, database string, n int) func(b *testing.B) float64 {
	db, err := persistence.Open(b.Context(), database, persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}, BeforeCommit: ghgapp.SettleRollups})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	mapping, err := engine.Mapping()
	require.NoError(b, err)
	table := assessment.NewTable(mapping)
	who := furnished(b, db, table)
	multiply(b, database, n/batchSize)
	use := &ghgapp.Dashboard{Deps: app.Deps{Store: db, Gate: app.NewGate(everyone{}, nil, nil)}, Table: table}
	return func(b *testing.B) float64 {
		var took []time.Duration
		for range 100 {
			started := time.Now()
			got, err := use.Dashboard(b.Context(), who, nil, 100)
			took = append(took, time.Since(started))
			require.NoError(b, err)
			require.EqualValues(b, n, got.Summary.Total)
			require.EqualValues(b, n/2, got.Verification.ByStatus[verification.Verified])
			require.Len(b, got.Verified, 100)
			require.Len(b, got.Trend, 10)
		}
		slices.Sort(took)
		return took[len(took)/2].Seconds() * 1000
	}
}

// multiply copies the assessments in bulk until there are times as many, with ids of their
// own, and multiplies the sums.
func multiply(b *testing.B, database string, times int) {
	driver, dsn := "pgx", database
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		driver, dsn = "sqlite", path
	}
	db, err := sql.Open(driver, dsn)
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	for _, table := range []string{"assessments", "assessment_states", "assessment_versions", "assessment_verifications", "assessment_contributions"} {
		columns := columnsOf(b, db, table)
		values := slices.Clone(columns)
		for i, c := range columns {
			if c == "id" || c == "assessment_id" {
				values[i] += " + copy.n * " + strconv.Itoa(batchSize)
			}
		}
		_, err := db.ExecContext(b.Context(), fmt.Sprintf("WITH RECURSIVE copy (n) AS (SELECT 1 WHERE 1 < %[4]d UNION ALL SELECT n + 1 FROM copy WHERE n + 1 < %[4]d) "+
			"INSERT INTO %[1]s (%[2]s) SELECT %[3]s FROM %[1]s CROSS JOIN copy", table, strings.Join(columns, ", "), strings.Join(values, ", "), times))
		require.NoError(b, err, table)
	}
	for _, statement := range []string{fmt.Sprintf("UPDATE assessment_sums SET amount = amount * %d", times), "ANALYZE"} {
		_, err = db.ExecContext(b.Context(), statement)
		require.NoError(b, err)
	}
}

// columnsOf returns the columns of a table.
func columnsOf(b *testing.B, db *sql.DB, table string) []string {
	rows, err := db.QueryContext(b.Context(), "SELECT * FROM "+table+" LIMIT 0")
	require.NoError(b, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(b, err)
	require.NoError(b, rows.Err())
	return columns
}

// batchSize is the number of assessments that the repositories store.
const batchSize = 1000

// furnished stores a company with a thousand assessments.
func furnished(b *testing.B, db *persistence.Database, table *assessment.Table) access.Principal {
	now := time.Now()
	company := ports.Company{UUID: identity.Random{}.UUID(), Name: "Company", CreatedAt: now}
	user := ports.User{Email: "owner@test.example", CreatedAt: now}
	require.NoError(b, db.Operate(b.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &company, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = company.ID
		return tx.Accounts.CreateUser(ctx, &user)
	}))
	who := access.Principal{UserID: user.ID, CompanyID: company.ID}
	scope := access.Own(company.ID)
	meta := record.Meta{CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: user.ID}}
	holding := farm.Farm{Meta: meta, Name: "Farm"}
	require.NoError(b, db.Write(b.Context(), func(ctx context.Context, tx ports.Repos) error {
		return tx.Farms.Insert(ctx, scope, []*farm.Farm{&holding})
	}))
	report := reported(b)
	require.NoError(b, db.Write(b.Context(), func(ctx context.Context, tx ports.Repos) error {
		var batch []*assessment.Assessment
		for i := range batchSize {
			year := 2015 + i%10
			a := &assessment.Assessment{
				Meta: meta, ResourceType: assessment.OfFarm, ResourceID: holding.ID, Year: &year, Declarations: assessment.Declarations{},
				Status: assessment.Draft, GrowingArea: map[string]any{"value": float64(i), "unit": "ha"},
			}
			if i%2 == 0 {
				a.Status, a.SubmittedVersion = assessment.Submitted, 1
			}
			batch = append(batch, a)
		}
		if err := tx.Assessments.Insert(ctx, scope, batch); err != nil {
			return err
		}
		for _, a := range batch {
			state := table.Complete(a, assessment.Sheet{}, assessment.Facts{Now: now, ResourceLive: true})
			if err := tx.Assessments.SetState(ctx, scope, a.ID, state, now); err != nil {
				return err
			}
			if a.Status != assessment.Submitted {
				continue
			}
			version := ports.AssessmentVersion{AssessmentID: a.ID, Number: 1, Digest: "d", Snapshot: []byte("{}"), Engine: "e", FactorSet: "f", GWPSet: "g", Report: report}
			if err := tx.AssessmentVersions.Insert(ctx, scope, &version); err != nil {
				return err
			}
			checked := verification.Record{AssessmentID: a.ID, Version: 1, StartedAt: now, UpdatedAt: now}
			checked.Outcome = verification.Outcome{Status: verification.Verified, Confidence: 0.9, CropType: "maize", DecidedAt: &now}
			if err := tx.Verifications.Put(ctx, scope, checked); err != nil {
				return err
			}
		}
		return nil
	}))
	return who
}

// reported is the report of an assessment with all sections filled.
func reported(b *testing.B) []byte {
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(b, err)
	result, err := ghg.Calculate(assessed(), set, ghg.Options{})
	require.NoError(b, err)
	raw, err := json.Marshal(report.New(result, report.About{Basis: "submitted"}))
	require.NoError(b, err)
	return raw
}
