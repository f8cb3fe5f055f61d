// Package vegetation holds the rules that turn Sentinel-2 scenes into the vegetation-index profile
// of a field, and the order for one: the indices and their formulas, cloud masks, which pixels
// belong to a field, which scenes are the same acquisition, how the scenes of a pass are merged, and
// when a date enters the profile.
//
// It works on rasters in memory. It reads no files, searches no catalogs and draws nothing. A
// profile holds observations only; its smoothed line is separate.
package vegetation

import "time"

// Band names a Sentinel-2 band as ESA does: "B02" … "B12", and "SCL" for the scene classification.
type Band string

// The bands that the indices need.
const (
	B02 Band = "B02"
	B03 Band = "B03"
	B04 Band = "B04"
	B05 Band = "B05"
	B06 Band = "B06"
	B07 Band = "B07"
	B08 Band = "B08"
	B11 Band = "B11"
	B12 Band = "B12"
	SCL Band = "SCL"
	// CLP is the cloud probability in percent, which some archives of Sentinel-2 have.
	CLP Band = "CLP"
	// B8A is the narrow near infrared of Sentinel-2, which harmonised readings use for B08.
	B8A Band = "B8A"
)

// Auxiliary reports whether only some readings look at a band: no index is defined on it.
func (b Band) Auxiliary() bool { return b == CLP || b == B8A }

// Scene is a catalog's record of one acquisition of a tile; the imagery port reads pixels.
type Scene struct {
	ID            string
	Platform      string    // "sentinel-2a"; never empty
	Tile          string    // MGRS tile ("33TWM") or, where the catalog has none, empty
	RelativeOrbit int       // 0 where unknown
	SensedAt      time.Time // UTC
	Datastrip     string
	Baseline      string // processing baseline, "05.09"
	Updated       time.Time
	Dataset       DatasetCode
	Synthetic     bool // made by Tilth's own demo archive
	// Broken is the reason, for people, why the catalog's entry cannot be used; empty for a sound
	// one. A broken scene has an id and a time, and rejects its pass.
	Broken string
	// Bands that the scene has. A scene without SCL counts every pixel with data as clear.
	Bands map[Band]bool
	// Revision is the adapter's opaque digest of everything else that decides the pixels: the
	// addresses of the files and the catalog's statements about them.
	Revision string
	// Auxiliary is the same digest for the auxiliary bands, for the readings that look at them.
	Auxiliary string
	// Source is the adapter's own handle (addresses of the files), opaque to the core.
	Source any
}

// Grid is the georeference of a raster: the CRS, the outer corner of the upper left pixel, the size
// of a pixel (both positive, metres in UTM; rows go down), and the size in pixels.
type Grid struct {
	EPSG             int
	OriginX, OriginY float64
	PixelX, PixelY   float64
	Width, Height    int
}

// Window is a rectangle of pixels of a Grid.
type Window struct{ Col, Row, Width, Height int }

// Raster is a window of one band: stored numbers in row order with what turns them into
// reflectance, number × Scale + Offset; nodata has no value. Grid is that of the window, not of the
// file. Of a scene classification only the numbers count.
type Raster struct {
	Grid Grid
	// DN are digital numbers of at most 16 bits: in two's complement where they are Signed. One that
	// equals NoData (where HasNoData) is nodata.
	DN        []uint16
	Signed    bool
	HasNoData bool
	NoData    uint16
	// Values are the numbers instead of DN where 16 bits cannot hold them; NaN is nodata.
	Values []float64
	Scale  float64
	Offset float64
	// OffsetBasis is what decided Offset; empty for the scene classification.
	OffsetBasis OffsetBasis
	// Bits are the numbers of a classification that is stored as bits, beside their classes in DN.
	Bits   []uint16
	BitsOf Bits
}
