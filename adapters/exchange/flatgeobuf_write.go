package exchange

import (
	"bufio"

	"tilth/adapters/exchange/internal/flatgeobuf"
	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/geo"
	"tilth/ports"
)

// flatTypes are the types of columns by what they hold.
var flatTypes = map[ports.ColumnKind]flatgeobuf.Type{
	ports.TextColumn: flatgeobuf.String, ports.WholeColumn: flatgeobuf.Long, ports.NumberColumn: flatgeobuf.Double, ports.FlagColumn: flatgeobuf.Bool,
}

// flatWriter writes a FlatGeobuf. Its features go to a temporary file first, because the header states their number and where they lie.
type flatWriter struct {
	to       *bufio.Writer
	columns  []flatgeobuf.Column
	points   bool
	features *spool
	count    uint64
	box      *geo.Box
}

func newFlatWriter(to *bufio.Writer, f shapesFile) (*flatWriter, error) {
	w := &flatWriter{to: to, points: f.kind == shapefile.Point}
	for _, c := range f.columns {
		w.columns = append(w.columns, flatgeobuf.Column{Name: c.Name, Type: flatTypes[c.Kind]})
	}
	var err error
	w.features, err = newSpool()
	return w, err
}

func (w *flatWriter) add(o shape) error {
	w.count++
	if box, there := o.box(); there {
		if w.box == nil {
			w.box = &box
		}
		*w.box = w.box.Union(box)
	}
	return w.features.append(flatgeobuf.Write(w.columns, o.area, o.point, o.values))
}

func (w *flatWriter) end() error {
	box := geo.Box{}
	if w.box != nil {
		box = *w.box
	}
	if _, err := w.to.Write(flatgeobuf.Header(w.columns, w.points, w.count, box)); err != nil {
		return err
	}
	return w.features.copyTo(w.to)
}

// box returns where a shape lies; false: it has no place.
func (s shape) box() (geo.Box, bool) {
	switch {
	case s.point != nil:
		return geo.Box{MinX: s.point.X, MinY: s.point.Y, MaxX: s.point.X, MaxY: s.point.Y}, true
	case s.area != nil:
		return s.area.Bounds(), true
	}
	return geo.Box{}, false
}
