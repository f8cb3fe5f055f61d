// Package geopackage writes GeoPackages (OGC 12-128r17, version 1.3), which are databases of SQLite, and reads those that
// strangers send.
package geopackage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	_ "modernc.org/sqlite" // a GeoPackage is a database of SQLite

	"tilth/core/geo"
)

// The types of attributes (clause 1.1.1.1.3, table 1).
const (
	Text     = "TEXT"
	Whole    = "INTEGER"
	Number   = "REAL"
	Flag     = "BOOLEAN"
	DateTime = "DATETIME"
)

// Column is an attribute of a layer.
type Column struct{ Name, Type string }

// Layer is a table of a GeoPackage.
type Layer struct {
	Name     string
	Title    string
	Geometry string // POINT, LINESTRING or MULTIPOLYGON; empty: a table without
	Columns  []Column
	Box      *geo.Box                // of what lies in it, where there is a geometry; it is read after the rows are written
	Rows     iter.Seq2[[]any, error] // the geometry first, where there is one; then the values of the columns
}

// The marks of a GeoPackage of version 1.3 (clause 1.1.1.1.1): "GPKG", and 10300.
const (
	applicationID = 0x47504B47
	userVersion   = 10300
)

// The tables that every GeoPackage has (clauses 1.1.2, 1.1.3 and 2.1.5), and the three reference systems that it
// must list.
var preamble = []string{
	fmt.Sprintf("PRAGMA application_id = %d", applicationID),
	fmt.Sprintf("PRAGMA user_version = %d", userVersion),
	`CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
		organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)`,
	`INSERT INTO gpkg_spatial_ref_sys VALUES
		('Undefined Cartesian', -1, 'NONE', -1, 'undefined', NULL),
		('Undefined geographic', 0, 'NONE', 0, 'undefined', NULL),
		('WGS 84', 4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]', 'longitude, latitude')`,
	`CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
		last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
		CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))`,
	`CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
		z TINYINT NOT NULL, m TINYINT NOT NULL, CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
		CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
		CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id))`,
}

// stamp is how a GeoPackage writes times.
const stamp = "2006-01-02T15:04:05.000Z"

// Write writes layers to an empty database. The same layers and time give the same bytes. It wraps the first error of the
// rows.
func Write(ctx context.Context, conn *sql.Conn, changed time.Time, layers []Layer) error {
	for _, statement := range preamble {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("begin a GeoPackage: %w", err)
		}
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, l := range layers {
		if err := l.write(ctx, tx, changed); err != nil {
			return errors.Join(fmt.Errorf("write the layer %s: %w", l.Name, err), tx.Rollback())
		}
	}
	return tx.Commit()
}

func (l Layer) write(ctx context.Context, tx *sql.Tx, changed time.Time) error {
	columns := []string{"fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL"}
	if l.Geometry != "" {
		columns = append(columns, "geom "+l.Geometry)
	}
	for _, c := range l.Columns {
		columns = append(columns, Quoted(c.Name)+" "+c.Type)
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE "+Quoted(l.Name)+" ("+strings.Join(columns, ", ")+")"); err != nil {
		return err
	}
	if err := l.insert(ctx, tx, len(columns)); err != nil {
		return err
	}
	kind, box, system := "attributes", []any{nil, nil, nil, nil}, any(nil)
	if l.Geometry != "" {
		kind, box, system = "features", []any{l.Box.MinX, l.Box.MinY, l.Box.MaxX, l.Box.MaxY}, wgs84
	}
	entry := append([]any{l.Name, kind, l.Name, l.Title, changed.UTC().Format(stamp)}, append(box, system)...)
	if _, err := tx.ExecContext(ctx, "INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", entry...); err != nil {
		return err
	}
	if l.Geometry != "" {
		if _, err := tx.ExecContext(ctx, "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, ?, 0, 0)", l.Name, l.Geometry, wgs84); err != nil {
			return err
		}
	}
	return nil
}

func (l Layer) insert(ctx context.Context, tx *sql.Tx, columns int) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO "+Quoted(l.Name)+" VALUES (NULL"+strings.Repeat(", ?", columns-1)+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	return fill(ctx, insert, l.Rows)
}

func fill(ctx context.Context, insert *sql.Stmt, rows iter.Seq2[[]any, error]) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

// Quoted returns a name quoted for SQL, whatever it contains.
func Quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
