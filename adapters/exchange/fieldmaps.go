package exchange

import (
	"context"
	"fmt"
	"io"

	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/ports"
)

// FieldMaps writes the zones of maps of fields. It implements ports.ZoneFiles.
type FieldMaps struct{}

// WriteMapZones implements ports.ZoneFiles.
func (FieldMaps) WriteMapZones(ctx context.Context, to io.Writer, format string, in ports.ShownZones) error {
	if format == ports.ISOXML {
		return writePrescription(to, in)
	}
	columns := []ports.Column{
		{Name: "zone", Short: "zone", Kind: ports.WholeColumn},
		{Name: "area_ha", Short: "area_ha", Kind: ports.NumberColumn, Decimals: areaDecimals},
		{Name: "share", Short: "share", Kind: ports.NumberColumn, Decimals: shareDecimals},
		{Name: "pixels", Short: "pixels", Kind: ports.WholeColumn},
		{Name: "mean", Short: "mean", Kind: ports.NumberColumn},
		{Name: "std", Short: "std", Kind: ports.NumberColumn},
	}
	for _, s := range in.Layer.Seasons {
		if s.Used {
			name := fmt.Sprintf("peak_%d", s.End.Year())
			columns = append(columns, ports.Column{Name: name, Short: name, Kind: ports.NumberColumn})
		}
	}
	columns = append(columns, ports.Column{Name: "color", Short: "color", Kind: ports.TextColumn}, ports.Column{Name: "synthetic", Short: "synthetic", Kind: ports.FlagColumn})
	if in.Prescription.Rates != nil {
		columns = append(columns, ports.Column{Name: "rate", Short: "rate", Kind: ports.NumberColumn}, ports.Column{Name: "unit", Short: "unit", Kind: ports.TextColumn})
	}
	f := shapesFile{format: format, columns: columns, stem: in.Stem, kind: shapefile.Polygon, made: &made{append([]string{}, in.Layer.Scenes...), in.Layer.Method}}
	return f.write(ctx, to, func(yield func(shape, error) bool) {
		for _, area := range in.Areas {
			if area.Number > len(in.Layer.Zones) {
				continue // without a zone
			}
			if !yield(shape{name: fmt.Sprintf("Zone %d", area.Number), area: area.Outline, values: zoneValues(in, in.Layer.Zones[area.Number-1])}, nil) {
				return
			}
		}
	})
}

func zoneValues(in ports.ShownZones, z fieldmap.Zone) []any {
	style := indexmap.StyleOfSubject(in.Layer.Subject)
	shade, _ := style.Shade(float64(z.Number))
	out := []any{int64(z.Number), geo.RoundHa(z.AreaHa), z.Share, int64(z.Pixels), z.Mean, z.Std}
	for _, peak := range z.Peaks {
		out = append(out, peak)
	}
	out = append(out, style.Colors[shade].Hex(), in.Layer.Synthetic)
	if p := in.Prescription; p.Rates != nil {
		out = append(out, p.Rates[z.Number-1], p.Unit.Name)
	}
	return out
}
