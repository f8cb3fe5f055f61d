package satellite

import (
	"context"
	"reflect"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/fieldmap"
	"tilth/core/geo"
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
	done func(id string, order vegetation.OrderState, m made, at time.Time) event.Event
}

var profiles = product{credit.VegetationIndexProfile, access.ProfileOrders, ProfileJob, func(id string, order vegetation.OrderState, m made, at time.Time) event.Event {
	return profileCompletedEvent(id, order, m.series, at)
}}

// VIMapJob is the kind of the jobs that compute a vegetation-index map. Those of other maps have the names of their products.
const VIMapJob = "vi_map"

// What follows on the kind of the jobs of a map: those that bring an active map up to date, or make files that have expired again; and
// those that make it anew on the outline that its field has now.
const (
	MapRefreshing  = "_refresh"
	MapRecomputing = "_recompute"
)

// mapProducts are the products that are maps.
var mapProducts = []product{
	{credit.VegetationIndexMap, access.VIMaps, VIMapJob, mapCompletedEvent},
	{credit.ZoningMap, access.ZoningMaps, string(credit.ZoningMap), mapCompletedEvent},
	{credit.ElevationMap, access.ElevationMaps, string(credit.ElevationMap), mapCompletedEvent},
	{credit.SoilMap, access.SoilMaps, string(credit.SoilMap), mapCompletedEvent},
}

// mapOf returns the product with a code, which is one of maps.
func mapOf(code credit.Product) product {
	for _, p := range mapProducts {
		if p.code == code {
			return p
		}
	}
	panic("satellite: " + string(code) + " is no map")
}

// MapAccess returns the permissions on a product of maps.
func MapAccess(code credit.Product) access.Resource { return mapOf(code).access }

// orderRepo is the orders of one product, as far as they are alike.
type orderRepo interface {
	ports.Lockable[vegetation.OrderState]
	ports.Keyed
	Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error
	Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error
}

// get returns an order of the product, of a scope. Faults: NotFound.
func (p product) get(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (vegetation.OrderState, error) {
	return p.repo(tx).Get(ctx, scope, id)
}

func (p product) isProfile() bool { return p.code == credit.VegetationIndexProfile }

// dated reports whether what comes of an order is a series of dates; otherwise it is layers.
func (p product) dated() bool { return p.isProfile() || p.code == credit.VegetationIndexMap }

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

	layered bool // there are layers in place of a series
	layers  []fieldmap.Layer
	none    string // why there is no layer
}

func (m made) found() vegetation.Found { return fieldmap.Found(m.layers, m.none) }

// empty says why nothing came of the computation; "" where something did.
func (m made) empty() string {
	if m.layered {
		return m.found().Reason
	}
	return m.series.Empty()
}

// same reports whether another computation came to the same.
func (m made) same(other made) bool {
	if m.layered {
		return reflect.DeepEqual(m.layers, other.layers)
	}
	return m.series.Same(other.series)
}

// complete records in an order what its computation came to.
func (m made) complete(order *vegetation.Order, now time.Time) error {
	if m.layered {
		return order.CompleteLayers(now, m.found())
	}
	return order.Complete(now, m.series, m.near...)
}

// refreshed records in an active order what a check came to.
func (m made) refreshed(order *vegetation.Order, now time.Time, changed bool) error {
	if m.layered {
		return order.RefreshedLayers(now, m.found(), changed)
	}
	return order.Refreshed(now, m.series, changed)
}

// redraw records in an active order that it was made anew on an outline of its field.
func (m made) redraw(order *vegetation.Order, now time.Time, boundaryID int64, on geo.MultiPolygon) error {
	if m.layered {
		return order.RedrawLayers(now, m.found(), boundaryID, on)
	}
	return order.Redraw(now, m.series, boundaryID, on)
}

// put stores what an order came to.
func (p product) put(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, m made) error {
	switch {
	case p.isProfile():
		return tx.Orders.PutSeries(ctx, scope, id, m.series)
	case p.dated():
		return tx.Maps.Of(p.code).PutDates(ctx, scope, id, m.series, m.files)
	default:
		return tx.Maps.Of(p.code).PutLayers(ctx, scope, id, m.layers)
	}
}

// stock returns what an order of a map came to, as it is stored. Faults: NotFound.
func (p product) stock(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (m made, err error) {
	orders := tx.Maps.Of(p.code)
	if p.dated() {
		m.series, m.files, err = orders.Dates(ctx, scope, id)
		return m, err
	}
	m.layered = true
	m.layers, err = orders.Layers(ctx, scope, id)
	return m, err
}

// land returns the scope of the fields that a company may order the product of.
func (p product) land(company int64) access.Scope { return access.ToOrder(company, p.access.Create) }
