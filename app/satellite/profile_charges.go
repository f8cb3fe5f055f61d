package satellite

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// owed is what placing an order holds: nothing for a field that was charged already or is held for by another open order.
type owed struct {
	amount credit.Amount
	holds  bool
}

// profilePrice returns the price of a profile per hectare.
func profilePrice(ctx context.Context, tx ports.Repos) (credit.Amount, error) {
	set, ok, err := tx.Wallet.Price(ctx, credit.ServiceProfile)
	if err == nil && !ok {
		set = credit.DefaultProfilePrice
	}
	return set, err
}

// dueFor returns what placing an order holds at a price per hectare.
func dueFor(ctx context.Context, p Purse, order vegetation.OrderState, perHa credit.Amount) (owed, error) {
	_, err := p.Tx.Wallet.FieldCharge(ctx, p.Scope, order.FieldID)
	if !fault.Is(err, fault.NotFound) {
		return owed{}, err
	}
	amount, err := freshCharge(ctx, p.Tx, p.Scope, order, perHa)
	return owed{amount, true}, err
}

// freshCharge returns what an order of a field costs at a price per hectare where the field was never charged: the land that
// was paid for before, as other fields of which this one was merged, is not charged again.
func freshCharge(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState, perHa credit.Amount) (credit.Amount, error) {
	paid, err := tx.Wallet.PaidLand(ctx, scope, order.FieldID)
	return credit.Charge(perHa, credit.DueM2(order.AreaM2, paid)), err
}

// holdProfile sets what is due for an order's field aside. Faults: PaymentRequired.
func holdProfile(ctx context.Context, p Purse, order vegetation.OrderState, due owed) error {
	if !due.holds {
		return nil
	}
	if err := postProfile(ctx, p, credit.Hold, due.amount, order); err != nil {
		return err
	}
	return p.Tx.Wallet.PutFieldCharge(ctx, p.Scope, credit.FieldCharge{
		CompanyID: p.Scope.Company(), FieldID: order.FieldID, OrderID: order.ID,
		Product: credit.VegetationIndexProfile, Amount: due.amount,
	})
}

// captureProfile spends what is held for an order's field: the field's first successful
// order, over all products. A field is charged once.
func captureProfile(ctx context.Context, p Purse, order vegetation.OrderState) error {
	charge, err := p.Tx.Wallet.FieldCharge(ctx, p.Scope, order.FieldID)
	if err != nil {
		return err
	}
	if charge.Captured {
		return nil
	}
	if err := postProfile(ctx, p, credit.Capture, charge.Amount, order); err != nil {
		return err
	}
	charge.Captured, charge.OrderID = true, order.ID
	return p.Tx.Wallet.PutFieldCharge(ctx, p.Scope, charge)
}

// releaseProfile frees what a failed order holds, or passes it on to the next open order of the field.
func releaseProfile(ctx context.Context, p Purse, order vegetation.OrderState) error {
	charge, err := p.Tx.Wallet.FieldCharge(ctx, p.Scope, order.FieldID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || charge.Captured || charge.OrderID != order.ID {
		return err
	}
	open, err := p.Tx.Orders.OpenOfFields(ctx, p.Scope.WithLapsed(), []int64{order.FieldID})
	if err != nil {
		return err
	}
	for _, id := range open {
		if id != order.ID {
			charge.OrderID = id
			return p.Tx.Wallet.PutFieldCharge(ctx, p.Scope, charge)
		}
	}
	if err := postProfile(ctx, p, credit.Release, charge.Amount, order); err != nil {
		return err
	}
	return p.Tx.Wallet.DropFieldCharge(ctx, p.Scope, order.FieldID)
}

// postProfile writes what happens to the charge of an order's field.
func postProfile(ctx context.Context, p Purse, kind credit.Kind, amount credit.Amount, order vegetation.OrderState) error {
	return p.Post(ctx, credit.Transaction{
		Kind: kind, Amount: amount, Product: credit.VegetationIndexProfile, FieldID: order.FieldID, OrderID: order.ID,
	})
}

// lockProfile returns an order under its lock, after that of the wallet, also one that is hidden since its field is no
// longer shared.
func lockProfile(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, now time.Time) (p Purse, order vegetation.Order, err error) {
	if p, err = LockPurse(ctx, tx, scope, now); err != nil {
		return p, order, err
	}
	state, err := tx.Orders.GetForUpdate(ctx, scope.WithLapsed(), id)
	return p, vegetation.RehydrateOrder(state), err
}

// FailProfiles ends open orders for good, for instance because their field is deleted, and
// releases what they hold. Orders that are no longer open are left alone.
func FailProfiles(ctx context.Context, tx ports.Repos, scope access.Scope, ids []int64, now time.Time, reason string) error {
	for _, id := range ids {
		p, order, err := lockProfile(ctx, tx, scope, id, now)
		if err != nil {
			return err
		}
		if !order.Open() {
			continue
		}
		if err := failProfile(ctx, p, &order, reason); err != nil {
			return err
		}
	}
	return nil
}

// failProfile ends an open order for good, and releases its hold.
func failProfile(ctx context.Context, p Purse, order *vegetation.Order, reason string) error {
	if err := order.Fail(p.Now, reason); err != nil {
		return err
	}
	return settleFailed(ctx, p, order.State())
}

// settleFailed stores an order that has failed, and releases its hold.
func settleFailed(ctx context.Context, p Purse, order vegetation.OrderState) error {
	if err := p.Tx.Orders.Update(ctx, p.Scope, order); err != nil {
		return err
	}
	return releaseProfile(ctx, p, order)
}
