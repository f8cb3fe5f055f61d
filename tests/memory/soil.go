package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

func (w *World) addSoil() {
	w.repos.AOIs = aois{recordTable(w, "area of interest", func(r *stratification.AOI) *record.Meta { return &r.Meta })}
	orders := soilOrders{table: newTable(w, "order", func(r *stratification.OrderState) (id, company *int64) { return &r.ID, &r.CompanyID })}
	w.repos.StratificationOrders, w.operator.Orders = orders, soilKeeper{orders: orders}
	w.operator.Subscriptions = subscriptions{held: map[int64]bool{}}
}

// Subscribe subscribes companies to every service.
func (w *World) Subscribe(companies ...int64) {
	for _, id := range companies {
		w.operator.Subscriptions.(subscriptions).held[id] = true
	}
}

// Price sets the price of a service per hectare.
func (w *World) Price(service string, price credit.Amount) {
	w.repos.Wallet.(*purse).prices[service] = price
}

type noSubscriptions struct{ ports.Subscriptions }

type subscriptions struct {
	noSubscriptions
	held map[int64]bool
}

func (s subscriptions) Active(_ context.Context, company int64, _ access.Service, _ time.Time) (bool, error) {
	return s.held[company], nil
}

type aois struct{ *table[stratification.AOI] }

func (a aois) IDOf(_ context.Context, scope access.Scope, uuid string) (int64, error) {
	for id, row := range a.rows {
		if row.record.UUID == uuid && row.record.CompanyID == scope.Company() {
			return id, nil
		}
	}
	return 0, fault.Missing(a.name)
}

type noSoilOrders struct{ ports.StratificationOrders }

type soilOrders struct {
	noSoilOrders
	*table[stratification.OrderState]
}

func (o soilOrders) Latest(_ context.Context, scope access.Scope, aoiID int64, mapType string) (out stratification.OrderState, err error) {
	err = fault.Missing(o.name)
	for _, order := range o.all(scope, func(r stratification.OrderState) bool {
		return r.AOI.ID == aoiID && r.Status != stratification.OrderFailed && (mapType == "" || mapType == r.MapType)
	}) {
		out, err = order, nil
	}
	return out, err
}

func (o soilOrders) OpenOf(_ context.Context, scope access.Scope, aoiID int64) ([]int64, error) {
	return o.ids(scope, func(r stratification.OrderState) bool {
		return r.AOI.ID == aoiID && r.Status != stratification.OrderFailed && r.Status != stratification.OrderActive
	}), nil
}

func (o soilOrders) Insert(ctx context.Context, scope access.Scope, order *stratification.OrderState) error {
	return o.table.Insert(ctx, scope, []*stratification.OrderState{order})
}

func (o soilOrders) Update(ctx context.Context, scope access.Scope, order stratification.OrderState) error {
	return o.table.Update(ctx, scope, &order)
}

// PutLayers only checks that the order exists; the layers are left to the database.
func (o soilOrders) PutLayers(ctx context.Context, scope access.Scope, id int64, _ []layer.PreparedLayer) error {
	_, err := o.Get(ctx, scope, id)
	return err
}

type noSoilKeeper struct{ ports.OrderKeeper }

type soilKeeper struct {
	noSoilKeeper
	orders soilOrders
}

func (k soilKeeper) Overdue(_ context.Context, since time.Time, limit int) (out []ports.OverdueOrder, err error) {
	for _, id := range slices.Sorted(maps.Keys(k.orders.rows)) {
		o := k.orders.rows[id].record
		if o.Status == stratification.OrderProcessing && o.ProcessingAt.Before(since) && len(out) < limit {
			out = append(out, ports.OverdueOrder{ID: o.ID, CompanyID: o.CompanyID})
		}
	}
	return out, nil
}
