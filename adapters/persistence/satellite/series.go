package satellite

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/vegetation"
)

type seriesRow struct {
	bun.BaseModel `bun:"table:profile_series,alias:t"`
	OrderID       int64  `bun:"order_id,pk"`
	IndexCode     string `bun:"index_code,pk"`
	Synthetic     bool
	NoSCL         bool `bun:"no_scl"`
	SmallField    bool
}

// observationRow is a date of a series; without statistics when Reason is set.
type observationRow struct {
	bun.BaseModel `bun:"table:profile_observations,alias:t"`
	OrderID       int64  `bun:"order_id,pk"`
	IndexCode     string `bun:"index_code,pk"`
	Line          int    `bun:"line,pk"`
	Date          sqlstore.Day
	Reason        vegetation.Reason
	Coverage      float64
	NValid        int `bun:"n_valid"`
	NPolygon      int `bun:"n_polygon"`
	Items         sqlstore.JSON[[]string]
	Offsets       sqlstore.JSON[[]vegetation.AppliedOffset]
	Note          string
	Mean          *float64
	Median        *float64
	Std           *float64
	Min           *float64
	Max           *float64
	P10           *float64 `bun:"p10"`
	P90           *float64 `bun:"p90"`

	Fingerprint string
	NoSCL       bool `bun:"no_scl"`
	SmallField  bool
	Synthetic   bool
}

func (o orders) PutSeries(ctx context.Context, scope access.Scope, orderID int64, series vegetation.Series) error {
	if _, err := o.GetForUpdate(ctx, scope, orderID); err != nil {
		return err
	}
	index := string(series.Index)
	if _, err := o.Session.NewDelete().Model((*seriesRow)(nil)).Where("order_id = ?", orderID).Where("index_code = ?", index).Exec(ctx); err != nil {
		return err
	}
	head := seriesRow{OrderID: orderID, IndexCode: index, Synthetic: series.Synthetic, NoSCL: series.NoSCL, SmallField: series.SmallField}
	if _, err := o.Session.NewInsert().Model(&head).Exec(ctx); err != nil {
		return err
	}
	return sqlstore.InsertRows(ctx, o.Session, rowsOfSeries(orderID, series))
}

func (o orders) Series(ctx context.Context, scope access.Scope, orderID int64, index string) (vegetation.Series, error) {
	out := vegetation.Series{Index: vegetation.IndexCode(index)}
	if err := o.seen(ctx, scope, orderID); err != nil {
		return out, err
	}
	var head seriesRow
	err := o.Session.NewSelect().Model(&head).Where("t.order_id = ?", orderID).Where("t.index_code = ?", index).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	var rows []observationRow
	err = o.Session.NewSelect().Model(&rows).Where("t.order_id = ?", orderID).Where("t.index_code = ?", index).OrderExpr("t.line").Scan(ctx)
	out.Synthetic, out.NoSCL, out.SmallField = head.Synthetic, head.NoSCL, head.SmallField
	out.Observations, out.Rejected = datesOfRows(rows)
	return out, err
}

// seen returns NotFound for an order outside the scope.
func (o orders) seen(ctx context.Context, scope access.Scope, orderID int64) error {
	return sqlstore.Known(ctx, sqlstore.Where(o.Session.NewSelect().Model((*orderRow)(nil)), in(o.Session, scope)...).
		Where("t.id = ?", orderID), "order")
}

func (o orders) Indexes(ctx context.Context, scope access.Scope, orderID int64) ([]string, error) {
	if err := o.seen(ctx, scope, orderID); err != nil {
		return nil, err
	}
	var codes []string
	err := o.Session.NewSelect().Model((*seriesRow)(nil)).Column("index_code").Where("t.order_id = ?", orderID).Scan(ctx, &codes)
	slices.Sort(codes) // whatever order the database gives text in
	return codes, err
}

// rowsOfSeries numbers the dates: the observations, then the rejected, each in their order.
func rowsOfSeries(orderID int64, series vegetation.Series) []observationRow {
	rows := make([]observationRow, 0, len(series.Observations)+len(series.Rejected))
	add := func(row observationRow, of vegetation.Origin) {
		row.Fingerprint, row.NoSCL, row.SmallField, row.Synthetic = of.Fingerprint, of.NoSCL, of.SmallField, of.Synthetic
		row.OrderID, row.IndexCode, row.Line = orderID, string(series.Index), len(rows)+1
		rows = append(rows, row)
	}
	for i := range series.Observations {
		d := &series.Observations[i]
		add(observationRow{
			Date: sqlstore.DayAt(d.Date), Coverage: d.Coverage, NValid: d.NValid, NPolygon: d.NPolygon, Items: sqlstore.JSONOf(d.Items),
			Offsets: sqlstore.ListOf(d.Offsets),
			Mean:    &d.Value, Median: &d.Median, Std: &d.Std, Min: &d.Min, Max: &d.Max, P10: &d.P10, P90: &d.P90,
		}, d.Origin)
	}
	for i := range series.Rejected {
		d := &series.Rejected[i]
		add(observationRow{
			Date: sqlstore.DayAt(d.Date), Reason: d.Reason, Coverage: d.Coverage, NValid: d.NValid, NPolygon: d.NPolygon, Items: sqlstore.JSONOf(d.Items),
			Offsets: sqlstore.ListOf[vegetation.AppliedOffset](nil), Note: d.Note,
		}, d.Origin)
	}
	return rows
}

func datesOfRows(rows []observationRow) (observed []vegetation.Observation, rejected []vegetation.Rejection) {
	for _, row := range rows {
		origin := vegetation.Origin{Fingerprint: row.Fingerprint, NoSCL: row.NoSCL, SmallField: row.SmallField, Synthetic: row.Synthetic}
		if row.Reason != "" {
			rejected = append(rejected, vegetation.Rejection{
				Date: row.Date.Time, Reason: row.Reason, Coverage: row.Coverage, NValid: row.NValid, NPolygon: row.NPolygon, Items: row.Items.V, Note: row.Note, Origin: origin,
			})
			continue
		}
		observed = append(observed, vegetation.Observation{
			Date: row.Date.Time, Coverage: row.Coverage, NValid: row.NValid, NPolygon: row.NPolygon, Items: row.Items.V, Offsets: append([]vegetation.AppliedOffset(nil), row.Offsets.V...),
			Value: sqlstore.ValueOf(row.Mean), Median: sqlstore.ValueOf(row.Median), Std: sqlstore.ValueOf(row.Std),
			Min: sqlstore.ValueOf(row.Min), Max: sqlstore.ValueOf(row.Max), P10: sqlstore.ValueOf(row.P10), P90: sqlstore.ValueOf(row.P90), Origin: origin,
		})
	}
	return observed, rejected
}

type derivationRow struct {
	bun.BaseModel `bun:"table:profile_derivations,alias:t"`
	OrderID       int64                `bun:"order_id,pk"`
	IndexCode     vegetation.IndexCode `bun:"index_code,pk"`
	Status        vegetation.Status
	Reason        string
	Attempts      int
	CheckedAt     *sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
}

// It belongs to the order, and is seen with it.
func (o orders) Derivation(ctx context.Context, scope access.Scope, orderID int64, index vegetation.IndexCode) (vegetation.Derivation, bool, error) {
	visible := sqlstore.Where(o.Session.NewSelect().TableExpr("profile_orders AS t").Column("t.id"), in(o.Session, scope)...).Where("t.id = ?", orderID)
	q := o.Session.NewSelect().Model((*derivationRow)(nil)).Where("t.order_id IN (?)", visible).Where("t.index_code = ?", index)
	return sqlstore.Find(ctx, q, func(row *derivationRow) vegetation.Derivation {
		return vegetation.Derivation{
			OrderID: row.OrderID, Index: row.IndexCode, Status: row.Status, Reason: row.Reason, Attempts: row.Attempts,
			CheckedAt: row.CheckedAt.Nullable(), UpdatedAt: row.UpdatedAt.Time,
		}
	})
}

// It locks the order.
func (o orders) PutDerivation(ctx context.Context, scope access.Scope, d vegetation.Derivation) error {
	if _, err := o.GetForUpdate(ctx, scope, d.OrderID); err != nil {
		return err
	}
	row := derivationRow{
		OrderID: d.OrderID, IndexCode: d.Index, Status: d.Status, Reason: d.Reason, Attempts: d.Attempts,
		CheckedAt: sqlstore.NullableStamp(d.CheckedAt), UpdatedAt: sqlstore.StampAt(d.UpdatedAt),
	}
	return sqlstore.Run(ctx, o.Session.NewInsert().Model(&row).
		Apply(sqlstore.Replacing("order_id, index_code", "status", "reason", "attempts", "checked_at", "updated_at")))
}
