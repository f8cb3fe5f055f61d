package satellite

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fieldmap"
)

// mapLayerRow is a layer of a map without dates. It names no file where the layer has none.
type mapLayerRow struct {
	bun.BaseModel `bun:"table:map_layers,alias:t"`
	OrderID       int64 `bun:"order_id,pk"`
	Line          int   `bun:"line,pk"`
	Name          string
	About         sqlstore.JSON[fieldmap.Layer]
	Object        string
	Bytes         int64
}

func (m mapOrders) PutLayers(ctx context.Context, scope access.Scope, orderID int64, layers []fieldmap.Layer) error {
	if err := m.own(ctx, scope, orderID); err != nil {
		return err
	}
	if _, err := m.Session.NewDelete().Model((*mapLayerRow)(nil)).Where("order_id = ?", orderID).Exec(ctx); err != nil {
		return err
	}
	rows := make([]mapLayerRow, len(layers))
	for i, l := range layers {
		rows[i] = mapLayerRow{OrderID: orderID, Line: i, Name: l.Name, About: sqlstore.JSONOf(l), Object: l.Object, Bytes: l.Bytes}
	}
	return sqlstore.InsertRows(ctx, m.Session, rows)
}

func (m mapOrders) Layers(ctx context.Context, scope access.Scope, orderID int64) ([]fieldmap.Layer, error) {
	if _, err := m.Get(ctx, scope, orderID); err != nil {
		return nil, err
	}
	q := m.Session.NewSelect().Model((*mapLayerRow)(nil)).Where("t.order_id = ?", orderID).OrderExpr("t.line")
	return sqlstore.All(ctx, q, func(row *mapLayerRow) fieldmap.Layer {
		l := row.About.V
		l.Object, l.Bytes = row.Object, row.Bytes
		return l
	})
}
