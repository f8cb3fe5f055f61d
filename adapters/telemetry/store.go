package telemetry

import (
	"context"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/stratification"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Store returns the same store, whose committed transactions are examined for orders and for credit.
func (t *Telemetry) Store(of ports.Store) ports.Store { return store{of, t.figures} }

type store struct {
	ports.Store
	figures *figures
}

// Write implements ports.Store.
func (s store) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	seen := new(tally)
	err := s.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		seen = new(tally) // the transaction may run again
		tx.Wallet = wallet{tx.Wallet, seen}
		tx.Maps = fieldMaps{tx.Maps, seen, map[int64]vegetation.Status{}}
		tx.Orders = profileOrders{tx.Orders, seen, map[int64]vegetation.Status{}}
		tx.StratificationOrders = soilOrders{tx.StratificationOrders, seen, map[int64]stratification.OrderStatus{}}
		return do(ctx, tx)
	})
	if err == nil {
		seen.count(s.figures)
	}
	return err
}

// Operate implements ports.Store.
func (s store) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	seen := new(tally)
	err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		seen = new(tally)
		tx.Wallet = wallet{tx.Wallet, seen}
		return do(ctx, tx)
	})
	if err == nil {
		seen.count(s.figures)
	}
	return err
}

// tally is what one transaction did.
type tally struct {
	orders []ordered
	posted []credit.Transaction
}

type ordered struct{ product, status string }

func (t *tally) count(f *figures) {
	for _, o := range t.orders {
		f.orders.WithLabelValues(o.product, o.status).Inc()
	}
	for _, p := range t.posted {
		f.transactions.WithLabelValues(string(p.Kind), string(p.Product)).Inc()
		f.credits.WithLabelValues(string(p.Kind), string(p.Product)).Add(p.Amount.Float())
	}
}

type wallet struct {
	ports.Wallet
	seen *tally
}

// Post implements ports.Wallet.
func (w wallet) Post(ctx context.Context, scope access.Scope, next credit.Wallet, tx *credit.Transaction) error {
	err := w.Wallet.Post(ctx, scope, next, tx)
	if err == nil {
		w.seen.posted = append(w.seen.posted, credit.Transaction{Kind: tx.Kind, Product: tx.Product, Amount: tx.Amount})
	}
	return err
}

// profileOrders counts the orders that come into a status: those that already had it when they were read are not counted.
type profileOrders struct {
	ports.ProfileOrders
	seen *tally
	had  map[int64]vegetation.Status
}

// GetForUpdate implements ports.Lockable.
func (o profileOrders) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error) {
	order, err := o.ProfileOrders.GetForUpdate(ctx, scope, id)
	if err == nil {
		o.had[order.ID] = order.Status
	}
	return order, err
}

// FindForUpdate implements ports.ProfileOrders.
func (o profileOrders) FindForUpdate(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	order, err := o.ProfileOrders.FindForUpdate(ctx, scope, fieldID, seasonID)
	if err == nil {
		o.had[order.ID] = order.Status
	}
	return order, err
}

// Insert implements ports.ProfileOrders.
func (o profileOrders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	err := o.ProfileOrders.Insert(ctx, scope, order)
	if err == nil {
		o.came(*order)
	}
	return err
}

// Update implements ports.ProfileOrders.
func (o profileOrders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	err := o.ProfileOrders.Update(ctx, scope, order)
	if err == nil {
		o.came(order)
	}
	return err
}

func (o profileOrders) came(order vegetation.OrderState) { o.seen.came(o.had, order) }

// came counts an order that has come into a status that it did not have.
func (t *tally) came(had map[int64]vegetation.Status, order vegetation.OrderState) {
	if had[order.ID] != order.Status {
		had[order.ID] = order.Status
		t.orders = append(t.orders, ordered{string(order.Code()), string(order.Status)})
	}
}

// fieldMaps does the same for the orders of maps.
type fieldMaps struct {
	ports.FieldMaps
	seen *tally
	had  map[int64]vegetation.Status
}

// Of implements ports.FieldMaps.
func (m fieldMaps) Of(product credit.Product) ports.MapOrders {
	return mapOrders{m.FieldMaps.Of(product), m}
}

type mapOrders struct {
	ports.MapOrders
	of fieldMaps
}

// GetForUpdate implements ports.Lockable.
func (o mapOrders) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error) {
	return o.had(o.MapOrders.GetForUpdate(ctx, scope, id))
}

// FindForUpdate implements ports.MapOrders.
func (o mapOrders) FindForUpdate(ctx context.Context, scope access.Scope, key string) (vegetation.OrderState, error) {
	return o.had(o.MapOrders.FindForUpdate(ctx, scope, key))
}

func (o mapOrders) had(order vegetation.OrderState, err error) (vegetation.OrderState, error) {
	if err == nil {
		o.of.had[order.ID] = order.Status
	}
	return order, err
}

// Insert implements ports.MapOrders.
func (o mapOrders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	err := o.MapOrders.Insert(ctx, scope, order)
	if err == nil {
		o.of.seen.came(o.of.had, *order)
	}
	return err
}

// Update implements ports.MapOrders.
func (o mapOrders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	err := o.MapOrders.Update(ctx, scope, order)
	if err == nil {
		o.of.seen.came(o.of.had, order)
	}
	return err
}

// soilOrders does the same for stratification orders.
type soilOrders struct {
	ports.StratificationOrders
	seen *tally
	had  map[int64]stratification.OrderStatus
}

// GetForUpdate implements ports.Lockable.
func (o soilOrders) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (stratification.OrderState, error) {
	order, err := o.StratificationOrders.GetForUpdate(ctx, scope, id)
	if err == nil {
		o.had[order.ID] = order.Status
	}
	return order, err
}

// Insert implements ports.StratificationOrders.
func (o soilOrders) Insert(ctx context.Context, scope access.Scope, order *stratification.OrderState) error {
	err := o.StratificationOrders.Insert(ctx, scope, order)
	if err == nil {
		o.came(*order)
	}
	return err
}

// Update implements ports.StratificationOrders.
func (o soilOrders) Update(ctx context.Context, scope access.Scope, order stratification.OrderState) error {
	err := o.StratificationOrders.Update(ctx, scope, order)
	if err == nil {
		o.came(order)
	}
	return err
}

func (o soilOrders) came(order stratification.OrderState) {
	if o.had[order.ID] != order.Status {
		o.had[order.ID] = order.Status
		o.seen.orders = append(o.seen.orders, ordered{order.MapType, string(order.Status)})
	}
}
