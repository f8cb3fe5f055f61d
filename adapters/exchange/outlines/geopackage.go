package outlines

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tilth/adapters/exchange/internal/geopackage"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// maxValue is the maximum number of bytes of a value of a GeoPackage: an outline with the maximum number of vertices has a tenth of it.
const maxValue = 8 << 20

// readGeoPackage reads the one layer of areas of a GeoPackage. SQLite reads files, so the object is copied to one, which is removed at the end.
func readGeoPackage(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) (err error) {
	folder, err := os.MkdirTemp("", "tilth-import-*")
	if err != nil {
		return noRoom(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := filepath.Join(folder, "outlines.gpkg")
	if err := save(name, file); err != nil {
		return err
	}
	conn, shut, err := geopackage.Open(ctx, name, false, maxValue)
	if err != nil {
		return unreadable(ctx, err)
	}
	defer shut()
	g := &geoPackage{conn: conn, scan: scan, budget: effort.Of(ctx, 0), left: file.Size()}
	return unreadable(ctx, g.read(ctx, yield))
}

func noRoom(err error) error {
	return fault.New(fault.Unavailable, "objects_unavailable", "There is no room to read the file; try again later.").Because(err)
}

func save(name string, from ports.Object) error {
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return noRoom(err)
	}
	if _, err = io.Copy(to, whole(from)); err != nil {
		return noRoom(errors.Join(err, to.Close()))
	}
	return to.Close()
}

// unreadable turns an error of SQLite into a fault of the file. It leaves faults as they are, and errors after the caller has left.
func unreadable(ctx context.Context, err error) error {
	if _, isFault := fault.As(err); err == nil || isFault || ctx.Err() != nil {
		return err
	}
	return refuse("The GeoPackage cannot be read: it is damaged (%.120s). Fix: open it in QGIS, and save the layer to a new GeoPackage.", err.Error())
}

type geoPackage struct {
	conn *sql.Conn
	*scan
	budget *effort.Budget
	left   int64 // bytes that rows may still have: the rows of a sound file have no more bytes than the file
}

// layer is a table of features.
type layer struct {
	table, column, kind string
	system              int32
}

// areas are the types of layers that may hold areas.
var areas = []string{"POLYGON", "MULTIPOLYGON", "GEOMETRY", "SURFACE", "MULTISURFACE", "CURVEPOLYGON", "GEOMETRYCOLLECTION"}

// maxLayers is the maximum number of layers of a GeoPackage that are looked at.
const maxLayers = 1_000

// layers returns the layers of a GeoPackage that may hold areas, and the others by their names and types.
func (g *geoPackage) layers(ctx context.Context) (out []layer, others []string, err error) {
	if err := g.known(ctx, "gpkg_geometry_columns", "table_name", "column_name", "geometry_type_name", "srs_id"); err != nil {
		return nil, nil, err
	}
	rows, err := g.conn.QueryContext(ctx, `SELECT table_name, column_name, geometry_type_name, srs_id FROM gpkg_geometry_columns NOT INDEXED LIMIT ?`, maxLayers)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l layer
		if err := rows.Scan(&l.table, &l.column, &l.kind, &l.system); err != nil {
			return nil, nil, err
		}
		if slices.Contains(areas, strings.ToUpper(l.kind)) {
			out = append(out, l)
		} else {
			others = append(others, fmt.Sprintf("%.60s (%.20s)", l.table, l.kind))
		}
	}
	return out, others, rows.Err()
}

// known refuses a name that is not a table's, and a table that lacks columns.
func (g *geoPackage) known(ctx context.Context, table string, columns ...string) error {
	has, err := geopackage.Columns(ctx, g.conn, table)
	switch {
	case errors.Is(err, geopackage.ErrNoTable):
		return refuse("The file is a SQLite database, but not a GeoPackage: it has no table %.60s.", table)
	case errors.Is(err, geopackage.ErrOdd):
		return refuse("In the GeoPackage %.60s is not a table but a view or a virtual table. Fix: save the layer to a new GeoPackage.", table)
	case err != nil:
		return err
	}
	for _, name := range columns {
		if !slices.ContainsFunc(has, func(c geopackage.Column) bool { return c.Name == name }) {
			return refuse("The table %.60s of the GeoPackage has no column %s.", table, name)
		}
	}
	return nil
}

func (g *geoPackage) read(ctx context.Context, yield func(ports.Feature) bool) error {
	all, others, err := g.layers(ctx)
	if err != nil {
		return err
	}
	switch len(all) {
	case 0:
		return refuse("The GeoPackage has no layer of polygons; it has %s.", nothingOr(others))
	case 1:
	default:
		var names []string
		for _, l := range all {
			names = append(names, fmt.Sprintf("%.60s", l.table))
		}
		return refuse("The GeoPackage has %d layers of polygons (%s); send one at a time.", len(all), fault.List(names[:min(len(names), 20)]))
	}
	project, err := g.projection(ctx, all[0].system)
	if err != nil {
		return err
	}
	return g.features(ctx, all[0], project, yield)
}

func nothingOr(names []string) string {
	if len(names) == 0 {
		return "none at all"
	}
	return fault.List(names[:min(len(names), 20)])
}

// projection returns the projection of a reference system, by its EPSG number or else by its definition.
func (g *geoPackage) projection(ctx context.Context, system int32) (projection, error) {
	if err := g.known(ctx, "gpkg_spatial_ref_sys", "srs_id", "organization", "organization_coordsys_id", "definition"); err != nil {
		return nil, err
	}
	var organization, definition string
	var number int64
	err := g.conn.QueryRowContext(ctx, `SELECT CAST(coalesce(organization, '') AS TEXT), organization_coordsys_id, CAST(coalesce(definition, '') AS TEXT)
		FROM gpkg_spatial_ref_sys NOT INDEXED WHERE srs_id = ? LIMIT 1`, system).Scan(&organization, &number, &definition)
	if errors.Is(err, sql.ErrNoRows) || system == 0 || system == -1 {
		return nil, refuse("The GeoPackage does not state what its coordinates are (reference system %d). Fix: give the layer its reference system in QGIS, and export it.", system)
	}
	if err != nil {
		return nil, err
	}
	return projectionBy(organization, number, definition)
}

// projectionBy returns the projection of a reference system by the organization that numbers it and its number, or else by its definition.
func projectionBy(organization string, number int64, definition string) (projection, error) {
	if strings.EqualFold(organization, "EPSG") && number > 0 && number < math.MaxInt32 {
		project, err := projectionOfEPSG(int(number))
		if err == nil || definition == "" {
			return project, err
		}
	}
	if len(definition) > maxWKTBytes {
		return nil, refuse("The reference system is defined in more than %d KiB.", maxWKTBytes>>10)
	}
	return projectionOf(definition)
}

// features reads the rows of a layer. It reads the stored columns as text, since the driver would read text as a time where the
// schema says so.
func (g *geoPackage) features(ctx context.Context, l layer, project projection, yield func(ports.Feature) bool) error {
	if err := g.known(ctx, l.table, l.column); err != nil {
		return err
	}
	columns, err := geopackage.Columns(ctx, g.conn, l.table)
	if err != nil {
		return err
	}
	columns = slices.DeleteFunc(columns, func(c geopackage.Column) bool {
		return c.Name == l.column || strings.EqualFold(c.Type, "BLOB") || len(c.Name) > maxAttributeBytes
	})
	wanted := []string{geopackage.Quoted(l.column)}
	for _, c := range columns[:min(len(columns), maxAttributes)] {
		wanted = append(wanted, "CAST("+geopackage.Quoted(c.Name)+" AS TEXT)")
	}
	rows, err := g.conn.QueryContext(ctx, "SELECT "+strings.Join(wanted, ", ")+" FROM "+geopackage.Quoted(l.table)+" NOT INDEXED")
	if err != nil {
		return err
	}
	defer rows.Close()
	var blob sql.RawBytes
	texts, places := make([]sql.NullString, len(wanted)-1), []any{&blob}
	for i := range texts {
		places = append(places, &texts[i])
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if g.left -= rowBytes(blob, texts); g.left < 0 {
			return refuse("The GeoPackage is damaged: its rows hold more than the whole file.")
		}
		out := g.feature(blob, project)
		out.Attributes = map[string]string{}
		for i, text := range texts {
			put(out.Attributes, columns[i].Name, plainNumber(columns[i].Type, strings.ToValidUTF8(text.String, "\ufffd")))
		}
		if !yield(out) {
			return nil
		}
	}
	return rows.Err()
}

// rowBytes returns the minimum number of bytes of the file that a row takes.
func rowBytes(blob []byte, texts []sql.NullString) int64 {
	n := int64(len(blob)) + 2
	for _, text := range texts {
		if text.Valid && len(text.String) > 64 { // numbers are longer as text than in storage
			n += int64(len(text.String))
		}
	}
	return n
}

// plainNumber returns a whole number without the ".0" that follows it in a column of decimals.
func plainNumber(kind, text string) string {
	switch strings.ToUpper(kind) {
	case "REAL", "DOUBLE", "FLOAT":
		return strings.TrimSuffix(text, ".0")
	}
	return text
}

func (g *geoPackage) feature(blob []byte, project projection) (out ports.Feature) {
	shape, err := geopackage.ReadArea(blob, g.limits.MaxVertices)
	out.Geometry = shape.Word
	switch {
	case errors.Is(err, geopackage.ErrVertices):
		out.Err = refuseOutline("The boundary has more than %d vertices; simplify it.", g.limits.MaxVertices)
	case err != nil:
		out.Err = refuseOutline("The geometry cannot be read: %v.", err)
	case shape.Area == nil && shape.Word != "" && shape.Word != "Point" && shape.Word != "MultiPoint":
		out.Err = refuseOutline("The geometry is a %s, which is not an area of straight lines; save it as Polygon.", shape.Word)
	case shape.Area != nil && g.outlines:
		out.Boundary, out.Err = bounded(g.scan, g.budget, shape.Area, project)
	}
	return out
}

// bounded makes the boundary of an area in the coordinates of its file.
func bounded(scan *scan, budget *effort.Budget, area geo.MultiPolygon, project projection) (*geo.Boundary, error) {
	for _, polygon := range area {
		for _, ring := range polygon {
			for i, p := range ring {
				if math.IsNaN(p.X) || math.IsNaN(p.Y) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0) {
					return nil, refuseOutline("The outline holds a coordinate that is not a finite number.")
				}
				ring[i] = project(p)
			}
		}
	}
	if len(area) == 0 || len(area[0]) == 0 {
		return nil, nil // an empty area
	}
	boundary, err := geo.NewBoundary(budget, area, scan.limits)
	if err != nil {
		return nil, err
	}
	return &boundary, nil
}
