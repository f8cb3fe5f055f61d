package soil

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

type layerRow struct {
	bun.BaseModel `bun:"table:stratification_layers,alias:t"`
	OrderID       int64 `bun:"order_id,pk"`
	Line          int   `bun:"line,pk"`
	Name          string
	Source        string
	Coarse        bool
	Classes       bool
	ValidShare    float64
	Mean          float64
	SD            float64 `bun:"sd"`
	Dropped       string
	Provenance    sqlstore.JSON[layer.Provenance]
	Cells         int
	CellValues    []byte
}

func (o strats) PutLayers(ctx context.Context, scope access.Scope, orderID int64, layers []layer.PreparedLayer) error {
	if _, err := o.GetForUpdate(ctx, scope, orderID); err != nil {
		return err
	}
	if _, err := o.Session.NewDelete().Model((*layerRow)(nil)).Where("order_id = ?", orderID).Exec(ctx); err != nil {
		return err
	}
	for i, l := range layers { // one by one: their values are large
		row := layerRow{
			OrderID: orderID, Line: i + 1, Name: l.Name, Source: l.Source, Coarse: l.Coarse, Classes: l.Classes, ValidShare: l.ValidShare,
			Mean: l.Mean, SD: l.SD, Dropped: l.Dropped, Provenance: sqlstore.JSONOf(l.Provenance),
		}
		if l.Dropped == "" {
			var err error
			if row.Cells, row.CellValues, err = packed(l.Values); err != nil {
				return err
			}
		}
		if _, err := o.Session.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (o strats) Layers(ctx context.Context, scope access.Scope, orderID int64, values bool) ([]layer.PreparedLayer, error) {
	if err := sqlstore.Known(ctx, stratView.From(o.Session, scope).Where("t.id = ?", orderID), "order"); err != nil {
		return nil, err
	}
	q := o.Session.NewSelect().Model((*layerRow)(nil)).Where("t.order_id = ?", orderID).OrderExpr("t.line")
	if !values {
		q = q.ExcludeColumn("cell_values")
	}
	var rows []layerRow
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	out := make([]layer.PreparedLayer, len(rows))
	for i, row := range rows {
		out[i] = layer.PreparedLayer{
			Layer:      layer.Layer{Name: row.Name, Source: row.Source, Coarse: row.Coarse, Classes: row.Classes},
			ValidShare: row.ValidShare, Mean: row.Mean, SD: row.SD, Dropped: row.Dropped, Provenance: row.Provenance.V,
		}
		if values && row.Dropped == "" {
			var err error
			if out[i].Values, err = unpacked(row.CellValues, row.Cells); err != nil {
				return nil, fmt.Errorf("layer %s of order %d: %w", row.Name, orderID, err)
			}
		}
	}
	return out, nil
}

// packed returns the stored form of numbers that 32 bits hold: little-endian and deflated.
func packed(values []float64) (cells int, out []byte, err error) {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	out, err = sqlstore.DeflateBytes(raw)
	return len(values), out, err
}

func unpacked(stored []byte, cells int) ([]float64, error) {
	raw := make([]byte, 4*cells)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(stored)), raw); err != nil {
		return nil, err
	}
	out := make([]float64, cells)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	return out, nil
}

type rasterRow struct {
	bun.BaseModel `bun:"table:layer_rasters,alias:t"`
	Name          string `bun:"name,pk"`
	Object        string
	File          string
	Checksum      string
	Size          int64
	EPSG          int `bun:"epsg"`
	CellSize      float64
	Scale         float64
	Shift         float64
	Width         int
	Height        int
	AddedAt       sqlstore.Stamp
	Description   string
	CompanyID     *int64
	Coarse        bool
	Classes       bool
}

func (r *rasterRow) raster() ports.LayerRaster {
	return ports.LayerRaster{
		Name: r.Name, Object: r.Object, File: r.File, Checksum: r.Checksum, Size: r.Size, EPSG: r.EPSG, CellSize: r.CellSize,
		Scale: r.Scale, Offset: r.Shift, Cols: r.Width, Rows: r.Height, AddedAt: r.AddedAt.Time,
		Description: r.Description, CompanyID: sqlstore.ValueOf(r.CompanyID), Coarse: r.Coarse, Classes: r.Classes,
	}
}

// layerRasters implements ports.LayerRasters.
type layerRasters struct{ s *sqlstore.Session }

func (l layerRasters) All(ctx context.Context) ([]ports.LayerRaster, error) {
	return rastersOf(ctx, l.s.NewSelect())
}

func (l layerRasters) Of(ctx context.Context, scope access.Scope) ([]ports.LayerRaster, error) {
	mine := sqlstore.Own("t", scope)
	return rastersOf(ctx, l.s.NewSelect().Where("t.company_id IS NULL OR "+mine.SQL, mine.Args...))
}

func rastersOf(ctx context.Context, q *bun.SelectQuery) ([]ports.LayerRaster, error) {
	return sqlstore.All(ctx, q.Model((*rasterRow)(nil)).OrderExpr("t.name"), (*rasterRow).raster)
}

func (l layerRasters) Add(ctx context.Context, r ports.LayerRaster) error {
	row := rasterRow{
		Name: r.Name, Object: r.Object, File: r.File, Checksum: r.Checksum, Size: r.Size, EPSG: r.EPSG, CellSize: r.CellSize,
		Scale: r.Scale, Shift: r.Offset, Width: r.Cols, Height: r.Rows, AddedAt: sqlstore.StampAt(r.AddedAt),
		Description: r.Description, CompanyID: sqlstore.NullableID(r.CompanyID), Coarse: r.Coarse, Classes: r.Classes,
	}
	return sqlstore.Change(ctx, l.s.NewInsert().Model(&row).On("CONFLICT (name) DO NOTHING"),
		fault.Newf(fault.Conflict, "layer_exists", "There is already a layer %s; remove it first, or choose another name.", r.Name))
}

func (l layerRasters) Remove(ctx context.Context, name string) (ports.LayerRaster, error) {
	var row rasterRow
	err := l.s.NewDelete().Model(&row).Where("name = ?", name).Returning("*").Scan(ctx)
	return row.raster(), sqlstore.Missing(err, "layer")
}
