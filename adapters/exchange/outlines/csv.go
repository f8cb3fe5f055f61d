package outlines

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"tilth/adapters/exchange/internal/tables"
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/ports"
)

// outlineColumns are the names of columns that hold outlines, in lower case; the first one that a file has is used.
var outlineColumns = []string{"boundary_wkt", "wkt", "geom", "geometry", "the_geom", "wkt_geom", "geojson", "boundary", "outline"}

// The names of columns that hold points.
var (
	lonColumns = []string{"lon", "lng", "long", "longitude", "x"}
	latColumns = []string{"lat", "latitude", "y"}
)

// readTable reads a table with one line per feature and the outline in one column: as well-known text or as GeoJSON, in
// longitude and latitude.
func readTable(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error {
	rows, head, err := tables.Open(file, scan.sheet)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	if len(head) > maxColumns {
		return refuse("The table has %d columns; at most %d are taken.", len(head), maxColumns)
	}
	c := tableOutlines{scan: scan, rows: rows, head: head, budget: effort.Of(ctx, 0), geometry: columnOf(head, outlineColumns)}
	c.points = columnOf(head, lonColumns) >= 0 && columnOf(head, latColumns) >= 0
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i, value := range row {
			if !utf8.ValidString(value) {
				return refuse("%s is not in UTF-8; save the file as CSV in UTF-8.", rows.Place(i))
			}
		}
		if err := c.find(row); err != nil {
			return err
		}
		if !yield(c.feature(row)) {
			return nil
		}
	}
}

// columnOf returns the place of the first of some names in a head; -1: it has none.
func columnOf(head, names []string) int {
	for _, name := range names {
		if i := slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(h, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

type tableOutlines struct {
	*scan
	rows     *tables.Reader
	head     []string
	budget   *effort.Budget
	geometry int  // the column of the outlines
	points   bool // there are columns of longitude and latitude
}

// find looks for the column of the outlines in the contents of the first line, where no name identifies it.
func (c *tableOutlines) find(row []string) error {
	if c.geometry >= 0 {
		return nil
	}
	c.geometry = slices.IndexFunc(row, func(value string) bool {
		return looksLikeWKT(value) || strings.HasPrefix(value, "{") && strings.Contains(value, `"coordinates"`)
	})
	if c.geometry < 0 && !c.points {
		return refuse("The table has no column of outlines. Fix: add one named wkt, with POLYGON ((10 50, 10.1 50, 10.1 50.1, 10 50)) in longitude and latitude, or with GeoJSON.")
	}
	return nil
}

func (c *tableOutlines) feature(row []string) (out ports.Feature) {
	out.Line = c.rows.Line()
	out.Attributes = map[string]string{}
	for i, value := range row {
		if c.head[i] != "" && i != c.geometry {
			put(out.Attributes, c.head[i], c.rows.Text(value))
		}
	}
	if c.geometry < 0 {
		out.Geometry = "Point" // from which no outline can be made
		return out
	}
	text := strings.TrimSpace(row[c.geometry])
	if text == "" || !c.outlines {
		return out
	}
	var boundary geo.Boundary
	if strings.HasPrefix(text, "{") {
		out.Geometry = "Polygon"
		boundary, out.Err = geo.ParseGeoJSON(c.budget, []byte(text), c.limits)
	} else {
		var parts geo.MultiPolygon
		if parts, out.Geometry, out.Err = readWKT(text, c.limits); out.Err != nil || parts == nil {
			return out
		}
		boundary, out.Err = geo.NewBoundary(c.budget, parts, c.limits)
	}
	if out.Err == nil {
		out.Boundary = &boundary
	}
	return out
}
