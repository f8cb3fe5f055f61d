package exchange

import (
	"context"
	"io"
	"strconv"
	"strings"

	"tilth/core/geo"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

var estimateColumns = []ports.Column{
	{Name: "level"}, {Name: "id"}, {Name: "name"}, {Name: "quantity"}, {Name: "unit"}, {Name: "depth_from_cm"}, {Name: "depth_to_cm"}, {Name: "area_ha"}, {Name: "n"},
	{Name: "mean"}, {Name: "standard_error"}, {Name: "low"}, {Name: "high"}, {Name: "degrees_of_freedom"}, {Name: "confidence"}, {Name: "total"}, {Name: "total_standard_error"}, {Name: "reason"},
}

// WriteEstimate implements ports.SampleTables.
func (SampleTables) WriteEstimate(to io.Writer, format string, r sample.Report) error {
	f := shapesFile{format: format, stem: "Estimate", columns: estimateColumns}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		quantities := []struct {
			name, unit string
			of         *sample.Estimate
		}{{"soc", "%", &r.SOC}, {"stock", "t C/ha", r.Stock}, {"equivalent_stock", "t C/ha", r.Equivalent}}
		for _, q := range quantities {
			if q.of == nil {
				continue
			}
			for _, row := range estimateRows(*q.of) {
				if q.name == "soc" {
					row.Total = nil
				}
				values := []any{row.level, row.id, row.Name, q.name, q.unit, r.FromCm, r.ToCm, geo.RoundHa(row.AreaHa), int64(row.N)}
				values = append(values, figures(row.Figure)...)
				values = append(values, q.of.Confidence)
				values = append(values, figures(row.Total)[:2]...)
				if !yield(shape{values: append(values, row.Reason)}, nil) {
					return
				}
			}
		}
	})
}

// estimateRow is a zone, field, farm or the whole area of an estimate.
type estimateRow struct {
	level, id string
	sample.Domain
}

func estimateRows(e sample.Estimate) []estimateRow {
	rows := []estimateRow{{"aoi", "", sample.Domain{AreaHa: e.AreaHa, N: e.N, Figure: e.Mean, Total: e.Total, Reason: strings.Join(e.Reasons, " ")}}}
	for _, z := range e.Zones {
		level, id := "zone", z.Zone
		if z.Draw > 0 {
			level, id = "draw", z.Draw
		}
		rows = append(rows, estimateRow{level, strconv.Itoa(id), sample.Domain{AreaHa: z.Weight * e.AreaHa, N: z.N, Figure: z.Figure}})
	}
	for _, d := range e.Fields {
		rows = append(rows, estimateRow{"field", d.UUID, d})
	}
	for _, d := range e.Farms {
		rows = append(rows, estimateRow{"farm", strconv.FormatInt(d.ID, 10), d})
	}
	return rows
}

// figures returns mean, standard error, interval and degrees of freedom, as far as there are any.
func figures(f *sample.Figure) []any {
	switch {
	case f == nil:
		return []any{nil, nil, nil, nil, nil}
	case f.Spread == nil:
		return []any{f.Mean, nil, nil, nil, nil}
	}
	s := f.Spread
	return []any{f.Mean, s.SE, s.Low, s.High, s.DF}
}
