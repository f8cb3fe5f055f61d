package ports

import (
	"context"

	"tilth/core/geo"
	"tilth/core/stratification/layer"
)

// Elevations holds digital elevation models. An imagery source may be one too.
type Elevations interface {
	// Elevation returns the models that reach into an area (WGS84), as far as they do; none
	// where the source holds none there. Heights are in metres. Each model's Source is the id
	// of its item. The order is that of the ids.
	//
	// Faults: as in Imagery.
	Elevation(ctx context.Context, area geo.MultiPolygon) ([]ElevationModel, error)
}

// ElevationModel is one piece of a digital elevation model.
type ElevationModel struct {
	layer.Surface
	Item       string // of the catalog
	Collection string
	Date       string // of the item: a civil date
	Checksum   string // of the file as the catalog states it; empty where it does not
	Synthetic  bool
}
