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

// product holds what differs between the orders of the satellite products. Everything else is common: they are placed,
// quoted, charged, computed and given up by the same code, and a field is charged once over all of them.
type product struct {
	code   credit.Product
	access access.Resource
	job    string // the kind of the jobs that compute an order
	// done returns the event of an order that is finished, or that has changed.
	done func(id string, order vegetation.OrderState, m made, at time.Time) event.Event
}

var profiles = product{credit.VegetationIndexProfile, access.ProfileOrders, ProfileJob, func(id string, order vegetation.OrderState, m made, at time.Time) event.Event {
	return profileCompletedEvent(id, order, m.series, at)
}}

// VIMapJob is the kind of the jobs that compute a vegetation-index map. The job kinds of other maps are the names of their products.
const VIMapJob = "vi_map"

// Suffixes to the kind of a map's jobs: for those that refresh an active map, or remake expired files; and for those that remake it on
// the outline that its field has now.
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

// mapOf returns the map product with a code.
func mapOf(code credit.Product) product {
	for _, p := range mapProducts {
		if p.code == code {
			return p
		}
	}
	panic("satellite: " + string(code) + " is not a map")
}

// MapAccess returns the permissions for a map product.
func MapAccess(code credit.Product) access.Resource { return mapOf(code).access }

// orderRepo is the part that the repositories of all products' orders have in common.
type orderRepo interface {
	ports.Lockable[vegetation.OrderState]
	ports.Keyed
	Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error
	Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error
}

// get returns an order of the product within a scope. Faults: NotFound.
func (p product) get(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (vegetation.OrderState, error) {
	return p.repo(tx).Get(ctx, scope, id)
}

func (p product) isProfile() bool { return p.code == credit.VegetationIndexProfile }

// dated reports whether an order results in a series of dates; otherwise it results in layers.
func (p product) dated() bool { return p.isProfile() || p.code == credit.VegetationIndexMap }

func (p product) repo(tx ports.Repos) orderRepo {
	if p.isProfile() {
		return tx.Orders
	}
	return tx.Maps.Of(p.code)
}

// find returns the company's order that asks for the same as like. Faults: NotFound.
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

// made is the result of computing an order.
type made struct {
	series vegetation.Series
	files  []indexmap.File // the pixels of a map, one file per date
	near   []time.Time     // usable dates outside the window of a map of one date

	layered bool // there are layers instead of a series
	layers  []fieldmap.Layer
	none    string // why there is no layer
}

func (m made) found() vegetation.Found { return fieldmap.Found(m.layers, m.none) }

// empty returns the reason why the computation produced nothing; "" if it produced something.
func (m made) empty() string {
	if m.layered {
		return m.found().Reason
	}
	return m.series.Empty()
}

// same reports whether another computation had the same result.
func (m made) same(other made) bool {
	if m.layered {
		return reflect.DeepEqual(m.layers, other.layers)
	}
	return m.series.Same(other.series)
}

// complete records the result of its computation in an order.
func (m made) complete(order *vegetation.Order, now time.Time) error {
	if m.layered {
		return order.CompleteLayers(now, m.found())
	}
	return order.Complete(now, m.series, m.near...)
}

// refreshed records the result of a check in an active order.
func (m made) refreshed(order *vegetation.Order, now time.Time, changed bool) error {
	if m.layered {
		return order.RefreshedLayers(now, m.found(), changed)
	}
	return order.Refreshed(now, m.series, changed)
}

// redraw records in an active order that it was remade on an outline of its field.
func (m made) redraw(order *vegetation.Order, now time.Time, boundaryID int64, on geo.MultiPolygon) error {
	if m.layered {
		return order.RedrawLayers(now, m.found(), boundaryID, on)
	}
	return order.Redraw(now, m.series, boundaryID, on)
}

// put stores the result of an order.
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

// stock returns the stored result of a map order. Faults: NotFound.
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

// land returns the scope of the fields for which a company may order the product.
func (p product) land(company int64) access.Scope { return access.ToOrder(company, p.access.Create) }
