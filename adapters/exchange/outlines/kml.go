package outlines

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"tilth/adapters/exchange/internal/elements"
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/ports"
)

// readKML reads the Placemarks of a KML file (OGC 12-007r2), wherever they lie.
func readKML(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error {
	k := &kmlReader{Reader: elements.Of("KML", whole(file)), scan: scan, budget: effort.Of(ctx, 0)}
	root := true
	for {
		token, err := k.Token()
		if errors.Is(err, io.EOF) {
			if root {
				return refuse("The file is not KML: it has no elements.")
			}
			return nil
		}
		if err != nil {
			return k.Explain(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root && start.Name.Local != "kml" {
			return refuse("The file is not KML: its outermost element is %.40q.", start.Name.Local)
		}
		root = false
		if start.Name.Local != "Placemark" {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := k.placemark()
		if err != nil {
			return k.Explain(err)
		}
		if !yield(f) {
			return nil
		}
	}
}

// kmlReader reads Placemarks.
type kmlReader struct {
	*elements.Reader
	*scan
	budget *effort.Budget
}

// outline gathers the geometry of one Placemark.
type outline struct {
	parts     geo.MultiPolygon
	positions int
	other     string // a geometry that is not an area
	err       error
}

// placemark reads one Placemark, whose start has been read.
func (k *kmlReader) placemark() (ports.Feature, error) {
	out := ports.Feature{Attributes: map[string]string{}}
	var shape outline
	child, data := k.Depth()+1, ""
	err := k.Each(func(token xml.Token) (err error) {
		start, ok := token.(xml.StartElement)
		if !ok {
			return nil
		}
		text := ""
		switch name := start.Name.Local; name {
		case "name", "description":
			if k.Depth() == child { // not of something inside
				text, err = k.Text()
				put(out.Attributes, name, text)
			}
		case "Data":
			data = elements.Attribute(start, "name")
		case "value", "SimpleData":
			if name == "SimpleData" {
				data = elements.Attribute(start, "name")
			}
			if text, err = k.Text(); data != "" {
				put(out.Attributes, data, text)
			}
		case "Polygon":
			err = k.polygon(&shape)
		case "Point", "LineString", "LinearRing", "Model", "Track", "MultiTrack":
			shape.other = name
		}
		return err
	})
	if err == nil {
		k.settle(&shape, &out)
	}
	return out, err
}

func (k *kmlReader) settle(s *outline, out *ports.Feature) {
	switch {
	case s.err != nil:
		out.Err = s.err
	case len(s.parts) == 0 && s.other != "":
		if out.Geometry = s.other; s.other != "Point" {
			out.Err = refuseOutline("The Placemark holds a %s, which is not an area; draw it as a Polygon.", s.other)
		}
	case len(s.parts) > 0:
		if out.Geometry = "Polygon"; len(s.parts) > 1 {
			out.Geometry = "MultiPolygon"
		}
		if !k.outlines {
			return
		}
		boundary, err := geo.NewBoundary(k.budget, s.parts, k.limits)
		if err != nil {
			out.Err = err
			return
		}
		out.Boundary = &boundary
	}
}

// polygon reads a Polygon, whose start has been read, into a further part.
func (k *kmlReader) polygon(shape *outline) error {
	var outer geo.Ring
	var holes []geo.Ring
	inside := false
	err := k.Each(func(token xml.Token) error {
		start, _ := token.(xml.StartElement)
		switch start.Name.Local {
		case "outerBoundaryIs":
			inside = false
		case "innerBoundaryIs":
			inside = true
		case "coordinates":
			text, err := k.Text()
			if err != nil {
				return err
			}
			ring := shape.ring(text, k.limits)
			if inside {
				holes = append(holes, ring)
			} else {
				outer = ring
			}
		}
		return nil
	})
	if shape.err == nil {
		shape.parts = append(shape.parts, append(geo.Polygon{outer}, holes...))
	}
	return err
}

// ring reads coordinates: tuples of longitude, latitude and perhaps a height, separated by white
// space.
func (s *outline) ring(text string, limits geo.Limits) geo.Ring {
	if s.err != nil {
		return nil
	}
	var ring geo.Ring
	s.positions--
	for tuple := range strings.FieldsSeq(text) {
		if s.positions++; s.positions > limits.MaxVertices {
			s.err = refuseOutline("The boundary has more than %d vertices; simplify it.", limits.MaxVertices)
			return nil
		}
		lon, rest, ok := strings.Cut(tuple, ",")
		lat, _, _ := strings.Cut(rest, ",")
		x, errX := strconv.ParseFloat(lon, 64)
		y, errY := strconv.ParseFloat(lat, 64)
		if !ok || errX != nil || errY != nil {
			s.err = refuseOutline("%.40q is not a position; write longitude,latitude with a comma and no space between.", tuple)
			return nil
		}
		ring = append(ring, geo.Position{X: x, Y: y})
	}
	return ring
}
