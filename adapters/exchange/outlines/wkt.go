package outlines

import (
	"strconv"
	"strings"

	"tilth/core/geo"
)

// wktText reads geometries as well-known text (OGC 06-103r4, clause 7), also after the number of their reference system, as
// PostGIS writes them.
type wktText struct {
	text      string
	limits    geo.Limits
	positions int
	project   projection
}

// looksLikeWKT reports whether a text begins as well-known text does.
func looksLikeWKT(text string) bool {
	word := wktWord(text)
	return strings.HasPrefix(word, "SRID=") || wktWords[word] != ""
}

// wktWords are the words of geometries, as other formats have them.
var wktWords = map[string]string{
	"POLYGON": "Polygon", "MULTIPOLYGON": "MultiPolygon", "POINT": "Point", "MULTIPOINT": "MultiPoint", "LINESTRING": "LineString",
	"MULTILINESTRING": "MultiLineString", "GEOMETRYCOLLECTION": "GeometryCollection",
}

func wktWord(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexAny(text, " (;\t\r\n"); end >= 0 {
		text = text[:end]
	}
	if len(text) > 32 {
		return ""
	}
	return strings.ToUpper(text)
}

// readWKT returns an area, and the word for the kind of geometry.
func readWKT(text string, limits geo.Limits) (parts geo.MultiPolygon, word string, err error) {
	w := &wktText{text: strings.TrimSpace(text), limits: limits, project: plain}
	if number, ok := strings.CutPrefix(wktWord(w.text), "SRID="); ok {
		code, err := strconv.Atoi(number)
		if err != nil {
			return nil, "", refuseOutline("%.40q is not the number of a reference system.", number)
		}
		if w.project, err = projectionOfEPSG(code); err != nil {
			return nil, "", err
		}
		_, rest, _ := strings.Cut(w.text, ";")
		w.text = strings.TrimSpace(rest)
	}
	upper := wktWord(w.text)
	word, known := wktWords[upper]
	if !known {
		return nil, "", refuseOutline("%.40q is not the well-known text of a geometry; write it as POLYGON ((10 50, 10.1 50, 10.1 50.1, 10 50)).", w.text)
	}
	w.text = strings.TrimSpace(w.text[len(upper):])
	for _, more := range []string{"ZM", "Z", "M"} {
		if rest := strings.TrimPrefix(strings.ToUpper(w.text), more); len(rest) < len(w.text) {
			w.text = strings.TrimSpace(w.text[len(more):])
			break
		}
	}
	if strings.EqualFold(w.text, "EMPTY") {
		return nil, "", nil
	}
	switch word {
	case "Point", "MultiPoint":
		return nil, word, nil
	case "Polygon":
		var p geo.Polygon
		p, err = w.polygon()
		parts = geo.MultiPolygon{p}
	case "MultiPolygon":
		parts, err = wktList(w, w.polygon)
	default:
		return nil, word, refuseOutline("The geometry is a %s, which is not an area; draw it as a Polygon.", word)
	}
	if err == nil && w.text != "" {
		err = refuseOutline("The well-known text continues after its end: %.40q.", w.text)
	}
	return parts, word, err
}

// wktList reads a list in brackets.
func wktList[T any](w *wktText, item func() (T, error)) (out []T, err error) {
	if !strings.HasPrefix(w.text, "(") {
		return nil, refuseOutline("The well-known text lacks a bracket before %.40q.", w.text)
	}
	for {
		w.text = strings.TrimLeft(w.text[1:], " \t\r\n")
		one, err := item()
		if err != nil {
			return nil, err
		}
		out = append(out, one)
		w.text = strings.TrimLeft(w.text, " \t\r\n")
		if strings.HasPrefix(w.text, ")") {
			w.text = strings.TrimLeft(w.text[1:], " \t\r\n")
			return out, nil
		}
		if !strings.HasPrefix(w.text, ",") {
			return nil, refuseOutline("The well-known text is cut off or malformed before %.40q.", w.text)
		}
	}
}

func (w *wktText) polygon() (geo.Polygon, error) {
	return wktList(w, func() (geo.Ring, error) { return wktList(w, w.position) })
}

func (w *wktText) position() (geo.Position, error) {
	if w.positions++; w.positions > w.limits.MaxVertices+w.limits.MaxVertices/2 {
		return geo.Position{}, refuseOutline("The boundary has more than %d vertices; simplify it.", w.limits.MaxVertices)
	}
	end := strings.IndexAny(w.text, ",)")
	if end < 0 {
		end = len(w.text)
	}
	words := strings.Fields(w.text[:min(end, 200)])
	if end > 200 || len(words) < 2 || len(words) > 4 {
		return geo.Position{}, refuseOutline("%.40q is not a position; write longitude and latitude with a space between.", w.text)
	}
	x, errX := strconv.ParseFloat(words[0], 64)
	y, errY := strconv.ParseFloat(words[1], 64)
	if errX != nil || errY != nil {
		return geo.Position{}, refuseOutline("%.40q is not a position; write longitude and latitude as numbers.", w.text[:end])
	}
	w.text = w.text[end:]
	return w.project(geo.Position{X: x, Y: y}), nil
}
