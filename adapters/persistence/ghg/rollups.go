package ghg

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/dashboard"
)

// stripes is the number of rows of a sum on PostgreSQL, where a company's writers run at the same time; SQLite has one.
const stripes = 8

type sumRow struct {
	bun.BaseModel `bun:"table:assessment_sums,alias:t"`
	CompanyID     int64
	Year          int
	Kind          string
	Name          string
	Stripe        int
	Amount        int64
}

// place is where the changes of one assessment go.
type place struct {
	company int64
	stripe  int
}

// stripeOf returns the stripe of an assessment.
func stripeOf(s *sqlstore.Session, assessmentID int64) int {
	if s.Postgres {
		return int(assessmentID % stripes)
	}
	return 0
}

func adding(q *bun.InsertQuery) *bun.InsertQuery {
	return q.On("CONFLICT (company_id, year, kind, name, stripe) DO UPDATE").Set("amount = t.amount + EXCLUDED.amount")
}

// addToSums changes sums in the one order in which they are locked: by company, stripe, year, kind and key.
func addToSums(ctx context.Context, s *sqlstore.Session, changes map[place][]dashboard.Change) error {
	places := slices.SortedFunc(maps.Keys(changes), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.company, b.company), cmp.Compare(a.stripe, b.stripe))
	})
	for _, at := range places {
		merged := dashboard.Merge(changes[at]) // one statement must not change a row twice
		if err := sqlstore.InsertAll(ctx, s, merged, func(_ int, c dashboard.Change) sumRow {
			return sumRow{CompanyID: at.company, Year: c.Year, Kind: c.Kind, Name: c.Key, Stripe: at.stripe, Amount: c.By}
		}, adding); err != nil {
			return err
		}
	}
	return nil
}

// rollups implements ports.Rollups.
type rollups struct{ s *sqlstore.Session }

// Summed adds up the stripes of each sum.
func (r rollups) Summed(scope access.Scope) *bun.SelectQuery {
	return sqlstore.Where(r.s.NewSelect().Model((*sumRow)(nil)), sqlstore.Own("t", scope)).Column("t.year", "t.kind", "t.name").
		ColumnExpr("CAST(SUM(t.amount) AS BIGINT) AS amount").GroupExpr("t.year, t.kind, t.name")
}

func (r rollups) Sums(ctx context.Context, scope access.Scope) (map[int]dashboard.Cells, error) {
	var rows []sumRow
	if scope.Shared() {
		return map[int]dashboard.Cells{}, nil
	}
	if err := r.Summed(scope).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	out := map[int]dashboard.Cells{}
	for _, row := range rows {
		if row.Amount == 0 {
			continue
		}
		if out[row.Year] == nil {
			out[row.Year] = dashboard.Cells{}
		}
		out[row.Year][dashboard.Cell{Kind: row.Kind, Key: row.Name}] = row.Amount
	}
	return out, nil
}

type verifiedRow struct {
	bun.BaseModel `bun:"table:assessment_contributions,alias:t"`
	AssessmentID  int64
	Year          int
	VerifiedAt    sqlstore.Stamp

	CropType   string  `bun:"crop_type,scanonly"`
	Confidence float64 `bun:"confidence,scanonly"`
}

// VerifiedCrops selects the assessments whose crop is verified, newest verdict first.
func (r rollups) VerifiedCrops(scope access.Scope, year *int, limit int) *bun.SelectQuery {
	q := sqlstore.Where(r.s.NewSelect().Model((*verifiedRow)(nil)), sqlstore.Own("t", scope)).ColumnExpr("?TableColumns").
		ColumnExpr("v.crop_type").ColumnExpr("v.confidence").
		Join("JOIN assessment_verifications AS v ON v.assessment_id = t.assessment_id").
		Where("t.verified_at IS NOT NULL").OrderExpr("t.verified_at DESC, t.assessment_id DESC").Limit(int64(limit))
	if year != nil {
		q = q.Where("t.year = ?", *year)
	}
	return q
}

func (r rollups) Verified(ctx context.Context, scope access.Scope, year *int, limit int) ([]dashboard.Verified, error) {
	if scope.Shared() || limit == 0 || year != nil && *year == dashboard.NoYear {
		return nil, nil
	}
	return sqlstore.All(ctx, r.VerifiedCrops(scope, year, limit), func(row *verifiedRow) dashboard.Verified {
		out := dashboard.Verified{AssessmentID: row.AssessmentID, CropType: row.CropType, Confidence: row.Confidence, At: row.VerifiedAt.Time}
		if row.Year != dashboard.NoYear {
			out.Year = &row.Year
		}
		return out
	})
}
