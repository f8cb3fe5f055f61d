package fieldmap

import (
	"fmt"
	"math"
	"strings"

	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
)

// The pixels of maps of the land.
const (
	landPixel = 10.0 // metres
	finePixel = 5.0  // where a raster is that fine
	minPixel  = 2.5  // of small fields
	fewPixels = 100  // in a field, below which pixels are halved
	margin    = 3    // pixels beside the field
)

// Board lays pixels over a field (WGS84) and a little beside it, and returns which of its cells are the field's. Pixels are 10 m wide, or
// 5 m where the finest raster is that fine (metres; 0: not known); for small fields they are halved, for vast ones doubled.
//
// Faults: Invalid for a field that no pixels can be laid over.
func Board(field geo.MultiPolygon, finest float64) (f *frame.Frame, inside []bool, err error) {
	utm, err := geo.NewUTM(geo.UTMZoneEPSG(field.Centroid()))
	if err != nil {
		return nil, nil, err
	}
	land := utm.Project(field)
	size := landPixel
	if finest > 0 && finest <= finePixel {
		size = finePixel
	}
	for size > minPixel && land.PlanarArea() < fewPixels*size*size {
		size /= 2
	}
	box := land.Bounds()
	g := frame.GridCells{EPSG: utm.EPSG()}
	cols, rows := 0, 0
	for {
		g.CellSize = size
		g.OriginX, g.OriginY = math.Floor(box.MinX/size-margin)*size, math.Ceil(box.MaxY/size+margin)*size
		cols, rows = int(math.Ceil((box.MaxX-g.OriginX)/size))+margin, int(math.Ceil((g.OriginY-box.MinY)/size))+margin
		if float64(cols)*float64(rows) <= frame.MaxCells {
			break
		}
		size *= 2
	}
	for row := range rows {
		for col := range cols {
			g.Places = append(g.Places, [2]int32{int32(row), int32(col)})
		}
	}
	board, _, err := frame.OfCells(g, nil, 0)
	if err != nil {
		return nil, nil, err
	}
	cells, err := vegetation.Centres(land, board.Raster())
	if err != nil {
		return nil, nil, err
	}
	inside = make([]bool, len(board.Cells))
	for _, c := range cells {
		if c.Row >= 0 && c.Col >= 0 && c.Row < rows && c.Col < cols {
			inside[c.Row*cols+c.Col] = true
		}
	}
	return &board, inside, nil
}

// landSubjects are the layers of relief as maps show them.
var landSubjects = map[string]indexmap.Subject{
	layer.Elevation: {Title: "Height", Unit: "m", Kind: indexmap.Measure},
	layer.Slope:     {Title: "Slope", Unit: "°", Kind: indexmap.Measure},
	layer.Aspect:    {Title: "Direction that the land faces", Unit: "°", Kind: indexmap.Direction},
	layer.TWI:       {Title: "Topographic wetness index", Kind: indexmap.Measure},
}

// landMethods describe how they are computed.
var landMethods = map[string]string{
	layer.Elevation: "the heights of the model, interpolated or averaged",
	layer.Slope:     "Horn (1981), on the model's own pixels",
	layer.Aspect:    "Horn (1981), degrees clockwise from north; none where the land rises by less than a thousandth",
	layer.TWI:       "ln(a / tan b) (Beven and Kirkby 1979), flow to all lower neighbours (Freeman 1991), with the land up to 1.5 km around",
}

// OfRelief returns a layer of relief on a board.
func OfRelief(f *frame.Frame, inside []bool, in layer.PreparedLayer) Made {
	subject := landSubjects[in.Name]
	subject.Name = in.Name
	return ofLand(f, inside, in, Layer{Subject: subject, Method: landMethods[in.Name]})
}

// OfRaster returns the layer of a registered raster on a board.
func OfRaster(f *frame.Frame, inside []bool, in layer.Registered) Made {
	subject := indexmap.Subject{Name: in.Name, Title: title(in), Kind: indexmap.Measure}
	method := "the registered raster, interpolated between its pixels or averaged over them"
	switch {
	case in.Classes:
		subject.Kind, method = indexmap.Numbers, "the registered raster: of each pixel the class with the largest area in it"
	case in.Coarse:
		method = "the registered raster: the value of its pixel that holds the middle of each"
	}
	about := Layer{Subject: subject, Method: method}
	if in.Coarse {
		about.Notes = []string{"The source is far coarser than these pixels: within a field it says little."}
	}
	return ofLand(f, inside, in.PreparedLayer, about)
}

// title names a raster for people: as the operator describes it, or by its name.
func title(in layer.Registered) string {
	if in.About != "" {
		return in.About
	}
	return strings.ReplaceAll(in.Name, "_", " ")
}

func ofLand(f *frame.Frame, inside []bool, in layer.PreparedLayer, about Layer) Made {
	from := in.Provenance
	about.Source, about.Scenes, about.Years, about.Checksum, about.Synthetic, about.Coarse = in.Source, from.Scenes, from.Years, from.Checksum, from.Synthetic, in.Coarse
	if in.Dropped != "" {
		about.Reason = in.Dropped
		return Made{about, nil}
	}
	pixels := raster(f, in.Values, inside)
	if pixels.Describe().Valid == 0 {
		about.Reason = "It has no value in the field."
		return Made{about, nil}
	}
	return made(about, pixels)
}

// None returns why a map has no layer, with the reason of each; empty where one has pixels.
func None(what string, layers []Made) string {
	if len(layers) == 0 {
		return what
	}
	var why []string
	for _, l := range layers {
		if l.Pixels != nil {
			return ""
		}
		why = append(why, fmt.Sprintf("%s: %s.", l.Name, strings.TrimSuffix(l.Reason, ".")))
	}
	return what + " " + strings.Join(why, " ")
}
