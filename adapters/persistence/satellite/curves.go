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

// The stored form of cropcheck.Set. Stored versions are read for ever: members are added,
// never changed.
type (
	storedCurves struct {
		StartMonth int           `json:"start_month"` // of the growing year
		StartDay   int           `json:"start_day"`
		HasEVI     bool          `json:"has_evi"`
		Scope      string        `json:"scope"`
		Extent     *storedExtent `json:"extent"`
		Curves     []storedCurve `json:"curves"`
	}
	storedExtent struct {
		West  float64 `json:"west"`
		South float64 `json:"south"`
		East  float64 `json:"east"`
		North float64 `json:"north"`
	}
	storedCurve struct {
		Class string       `json:"class"`
		Steps []storedStep `json:"steps"`
	}
	storedStep struct {
		Day  int     `json:"day"`
		NDVI float64 `json:"ndvi"`
		P25  float64 `json:"ndvi_p25"`
		P75  float64 `json:"ndvi_p75"`
		EVI  float64 `json:"evi"`
		N    int     `json:"n"`
	}
)

func storedCurvesOf(s cropcheck.Set) storedCurves {
	out := storedCurves{
		StartMonth: int(s.Year.Month), StartDay: s.Year.Day, HasEVI: s.HasEVI, Scope: s.Scope, Extent: (*storedExtent)(s.Extent),
		Curves: make([]storedCurve, len(s.Curves)),
	}
	for i, c := range s.Curves {
		out.Curves[i] = storedCurve{c.Class, make([]storedStep, len(c.Steps))}
		for j, step := range c.Steps {
			out.Curves[i].Steps[j] = storedStep(step)
		}
	}
	return out
}

func (s storedCurves) set() cropcheck.Set {
	out := cropcheck.Set{
		Year: cropcheck.GrowingYear{Month: time.Month(s.StartMonth), Day: s.StartDay}, HasEVI: s.HasEVI, Scope: s.Scope,
		Extent: (*cropcheck.Extent)(s.Extent), Curves: make([]cropcheck.Curve, len(s.Curves)),
	}
	for i, c := range s.Curves {
		out.Curves[i] = cropcheck.Curve{Class: c.Class, Steps: make([]cropcheck.Step, len(c.Steps))}
		for j, step := range c.Steps {
			out.Curves[i].Steps[j] = cropcheck.Step(step)
		}
	}
	return out
}

// curveSets implements ports.CurveSets.
type curveSets struct{ s *sqlstore.Session }

func (c curveSets) Add(ctx context.Context, e cropcheck.Edition) error {
	row := curveSetRow{Region: e.Region, Version: e.Version, Curves: sqlstore.JSONOf(storedCurvesOf(e.Set)), ImportedAt: sqlstore.StampAt(e.ImportedAt)}
	id, err := sqlstore.InsertNew(ctx, c.s, &row, "region, version")
	if err == nil && id == 0 {
		err = fault.Newf(fault.Conflict, "curves_exist",
			"The region %s has a version %s already; versions are kept as they are, so name this one otherwise.", e.Region, e.Version)
	}
	return err
}

func (c curveSets) Newest(ctx context.Context) ([]cropcheck.Edition, error) {
	newest := c.s.NewSelect().Table("curve_sets").ColumnExpr("MAX(id)").GroupExpr("region")
	return sqlstore.All(ctx, c.s.NewSelect().Model((*curveSetRow)(nil)).
		Where("t.id IN (?)", newest).OrderExpr("t.region"), func(row *curveSetRow) cropcheck.Edition {
		return cropcheck.Edition{Region: row.Region, Version: row.Version, Set: row.Curves.V.set(), ImportedAt: row.ImportedAt.Time}
	})
}
