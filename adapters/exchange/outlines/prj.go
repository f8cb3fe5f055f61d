package outlines

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tilth/core/geo"
)

// projection turns the coordinates of a file into longitude and latitude in degrees.
type projection func(geo.Position) geo.Position

// node is an element of a WKT text: a keyword with its arguments, or a plain value.
type node struct {
	word string // keyword in upper case; the value of a text or a number
	args []node
}

// find returns the first argument of a keyword.
func (n node) find(word string) (node, bool) {
	for _, a := range n.args {
		if a.word == word && len(a.args) > 0 {
			return a, true
		}
	}
	return node{}, false
}

// name returns the first argument, which names the element.
func (n node) name() string {
	if len(n.args) == 0 {
		return ""
	}
	return n.args[0].word
}

// number returns the second argument as a number.
func (n node) number() (float64, bool) {
	if len(n.args) < 2 {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.args[1].word, 64)
	return v, err == nil
}

// projectionOf reads the well-known text of a .prj file (OGC 01-009): longitude and
// latitude, a UTM zone, or Web Mercator.
func projectionOf(text string) (projection, error) {
	root, err := parseWKT(text)
	if err != nil {
		return nil, refuse("The reference system (.prj) cannot be read: %v.", err)
	}
	switch root.word {
	case "GEOGCS":
		return geographic(root)
	case "PROJCS":
		return projected(root)
	}
	return nil, refuse("The reference system (.prj) describes %.40q; give longitude and latitude (WGS84), a UTM zone or Web Mercator.", root.word)
}

// plain is the projection of coordinates that are in longitude and latitude already.
func plain(p geo.Position) geo.Position { return p }

// projectionOfEPSG returns the projection of a reference system by its number: longitude and latitude, UTM zones and Web
// Mercator, of WGS84 and of the continental frames that follow it within a metre or two.
func projectionOfEPSG(code int) (projection, error) {
	zone := func(first, last, utm int) (projection, bool) {
		if code < first || code > last {
			return nil, false
		}
		of, err := geo.NewUTM(utm + code - first)
		return of.Inverse, err == nil
	}
	switch code {
	case 4326, 4258, 4674, 4979, 4937:
		return plain, nil
	case 3857, 900913:
		return geo.FromWebMercator, nil
	}
	for _, zones := range [][3]int{
		{32601, 32660, 32601}, {32701, 32760, 32701}, // WGS84
		{25828, 25838, 32628},                        // ETRS89
		{31965, 31976, 32611}, {31977, 31985, 32717}, // SIRGAS 2000
	} {
		if project, ok := zone(zones[0], zones[1], zones[2]); ok {
			return project, nil
		}
	}
	return nil, refuse("The coordinates are in EPSG:%d; give longitude and latitude (WGS84), a UTM zone or Web Mercator.", code)
}

func geographic(g node) (projection, error) {
	if err := knownDatum(g); err != nil {
		return nil, err
	}
	if unit, ok := g.find("UNIT"); ok {
		if size, ok := unit.number(); ok && math.Abs(size-math.Pi/180) > 1e-9 {
			return nil, refuse("The reference system (.prj) gives angles in %.40q; give degrees.", unit.name())
		}
	}
	return plain, nil
}

// knownDatum refuses a datum that is neither WGS84 nor a continental frame on the same ellipsoid.
// Those are within a metre or two of it, which is how well an outline is drawn.
func knownDatum(g node) error {
	datum, ok := g.find("DATUM")
	if !ok {
		return refuse("The reference system (.prj) names no datum.")
	}
	plain := strings.NewReplacer("_", "", " ", "", "-", "").Replace(strings.ToUpper(datum.name()))
	for _, known := range []string{"WGS1984", "WGS84", "WORLDGEODETICSYSTEM1984", "ETRS1989", "ETRS89", "EUROPEANTERRESTRIALREFERENCESYSTEM1989", "SIRGAS2000", "SISTEMADEREFERENCIAGEOCENTRICOPARALASAMERICAS2000"} {
		if strings.Contains(plain, known) {
			return nil
		}
	}
	return refuse("The reference system (.prj) names the datum %.60q; convert the file to WGS84.", datum.name())
}

func projected(p node) (projection, error) {
	base, ok := p.find("GEOGCS")
	if !ok {
		return nil, refuse("The reference system (.prj) names no geographic system below its projection.")
	}
	if err := knownDatum(base); err != nil {
		return nil, err
	}
	if unit, ok := p.find("UNIT"); ok { // of lengths; that of angles is within the geographic system
		if size, ok := unit.number(); ok && math.Abs(size-1) > 1e-9 {
			return nil, refuse("The reference system (.prj) gives lengths in %.40q; give metres.", unit.name())
		}
	}
	if webMercator(p) {
		return geo.FromWebMercator, nil
	}
	utm, err := utmOf(p)
	if err != nil {
		return nil, err
	}
	return utm.Inverse, nil
}

func webMercator(p node) bool {
	method, _ := p.find("PROJECTION")
	switch strings.ToUpper(method.name()) {
	case "MERCATOR_AUXILIARY_SPHERE", "POPULAR_VISUALISATION_PSEUDO_MERCATOR":
		return true
	case "MERCATOR_1SP", "MERCATOR":
	default:
		return false
	}
	plain := strings.NewReplacer("_", "", " ", "", "-", "", "/", "").Replace(strings.ToUpper(p.name()))
	return strings.Contains(plain, "PSEUDOMERCATOR") || strings.Contains(plain, "WEBMERCATOR")
}

// utmOf returns the zone of a Transverse Mercator projection that has the parameters of a UTM zone.
func utmOf(p node) (geo.UTM, error) {
	method, _ := p.find("PROJECTION")
	if !strings.EqualFold(method.name(), "Transverse_Mercator") {
		return geo.UTM{}, refuse("The reference system (.prj) names the projection %.60q; give WGS84, UTM or Web Mercator.", method.name())
	}
	figures := map[string]float64{"scale_factor": 1}
	for _, a := range p.args {
		if v, ok := a.number(); ok && a.word == "PARAMETER" {
			figures[strings.ToLower(a.name())] = v
		}
	}
	zone := (figures["central_meridian"] + 183) / 6
	south := figures["false_northing"] == 10_000_000
	standard := figures["scale_factor"] == 0.9996 && figures["false_easting"] == 500_000 && figures["latitude_of_origin"] == 0 &&
		(south || figures["false_northing"] == 0) && zone == math.Trunc(zone) && zone >= 1 && zone <= 60
	if !standard {
		return geo.UTM{}, refuse("The reference system (.prj) %.60q is a Transverse Mercator that is not a UTM zone; convert the file to WGS84.", p.name())
	}
	epsg := 32600
	if south {
		epsg = 32700
	}
	return geo.NewUTM(epsg + int(zone))
}

// Bounds of a .prj file.
const (
	maxWKTBytes = 64 << 10
	maxWKTDepth = 16
)

// parseWKT reads well-known text: KEYWORD["text", 1.5, KEYWORD[…], …].
func parseWKT(text string) (node, error) {
	w := wktReader{text: strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))}
	n, err := w.node(0)
	if err == nil && strings.Trim(w.text, " \t\r\n\x00") != "" {
		err = errors.New("there is more after its end")
	}
	return n, err
}

type wktReader struct{ text string }

func (w *wktReader) skip() { w.text = strings.TrimLeft(w.text, " \t\r\n") }

func (w *wktReader) node(depth int) (node, error) {
	w.skip()
	if depth > maxWKTDepth {
		return node{}, errors.New("it is nested too deeply")
	}
	if strings.HasPrefix(w.text, `"`) {
		value, rest, ok := strings.Cut(w.text[1:], `"`)
		if !ok {
			return node{}, errors.New("a quotation mark is not closed")
		}
		w.text = rest
		return node{word: value}, nil
	}
	end := strings.IndexAny(w.text, "[](), \t\r\n\"")
	if end < 0 {
		end = len(w.text)
	}
	n := node{word: strings.ToUpper(w.text[:end])}
	if w.text = w.text[end:]; n.word == "" {
		return n, errors.New("a word is missing")
	}
	w.skip()
	if !strings.HasPrefix(w.text, "[") && !strings.HasPrefix(w.text, "(") {
		return n, nil
	}
	for {
		w.text = w.text[1:]
		arg, err := w.node(depth + 1)
		if err != nil {
			return n, err
		}
		n.args = append(n.args, arg)
		w.skip()
		if strings.HasPrefix(w.text, ",") {
			continue
		}
		if strings.HasPrefix(w.text, "]") || strings.HasPrefix(w.text, ")") {
			w.text = w.text[1:]
			return n, nil
		}
		return n, fmt.Errorf("a bracket of %s is not closed", n.word)
	}
}
