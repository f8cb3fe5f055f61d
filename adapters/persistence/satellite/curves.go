package satellite

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/cropcheck"
	"tilth/core/fault"
)

type curveSetRow struct {
	bun.BaseModel `bun:"table:curve_sets,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	Region        string
	Version       string
	Curves        sqlstore.JSON[storedCurves]
	ImportedAt    sqlstore.Stamp
}

// storedCurves is the stored form of cropcheck.Set, read forever: members may be added, in core as well, but never renamed.
type storedCurves struct {
	StartMonth time.Month        `json:"start_month"` // of the growing year
	StartDay   int               `json:"start_day"`
	HasEVI     bool              `json:"has_evi"`
	Scope      string            `json:"scope"`
	Extent     *cropcheck.Extent `json:"extent"`
	Curves     []cropcheck.Curve `json:"curves"`
}

func storedOf(s cropcheck.Set) storedCurves {
	return storedCurves{s.Year.Month, s.Year.Day, s.HasEVI, s.Scope, s.Extent, s.Curves}
}

func (s storedCurves) set() cropcheck.Set {
	return cropcheck.Set{
		Year: cropcheck.GrowingYear{Month: s.StartMonth, Day: s.StartDay}, HasEVI: s.HasEVI, Scope: s.Scope, Extent: s.Extent, Curves: s.Curves,
	}
}

// curveSets implements ports.CurveSets.
type curveSets struct{ s *sqlstore.Session }

func (c curveSets) Add(ctx context.Context, e cropcheck.Edition) error {
	row := curveSetRow{
		Region: e.Region, Version: e.Version, ImportedAt: sqlstore.StampAt(e.ImportedAt),
		Curves: sqlstore.JSONOf(storedOf(e.Set)),
	}
	return sqlstore.InsertNew(ctx, c.s, &row, &row.ID, "region, version", fault.Newf(fault.Conflict, "curves_exist",
		"The region %s already has a version %s; versions are never changed, so give this one another name.", e.Region, e.Version))
}

func (c curveSets) Newest(ctx context.Context) ([]cropcheck.Edition, error) {
	newest := c.s.NewSelect().Table("curve_sets").ColumnExpr("MAX(id)").GroupExpr("region")
	return sqlstore.All(ctx, c.s.NewSelect().Model((*curveSetRow)(nil)).
		Where("t.id IN (?)", newest).OrderExpr("t.region"), func(row *curveSetRow) cropcheck.Edition {
		return cropcheck.Edition{Region: row.Region, Version: row.Version, Set: row.Curves.V.set(), ImportedAt: row.ImportedAt.Time}
	})
}
