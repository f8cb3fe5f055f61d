package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

type noMapOrders struct{ ports.MapOrders }

// noMaps is what table does not implement; it is embedded one level deeper, so that table's methods win.
type noMaps struct{ noMapOrders }

// fieldMaps implements ports.FieldMaps over one table of orders.
type fieldMaps struct {
	all    *table[vegetation.OrderState]
	dates  map[int64]mapDates
	layers map[int64][]fieldmap.Layer
}

type mapDates struct {
	series vegetation.Series
	files  []indexmap.File
}

// mapOrders implements ports.MapOrders.
type mapOrders struct {
	noMaps
	*table[vegetation.OrderState]
	of      *fieldMaps
	product credit.Product
}

func (w *World) newFieldMaps() *fieldMaps {
	m := &fieldMaps{
		all:    newTable(w, "order", func(r *vegetation.OrderState) (id, company *int64) { return &r.ID, &r.CompanyID }),
		dates:  map[int64]mapDates{},
		layers: map[int64][]fieldmap.Layer{},
	}
	w.saves = append(w.saves, func() func() {
		dates, layers := maps.Clone(m.dates), maps.Clone(m.layers)
		return func() { m.dates, m.layers = dates, layers }
	})
	return m
}

func (m *fieldMaps) Of(product credit.Product) ports.MapOrders {
	return &mapOrders{table: m.all, of: m, product: product}
}

func (m *fieldMaps) refs(scope access.Scope, holds func(vegetation.OrderState) bool) (out []vegetation.OrderRef, err error) {
	for _, order := range m.all.all(scope, func(r vegetation.OrderState) bool { return open(r) && holds(r) }) {
		out = append(out, vegetation.OrderRef{Product: order.Product, ID: order.ID})
	}
	return out, nil
}

func (m *fieldMaps) OpenOfFields(_ context.Context, scope access.Scope, fieldIDs []int64) ([]vegetation.OrderRef, error) {
	return m.refs(scope, func(r vegetation.OrderState) bool { return slices.Contains(fieldIDs, r.FieldID) })
}

func (m *fieldMaps) OpenOfOutline(_ context.Context, scope access.Scope, outline string) ([]vegetation.OrderRef, error) {
	return m.refs(scope, func(r vegetation.OrderState) bool { return r.FieldID == 0 && r.Map.Outline == outline })
}

func (m *fieldMaps) OpenOfSeason(_ context.Context, scope access.Scope, seasonID int64) ([]vegetation.OrderRef, error) {
	return m.refs(scope, func(r vegetation.OrderState) bool { return r.SeasonID == seasonID })
}

func (m *fieldMaps) ActiveOfSeason(_ context.Context, scope access.Scope, seasonID int64) (bool, error) {
	return len(m.all.ids(scope, func(r vegetation.OrderState) bool { return r.Status == vegetation.Active && r.SeasonID == seasonID })) > 0, nil
}

func (o *mapOrders) Find(_ context.Context, scope access.Scope, key string) (vegetation.OrderState, error) {
	for _, order := range o.all(scope, func(r vegetation.OrderState) bool { return r.Product == o.product && r.Key() == key }) {
		return order, nil
	}
	return vegetation.OrderState{}, fault.Missing("order")
}

func (o *mapOrders) FindForUpdate(ctx context.Context, scope access.Scope, key string) (vegetation.OrderState, error) {
	return o.Find(ctx, scope, key)
}

func (o *mapOrders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	if _, err := o.Find(ctx, access.Own(scope.Company()), order.Key()); err == nil {
		return fault.New(fault.Conflict, "order_exists", "There is already an order for this map.")
	}
	return o.table.Insert(ctx, scope, []*vegetation.OrderState{order})
}

func (o *mapOrders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	return o.table.Update(ctx, scope, &order)
}

func (o *mapOrders) PutDates(ctx context.Context, scope access.Scope, id int64, series vegetation.Series, files []indexmap.File) error {
	_, err := o.Get(ctx, scope, id)
	if err == nil {
		o.of.dates[id] = mapDates{series, files}
	}
	return err
}

func (o *mapOrders) Dates(ctx context.Context, scope access.Scope, id int64) (vegetation.Series, []indexmap.File, error) {
	_, err := o.Get(ctx, scope, id)
	return o.of.dates[id].series, o.of.dates[id].files, err
}

func (o *mapOrders) PutLayers(ctx context.Context, scope access.Scope, id int64, layers []fieldmap.Layer) error {
	_, err := o.Get(ctx, scope, id)
	if err == nil {
		o.of.layers[id] = slices.Clone(layers)
	}
	return err
}

func (o *mapOrders) Layers(ctx context.Context, scope access.Scope, id int64) ([]fieldmap.Layer, error) {
	_, err := o.Get(ctx, scope, id)
	return slices.Clone(o.of.layers[id]), err
}

func (o *mapOrders) File(ctx context.Context, scope access.Scope, id int64, day *time.Time) (vegetation.OrderState, indexmap.File, error) {
	order, err := o.Get(ctx, scope, id)
	if err != nil {
		return order, indexmap.File{}, err
	}
	for _, f := range slices.Backward(o.of.dates[id].files) {
		if day == nil || f.Day.Equal(*day) {
			return order, f, nil
		}
	}
	return order, indexmap.File{}, fault.Missing("date")
}
