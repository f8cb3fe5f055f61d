package indexmap

import (
	"fmt"
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
)

// MaxZoom is the largest zoom of tiles: a pixel of 256 is then 4 cm wide at the equator.
const MaxZoom = 22

// Tile is a square of the world in Web Mercator (EPSG:3857) of Size pixels each way, as map libraries request it: one
// of 2^Z columns from 180° W on, and as many rows from the north.
type Tile struct{ Z, X, Y, Size int }

// TileSizes are the sizes of tiles.
var TileSizes = []int{256, 512}

// Check refuses a tile that does not exist. Fault: Invalid.
func (t Tile) Check() error {
	fields := fault.Fields{}
	fields.AddIf(t.Z < 0 || t.Z > MaxZoom, "z", "The zoom must be 0 to %d.", MaxZoom)
	if t.Z >= 0 && t.Z <= MaxZoom {
		last := 1<<t.Z - 1
		fields.AddIf(t.X < 0 || t.X > last, "x", "At zoom %d the columns are 0 to %d.", t.Z, last)
		fields.AddIf(t.Y < 0 || t.Y > last, "y", "At zoom %d the rows are 0 to %d.", t.Z, last)
	}
	fields.AddIf(t.Size != TileSizes[0] && t.Size != TileSizes[1], "size", "A tile must be 256 or 512 pixels wide.")
	return fields.Err()
}

// String names the tile as addresses do.
func (t Tile) String() string { return fmt.Sprintf("%d/%d/%d", t.Z, t.X, t.Y) }

// edge is half the width of the world in Web Mercator, metres.
var edge = geo.ToWebMercator(geo.Position{X: 180}).X

// metres returns the width of a pixel in Web Mercator.
func (t Tile) metres() float64 { return 2 * edge / math.Ldexp(float64(t.Size), t.Z) }

// at returns the place in Web Mercator of a point of the tile, given in pixels from its upper left corner.
func (t Tile) at(col, row float64) geo.Position {
	m := t.metres()
	return geo.Position{X: -edge + (float64(t.X*t.Size)+col)*m, Y: edge - (float64(t.Y*t.Size)+row)*m}
}

// Sampling is how a tile takes values from a layer.
type Sampling struct {
	Bilinear bool // interpolated between the middles of pixels, where they have values; otherwise the value of the pixel that contains a place
	Margin   bool // also the pixels around those that count as the field's
}

// Sample calls found with the value at the middle of each of the tile's pixels that has one, by the pixel's place in
// row order. Faults: those of Tile.Check; Invalid for a grid that no raster has.
func (l *Layer) Sample(t Tile, how Sampling, found func(at int, v float64)) error {
	if err := t.Check(); err != nil {
		return err
	}
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return err
	}
	col0, row0, col1, row1 := l.met(t, plane)
	if col0 >= col1 {
		return nil
	}
	s := sampler{layer: l, how: how, found: found, onLayer: func(col, row float64) geo.Position {
		p := plane.Forward(geo.FromWebMercator(t.at(col, row)))
		return geo.Position{X: (p.X - l.Grid.OriginX) / l.Grid.PixelX, Y: (l.Grid.OriginY - p.Y) / l.Grid.PixelY}
	}}
	for row := row0; row < row1; row++ {
		y := float64(row) + 0.5
		from, to := s.onLayer(float64(col0)+0.5, y), s.onLayer(float64(col1-1)+0.5, y)
		s.row(row*t.Size, y, col0, col1-1, from, to)
	}
	return nil
}

// met returns the columns and rows of a tile that a layer may have values for: from (included) and to (not included).
func (l *Layer) met(t Tile, plane geo.Plane) (col0, row0, col1, row1 int) {
	const around = 16 // places along each edge of the layer, which is not straight on the tile
	box := geo.Box{MinX: math.Inf(1), MinY: math.Inf(1), MaxX: math.Inf(-1), MaxY: math.Inf(-1)}
	wide, high := float64(l.Cols)*l.Grid.PixelX, float64(l.Rows)*l.Grid.PixelY
	take := func(x, y float64) {
		m := geo.ToWebMercator(plane.Inverse(geo.Position{X: l.Grid.OriginX + x*wide, Y: l.Grid.OriginY - y*high}))
		box = box.Union(geo.Box{MinX: m.X, MinY: m.Y, MaxX: m.X, MaxY: m.Y})
	}
	for i := range around + 1 {
		at := float64(i) / around
		take(at, 0)
		take(at, 1)
		take(0, at)
		take(1, at)
	}
	m := t.metres()
	box = box.Grown(0.01 * max(box.MaxX-box.MinX, box.MaxY-box.MinY))
	corner := t.at(0, 0)
	within := func(v float64) int { return int(math.Floor(min(float64(t.Size), max(0, v)))) }
	row0, row1 = within((corner.Y-box.MaxY)/m), within((corner.Y-box.MinY)/m+1)
	col0, col1 = t.Size, 0
	for _, turn := range []float64{-2 * edge, 0, 2 * edge} { // longitudes of the layer may slightly exceed ±180°
		if from, to := within((box.MinX+turn-corner.X)/m), within((box.MaxX+turn-corner.X)/m+1); from < to {
			col0, col1 = min(col0, from), max(col1, to)
		}
	}
	if row0 >= row1 {
		return 0, 0, 0, 0
	}
	return col0, row0, col1, row1
}

// sampler takes the values along the rows of a tile.
type sampler struct {
	layer   *Layer
	how     Sampling
	found   func(at int, v float64)
	onLayer func(col, row float64) geo.Position // from a tile's pixels to columns and rows of the layer
}

// straight is the maximum distance, in pixels of the layer, of a piece of a row from a straight line that it is taken for.
const straight = 1e-4

// row samples the pixels of a row from one column to another, both included, whose places on the layer are known. The
// row is halved until its pieces are straight on the layer, so that few places are projected.
func (s *sampler) row(first int, y float64, from, to int, a, b geo.Position) {
	if to-from > 1 {
		half := (from + to) / 2
		t := float64(half-from) / float64(to-from)
		on := s.onLayer(float64(half)+0.5, y)
		if math.Abs(a.X+t*(b.X-a.X)-on.X) > straight || math.Abs(a.Y+t*(b.Y-a.Y)-on.Y) > straight {
			s.row(first, y, from, half, a, on)
			s.row(first, y, half+1, to, s.onLayer(float64(half+1)+0.5, y), b)
			return
		}
	}
	dx, dy := 0.0, 0.0
	if to > from {
		dx, dy = (b.X-a.X)/float64(to-from), (b.Y-a.Y)/float64(to-from)
	}
	for col := from; col <= to; col++ {
		n := float64(col - from)
		if v := s.value(a.X+n*dx, a.Y+n*dy); !math.IsNaN(v) {
			s.found(first+col, v)
		}
	}
}

// value returns the value at a place of the layer, in columns and rows; NaN where it shows none.
func (s *sampler) value(x, y float64) float64 {
	v := s.pixel(int(math.Floor(x)), int(math.Floor(y)))
	if !s.how.Bilinear || math.IsNaN(v) {
		return v
	}
	left, top := math.Floor(x-0.5), math.Floor(y-0.5)
	right, below := x-0.5-left, y-0.5-top
	sum, weight := 0.0, 0.0
	for k := range 4 {
		w := [2]float64{1 - right, right}[k%2] * [2]float64{1 - below, below}[k/2]
		if near := s.pixel(int(left)+k%2, int(top)+k/2); !math.IsNaN(near) {
			sum, weight = sum+w*near, weight+w
		}
	}
	return sum / weight
}

func (s *sampler) pixel(col, row int) float64 {
	i, ok := s.layer.index(col, row)
	if !ok || !s.how.Margin && !s.layer.Inside[i] {
		return math.NaN()
	}
	return s.layer.Values[i]
}
