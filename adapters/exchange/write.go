package exchange

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// OutlineWriter writes outlines in every format that is read, and as CSV.
type OutlineWriter struct{}

// outlineWriter writes one file: each outline as it comes, and the end.
type outlineWriter interface {
	add(ports.Outline) error
	end() error
}

// Write implements ports.OutlineWriter.
func (OutlineWriter) Write(ctx context.Context, format string, to io.Writer, columns []ports.Column, outlines iter.Seq2[ports.Outline, error]) (err error) {
	out := bufio.NewWriterSize(to, 64<<10)
	var w outlineWriter
	switch format {
	case "geojson":
		w, err = newGeoJSONWriter(out, columns)
	case "kml":
		w, err = newKMLWriter(out, columns)
	case "csv":
		w, err = newCSVWriter(out, columns)
	case "shp":
		var shp *shapefileWriter
		if shp, err = newShapefileWriter(out, columns); err == nil {
			defer shp.discard()
		}
		w = shp
	default:
		return fault.Newf(fault.Internal, "unknown_format", "no writer for the format %q", format)
	}
	if err != nil {
		return err
	}
	for o, err := range outlines {
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

type geoJSONWriter struct {
	to    *bufio.Writer
	heads []string // the columns' names as JSON, with their colons
	first bool
}

func newGeoJSONWriter(to *bufio.Writer, columns []ports.Column) (*geoJSONWriter, error) {
	w := &geoJSONWriter{to: to, first: true}
	for _, c := range columns {
		name, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		w.heads = append(w.heads, string(name)+":")
	}
	_, err := to.WriteString(`{"type":"FeatureCollection","features":[`)
	return w, err
}

func (w *geoJSONWriter) add(o ports.Outline) error {
	separator := ",\n"
	if w.first {
		separator, w.first = "\n", false
	}
	geometry := []byte("null")
	if o.Boundary != nil {
		var err error
		if geometry, err = json.Marshal(o.Boundary.Geometry()); err != nil {
			return err
		}
	}
	var line strings.Builder
	line.WriteString(separator + `{"type":"Feature","properties":{`)
	for i, value := range o.Values {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if i > 0 {
			line.WriteByte(',')
		}
		line.WriteString(w.heads[i])
		line.Write(text)
	}
	line.WriteString(`},"geometry":`)
	line.Write(geometry)
	line.WriteByte('}')
	_, err := w.to.WriteString(line.String())
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

func newKMLWriter(to *bufio.Writer, columns []ports.Column) (*kmlWriter, error) {
	_, err := to.WriteString(xml.Header + `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>` + "\n")
	return &kmlWriter{to, columns}, err
}

func (w *kmlWriter) add(o ports.Outline) error {
	var b strings.Builder
	b.WriteString("<Placemark><name>" + escaped(o.Name) + "</name><ExtendedData>")
	for i, value := range o.Values {
		if value != nil {
			fmt.Fprintf(&b, `<Data name="%s"><value>%s</value></Data>`, escaped(w.columns[i].Name), escaped(plain(value)))
		}
	}
	b.WriteString("</ExtendedData>")
	if o.Boundary != nil {
		parts := o.Boundary.Geometry()
		if len(parts) > 1 {
			b.WriteString("<MultiGeometry>")
		}
		for _, polygon := range parts {
			writeKMLPolygon(&b, polygon)
		}
		if len(parts) > 1 {
			b.WriteString("</MultiGeometry>")
		}
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
		b.WriteString("<" + side + "><LinearRing><coordinates>")
		for j, p := range ring {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(number(p.X) + "," + number(p.Y))
		}
		b.WriteString("</coordinates></LinearRing></" + side + ">")
	}
	b.WriteString("</Polygon>")
}

func (w *kmlWriter) end() error {
	_, err := w.to.WriteString("</Document></kml>\n")
	return err
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

type csvWriter struct{ to *csv.Writer }

func newCSVWriter(to *bufio.Writer, columns []ports.Column) (*csvWriter, error) {
	w := &csvWriter{csv.NewWriter(to)}
	head := make([]string, 0, len(columns)+1)
	for _, c := range columns {
		head = append(head, c.Name)
	}
	return w, w.to.Write(append(head, "boundary_wkt"))
}

func (w *csvWriter) add(o ports.Outline) error {
	row := make([]string, 0, len(o.Values)+1)
	for _, value := range o.Values {
		row = append(row, formulaSafe(value))
	}
	return w.to.Write(append(row, wktOf(o.Boundary)))
}

func (w *csvWriter) end() error {
	w.to.Flush()
	return w.to.Error()
}

// formulaSafe keeps spreadsheets from taking a text for a formula and running it.
func formulaSafe(value any) string {
	text, ok := value.(string)
	if ok && text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return plain(value)
}

// wktOf writes a boundary as well-known text (OGC 06-103r4, section 7).
func wktOf(boundary *geo.Boundary) string {
	if boundary == nil {
		return ""
	}
	parts := boundary.Geometry()
	var b strings.Builder
	b.WriteString("POLYGON ")
	if len(parts) > 1 {
		b.Reset()
		b.WriteString("MULTIPOLYGON (")
	}
	for i, polygon := range parts {
		if i > 0 {
			b.WriteString(", ")
		}
		for j, ring := range polygon {
			b.WriteString([]string{"(", ", "}[min(j, 1)] + "(")
			for k, p := range ring {
				if k > 0 {
					b.WriteString(", ")
				}
				b.WriteString(number(p.X) + " " + number(p.Y))
			}
			b.WriteByte(')')
		}
		b.WriteByte(')')
	}
	if len(parts) > 1 {
		b.WriteByte(')')
	}
	return b.String()
}

// plain gives a value as text; nothing for nil.
func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return number(v)
	default:
		return fmt.Sprint(v)
	}
}

// number writes a number in the shortest form that reads back the same.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
