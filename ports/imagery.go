package ports

import (
	"context"
	"time"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// Imagery finds Sentinel-2 L2A scenes and reads their pixels. Implementations are
// safe for concurrent use, bound every external call by time and number of tries,
// and hold a bounded amount of memory.
//
// Faults: Unavailable when the source cannot be reached after the retries; NotFound
// when a scene's file is gone for good; Invalid when what the source holds cannot be
// read (unsupported compression, a broken file), with a message that names the file.
type Imagery interface {
	// Search returns every scene whose footprint meets the boundary (WGS84) and that was
	// sensed in [from, to), ordered by sensing time, then id.
	Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error)
	// Grid returns the georeference of one band's file; it reads the header only.
	Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error)
	// Read returns a window of a band. The window may reach beyond the file: what lies
	// outside comes back as nodata (HasNoData is then always true).
	Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error)
	// Describe says in one line what the source is, for logs and `tilth doctor`.
	Describe() string
}
