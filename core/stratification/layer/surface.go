package layer

import (
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

// Surface is a raster of one covariate, north up.
type Surface struct {
	EPSG             int     // Degrees, WebMercator or one that geo.NewPlane knows
	OriginX, OriginY float64 // outer corner of row 0, column 0, in the raster's own units
	CellX, CellY     float64 // both positive
	Cols, Rows       int
	Values           []float64 // by row; NaN where there is none
	Source           string    // for people
	Classes          bool      // the values are names of classes, which have no mean
}

// The EPSG codes besides those of planes: longitude and latitude on WGS84, and Web Mercator.
const (
	Degrees     = 4326
	WebMercator = 3857
)

const (
	// coarser is the multiple of the width of the frame's cells above which a raster's pixels make it coarse.
	coarser = 10
	// wider is the multiple of a cell's width above which pixels are interpolated: more than rounding.
	wider = 1.01
)

const metresPerDegree = 111_320.0 // of latitude

// At returns the value of the pixel that holds a point of the raster's plane; NaN outside.
func (s Surface) At(p geo.Position) float64 {
	col, row := math.Floor((p.X-s.OriginX)/s.CellX), math.Floor((s.OriginY-p.Y)/s.CellY)
	if !(col >= 0 && row >= 0 && col < float64(s.Cols) && row < float64(s.Rows)) {
		return math.NaN()
	}
	return s.Values[int(row)*s.Cols+int(col)]
}

// Between interpolates a value bilinearly between the centres of the four pixels around a point;
// where one of them is missing, it returns the value of the pixel that holds the point.
func (s Surface) Between(p geo.Position) float64 {
	if v := s.bilinear(p); !math.IsNaN(v) {
		return v
	}
	return s.At(p)
}

// bilinear is Between, but NaN where one of the four pixels is missing.
func (s Surface) bilinear(p geo.Position) float64 {
	x, y := (p.X-s.OriginX)/s.CellX-0.5, (s.OriginY-p.Y)/s.CellY-0.5
	col, row := math.Floor(x), math.Floor(y)
	if !(col >= 0 && row >= 0 && col+1 < float64(s.Cols) && row+1 < float64(s.Rows)) {
		return math.NaN()
	}
	at := int(row)*s.Cols + int(col)
	u, v := x-col, y-row
	top := float64((1-u)*s.Values[at]) + float64(u*s.Values[at+1])
	bottom := float64((1-u)*s.Values[at+s.Cols]) + float64(u*s.Values[at+s.Cols+1])
	return float64((1-v)*top) + float64(v*bottom)
}

// Sample samples a layer from a raster at the frame's cells. Where the pixels are wider than a cell, it interpolates
// at the centre, because otherwise their edges would become edges of zones; elsewhere it takes the mean of the pixels,
// weighted by their areas in the cell. Layers with Classes or Coarse keep the raster's own values: that of the pixel that
// holds the centre or, of several in a cell, the one of the largest area. Coarse layers do so because the zoning judges by
// these values whether a coarse map varies over the area. Faults: Invalid where frame and raster are not both in a
// known projection, unless both are in the same one.
func Sample(f *frame.Frame, s Surface, name string) (Layer, error) {
	coarse := s.Metres() > coarser*f.CellSize
	layer := Layer{Name: name, Source: s.Source, Values: make([]float64, len(f.Cells)), Coarse: coarse, Classes: s.Classes}
	err := sampleInto(f, layer.Values, s, coarse, func(frame.Cell) bool { return true })
	return layer, err
}

func sampleInto(f *frame.Frame, values []float64, s Surface, coarse bool, selected func(frame.Cell) bool) error {
	to, err := s.from(f.EPSG)
	if err != nil {
		return err
	}
	value := s.valueOf(to, f.CellSize, coarse)
	for i, c := range f.Cells {
		if selected(c) {
			values[i] = value(f.Centre(i))
		}
	}
	return nil
}

// valueOf returns a function from the centre of a cell to its value, as Sample takes it; own keeps
// values of the raster.
func (s Surface) valueOf(to func(geo.Position) geo.Position, width float64, own bool) func(geo.Position) float64 {
	own = own || s.Classes
	if s.Metres() <= wider*width {
		under := s.mean
		if own {
			under = s.mode
		}
		return func(centre geo.Position) float64 { return under(footprintOf(centre, width, to)) }
	}
	at := s.Between
	if own {
		at = s.At
	}
	return func(centre geo.Position) float64 { return at(to(centre)) }
}

// Metres returns the width of a pixel on the ground.
func (s Surface) Metres() float64 {
	switch s.EPSG {
	case Degrees:
		return s.CellY * metresPerDegree
	case WebMercator: // true to scale only at the equator
		middle := geo.FromWebMercator(geo.Position{X: s.OriginX, Y: s.OriginY - s.CellY*float64(s.Rows)/2})
		return s.CellX * math.Cos(middle.Y*math.Pi/180)
	default:
		return s.CellX
	}
}

func (s Surface) from(epsg int) (func(geo.Position) geo.Position, error) {
	if s.EPSG == epsg {
		return func(p geo.Position) geo.Position { return p }, nil
	}
	plane, err := geo.NewUTM(epsg)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, "unsupported_crs", "%s cannot be laid over cells whose projection is not known; state their EPSG code.", s.Source)
	}
	switch turn := s.turn(); s.EPSG {
	case Degrees:
		return func(p geo.Position) geo.Position { return s.turned(plane.Inverse(p), turn) }, nil
	case WebMercator:
		return func(p geo.Position) geo.Position { return s.turned(geo.ToWebMercator(plane.Inverse(p)), turn) }, nil
	}
	own, err := geo.NewPlane(s.EPSG)
	if err != nil {
		return nil, err
	}
	if own == geo.Plane(plane) { // the same plane on another datum, which counts as equal
		return func(p geo.Position) geo.Position { return p }, nil
	}
	return func(p geo.Position) geo.Position { return own.Forward(plane.Inverse(p)) }, nil
}

// turn returns the width of the globe in the raster's coordinates; 0 in a plane.
func (s Surface) turn() float64 {
	switch s.EPSG {
	case Degrees:
		return 360
	case WebMercator:
		return geo.ToWebMercator(geo.Position{X: 360}).X
	default:
		return 0
	}
}

// turned moves a position around the globe to a raster across the antimeridian.
func (s Surface) turned(p geo.Position, turn float64) geo.Position {
	if p.X < s.OriginX && p.X+turn <= s.OriginX+float64(s.Cols)*s.CellX {
		p.X += turn
	} else if p.X > s.OriginX+float64(s.Cols)*s.CellX && p.X-turn >= s.OriginX {
		p.X -= turn
	}
	return p
}
