package stratification

import (
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
)

// Surface is a raster of one covariate, north up.
type Surface struct {
	EPSG             int     // a UTM zone, or Degrees
	OriginX, OriginY float64 // outer corner of row 0, column 0, in the raster's own units
	CellX, CellY     float64 // both over 0
	Cols, Rows       int
	Values           []float64 // by row; NaN where there is none
	Source           string    // for people
}

// Degrees is the EPSG code of longitude and latitude on WGS84.
const Degrees = 4326

// coarser is how many times wider than the frame's cell a raster's is that counts as coarse.
const coarser = 10

const metresPerDegree = 111_320.0 // of latitude

// At gives the value of the pixel that holds a point, in the raster's own coordinates; NaN
// outside of it.
func (s Surface) At(p geo.Position) float64 {
	col, row := math.Floor((p.X-s.OriginX)/s.CellX), math.Floor((s.OriginY-p.Y)/s.CellY)
	if !(col >= 0 && row >= 0 && col < float64(s.Cols) && row < float64(s.Rows)) {
		return math.NaN()
	}
	return s.Values[int(row)*s.Cols+int(col)]
}

// Between gives the value at a point by bilinear interpolation between the centres of the four
// pixels around it; where one of them is missing, that of the pixel that holds the point.
func (s Surface) Between(p geo.Position) float64 {
	x, y := (p.X-s.OriginX)/s.CellX-0.5, (s.OriginY-p.Y)/s.CellY-0.5
	col, row := math.Floor(x), math.Floor(y)
	if !(col >= 0 && row >= 0 && col+1 < float64(s.Cols) && row+1 < float64(s.Rows)) {
		return s.At(p)
	}
	at := int(row)*s.Cols + int(col)
	u, v := x-col, y-row
	top := float64((1-u)*s.Values[at]) + float64(u*s.Values[at+1])
	bottom := float64((1-u)*s.Values[at+s.Cols]) + float64(u*s.Values[at+s.Cols+1])
	if value := float64((1-v)*top) + float64(v*bottom); !math.IsNaN(value) {
		return value
	}
	return s.At(p)
}

// Sample takes a layer off a raster at the centres of the frame's cells: the value of the pixel
// that holds the centre, so that no value is made up. Faults: Invalid where frame and raster
// are not both in a known projection, unless in the same.
func Sample(f *Frame, s Surface, name string) (Layer, error) {
	to, err := s.from(f.EPSG)
	if err != nil {
		return Layer{}, err
	}
	layer := Layer{Name: name, Source: s.Source, Values: make([]float64, len(f.Cells)), Coarse: s.metres() > coarser*f.CellSize}
	for i := range f.Cells {
		layer.Values[i] = s.At(to(f.Centre(i)))
	}
	return layer, nil
}

// metres gives the width of a pixel.
func (s Surface) metres() float64 {
	if s.EPSG == Degrees {
		return s.CellY * metresPerDegree
	}
	return s.CellX
}

// from gives the way from a plane's coordinates to the raster's.
func (s Surface) from(epsg int) (func(geo.Position) geo.Position, error) {
	if s.EPSG == epsg {
		return func(p geo.Position) geo.Position { return p }, nil
	}
	plane, err := geo.NewUTM(epsg)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, "unsupported_crs", "%s cannot be laid over cells whose projection is not known; state their EPSG code.", s.Source)
	}
	if s.EPSG == Degrees {
		return plane.Inverse, nil
	}
	own, err := geo.NewUTM(s.EPSG)
	if err != nil {
		return nil, err
	}
	return func(p geo.Position) geo.Position { return own.Forward(plane.Inverse(p)) }, nil
}
