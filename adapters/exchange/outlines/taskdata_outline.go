package outlines

import (
	"encoding/xml"
	"strconv"

	"tilth/adapters/exchange/internal/elements"
	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/geo"
)

// taskOutline gathers the polygons of a field, by their types.
type taskOutline struct {
	limits    geo.Limits
	parts     map[string]geo.MultiPolygon
	positions int
	err       error
}

// polygon reads a polygon, whose start has been read: an outer ring with its holes or, in version 3, several.
func (s *taskOutline) polygon(e *elements.Reader, kind string) error {
	var outers, holes []geo.Ring
	err := e.Each(func(token xml.Token) error {
		start, _ := token.(xml.StartElement)
		if start.Name.Local != taskdata.Line {
			return nil
		}
		line := elements.Attribute(start, "A")
		ring, err := s.ring(e)
		switch line {
		case taskdata.Exterior:
			outers = append(outers, ring)
		case taskdata.Interior:
			holes = append(holes, ring)
		}
		return err
	})
	if err != nil || s.err != nil || len(outers) == 0 {
		return err
	}
	if s.parts == nil {
		s.parts = map[string]geo.MultiPolygon{}
	}
	if len(outers) > 1 {
		s.parts[kind] = append(s.parts[kind], geo.Nest(outers, holes)...)
	} else {
		s.parts[kind] = append(s.parts[kind], append(geo.Polygon{outers[0]}, holes...))
	}
	return nil
}

func (s *taskOutline) ring(e *elements.Reader) (out geo.Ring, err error) {
	err = e.Each(func(token xml.Token) error {
		start, _ := token.(xml.StartElement)
		if start.Name.Local != taskdata.Point || s.err != nil {
			return nil
		}
		if s.positions++; s.positions > s.limits.MaxVertices+s.limits.MaxVertices/2 {
			s.err = refuseOutline("The boundary has more than %d vertices; simplify it.", s.limits.MaxVertices)
			return nil
		}
		north, errNorth := strconv.ParseFloat(elements.Attribute(start, "C"), 64)
		east, errEast := strconv.ParseFloat(elements.Attribute(start, "D"), 64)
		if errNorth != nil || errEast != nil {
			s.err = refuseOutline("A point (PNT) of the outline has no degrees in C and D; points in files of their own are not read.")
			return nil
		}
		out = append(out, geo.Position{X: east, Y: north})
		return nil
	})
	if len(out) > 2 && out[0] != out[len(out)-1] {
		out = append(out, out[0]) // a ring may be left open
	}
	return out, err
}
