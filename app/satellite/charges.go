package satellite

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// owed is the amount that placing an order holds: nothing for a field that was already charged or is held for by another open order.
type owed struct {
	amount credit.Amount
	holds  bool
}

// price returns the price of the product per hectare; if it is not set, that of the profile.
func (p product) price(ctx context.Context, tx ports.Repos) (credit.Amount, error) {
	set, ok, err := tx.Wallet.Price(ctx, string(p.code))
	switch {
	case err != nil || ok:
		return set, err
	case p.isProfile():
		return credit.DefaultProfilePrice, nil
	}
	return profiles.price(ctx, tx)
}

// dueFor returns the amount that placing an order holds at a price per hectare.
func dueFor(ctx context.Context, p Purse, order vegetation.OrderState, perHa credit.Amount) (owed, error) {
	_, err := p.Tx.Wallet.FieldCharge(ctx, p.Scope, order.Site())
	if !fault.Is(err, fault.NotFound) {
		return owed{}, err
	}
	amount, err := freshCharge(ctx, p.Tx, p.Scope, order, perHa)
	return owed{amount, true}, err
}

// freshCharge returns the cost of an order at a price per hectare if its field was never charged. Land that was paid for
// before, such as that of other fields from which this one was merged, is not charged again.
func freshCharge(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState, perHa credit.Amount) (credit.Amount, error) {
	if order.FieldID == 0 {
		return credit.Charge(perHa, order.AreaM2), nil
	}
	paid, err := tx.Wallet.PaidLand(ctx, scope, order.FieldID)
	return credit.Charge(perHa, credit.DueM2(order.AreaM2, paid)), err
}

// hold sets aside what is due for an order's field. Faults: PaymentRequired.
func hold(ctx context.Context, p Purse, order vegetation.OrderState, due owed) error {
	if !due.holds {
		return nil
	}
	if err := post(ctx, p, credit.Hold, due.amount, order); err != nil {
		return err
	}
	return p.Tx.Wallet.PutFieldCharge(ctx, p.Scope, chargeFor(order, due.amount))
}

// chargeFor returns the charge of an order's field, held for it.
func chargeFor(order vegetation.OrderState, amount credit.Amount) credit.FieldCharge {
	return credit.FieldCharge{CompanyID: order.CompanyID, Site: order.Site(), OrderID: order.ID, Product: order.Code(), Amount: amount}
}

// capture spends what is held for an order's field. This happens with the field's first successful
// order, over all products: a field is charged once.
func capture(ctx context.Context, p Purse, order vegetation.OrderState) error {
	charge, err := p.Tx.Wallet.FieldCharge(ctx, p.Scope, order.Site())
	if err != nil {
		return err
	}
	if charge.Captured {
		return nil
	}
	if err := post(ctx, p, credit.Capture, charge.Amount, order); err != nil {
		return err
	}
	charge.Captured, charge.OrderID, charge.Product = true, order.ID, order.Code()
	return p.Tx.Wallet.PutFieldCharge(ctx, p.Scope, charge)
}

// release frees what a failed order holds, or passes it on to the next open order of the field, whatever its product.
func release(ctx context.Context, p Purse, order vegetation.OrderState) error {
	charge, err := p.Tx.Wallet.FieldCharge(ctx, p.Scope, order.Site())
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || charge.Captured || !charge.Of(order.Code(), order.ID) {
		return err
	}
	open, err := openOf(ctx, p.Tx, p.Scope.WithLapsed(), order.Site())
	if err != nil {
		return err
	}
	for _, one := range open {
		if !charge.Of(one.Product, one.ID) {
			charge.Product, charge.OrderID = one.Product, one.ID
			return p.Tx.Wallet.PutFieldCharge(ctx, p.Scope, charge)
		}
	}
	if err := post(ctx, p, credit.Release, charge.Amount, order); err != nil {
		return err
	}
	return p.Tx.Wallet.DropFieldCharge(ctx, p.Scope, order.Site())
}

// openOf returns the open orders of a field or an outline, of all products: profiles first, then by id.
func openOf(ctx context.Context, tx ports.Repos, scope access.Scope, of credit.Site) ([]vegetation.OrderRef, error) {
	if of.FieldID == 0 {
		return tx.Maps.OpenOfOutline(ctx, scope, of.Outline)
	}
	return OpenOfFields(ctx, tx, scope, []int64{of.FieldID})
}

// OpenOfFields returns the open orders of fields, of all products: profiles first, then by id.
func OpenOfFields(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64) ([]vegetation.OrderRef, error) {
	ids, err := tx.Orders.OpenOfFields(ctx, scope, fields)
	if err != nil {
		return nil, err
	}
	maps, err := tx.Maps.OpenOfFields(ctx, scope, fields)
	return append(refsOf(ids), maps...), err
}

// openOfSeason returns the open orders of a season, of all products.
func openOfSeason(ctx context.Context, tx ports.Repos, scope access.Scope, season int64) ([]vegetation.OrderRef, error) {
	ids, err := tx.Orders.OpenOfSeason(ctx, scope, season)
	if err != nil {
		return nil, err
	}
	maps, err := tx.Maps.OpenOfSeason(ctx, scope, season)
	return append(refsOf(ids), maps...), err
}

func refsOf(ids []int64) []vegetation.OrderRef {
	return list.Map(ids, func(id int64) vegetation.OrderRef {
		return vegetation.OrderRef{Product: credit.VegetationIndexProfile, ID: id}
	})
}

// ActiveOfSeason reports whether an order of the season is active, whatever its product.
func ActiveOfSeason(ctx context.Context, tx ports.Repos, scope access.Scope, season int64) (bool, error) {
	active, err := tx.Orders.ActiveOfSeason(ctx, scope, season)
	if err != nil || active {
		return active, err
	}
	return tx.Maps.ActiveOfSeason(ctx, scope, season)
}

// post writes a transaction for the charge of an order's field.
func post(ctx context.Context, p Purse, kind credit.Kind, amount credit.Amount, order vegetation.OrderState) error {
	return p.Post(ctx, credit.Transaction{
		Kind: kind, Amount: amount, Product: order.Code(), FieldID: order.FieldID, OrderID: order.ID, Note: order.Site().Note(),
	})
}

// lock returns an order under its lock, taken after that of the wallet, even if it is hidden because its field
// is no longer shared.
func (p product) lock(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, now time.Time) (purse Purse, order vegetation.Order, err error) {
	if purse, err = LockPurse(ctx, tx, scope, now); err != nil {
		return purse, order, err
	}
	state, err := p.repo(tx).GetForUpdate(ctx, scope.WithLapsed(), id)
	return purse, vegetation.RehydrateOrder(state), err
}

// Ended states when and why orders are ended for good.
type Ended struct {
	At     time.Time
	Reason string
}

// FailOfFields ends the open orders of fields, for instance because the fields are deleted, and releases what they hold.
func FailOfFields(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, why Ended) error {
	open, err := OpenOfFields(ctx, tx, scope, fields)
	if err != nil {
		return err
	}
	return FailOrders(ctx, tx, scope, open, why)
}

// FailOfSeason does the same for the orders of a season.
func FailOfSeason(ctx context.Context, tx ports.Repos, scope access.Scope, season int64, why Ended) error {
	open, err := openOfSeason(ctx, tx, scope, season)
	if err != nil {
		return err
	}
	return FailOrders(ctx, tx, scope, open, why)
}

// FailOrders ends open orders, and releases what they hold. Orders that are no longer open are left alone.
func FailOrders(ctx context.Context, tx ports.Repos, scope access.Scope, open []vegetation.OrderRef, why Ended) error {
	for _, one := range open {
		p := product{code: one.Product}
		purse, order, err := p.lock(ctx, tx, scope, one.ID, why.At)
		if err != nil {
			return err
		}
		if !order.Open() {
			continue
		}
		if err := p.fail(ctx, purse, &order, why.Reason); err != nil {
			return err
		}
	}
	return nil
}

// fail ends an open order for good, and releases its hold.
func (p product) fail(ctx context.Context, purse Purse, order *vegetation.Order, reason string) error {
	if err := order.Fail(purse.Now, reason); err != nil {
		return err
	}
	return p.settleFailed(ctx, purse, order.State())
}

// settleFailed stores an order that has failed, and releases its hold.
func (p product) settleFailed(ctx context.Context, purse Purse, order vegetation.OrderState) error {
	if err := p.repo(purse.Tx).Update(ctx, purse.Scope, order); err != nil {
		return err
	}
	return release(ctx, purse, order)
}
