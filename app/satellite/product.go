package satellite

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// product is what the orders of one satellite product do in their own way. All else they do alike: they are placed, quoted,
// charged, computed and given up by the same code, and a field is charged once over all of them.
type product struct {
	code   credit.Product
	access access.Resource
	job    string // the kind of the jobs that compute an order
	// done returns the event of an order that is there, or that has changed.
	done func(id string, order vegetation.OrderState, s vegetation.Series, at time.Time) event.Event
}

var profiles = product{credit.VegetationIndexProfile, access.ProfileOrders, ProfileJob, profileCompletedEvent}

// orderRepo is the orders of one product, as far as they are alike.
type orderRepo interface {
	ports.Lockable[vegetation.OrderState]
	Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error
	Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error
}

// get returns an order of the product, of a scope. Faults: NotFound.
func (p product) get(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (vegetation.OrderState, error) {
	return p.repo(tx).Get(ctx, scope, id)
}

func (p product) isProfile() bool { return p.code == credit.VegetationIndexProfile }

func (p product) repo(tx ports.Repos) orderRepo {
	if p.isProfile() {
		return tx.Orders
	}
	return tx.Maps.Of(p.code)
}

// find returns the order that a company has of what another asks for. Faults: NotFound.
func (p product) find(ctx context.Context, tx ports.Repos, scope access.Scope, like vegetation.OrderState) (vegetation.OrderState, error) {
	if p.isProfile() {
		return tx.Orders.Find(ctx, scope, like.FieldID, like.SeasonID)
	}
	return tx.Maps.Of(p.code).Find(ctx, scope, like.Key())
}

// findForUpdate is find, and locks the order.
func (p product) findForUpdate(ctx context.Context, tx ports.Repos, scope access.Scope, like vegetation.OrderState) (vegetation.OrderState, error) {
	if p.isProfile() {
		return tx.Orders.FindForUpdate(ctx, scope, like.FieldID, like.SeasonID)
	}
	return tx.Maps.Of(p.code).FindForUpdate(ctx, scope, like.Key())
}

// made is what the computation of an order came to.
type made struct {
	series vegetation.Series
	files  []indexmap.File // the pixels of a map, a date each
	near   []time.Time     // usable dates beside the window of a map of one date
}

// put stores what an order came to.
func (p product) put(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, m made) error {
	if p.isProfile() {
		return tx.Orders.PutSeries(ctx, scope, id, m.series)
	}
	return tx.Maps.Of(p.code).PutDates(ctx, scope, id, m.series, m.files)
}

// land returns the scope of the fields that a company may order the product of.
func (p product) land(company int64) access.Scope { return access.ToOrder(company, p.access.Create) }
