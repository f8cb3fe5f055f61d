package layer

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"tilth/core/stratification/frame"
)

// FromElevation is the provenance of layers derived from an elevation model.
const FromElevation = "elevation"

// madeLayers are the layers that Tilth makes itself, and the coordinates, which are clustered with
// them: no registered raster may take their names. Elevation is not among them: under that name an
// operator registers an elevation model, from which slope and wetness are derived.
var madeLayers = []string{NDVIMean, NDVISD, Slope, TWI, "coord_x", "coord_y"}

var layerName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// WrongLayerName returns why a registered raster may not have a name; empty where it may.
func WrongLayerName(name string) string {
	switch {
	case !layerName.MatchString(name):
		return "A name of 1 to 40 small letters, digits and underscores, such as clay_0_30."
	case slices.Contains(madeLayers, name):
		return fmt.Sprintf("Tilth makes the layer %s itself; choose another name.", name)
	default:
		return ""
	}
}

// Registered is the layer of a registered raster.
type Registered struct {
	PreparedLayer
	About string // as the operator describes it
}

// RegionSamples collects the values of one raster on a frame, region by region.
type RegionSamples struct {
	frame *frame.Frame
	layer Layer
	given bool // registered as coarse
}

// NewRegionSamples returns a layer without values yet. coarse marks a raster as coarser than its
// pixels, such as one that was resampled from a map of few measurements.
func NewRegionSamples(f *frame.Frame, name, source string, coarse bool) *RegionSamples {
	return &RegionSamples{f, Layer{Name: name, Source: source, Coarse: coarse, Values: slices.Repeat([]float64{math.NaN()}, len(f.Cells))}, coarse}
}

// Add samples the values of a region from the raster or a part of it, as Sample does.
func (r *RegionSamples) Add(region Region, s Surface) error {
	coarse := r.given || s.Metres() > coarser*r.frame.CellSize
	r.layer.Coarse = r.layer.Coarse || coarse
	r.layer.Classes = s.Classes
	return sampleInto(r.frame, r.layer.Values, s, coarse, region.holds)
}

// Layer returns the layer.
func (r *RegionSamples) Layer() Layer { return r.layer }
