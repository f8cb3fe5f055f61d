package layer

import (
	"fmt"
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
)

// The layers derived from an elevation model.
const (
	Elevation = "elevation" // m, as in the model
	Slope     = "slope"     // degrees
	TWI       = "twi"       // topographic wetness index
	Aspect    = "aspect"    // degrees clockwise from north; only in maps of relief, since a direction does not belong among clustered layers
)

// ReliefLayers lists them in the order of the results.
var ReliefLayers = []string{Elevation, Slope, TWI}

const (
	// reliefMargin is the distance in metres beyond the fields to which the model is read: the wetness
	// of a field depends on the land that drains into it.
	reliefMargin = 1500.0
	// maxReliefPixels bounds the plane on which relief is derived, at about 60 bytes a pixel.
	maxReliefPixels = 1 << 21
	// A plane's pixels are whole metres wide, from 5 m on multiples of 5 m.
	minReliefPixel = 1.0
	fullMetres     = 5.0
)

// Region is a part of a frame whose relief is derived together: fields whose surroundings meet.
type Region struct {
	box    geo.Box // of the surroundings, in the frame's plane
	fields []int   // of the frame, ascending
}

// Regions divides a frame into regions, in the order of the fields. Fields far from each other are
// in different ones, so that the land between them is not read.
func Regions(f *frame.Frame) []Region {
	var out []Region
	for i, field := range f.Fields {
		next := Region{field.Bounds().Grown(reliefMargin), []int{i}}
		for again := true; again; { // a region that grows may meet others
			again = false
			for j := 0; j < len(out); j++ {
				if !out[j].box.Intersects(next.box) {
					continue
				}
				next.box = next.box.Union(out[j].box)
				next.fields = append(out[j].fields, next.fields...)
				out, again = slices.Delete(out, j, j+1), true
				break
			}
		}
		slices.Sort(next.fields)
		out = append(out, next)
	}
	slices.SortFunc(out, func(a, b Region) int { return a.fields[0] - b.fields[0] })
	return out
}

func (r Region) holds(c frame.Cell) bool {
	_, mine := slices.BinarySearch(r.fields, int(c.Field))
	return mine
}

// edgeSteps is the number of pieces into which a region's side is cut to find its extent in degrees.
const edgeSteps = 16

// Around returns the region with its surroundings in WGS84, as a box of longitudes and latitudes,
// or two where it crosses the antimeridian. It is empty for a frame without a projection.
func (r Region) Around(f *frame.Frame) geo.MultiPolygon { return inDegrees(f, r.box) }

// Within is Around without the surroundings: a box around the cells of the fields.
func (r Region) Within(f *frame.Frame) geo.MultiPolygon {
	return inDegrees(f, r.box.Grown(f.CellSize-reliefMargin))
}

func inDegrees(f *frame.Frame, b geo.Box) geo.MultiPolygon {
	if f.EPSG == 0 {
		return nil
	}
	var around geo.Ring
	for step := range edgeSteps + 1 {
		t := float64(step) / edgeSteps
		x, y := b.MinX+float64(t*(b.MaxX-b.MinX)), b.MinY+float64(t*(b.MaxY-b.MinY))
		for _, p := range []geo.Position{{X: x, Y: b.MinY}, {X: x, Y: b.MaxY}, {X: b.MinX, Y: y}, {X: b.MaxX, Y: y}} {
			at, _ := f.LonLat(p)
			if len(around) > 0 {
				at.X = geo.Turned(at.X, around[0].X)
			}
			around = append(around, at)
		}
	}
	box := geo.MultiPolygon{{around}}.Bounds()
	switch {
	case box.MaxX > 180:
		return geo.MultiPolygon{degreeBox(box.MinX, box.MinY, 180, box.MaxY), degreeBox(-180, box.MinY, box.MaxX-360, box.MaxY)}
	case box.MinX < -180:
		return geo.MultiPolygon{degreeBox(box.MinX+360, box.MinY, 180, box.MaxY), degreeBox(-180, box.MinY, box.MaxX, box.MaxY)}
	default:
		return geo.MultiPolygon{degreeBox(box.MinX, box.MinY, box.MaxX, box.MaxY)}
	}
}

func degreeBox(west, south, east, north float64) geo.Polygon {
	return geo.Polygon{{{X: west, Y: south}, {X: east, Y: south}, {X: east, Y: north}, {X: west, Y: north}, {X: west, Y: south}}}
}

// FrameRelief collects the relief of a frame, region by region.
type FrameRelief struct {
	frame  *frame.Frame
	values map[string][]float64
	pixel  float64 // the widest of a plane on which relief was derived, metres
}

// NewFrameRelief returns the layers of a frame without values yet.
func NewFrameRelief(f *frame.Frame) *FrameRelief {
	r := &FrameRelief{frame: f, values: map[string][]float64{}}
	for _, name := range append(slices.Clone(ReliefLayers), Aspect) {
		r.values[name] = slices.Repeat([]float64{math.NaN()}, len(f.Cells))
	}
	return r
}

// Add derives the relief of a region from the elevation models that reach into it. Heights are
// interpolated on a plane of the frame's projection, with square pixels (Relief needs both) of
// about the width of the models', doubled as often as the bounds require; slope and wetness are
// derived there. They and the model's own heights are sampled at the cells as Sample does, with the mean
// of finer pixels.
//
// Faults: Invalid for models in an unknown projection.
func (r *FrameRelief) Add(region Region, models []Surface) error {
	if len(models) == 0 {
		return nil
	}
	models = joinSurfaces(models)
	finest := math.Inf(1)
	for _, m := range models {
		finest = min(finest, m.Metres())
	}
	plane := region.plane(finest, r.frame.EPSG)
	r.pixel = max(r.pixel, plane.CellX)
	height, err := heightsAt(models, r.frame.EPSG, plane.CellX)
	if err != nil {
		return err
	}
	for i := range plane.Values {
		plane.Values[i] = height(geo.Position{
			X: plane.OriginX + float64((float64(i%plane.Cols)+0.5)*plane.CellX),
			Y: plane.OriginY - float64((float64(i/plane.Cols)+0.5)*plane.CellY),
		})
	}
	slope, wetness := Relief(plane)
	east, south := plane, plane
	east.Values, south.Values = make([]float64, len(plane.Values)), make([]float64, len(plane.Values))
	for i := range plane.Values {
		east.Values[i], south.Values[i] = plane.gradient(i%plane.Cols, i/plane.Cols)
	}
	if height, err = heightsAt(models, r.frame.EPSG, r.frame.CellSize); err != nil {
		return err
	}
	same := func(p geo.Position) geo.Position { return p }
	steep, wet := slope.valueOf(same, r.frame.CellSize, false), wetness.valueOf(same, r.frame.CellSize, false)
	dx, dy := east.valueOf(same, r.frame.CellSize, false), south.valueOf(same, r.frame.CellSize, false)
	for i, c := range r.frame.Cells {
		if !region.holds(c) {
			continue
		}
		centre := r.frame.Centre(i)
		r.values[Elevation][i] = height(centre)
		r.values[Slope][i] = steep(centre)
		r.values[TWI][i] = wet(centre)
		r.values[Aspect][i] = aspect(dx(centre), dy(centre))
	}
	return nil
}

// plane returns the raster on which the relief of a region is derived, without its heights.
func (r Region) plane(pixel float64, epsg int) Surface {
	size := max(minReliefPixel, math.Round(pixel))
	if size >= fullMetres {
		size = math.Round(pixel/fullMetres) * fullMetres
	}
	s := Surface{EPSG: epsg}
	for {
		s.CellX, s.CellY = size, size
		s.OriginX, s.OriginY = math.Floor(r.box.MinX/size)*size, math.Ceil(r.box.MaxY/size)*size
		s.Cols, s.Rows = int(math.Ceil((r.box.MaxX-s.OriginX)/size)), int(math.Ceil((s.OriginY-r.box.MinY)/size))
		if s.Cols*s.Rows <= maxReliefPixels {
			s.Values = make([]float64, s.Cols*s.Rows)
			return s
		}
		size *= 2
	}
}

// Pixel returns the width in metres of the widest pixels of slope and wetness; 0 without a model.
func (r *FrameRelief) Pixel() float64 { return r.pixel }

// Layers returns the layers, in the order of ReliefLayers. The sources of slope and wetness state how
// these are derived.
func (r *FrameRelief) Layers(source string) []Layer { return r.named(source, ReliefLayers) }

// All returns the layers including aspect.
func (r *FrameRelief) All(source string) []Layer {
	return r.named(source, []string{Elevation, Slope, Aspect, TWI})
}

func (r *FrameRelief) named(source string, names []string) []Layer {
	return list.Map(names, func(name string) Layer {
		return Layer{Name: name, Values: r.values[name], Source: source + derivations[name]}
	})
}

// derivations are for people; the documents have them in full.
var derivations = map[string]string{
	Slope:  "; Horn (1981)",
	Aspect: "; Horn (1981), none where the land is flat",
	TWI:    fmt.Sprintf("; flow to all lower neighbours by tan^%g (Freeman 1991), depressions filled", flowExponent),
}
