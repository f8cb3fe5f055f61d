package ports

import (
	"context"
	"time"

	"tilth/core/geo"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
)

// Imagery finds Sentinel-2 L2A scenes and reads their pixels. Implementations are
// safe for concurrent use, bound every external call by time and number of tries,
// and hold a bounded amount of memory.
//
// Faults: Unavailable when the source or, for Grid and Read, the one file cannot be reached after
// the retries (its code is imagery_silent where the source made no progress, imagery_refused where
// it denies access, imagery_changed where the file was replaced twice while it was read,
// imagery_unavailable otherwise); NotFound when a scene's file is gone for good; Invalid when what
// the source holds cannot be read (unsupported compression, a broken file), with a message that
// names the file.
type Imagery interface {
	// Search returns the scenes whose footprint meets the boundary (WGS84), sensed in [from, to), by time, then id.
	Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error)
	// Grid returns the georeference of one band's file; it reads the header only.
	Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error)
	// Read returns a window of a band. What lies outside the file is nodata (HasNoData is then always true).
	Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error)
	// Describe returns one line that says what the source is, for logs and `tilth doctor`.
	Describe() string
}

type sharing struct{}

// SharingSearches marks the searches of a context as answerable from a search that was made for the same place, for any
// field, within the past hour.
func SharingSearches(ctx context.Context) context.Context {
	return context.WithValue(ctx, sharing{}, true)
}

// SearchesShared reports whether searches of a context may be answered in this way.
func SearchesShared(ctx context.Context) bool { return ctx.Value(sharing{}) != nil }

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

// Surfaces reads rasters of covariates, such as relief and soil.
//
// Faults: NotFound when there is no such file; Invalid when it cannot be read or holds more
// pixels than can be worked on, with a message that names it; Unavailable when its place
// cannot be reached.
type Surfaces interface {
	// Surface returns the part of a raster around a geometry (WGS84), or all of it for nil.
	Surface(ctx context.Context, name string, around geo.MultiPolygon) (layer.Surface, error)
}
