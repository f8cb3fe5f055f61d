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

// The lock order of everything that touches money is: wallet, then order. Every
// function here locks the wallet first, so that no two of them can wait for each other.

// profilePrice returns the price of a profile per hectare.
func profilePrice(ctx context.Context, tx ports.Repos) (credit.Amount, error) {
	set, ok, err := tx.Wallet.Price(ctx, credit.ServiceProfile)
	if err == nil && !ok {
		set = credit.DefaultProfilePrice
	}
	return set, err
}

// holdProfile sets the charge of an order's field aside, unless the field was charged
// already or another open order holds it. The wallet is locked by the caller.
// Faults: PaymentRequired.
func holdProfile(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, order vegetation.OrderState, now time.Time) error {
	_, err := tx.Wallet.FieldCharge(ctx, scope, order.FieldID)
	if err == nil {
		return nil
	}
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	perHa, err := profilePrice(ctx, tx)
	if err != nil {
		return err
	}
	amount := credit.Charge(perHa, order.AreaM2)
	if err := postProfile(ctx, tx, scope, wallet, credit.Hold, amount, order, now); err != nil {
		return err
	}
	return tx.Wallet.PutFieldCharge(ctx, scope, credit.FieldCharge{
		CompanyID: scope.Company(), FieldID: order.FieldID, OrderID: order.ID,
		Product: credit.VegetationIndexProfile, Amount: amount,
	})
}

// captureProfile spends what is held for an order's field: the field's first successful
// order, over all products. A field is charged once.
func captureProfile(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, order vegetation.OrderState, now time.Time) error {
	charge, err := tx.Wallet.FieldCharge(ctx, scope, order.FieldID)
	if err != nil {
		return err
	}
	if charge.Captured {
		return nil
	}
	if err := postProfile(ctx, tx, scope, wallet, credit.Capture, charge.Amount, order, now); err != nil {
		return err
	}
	charge.Captured, charge.OrderID = true, order.ID
	return tx.Wallet.PutFieldCharge(ctx, scope, charge)
}

// releaseProfile frees what a failed order holds, or passes it on to the next open order of
// the field.
func releaseProfile(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, order vegetation.OrderState, now time.Time) error {
	charge, err := tx.Wallet.FieldCharge(ctx, scope, order.FieldID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || charge.Captured || charge.OrderID != order.ID {
		return err
	}
	open, err := tx.Orders.OpenOfFields(ctx, scope, []int64{order.FieldID})
	if err != nil {
		return err
	}
	for _, id := range open {
		if id != order.ID {
			charge.OrderID = id
			return tx.Wallet.PutFieldCharge(ctx, scope, charge)
		}
	}
	if err := postProfile(ctx, tx, scope, wallet, credit.Release, charge.Amount, order, now); err != nil {
		return err
	}
	return tx.Wallet.DropFieldCharge(ctx, scope, order.FieldID)
}

// postProfile writes what happens to the charge of an order's field.
func postProfile(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, kind credit.Kind, amount credit.Amount, order vegetation.OrderState, now time.Time) error {
	return PostToWallet(ctx, tx, scope, wallet, credit.Transaction{
		CreatedAt: now, Kind: kind, Amount: amount, Product: credit.VegetationIndexProfile, FieldID: order.FieldID, OrderID: order.ID,
	})
}

// FailProfiles returns open orders up, for instance because their field is deleted, and
// releases what they hold. Orders that are no longer open are left alone.
func FailProfiles(ctx context.Context, tx ports.Repos, scope access.Scope, ids []int64, now time.Time, reason string) error {
	for _, id := range ids {
		wallet, err := tx.Wallet.Lock(ctx, scope)
		if err != nil {
			return err
		}
		state, err := tx.Orders.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		order := vegetation.RehydrateOrder(state)
		if !order.Open() {
			continue
		}
		if err := failProfile(ctx, tx, scope, wallet, &order, now, reason); err != nil {
			return err
		}
	}
	return nil
}

func failProfile(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, order *vegetation.Order, now time.Time, reason string) error {
	if err := order.Fail(now, reason); err != nil {
		return err
	}
	return settleFailedProfile(ctx, tx, scope, wallet, order, now)
}

// settleFailedProfile stores a failed order and releases its hold.
func settleFailedProfile(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, order *vegetation.Order, now time.Time) error {
	if err := tx.Orders.Update(ctx, scope, order.State()); err != nil {
		return err
	}
	return releaseProfile(ctx, tx, scope, wallet, order.State(), now)
}
