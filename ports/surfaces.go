package ports

import (
	"context"

	"tilth/core/geo"
	"tilth/core/stratification/layer"
)

// Surfaces reads rasters of covariates, such as relief and soil.
//
// Faults: NotFound when there is no such file; Invalid when it cannot be read or holds more
// pixels than can be worked on, with a message that names it; Unavailable when its place
// cannot be reached.
type Surfaces interface {
	// Surface returns the part of a raster that lies around a geometry (WGS84), or the whole
	// raster where that is nil.
	Surface(ctx context.Context, name string, around geo.MultiPolygon) (layer.Surface, error)
}
