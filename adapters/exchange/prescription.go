package exchange

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/ports"
)

// The grid of a prescription: cells of degrees, each with the code of a zone.
const (
	gridName = "GRD00001"
	noZone   = 0 // the code of what lies outside the zones
)

// writePrescription writes task data of ISO 11783-10 with one planned task: the zones as treatment zones, and a grid (type 1) that
// states which of them lies where; where there are rates, each zone has its set point.
func writePrescription(to io.Writer, in ports.ShownZones) error {
	grid, err := gridOf(in.Pixels)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(to)
	w := &taskWriter{}
	if w.to, err = begin(archive, taskdata.Folder+taskdata.Main, firstDay); err != nil {
		return err
	}
	w.print("%s", taskHead)
	id := recordID(taskdata.Field, in.FieldID)
	w.element(taskdata.Field, func() { w.area(in.Outline) }, "A", id, "C", nameOr(in.Name, id), "D", strconv.FormatInt(min(in.AreaM2, math.MaxUint32-1), 10))
	w.element(taskdata.Task, func() {
		w.zone(in, noZone, "Outside")
		for _, z := range in.Layer.Zones {
			w.zone(in, z.Number, fmt.Sprintf("Zone %d", z.Number))
		}
		w.element(taskdata.Grid, nil, "A", degreesOf(grid.south), "B", degreesOf(grid.west), "C", degreesOf(grid.high), "D", degreesOf(grid.wide),
			"E", strconv.Itoa(grid.cols), "F", strconv.Itoa(grid.rows), "G", gridName, "H", strconv.Itoa(len(grid.codes)), "I", "1")
	}, "A", "TSK1", "B", designator("Zones of "+in.Name), "E", id, "G", taskdata.TaskPlanned, "H", strconv.Itoa(noZone), "I", strconv.Itoa(noZone), "J", strconv.Itoa(noZone))
	w.print("</%s>\n", taskdata.Root)
	if w.err != nil {
		return w.err
	}
	bin, err := begin(archive, taskdata.Folder+gridName+".bin", firstDay)
	if err != nil {
		return err
	}
	if _, err := bin.Write(grid.codes); err != nil {
		return err
	}
	return archive.Close()
}

// zone writes a treatment zone, with its set point where there are rates.
func (w *taskWriter) zone(in ports.ShownZones, number int, name string) {
	var inside func()
	if p := in.Prescription; p.Rates != nil {
		rate := int64(0)
		if number != noZone {
			rate = p.SetPoint(number)
		}
		inside = func() {
			w.element(taskdata.ProcessData, nil, "A", p.Unit.DDI, "B", strconv.FormatInt(rate, 10))
		}
	}
	w.element(taskdata.TreatmentZone, inside, "A", strconv.Itoa(number), "B", name)
}

// degreesOf writes degrees with at most nine decimals, a tenth of a millimetre.
func degreesOf(v float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 9, 64), "0"), ".")
}

// zoneGrid is a grid in degrees: its codes from the south-west, row by row.
type zoneGrid struct {
	south, west, high, wide float64
	cols, rows              int
	codes                   []byte
}

// gridOf lays a grid of degrees over the pixels of zones, with cells about as wide as the pixels. Each cell has the code of the pixel
// that holds its middle.
func gridOf(l *indexmap.Layer) (g zoneGrid, err error) {
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return g, err
	}
	wide, high := float64(l.Cols)*l.Grid.PixelX, float64(l.Rows)*l.Grid.PixelY
	x, y := l.Grid.OriginX, l.Grid.OriginY-high
	box := plane.Unproject(geo.MultiPolygon{{{{X: x, Y: y}, {X: x + wide, Y: y}, {X: x + wide, Y: y + high}, {X: x, Y: y + high}, {X: x, Y: y}}}}).InOnePiece().Bounds()
	middle := plane.Inverse(geo.Position{X: x + wide/2, Y: y + high/2})
	perDegree := func(at geo.Position) float64 { return geo.Distance(middle, at) / 1e-3 }
	g.south, g.west = rounded(box.MinY), rounded(box.MinX)
	g.high = rounded(l.Grid.PixelY / perDegree(geo.Position{X: middle.X, Y: middle.Y + 1e-3}))
	g.wide = rounded(l.Grid.PixelX / perDegree(geo.Position{X: middle.X + 1e-3, Y: middle.Y}))
	g.cols, g.rows = int(math.Ceil((box.MaxX-g.west)/g.wide)), int(math.Ceil((box.MaxY-g.south)/g.high))
	g.codes = make([]byte, g.cols*g.rows)
	for i := range g.codes {
		col, row := l.Grid.PixelAt(plane.Forward(geo.Position{
			X: g.west + (float64(i%g.cols)+0.5)*g.wide, Y: g.south + (float64(i/g.cols)+0.5)*g.high,
		}))
		if col < 0 || row < 0 || col >= l.Cols || row >= l.Rows {
			continue
		}
		if v := l.Values[row*l.Cols+col]; !math.IsNaN(v) {
			g.codes[i] = byte(v)
		}
	}
	return g, nil
}

// rounded returns degrees as they are written.
func rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }
