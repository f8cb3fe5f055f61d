package exchange

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/geo"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// StratificationFiles writes maps of zones and sample plans. It implements
// ports.StratificationFiles.
type StratificationFiles struct{}

// Decimals of figures in tables.
const (
	degreeDecimals = 7 // about a centimetre
	metreDecimals  = 2
	areaDecimals   = 4
	shareDecimals  = 6
)

// WriteZones implements ports.StratificationFiles.
func (StratificationFiles) WriteZones(to io.Writer, format string, in ports.ShownMap) error {
	columns := zoneColumns(in.Map)
	f := shapesFile{format: format, columns: columns, stem: in.Stem, kind: shapefile.Polygon}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		for i := range in.Map.Candidate.Zones {
			z := &in.Map.Candidate.Zones[i]
			values := []any{
				fmt.Sprintf("Z%d", z.Number), int64(z.Number), geo.RoundHa(z.AreaHa), z.Share,
				int64(z.Cells), int64(z.Parts), int64(in.Map.About.Params.Seed),
			}
			for i := range in.Map.About.Used() {
				values = append(values, z.Means[i], z.SDs[i])
			}
			if !yield(shape{name: fmt.Sprintf("Zone %d", z.Number), area: z.Geometry, values: values}, nil) {
				return
			}
		}
	})
}

// zoneColumns are the attributes of zones: their figures, then mean and standard deviation of
// each layer that they were made of.
func zoneColumns(m zoning.Map) []ports.Column {
	columns := []ports.Column{
		{Name: "id", Short: "id", Kind: ports.TextColumn},
		{Name: "zone", Short: "zone", Kind: ports.WholeColumn},
		{Name: "area_ha", Short: "area_ha", Kind: ports.NumberColumn, Decimals: areaDecimals},
		{Name: "share", Short: "share", Kind: ports.NumberColumn, Decimals: shareDecimals},
		{Name: "cells", Short: "cells", Kind: ports.WholeColumn},
		{Name: "parts", Short: "parts", Kind: ports.WholeColumn},
		{Name: "seed", Short: "seed", Kind: ports.WholeColumn},
	}
	for i, layer := range m.About.Used() {
		columns = append(columns,
			ports.Column{Name: "mean_" + layer.Name, Short: shortName("m", i+1, layer.Name), Kind: ports.NumberColumn},
			ports.Column{Name: "sd_" + layer.Name, Short: shortName("s", i+1, layer.Name), Kind: ports.NumberColumn})
	}
	return columns
}

// shortName returns a name of at most ten ASCII letters that no other layer has: m1_ndvi_me.
func shortName(what string, i int, layer string) string {
	name := fmt.Sprintf("%s%d_", what, i)
	for _, r := range layer {
		if len(name) == maxShortName {
			break
		}
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			name += string(r)
		}
	}
	return strings.TrimRight(name, "_")
}

// maxShortName is the longest name of a column in a dBASE table.
const maxShortName = 10

// pointColumns are the attributes of points, in the order of the table.
var pointColumns = []ports.Column{
	{Name: "id", Short: "id", Kind: ports.TextColumn},
	{Name: "field", Short: "field", Kind: ports.TextColumn},
	{Name: "zone", Short: "zone", Kind: ports.WholeColumn},
	{Name: "lon", Short: "lon", Kind: ports.NumberColumn, Decimals: degreeDecimals},
	{Name: "lat", Short: "lat", Kind: ports.NumberColumn, Decimals: degreeDecimals},
	{Name: "easting", Short: "easting", Kind: ports.NumberColumn, Decimals: metreDecimals},
	{Name: "northing", Short: "northing", Kind: ports.NumberColumn, Decimals: metreDecimals},
	{Name: "epsg", Short: "epsg", Kind: ports.WholeColumn},
	{Name: "role", Short: "role", Kind: ports.TextColumn},
	{Name: "field_order", Short: "fld_order", Kind: ports.WholeColumn},
	{Name: "walk", Short: "walk", Kind: ports.WholeColumn},
	{Name: "composite", Short: "composite", Kind: ports.TextColumn},
}

// seedColumn comes after the others in the formats that carry attributes of any number.
var seedColumn = ports.Column{Name: "seed", Short: "seed", Kind: ports.WholeColumn}

// WritePlan implements ports.StratificationFiles.
func (StratificationFiles) WritePlan(to io.Writer, format string, in ports.ShownPlan) error {
	if format == ports.GPX {
		out := bufio.NewWriter(to)
		if err := writeGPX(out, in); err != nil {
			return err
		}
		return out.Flush()
	}
	columns := pointColumns
	if format != ports.CSV && format != ports.XLSX {
		columns = append(slices.Clone(pointColumns), seedColumn)
	}
	order := in.Plan.Plan.FieldOrder()
	f := shapesFile{format: format, columns: columns, stem: in.Stem, kind: shapefile.Point}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		for i := range in.Plan.Plan.Points {
			p := &in.Plan.Plan.Points[i]
			values := []any{
				p.ID, in.Fields[p.Field].Name, int64(p.Zone), p.LonLat.X, p.LonLat.Y, p.At.X, p.At.Y,
				int64(in.Map.About.EPSG), string(p.Role), int64(order[p.Field]), int64(p.Walk), p.CompositeID(), int64(in.Plan.Plan.Params.Seed),
			}
			if !yield(shape{name: p.ID, point: p.LonLat, values: values[:len(columns)]}, nil) {
				return
			}
		}
	})
}
