package fieldlayers

import (
	"context"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
)

// Covariates reads relief and registered rasters on the cells of a frame.
type Covariates interface {
	// Relief returns elevation, slope, aspect and wetness; notes explain why there is none. Faults: Unavailable.
	Relief(ctx context.Context, scope access.Scope, f *frame.Frame) (layers []layer.PreparedLayer, notes []string, err error)
	// Rasters returns the rasters that a company may use, by name, except that of elevation. Faults: Unavailable.
	Rasters(ctx context.Context, scope access.Scope, f *frame.Frame) ([]layer.Registered, error)
	// Finest returns the width in metres of the finest registered raster that reaches land; 0 where there is none.
	Finest(ctx context.Context, scope access.Scope, land geo.MultiPolygon) (float64, error)
}

// Elevation makes the layers of elevation maps.
type Elevation struct{ Covariates Covariates }

// Make implements satellite.LayerMaker. Faults: Unavailable where the source of the elevation model is.
func (e *Elevation) Make(ctx context.Context, order vegetation.OrderState) ([]fieldmap.Made, string, error) {
	return ofLand(ctx, e.Covariates, order, func(scope access.Scope, f *frame.Frame, inside []bool) ([]fieldmap.Made, string, error) {
		layers, notes, err := e.Covariates.Relief(ctx, scope, f)
		made := list.Map(layers, func(l layer.PreparedLayer) fieldmap.Made { return fieldmap.OfRelief(f, inside, l) })
		none := "There is no elevation model of the field: neither a registered raster nor the imagery source has one."
		if len(notes) > 0 {
			none = notes[0]
		}
		return made, fieldmap.None(none, made), err
	})
}

// Soils makes the layers of soil maps.
type Soils struct{ Covariates Covariates }

// Make implements satellite.LayerMaker. Faults: Unavailable where the rasters are.
func (s *Soils) Make(ctx context.Context, order vegetation.OrderState) ([]fieldmap.Made, string, error) {
	return ofLand(ctx, s.Covariates, order, func(scope access.Scope, f *frame.Frame, inside []bool) ([]fieldmap.Made, string, error) {
		layers, err := s.Covariates.Rasters(ctx, scope, f)
		made := list.Map(layers, func(l layer.Registered) fieldmap.Made { return fieldmap.OfRaster(f, inside, l) })
		none := "No raster that is registered for your company covers the field."
		if len(made) == 0 {
			none = "No raster of the soil is registered for your company. Fix: the operator registers one with tilth layer add."
		}
		return made, fieldmap.None(none, made), err
	})
}

// ofLand lays the pixels of a map of the land over the field of an order, and makes its layers on them.
func ofLand(ctx context.Context, c Covariates, order vegetation.OrderState,
	layers func(scope access.Scope, f *frame.Frame, inside []bool) ([]fieldmap.Made, string, error),
) ([]fieldmap.Made, string, error) {
	scope := access.Own(order.CompanyID)
	finest, err := c.Finest(ctx, scope, order.Boundary)
	if err != nil {
		return nil, "", err
	}
	f, inside, err := fieldmap.Board(order.Boundary, finest)
	if why, ok := fault.Refusal(err); ok {
		return nil, why, nil
	}
	if err != nil {
		return nil, "", err
	}
	return layers(scope, f, inside)
}

var _, _ satellite.LayerMaker = (*Elevation)(nil), (*Soils)(nil)
