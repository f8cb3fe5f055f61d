package stratification

import "tilth/core/geo"

// Cell is one cell of a frame.
type Cell struct {
	Row, Col int32 // row 0 is the northernmost, column 0 the westernmost of the grid
	Field    int32 // index of the field that holds the cell's centre: the first, where fields overlap
	// Masked: so near a field's edge that its values are mixed with what lies outside. The
	// clustering leaves it out; afterwards it belongs to the zone of the nearest other cell.
	Masked bool
}

// Frame is the grid over an area of interest. It is sparse: only the cells whose centre lies
// in a field are kept. The functions of this package do not change it.
type Frame struct {
	// EPSG is the plane's UTM zone; 0 where cells came without one, and then nothing can be
	// given in longitude and latitude.
	EPSG     int
	CellSize float64 // metres
	// OriginX and OriginY are easting and northing of the outer (north-west) corner of row 0,
	// column 0. Rows run southwards.
	OriginX, OriginY float64
	Rows, Cols       int    // of the grid's bounding box
	Cells            []Cell // by row, then column
	EdgeMask         int    // cells: what was masked along the edges; 0 where nothing is

	Fields []geo.MultiPolygon // the fields in the frame's plane, metres
	AOI    geo.MultiPolygon   // their union
	AreaHa float64            // of the union, on the ellipsoid (in the plane where EPSG is 0)

	// exact: the cells are the area of interest, so that maps need no clipping to its outline.
	exact  bool
	course *course // the union's outline on the grid; nil where exact
	rows   []int32 // index of the first cell of each row, and the number of cells at the end
	// fringe are the grid's cells that meet the union though their centre lies outside of it,
	// with the cell of the frame whose zone they show on a map.
	fringe []fringeCell
}

// Layer is one covariate on the cells of a frame.
type Layer struct {
	Name   string
	Values []float64 // one for each cell of the frame, in its order; NaN where missing
	Source string    // where the values come from, for people
	// Coarse: of a far coarser grid than the frame's, as soil maps are. Such a layer is dropped
	// when it hardly varies over the area.
	Coarse bool
}

// Method is a way of clustering.
type Method string

// The methods of clustering.
const (
	KMeans Method = "kmeans"
	Fuzzy  Method = "fuzzy" // fuzzy c-means; the zone of a cell is that of its largest membership
)

// Params are the choices of a call of Zones. DefaultParams gives those of the method.
type Params struct {
	// MinZones and MaxZones bound the numbers of zones tried. MaxZones 0 leaves the upper
	// bound to the area and the samples (see MaxSamples).
	MinZones, MaxZones int
	// Weights of layers by name, each over 0; a layer that is not named has that of DefaultWeight.
	Weights       map[string]float64
	SpatialWeight float64 // of each of the two coordinates; 0 leaves the place out
	MinZoneAreaHa float64 // smallest part of a zone; 0: max(0.25 ha, 2 % of the area), at most 2 ha

	// What the number of samples is planned for.
	Confidence        float64 // of the estimate, in (0, 1)
	RelativeError     float64 // half the width of the interval over the mean, in (0, 1)
	CV                float64 // coefficient of variation of soil organic carbon over the area
	Rho2              float64 // share of its variance that the layers can explain, in [0, 1]
	MinSamplesPerZone int
	MaxSamples        int // bounds the number of zones: at least MinSamplesPerZone go to each

	Method    Method
	Fuzziness float64 // exponent m of fuzzy c-means, over 1
	PCA       bool    // cluster on principal components that hold 90 % of the variance
	Starts    int     // of k-means
	Seed      uint64  // below 2^53, so that it passes unchanged through JSON
	// Scope is what the maps belong to, such as the id of an order. It is part of their ids:
	// the same land under another order has maps of its own.
	Scope string
}

// Zone is one zone of a map, or stratum.
type Zone struct {
	Number int     // 1 to k, by ascending mean of the first layer of the highest weight
	AreaHa float64 // as Frame.AreaHa
	Share  float64 // of the area of interest; the shares add up to 1
	Cells  int
	Parts  int // 4-connected groups of cells
	// Means and SDs (n-1) of each used layer over the zone's cells that are not masked, in
	// the order of Result.Layers without those that were dropped, in the layer's own unit.
	Means, SDs []float64
	// RV is the summed variance of the weighted layers (not the coordinates) in the zone over
	// that in the whole area.
	RV float64
	// Outline in the frame's plane, clipped to the fields, and Geometry in WGS84 with 7
	// decimals (nil where the frame has no EPSG).
	Outline, Geometry geo.MultiPolygon
}

// Zoning is a map of zones.
type Zoning struct {
	Labels []int32 // the zone's number for each cell of the frame, in its order
	Zones  []Zone
}

// Diagnostics describe how well zones part the values of the layers. They decide nothing.
type Diagnostics struct {
	CalinskiHarabasz float64
	Silhouette       float64 // mean over at most 5,000 cells
	DaviesBouldin    float64
	FPI, NCE         float64 // of fuzzy c-means; 0 for k-means
}

// Candidate is a map of zones with the figures by which its number of zones is judged.
type Candidate struct {
	Zoning
	MapUUID   string  // follows from frame, layers, parameters and seed
	Requested int     // the number of zones that was clustered for; cleaning may leave fewer
	Inertia   float64 // within-zone sum of squares of the clustering, in weighted standard deviations
	RV        float64 // variance of the layers left within the zones, relative to no zones
	// VarianceLeft is q: the variance of soil organic carbon expected within the zones,
	// relative to no zones.
	VarianceLeft  float64
	Precision     int // n: samples for the precision asked for
	SamplesNeeded int // N: with at least MinSamplesPerZone in each zone
	Recommended   bool
	Diagnostics   Diagnostics
}

// LayerUse says what became of a layer.
type LayerUse struct {
	Name       string
	Source     string
	Weight     float64 // 0 where dropped
	ValidShare float64 // of the cells that are not masked
	Mean, SD   float64 // of what was clustered: filled and winsorised, unmasked cells
	Dropped    string  // why the layer is not used; empty where it is
}

// Result is what Zones gives.
type Result struct {
	Candidates []Candidate // by ascending number of zones; exactly one is recommended, or there is none
	Layers     []LayerUse  // in the order given
	Params     Params
	// MinZoneAreaHa is the smallest part of a zone that was kept, in hectares.
	MinZoneAreaHa float64
	// SamplesWithoutZones is N for the whole area as one zone.
	SamplesWithoutZones int
	// WeakStratification: even the best zones save less than 5 % of the samples.
	WeakStratification bool
	Reason             string // why there is no candidate; empty where there is one
	AlgorithmVersion   string
}

// fringeCell is a cell of the grid outside the frame that meets the area of interest.
type fringeCell struct {
	row, col int32
	like     int32 // index of the frame's cell whose zone it shows
}
