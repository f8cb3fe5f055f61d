package outlines

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/ports"
)

// exportColumn is a member of a field as files carry it.
type exportColumn struct {
	ports.Column
	value func(*farm.Field) any // returns nil if there is none
}

// exportColumns are the attributes of exported fields, under the names of the interface. An import reads those that are members
// of a field from properties of the same names.
var exportColumns = []exportColumn{
	{ports.Column{Name: "id", Short: "id", Kind: ports.WholeColumn}, func(f *farm.Field) any { return f.ID }},
	{ports.Column{Name: "uuid", Short: "uuid", Kind: ports.TextColumn}, func(f *farm.Field) any { return f.UUID }},
	{ports.Column{Name: "name", Short: "name", Kind: ports.TextColumn}, func(f *farm.Field) any { return f.Name }},
	{ports.Column{Name: "farm_id", Short: "farm_id", Kind: ports.WholeColumn}, func(f *farm.Field) any { return f.Farm.ID }},
	{ports.Column{Name: "farm", Short: "farm", Kind: ports.TextColumn}, func(f *farm.Field) any { return f.Farm.Name }},
	{ports.Column{Name: "area_ha", Short: "area_ha", Kind: ports.NumberColumn}, func(f *farm.Field) any {
		if f.Boundary == nil {
			return nil
		}
		return geo.RoundHa(f.Boundary.AreaHa())
	}},
	{ports.Column{Name: "declared_area_ha", Short: "decl_ha", Kind: ports.NumberColumn}, func(f *farm.Field) any { return exportPointed(f.DeclaredAreaHa) }},
	{ports.Column{Name: "soil_type", Short: "soil_type", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.SoilType) }},
	{ports.Column{Name: "irrigated", Short: "irrigated", Kind: ports.FlagColumn}, func(f *farm.Field) any { return exportPointed(f.Irrigated) }},
	{ports.Column{Name: "tenure", Short: "tenure", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.Tenure) }},
	{ports.Column{Name: "notes", Short: "notes", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.Notes) }},
	{ports.Column{Name: "external_id", Short: "ext_id", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.ExternalID) }},
	{ports.Column{Name: "source", Short: "source", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.Source) }},
	{ports.Column{Name: "boundary_category", Short: "bnd_cat", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.BoundaryCategory) }},
	{ports.Column{Name: "boundary_method", Short: "bnd_method", Kind: ports.TextColumn}, func(f *farm.Field) any { return exportText(f.BoundaryMethod) }},
	{ports.Column{Name: "boundary_observed_on", Short: "bnd_date", Kind: ports.TextColumn, Holds: ports.Days}, func(f *farm.Field) any { return exportDay(f.BoundaryObservedOn) }},
	{ports.Column{Name: "active_from", Short: "act_from", Kind: ports.TextColumn, Holds: ports.Days}, func(f *farm.Field) any { return exportDay(f.ActiveFrom) }},
	{ports.Column{Name: "active_to", Short: "act_to", Kind: ports.TextColumn, Holds: ports.Days}, func(f *farm.Field) any { return exportDay(f.ActiveTo) }},
	{ports.Column{Name: "updated_at", Short: "updated_at", Kind: ports.TextColumn, Holds: ports.Times}, func(f *farm.Field) any { return f.UpdatedAt.UTC().Format(time.RFC3339) }},
}

func exportText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func exportDay(day *time.Time) any {
	if day == nil {
		return nil
	}
	return day.Format(time.DateOnly)
}

func exportPointed[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// Export returns a function that writes a file of the fields that a list would return.
func (in *Imports) Export(ctx context.Context, who access.Principal, shared bool, q ports.Query, format string) (func(to io.Writer) error, error) {
	found, err := in.Fields.List(ctx, who, shared, q)
	if err != nil {
		return nil, err
	}
	heads := make([]ports.Column, len(exportColumns))
	for i, c := range exportColumns {
		heads[i] = c.Column
	}
	return func(to io.Writer) error {
		return in.Writer.Write(ctx, format, to, heads, outlinesOf(found.Each))
	}, nil
}

func outlinesOf(fields iter.Seq2[farm.Field, error]) iter.Seq2[ports.Outline, error] {
	return func(yield func(ports.Outline, error) bool) {
		for f, err := range fields {
			out := ports.Outline{Name: f.Name, Boundary: f.Boundary}
			for _, c := range exportColumns {
				out.Values = append(out.Values, c.value(&f))
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}
