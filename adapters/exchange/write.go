package exchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// OutlineWriter writes outlines in every format that can be read.
type OutlineWriter struct{}

// Write implements ports.OutlineWriter.
func (OutlineWriter) Write(ctx context.Context, format string, to io.Writer, columns []ports.Column, outlines iter.Seq2[ports.Outline, error]) error {
	f := shapesFile{format: format, columns: columns, stem: "fields", kind: shapefile.Polygon, outlines: true}
	return f.write(ctx, to, func(yield func(shape, error) bool) {
		for o, err := range outlines {
			out := shape{name: o.Name, values: o.Values}
			if o.Boundary != nil {
				out.area = o.Boundary.Geometry()
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	})
}

// shape is the content of a line, a placemark or a record of a file: an area, a point, or neither.
type shape struct {
	name   string
	area   geo.MultiPolygon
	point  *geo.Position
	values []any // for the columns of the file
}

type shapesFile struct {
	format   string // geojson, kml, csv, xlsx, shp, gpkg or fgb
	columns  []ports.Column
	stem     string // name of the files in an archive
	kind     uint32 // of a shapefile, which has one kind
	outlines bool   // a table has the geometry as its last column
	made     *made  // of GeoJSON, which has room for it beside the features; may be nil
}

// made is what the shapes of a file were made from, and how.
type made struct {
	Items  []string `json:"items"`
	Method string   `json:"method"`
}

type shapeWriter interface {
	add(shape) error
	end() error
}

func (f shapesFile) write(ctx context.Context, to io.Writer, shapes iter.Seq2[shape, error]) error {
	out := bufio.NewWriterSize(to, 64<<10)
	var w shapeWriter
	switch f.format {
	case "gpkg":
		return errors.Join(f.writeGeoPackage(ctx, out, shapes), out.Flush())
	case "geojson":
		_, _ = out.WriteString(`{"type":"FeatureCollection",`) // Flush returns the first error
		if f.made != nil {
			beside, err := json.Marshal(f.made)
			if err != nil {
				return err
			}
			_, _ = out.Write(append(bytes.Trim(beside, "{}"), ','))
		}
		_, _ = out.WriteString(`"features":[`)
		w = &geoJSONWriter{out, f.columns, "\n"}
	case "kml":
		_, _ = out.WriteString(xml.Header + `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>` + "\n")
		w = kmlWriter{out, f.columns}
	case ports.CSV, ports.XLSX:
		var head []string
		for _, c := range f.columns {
			head = append(head, c.Name)
		}
		if f.outlines {
			head = append(head, "boundary_wkt")
		}
		lines, err := newTable(out, f.format, f.stem, head)
		if err != nil {
			return err
		}
		w = tableWriter{lines, f}
	case "shp":
		shp, err := newShapefileWriter(out, f)
		if err != nil {
			return err
		}
		defer shp.discard()
		w = shp
	case "fgb":
		fgb, err := newFlatWriter(out, f)
		if err != nil {
			return err
		}
		defer fgb.features.discard()
		w = fgb
	default:
		return fault.Newf(fault.Internal, "unknown_format", "no writer for the format %q", f.format)
	}
	for o, err := range shapes {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.add(o); err != nil {
			return err
		}
	}
	if err := w.end(); err != nil {
		return err
	}
	return out.Flush()
}

// geoJSONWriter streams a FeatureCollection (RFC 7946), one feature per line.
type geoJSONWriter struct {
	to      *bufio.Writer
	columns []ports.Column
	between string
}

func (w *geoJSONWriter) add(o shape) error {
	geometry := []byte("null")
	switch {
	case o.point != nil:
		geometry = []byte(`{"type":"Point","coordinates":[` + number(o.point.X) + "," + number(o.point.Y) + "]}")
	case o.area != nil:
		var err error
		if geometry, err = json.Marshal(o.area); err != nil {
			return err
		}
	}
	line := bytes.NewBufferString(w.between + `{"type":"Feature","properties":{`)
	w.between = ",\n"
	for i, value := range o.values {
		name, err := json.Marshal(w.columns[i].Name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if i > 0 {
			line.WriteByte(',')
		}
		fmt.Fprintf(line, "%s:%s", name, text)
	}
	line.WriteString(`},"geometry":`)
	line.Write(geometry)
	line.WriteByte('}')
	_, err := line.WriteTo(w.to)
	return err
}

func (w *geoJSONWriter) end() error {
	_, err := w.to.WriteString("\n]}\n")
	return err
}

type kmlWriter struct {
	to      *bufio.Writer
	columns []ports.Column
}

func (w kmlWriter) add(o shape) error {
	var b strings.Builder
	b.WriteString("<Placemark><name>" + escaped(o.name) + "</name><ExtendedData>")
	for i, value := range o.values {
		if value != nil {
			fmt.Fprintf(&b, `<Data name="%s"><value>%s</value></Data>`, escaped(w.columns[i].Name), escaped(plain(value)))
		}
	}
	b.WriteString("</ExtendedData>")
	if len(o.area) > 1 {
		b.WriteString("<MultiGeometry>")
	}
	for _, polygon := range o.area {
		writeKMLPolygon(&b, polygon)
	}
	if len(o.area) > 1 {
		b.WriteString("</MultiGeometry>")
	}
	if o.point != nil {
		b.WriteString("<Point><coordinates>" + number(o.point.X) + "," + number(o.point.Y) + "</coordinates></Point>")
	}
	b.WriteString("</Placemark>\n")
	_, err := w.to.WriteString(b.String())
	return err
}

func writeKMLPolygon(b *strings.Builder, polygon geo.Polygon) {
	b.WriteString("<Polygon>")
	for i, ring := range polygon {
		side := "outerBoundaryIs"
		if i > 0 {
			side = "innerBoundaryIs"
		}
		b.WriteString("<" + side + "><LinearRing><coordinates>" + positions(ring, ",", " ") + "</coordinates></LinearRing></" + side + ">")
	}
	b.WriteString("</Polygon>")
}

func (w kmlWriter) end() error {
	_, err := w.to.WriteString("</Document></kml>\n")
	return err
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // writing to a strings.Builder never fails
	return b.String()
}

type tableWriter struct {
	table
	shapesFile
}

func (w tableWriter) add(o shape) error {
	var row []any
	for i, value := range o.values {
		switch v := value.(type) {
		case float64:
			if decimals := w.columns[i].Decimals; decimals > 0 {
				value = figure(strconv.FormatFloat(v, 'f', decimals, 64))
			}
		case string:
			value = momentOf(w.columns[i].Holds, v)
		}
		row = append(row, value)
	}
	if w.outlines {
		row = append(row, wktOf(o.area))
	}
	return w.line(row...)
}

// momentOf returns the day or the time that a text of a column spells, or else the text.
func momentOf(holds ports.ColumnTime, text string) any {
	switch holds {
	case ports.Days:
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			return day(t)
		}
	case ports.Times:
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t
		}
	}
	return text
}

// wktOf writes an area as well-known text (OGC 06-103r4, section 7).
func wktOf(parts geo.MultiPolygon) string {
	if parts == nil {
		return ""
	}
	polygons := make([]string, len(parts))
	for i, polygon := range parts {
		rings := make([]string, len(polygon))
		for j, ring := range polygon {
			rings[j] = "(" + positions(ring, " ", ", ") + ")"
		}
		polygons[i] = "(" + strings.Join(rings, ", ") + ")"
	}
	if len(parts) == 1 {
		return "POLYGON " + polygons[0]
	}
	return "MULTIPOLYGON (" + strings.Join(polygons, ", ") + ")"
}

// positions writes the positions of a ring with separators within and between them.
func positions(ring geo.Ring, within, between string) string {
	out := make([]string, len(ring))
	for i, p := range ring {
		out[i] = number(p.X) + within + number(p.Y)
	}
	return strings.Join(out, between)
}
