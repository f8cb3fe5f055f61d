package exchange

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"

	"tilth/adapters/exchange/internal/geopackage"
	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/geo"
	"tilth/ports"
)

// geoPackageTypes are the types of columns by what they hold.
var geoPackageTypes = map[ports.ColumnKind]string{
	ports.TextColumn: geopackage.Text, ports.WholeColumn: geopackage.Whole, ports.NumberColumn: geopackage.Number, ports.FlagColumn: geopackage.Flag,
}

// writeGeoPackage writes a GeoPackage of one layer into a temporary file, since SQLite cannot write to a stream, and copies it.
func (f shapesFile) writeGeoPackage(ctx context.Context, to io.Writer, shapes iter.Seq2[shape, error]) (err error) {
	folder, err := os.MkdirTemp("", "tilth-export-*")
	if err != nil {
		return spoolAway(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := filepath.Join(folder, "export.gpkg")
	if err := f.fillGeoPackage(ctx, name, shapes); err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return spoolAway(err)
	}
	defer file.Close()
	_, err = io.Copy(to, file)
	return err
}

func (f shapesFile) fillGeoPackage(ctx context.Context, name string, shapes iter.Seq2[shape, error]) (err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(name)}).EscapedPath()+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	layer := geopackage.Layer{Name: f.stem, Title: f.stem, Geometry: "MULTIPOLYGON", Box: &geo.Box{}}
	if f.kind == shapefile.Point {
		layer.Geometry = "POINT"
	}
	for _, c := range f.columns {
		layer.Columns = append(layer.Columns, geopackage.Column{Name: c.Name, Type: geoPackageTypes[c.Kind]})
	}
	empty := true
	layer.Rows = func(yield func([]any, error) bool) {
		for s, err := range shapes {
			if box, there := s.box(); there {
				if empty {
					*layer.Box, empty = box, false
				}
				*layer.Box = layer.Box.Union(box)
			}
			if !yield(append([]any{s.blob()}, s.values...), err) || err != nil {
				return
			}
		}
	}
	return geopackage.Write(ctx, conn, firstDay, []geopackage.Layer{layer})
}

// blob returns the geometry of a shape as a GeoPackage stores it; nil: it has none.
func (s shape) blob() any {
	switch {
	case s.point != nil:
		return geopackage.Point(*s.point)
	case s.area != nil:
		return geopackage.Area(s.area)
	}
	return nil
}
