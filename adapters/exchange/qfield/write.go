// Package qfield writes the packages that crews take to the field, for QField and QGIS, and reads what they record: a zip of a
// project, a GeoPackage and a folder for photos. A GeoPackage is a database of SQLite (OGC 12-128r17, GeoPackage 1.3).
package qfield

import (
	"archive/zip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/geopackage"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/crew"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// Packages implements ports.CrewPackages.
type Packages struct{}

var _ ports.CrewPackages = Packages{}

// attachments is the folder of photos: where QField puts them.
const attachments = "DCIM"

// The names of the layers that are read back.
const (
	pointLayer  = "points"
	sampleLayer = "samples"
)

// Write implements ports.CrewPackages.
func (Packages) Write(ctx context.Context, to io.Writer, in ports.ShownPlan) error {
	p, err := projectOf(in)
	if err != nil {
		return err
	}
	content, err := geoPackage(ctx, in.Plan.CreatedAt, list.Map(p.Layers, func(s styled) layer { return s.layer }))
	if err != nil {
		return err
	}
	out := zip.NewWriter(to)
	for _, file := range []struct {
		name    string
		content []byte
	}{{in.Stem + ".qgs", []byte(p.text())}, {in.Stem + ".gpkg", content}, {attachments + "/", nil}} {
		entry := zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: in.Plan.CreatedAt}
		if len(file.content) == 0 {
			entry.Method = zip.Store
		}
		w, err := out.CreateHeader(&entry)
		if err != nil {
			return err
		}
		if _, err := w.Write(file.content); err != nil && len(file.content) > 0 {
			return err
		}
	}
	return out.Close()
}

// geoPackage returns the file with some layers.
func geoPackage(ctx context.Context, changed time.Time, layers []layer) (out []byte, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := geopackage.Write(ctx, conn, changed, list.Map(layers, layer.table)); err != nil {
		return nil, err
	}
	err = conn.Raw(func(driver any) (err error) {
		out, err = driver.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	})
	return out, err
}

// column is an attribute of a layer, in the GeoPackage and in the forms of the project.
type column struct {
	Name string
	Type string // of the GeoPackage
	form
}

// layer is a table of the GeoPackage.
type layer struct {
	Name     string
	Title    string
	Geometry string // POINT, LINESTRING or MULTIPOLYGON; empty: a table without
	Columns  []column
	box      geo.Box // of what lies in it
	rows     [][]any // the geometry first, where there is one; then the values of the columns
}

func (l layer) table() geopackage.Layer {
	return geopackage.Layer{
		Name: l.Name, Title: l.Title, Geometry: l.Geometry, Box: &l.box,
		Columns: list.Map(l.Columns, func(c column) geopackage.Column { return geopackage.Column{Name: c.Name, Type: c.Type} }),
		Rows: func(yield func([]any, error) bool) {
			for _, row := range l.rows {
				if !yield(row, nil) {
					return
				}
			}
		},
	}
}

// projectOf returns the project of a plan: the layers that the crew works on first, the ground last.
func projectOf(in ports.ShownPlan) (project, error) {
	photos, err := json.Marshal(map[string]string{"photo": photoName, "photo_2": photoName, "photo_3": photoName})
	if err != nil {
		return project{}, err
	}
	points, samples := pointsOf(in)
	out := project{
		Title: fmt.Sprintf("%s, round %d", in.Plan.AOI.Name, in.Round), Stem: in.Stem, ID: strings.ReplaceAll(in.Plan.Plan.PlanUUID, "-", "_"),
		Layers: []styled{
			{
				layer: points, Shape: "Point", Symbol: "marker", WKB: "Point", Editable: true,
				ClassedBy: `coalesce("status", "role")`, ClassType: "string", Classes: pointClasses,
				Label: "point", LabelSize: 9, LabelColour: "20,20,20,255", LabelPlace: "6",
				Photos: string(photos), Children: true, Preview: `"point" || ', ' || "depths" || ' cm'`,
			},
			{layer: samples, Shape: "No geometry", WKB: "NoGeometry", Editable: true, Preview: `"label" || ', ' || "depth" || ' cm'`},
			{layer: wayOf(in), Shape: "Line", Symbol: "line", WKB: "LineString", ClassedBy: `1`, ClassType: "integer", Classes: wayClasses, Preview: `"km"`},
			{
				layer: fieldsOf(in), Shape: "Polygon", Symbol: "fill", WKB: "MultiPolygon", ClassedBy: `1`, ClassType: "integer", Classes: fieldClasses,
				Label: "name", LabelSize: 10, LabelColour: "70,70,70,255", LabelPlace: "0", Preview: `"name"`,
			},
			zonesOf(in),
		},
	}
	out.Extent = out.Layers[0].box
	for _, l := range out.Layers {
		if l.Geometry != "" {
			out.Extent = out.Extent.Union(l.box)
		}
	}
	const margin = 0.1 // of the width
	out.Extent = out.Extent.Grown(margin * (out.Extent.MaxX - out.Extent.MinX))
	return out, nil
}

// pointsOf returns the points of a plan that have samples, and the samples, with what is known about them.
func pointsOf(in ports.ShownPlan) (points, samples layer) {
	points = layer{Name: pointLayer, Title: "Points", Geometry: "POINT", Columns: pointColumns}
	samples = layer{Name: sampleLayer, Title: "Samples", Columns: sampleColumns}
	of := map[string][]sample.Sample{}
	for _, l := range in.Labels {
		of[l.Sample.Point] = append(of[l.Sample.Point], l.Sample)
	}
	order := in.Plan.Plan.FieldOrder()
	var places []geo.Position
	for i := range in.Plan.Plan.Points {
		p := &in.Plan.Plan.Points[i]
		if len(of[p.ID]) == 0 {
			continue
		}
		known, own := crew.Known(p.ID, of[p.ID])
		depths := list.Map(of[p.ID], func(s sample.Sample) string { return s.Depth.String() })
		places = append(places, *p.LonLat)
		points.rows = append(points.rows, append([]any{geopackage.Point(*p.LonLat)}, values(points.Columns, map[string]any{
			"point": p.ID, "field": in.Fields[p.Field].Name, "depths": strings.Join(depths, ", "), "zone": p.Zone, "role": string(p.Role),
			"field_order": order[p.Field], "walk": p.Walk, "planned_lon": p.LonLat.X, "planned_lat": p.LonLat.Y,
			"status": orNull(string(known.Status)), "collected_by": orNull(known.By), "collected_utc": microseconds(known), "accuracy_m": numberOf(known.Accuracy),
			"lon": degreesOf(known.Measured, func(at geo.Position) float64 { return at.X }), "lat": degreesOf(known.Measured, func(at geo.Position) float64 { return at.Y }),
		})...))
		for i, s := range own {
			samples.rows = append(samples.rows, values(samples.Columns, map[string]any{
				"label": s.Label, "point": s.Point, "depth": depths[i], "composite": orNull(of[p.ID][i].CompositeLabel()), "status": orNull(string(s.Status)), "notes": orNull(s.Notes),
			}))
		}
	}
	points.box = boxOf(places)
	return points, samples
}

func boxOf(places []geo.Position) geo.Box { return geo.MultiPolygon{{places}}.Bounds() }

// values returns a row by its columns; what is not named is null.
func values(columns []column, by map[string]any) []any {
	return list.Map(columns, func(c column) any { return by[c.Name] })
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func numberOf(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

func degreesOf(at *geo.Position, of func(geo.Position) float64) any {
	if at == nil {
		return nil
	}
	return of(*at)
}

func microseconds(p crew.Point) any {
	if p.At == nil {
		return nil
	}
	return p.At.UnixMicro()
}

func wayOf(in ports.ShownPlan) layer {
	out := layer{Name: "way", Title: "Way", Geometry: "LINESTRING", Columns: wayColumns}
	var along []geo.Position
	if from := in.Plan.Plan.Params.Journey.Start; from != nil {
		along = append(along, from.LonLat)
	}
	for _, p := range in.Plan.Plan.Points {
		if p.Role.Visited() {
			along = append(along, *p.LonLat)
		}
	}
	if to := in.Plan.Plan.Params.Journey.End; to != nil {
		along = append(along, to.LonLat)
	}
	out.box = boxOf(along)
	if len(along) > 1 {
		out.rows = [][]any{{geopackage.Line(along), in.Plan.Plan.WayKm}}
	}
	return out
}

func fieldsOf(in ports.ShownPlan) layer {
	out := layer{Name: "fields", Title: "Fields", Geometry: "MULTIPOLYGON", Columns: fieldColumns}
	order := in.Plan.Plan.FieldOrder()
	for i, f := range in.Fields {
		out.add(f.Outline, f.Name, order[i])
	}
	return out
}

func zonesOf(in ports.ShownPlan) styled {
	out := styled{
		layer: layer{Name: "zones", Title: "Zones", Geometry: "MULTIPOLYGON", Columns: zoneColumns},
		Shape: "Polygon", Symbol: "fill", WKB: "MultiPolygon", ClassedBy: "zone", ClassType: "integer", Preview: `'Zone ' || "zone"`,
	}
	all := in.Map.Candidate.Zones
	for i, z := range all {
		out.add(z.Geometry, z.Number, geo.RoundHa(z.AreaHa))
		out.Classes = append(out.Classes, zoneClass(z.Number, i, len(all)))
	}
	return out
}

// add adds an area with the values of its columns.
func (l *layer) add(area geo.MultiPolygon, columns ...any) {
	if box := area.Bounds(); len(l.rows) == 0 {
		l.box = box
	} else {
		l.box = l.box.Union(box)
	}
	l.rows = append(l.rows, append([]any{geopackage.Area(area)}, columns...))
}
