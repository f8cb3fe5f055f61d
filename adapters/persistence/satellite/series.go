package satellite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// readingRow is a series: of an order, an outline of its field and a reading.
type readingRow struct {
	bun.BaseModel `bun:"table:profile_readings,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	OrderID       int64
	BoundaryID    int64
	IndexCode     string
	Mask          string
	Dataset       string
	Synthetic     bool
	NoSCL         bool `bun:"no_scl"`
	SmallField    bool
}

// readingOf returns the reading of stored texts. An index is kept as it stands, known or not.
func readingOf(index, mask, dataset string) (r vegetation.Reading, err error) {
	r.Index = vegetation.IndexCode(index)
	if r.Mask, err = vegetation.ParseMask(mask); err == nil {
		r.Dataset, err = vegetation.ParseDataset(dataset)
	}
	if err != nil {
		err = fault.New(fault.Internal, "stored_reading", "A stored mask or data set is not known.").Because(err)
	}
	return r, err
}

// inReading restricts a query to the rows of a reading.
func inReading(q *bun.SelectQuery, r vegetation.Reading) *bun.SelectQuery {
	return q.Where("t.index_code = ?", r.Index).Where("t.mask = ?", r.Mask.String()).Where("t.dataset = ?", r.Dataset.String())
}

// dateRow is a date of a series; without statistics when Reason is set.
type dateRow struct {
	bun.BaseModel `bun:"table:profile_dates,alias:t"`
	ReadingID     int64 `bun:"reading_id,pk"`
	dateColumns
}

// dateColumns are the columns that the dates of profiles and of maps have.
type dateColumns struct {
	Line      int `bun:"line,pk"`
	Date      sqlstore.Day
	Reason    vegetation.Reason
	Coverage  float64
	NValid    int `bun:"n_valid"`
	NPolygon  int `bun:"n_polygon"`
	Items     sqlstore.JSON[[]string]
	Offsets   sqlstore.JSON[[]vegetation.AppliedOffset]
	Sensor    sqlstore.JSON[vegetation.Sensor]
	Note      string
	Mean      *float64
	Median    *float64
	Std       *float64
	Min       *float64
	Max       *float64
	P10       *float64 `bun:"p10"`
	P90       *float64 `bun:"p90"`
	Histogram sqlstore.JSON[[][2]int]

	Fingerprint string
	NoSCL       bool `bun:"no_scl"`
	SmallField  bool
	Synthetic   bool
}

func (o orders) PutSeries(ctx context.Context, scope access.Scope, orderID int64, series vegetation.Series) error {
	order, err := o.GetForUpdate(ctx, scope, orderID)
	if err != nil {
		return err
	}
	row := readingRow{
		OrderID: orderID, BoundaryID: order.BoundaryID, IndexCode: string(series.Index), Mask: series.Mask.String(), Dataset: series.Dataset.String(),
		Synthetic: series.Synthetic, NoSCL: series.NoSCL, SmallField: series.SmallField,
	}
	_, err = o.Session.NewDelete().Model((*readingRow)(nil)).Where("order_id = ?", orderID).
		Where("boundary_id = ?", row.BoundaryID).Where("index_code = ?", row.IndexCode).
		Where("mask = ?", row.Mask).Where("dataset = ?", row.Dataset).Exec(ctx)
	if err != nil {
		return err
	}
	if err := sqlstore.Insert(ctx, o.Session, &row, &row.ID); err != nil {
		return err
	}
	return sqlstore.InsertRows(ctx, o.Session, list.Map(rowsOfSeries(series), func(d dateColumns) dateRow { return dateRow{ReadingID: row.ID, dateColumns: d} }))
}

func (o orders) Series(ctx context.Context, scope access.Scope, orderID int64, reading vegetation.Reading) (vegetation.Series, error) {
	boundaryID, err := o.outline(ctx, scope, orderID)
	if err != nil {
		return emptySeries(reading), err
	}
	series, _, err := o.stored(ctx, orderID, boundaryID, reading)
	return series, err
}

func (o orders) SeriesOn(ctx context.Context, scope access.Scope, orderID, boundaryID int64, reading vegetation.Reading) (vegetation.Series, error) {
	if _, err := o.outline(ctx, scope, orderID); err != nil {
		return vegetation.Series{}, err
	}
	series, found, err := o.stored(ctx, orderID, boundaryID, reading)
	if err == nil && !found {
		err = fault.Missing("series")
	}
	return series, err
}

func emptySeries(r vegetation.Reading) vegetation.Series {
	return vegetation.Series{Index: r.Index, Mask: r.Mask, Dataset: r.Dataset}
}

// stored returns a stored series; an empty one where none is found.
func (o orders) stored(ctx context.Context, orderID, boundaryID int64, reading vegetation.Reading) (out vegetation.Series, found bool, err error) {
	out = emptySeries(reading)
	var head readingRow
	q := o.Session.NewSelect().Model(&head).Where("t.order_id = ?", orderID).Where("t.boundary_id = ?", boundaryID)
	err = inReading(q, reading).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return out, false, nil
	}
	if err != nil {
		return out, false, err
	}
	var rows []dateRow
	err = o.Session.NewSelect().Model(&rows).Where("t.reading_id = ?", head.ID).OrderExpr("t.line").Scan(ctx)
	out = seriesOfRow(head, reading)
	out.Observations, out.Rejected = datesOfRows(columnsOf(rows))
	return out, true, err
}

func (o orders) SeriesOf(ctx context.Context, scope access.Scope, of []vegetation.OrderState) ([]ports.OrderSeries, error) {
	ids := list.Map(of, func(s vegetation.OrderState) int64 { return s.ID })
	if len(ids) == 0 {
		return nil, nil
	}
	visible := sqlstore.Where(o.Session.NewSelect().TableExpr("profile_orders AS t").Column("t.id"), in(o.Session, scope)...).Where("t.id IN (?)", prepared.List(ids))
	var heads []readingRow
	if err := o.Session.NewSelect().Model(&heads).Where("t.order_id IN (?)", visible).Scan(ctx); err != nil {
		return nil, err
	}
	type key struct {
		order, outline       int64
		index, mask, dataset string
	}
	readings := map[key]readingRow{}
	for _, head := range heads {
		readings[key{head.OrderID, head.BoundaryID, head.IndexCode, head.Mask, head.Dataset}] = head
	}
	var out []ports.OrderSeries
	var wanted []int64
	for _, order := range of {
		if head, ok := readings[key{order.ID, order.BoundaryID, order.Index, order.Mask.String(), order.Dataset.String()}]; ok {
			out = append(out, ports.OrderSeries{Order: order, Series: seriesOfRow(head, order.Reading())})
			wanted = append(wanted, head.ID)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	var rows []dateRow
	err := o.Session.NewSelect().Model(&rows).Where("t.reading_id IN (?)", prepared.List(wanted)).OrderExpr("t.reading_id, t.line").Scan(ctx)
	dates := map[int64][]dateRow{}
	for _, row := range rows {
		dates[row.ReadingID] = append(dates[row.ReadingID], row)
	}
	for i, id := range wanted {
		out[i].Series.Observations, out[i].Series.Rejected = datesOfRows(columnsOf(dates[id]))
	}
	return out, err
}

// seriesOfRow returns a series without its dates.
func seriesOfRow(head readingRow, reading vegetation.Reading) vegetation.Series {
	out := emptySeries(reading)
	out.Synthetic, out.NoSCL, out.SmallField = head.Synthetic, head.NoSCL, head.SmallField
	return out
}

// outline returns the outline that the series of an order is of. Faults: NotFound for an order outside the scope.
func (o orders) outline(ctx context.Context, scope access.Scope, orderID int64) (int64, error) {
	ids, err := sqlstore.Values[int64](ctx, sqlstore.Where(o.Session.NewSelect().Model((*orderRow)(nil)).Column("t.boundary_id"), in(o.Session, scope)...).
		Where("t.id = ?", orderID))
	if err == nil && len(ids) == 0 {
		return 0, fault.Missing("order")
	}
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

func (o orders) Readings(ctx context.Context, scope access.Scope, orderID int64) ([]vegetation.Reading, error) {
	boundaryID, err := o.outline(ctx, scope, orderID)
	if err != nil {
		return nil, err
	}
	var rows []readingRow
	err = o.Session.NewSelect().Model(&rows).Where("t.order_id = ?", orderID).Where("t.boundary_id = ?", boundaryID).Scan(ctx)
	if err != nil {
		return nil, err
	}
	readings := make([]vegetation.Reading, len(rows))
	for i, row := range rows {
		if readings[i], err = readingOf(row.IndexCode, row.Mask, row.Dataset); err != nil {
			return nil, err
		}
	}
	// The order must not depend on how the database sorts text.
	slices.SortFunc(readings, func(a, b vegetation.Reading) int { return strings.Compare(a.String(), b.String()) })
	return readings, nil
}

// rowsOfSeries numbers the dates: the observations, then the rejected, each in their order.
func rowsOfSeries(series vegetation.Series) []dateColumns {
	rows := make([]dateColumns, 0, len(series.Observations)+len(series.Rejected))
	add := func(row dateColumns, of vegetation.Origin) {
		row.Fingerprint, row.NoSCL, row.SmallField, row.Synthetic = of.Fingerprint, of.NoSCL, of.SmallField, of.Synthetic
		row.Line = len(rows) + 1
		rows = append(rows, row)
	}
	for i := range series.Observations {
		d := &series.Observations[i]
		add(dateColumns{
			Date: sqlstore.DayAt(d.Date), Coverage: d.Coverage, NValid: d.NValid, NPolygon: d.NPolygon, Items: sqlstore.JSONOf(d.Items),
			Offsets: sqlstore.ListOf(d.Offsets), Sensor: sqlstore.JSONOf(sqlstore.ValueOf(d.Sensor)),
			Mean: &d.Value, Median: &d.Median, Std: &d.Std, Min: &d.Min, Max: &d.Max, P10: &d.P10, P90: &d.P90,
			Histogram: sqlstore.ListOf(list.Map(d.Histogram, func(b vegetation.Bin) [2]int { return [2]int{b.At, b.Share} })),
		}, d.Origin)
	}
	for i := range series.Rejected {
		d := &series.Rejected[i]
		add(dateColumns{
			Date: sqlstore.DayAt(d.Date), Reason: d.Reason, Coverage: d.Coverage, NValid: d.NValid, NPolygon: d.NPolygon, Items: sqlstore.JSONOf(d.Items),
			Offsets: sqlstore.ListOf[vegetation.AppliedOffset](nil), Histogram: sqlstore.ListOf[[2]int](nil), Note: d.Note,
		}, d.Origin)
	}
	return rows
}

func columnsOf(rows []dateRow) []dateColumns {
	return list.Map(rows, func(r dateRow) dateColumns { return r.dateColumns })
}

func datesOfRows(rows []dateColumns) (observed []vegetation.Observation, rejected []vegetation.Rejection) {
	for _, row := range rows {
		origin := vegetation.Origin{Fingerprint: row.Fingerprint, NoSCL: row.NoSCL, SmallField: row.SmallField, Synthetic: row.Synthetic}
		if row.Reason != "" {
			rejected = append(rejected, vegetation.Rejection{
				Date: row.Date.Time, Reason: row.Reason, Coverage: row.Coverage, NValid: row.NValid, NPolygon: row.NPolygon, Items: row.Items.V, Note: row.Note, Origin: origin,
			})
			continue
		}
		var sensor *vegetation.Sensor
		if row.Sensor.V.Dataset != "" {
			sensor = &row.Sensor.V
		}
		observed = append(observed, vegetation.Observation{
			Sensor: sensor,
			Date:   row.Date.Time, Coverage: row.Coverage, NValid: row.NValid, NPolygon: row.NPolygon, Items: row.Items.V, Offsets: append([]vegetation.AppliedOffset(nil), row.Offsets.V...),
			Value: sqlstore.ValueOf(row.Mean), Median: sqlstore.ValueOf(row.Median), Std: sqlstore.ValueOf(row.Std),
			Min: sqlstore.ValueOf(row.Min), Max: sqlstore.ValueOf(row.Max), P10: sqlstore.ValueOf(row.P10), P90: sqlstore.ValueOf(row.P90), Origin: origin,
			Histogram: histogramOf(row.Histogram.V),
		})
	}
	return observed, rejected
}

func histogramOf(bins [][2]int) vegetation.Histogram {
	if len(bins) == 0 {
		return nil
	}
	return list.Map(bins, func(b [2]int) vegetation.Bin { return vegetation.Bin{At: b[0], Share: b[1]} })
}

type derivationRow struct {
	bun.BaseModel `bun:"table:profile_derivations,alias:t"`
	OrderID       int64                `bun:"order_id,pk"`
	IndexCode     vegetation.IndexCode `bun:"index_code,pk"`
	Mask          string               `bun:"mask,pk"`
	Dataset       string               `bun:"dataset,pk"`
	Status        vegetation.Status
	Reason        string
	Attempts      int
	CheckedAt     *sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
}

// Derivation finds a derivation where its order is visible: it belongs to the order.
func (o orders) Derivation(ctx context.Context, scope access.Scope, orderID int64, reading vegetation.Reading) (vegetation.Derivation, bool, error) {
	visible := sqlstore.Where(o.Session.NewSelect().TableExpr("profile_orders AS t").Column("t.id"), in(o.Session, scope)...).Where("t.id = ?", orderID)
	q := o.Session.NewSelect().Model((*derivationRow)(nil)).Where("t.order_id IN (?)", visible)
	return sqlstore.Find(ctx, inReading(q, reading), func(row *derivationRow) vegetation.Derivation {
		return vegetation.Derivation{
			OrderID: row.OrderID, Reading: reading, Status: row.Status, Reason: row.Reason, Attempts: row.Attempts,
			CheckedAt: row.CheckedAt.Nullable(), UpdatedAt: row.UpdatedAt.Time,
		}
	})
}

func (o orders) CountDerivations(ctx context.Context, scope access.Scope, orderID int64) (int64, error) {
	if _, err := o.outline(ctx, scope, orderID); err != nil {
		return 0, err
	}
	return o.Session.NewSelect().Model((*derivationRow)(nil)).Where("t.order_id = ?", orderID).Count(ctx)
}

// PutDerivation locks the order.
func (o orders) PutDerivation(ctx context.Context, scope access.Scope, d vegetation.Derivation) error {
	if _, err := o.GetForUpdate(ctx, scope, d.OrderID); err != nil {
		return err
	}
	row := derivationRow{
		OrderID: d.OrderID, IndexCode: d.Index, Mask: d.Mask.String(), Dataset: d.Dataset.String(), Status: d.Status, Reason: d.Reason, Attempts: d.Attempts,
		CheckedAt: sqlstore.NullableStamp(d.CheckedAt), UpdatedAt: sqlstore.StampAt(d.UpdatedAt),
	}
	return sqlstore.Run(ctx, o.Session.NewInsert().Model(&row).
		Apply(sqlstore.Replacing("order_id, index_code, mask, dataset", "status", "reason", "attempts", "checked_at", "updated_at")))
}
