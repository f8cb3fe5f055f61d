package exchange

import (
	"context"
	"fmt"
	"io"

	"tilth/adapters/exchange/internal/shapefile"
	"tilth/core/geo"
	"tilth/ports"
)

// carbonColumns are the attributes of the zones of a map of soil carbon.
var carbonColumns = []ports.Column{
	{Name: "zone", Short: "zone", Kind: ports.WholeColumn},
	{Name: "edge", Short: "edge", Kind: ports.TextColumn},
	{Name: "area_ha", Short: "area_ha", Kind: ports.NumberColumn, Decimals: areaDecimals},
	{Name: "points", Short: "points", Kind: ports.WholeColumn},
	{Name: "soc_pct", Short: "soc_pct", Kind: ports.NumberColumn},
	{Name: "soc_low_pct", Short: "soc_low", Kind: ports.NumberColumn},
	{Name: "soc_high_pct", Short: "soc_high", Kind: ports.NumberColumn},
	{Name: "stock_t_c_ha", Short: "stock", Kind: ports.NumberColumn},
	{Name: "stock_low_t_c_ha", Short: "stock_low", Kind: ports.NumberColumn},
	{Name: "stock_high_t_c_ha", Short: "stock_high", Kind: ports.NumberColumn},
	{Name: "confidence", Short: "confidence", Kind: ports.NumberColumn},
	{Name: "depth_from_cm", Short: "from_cm", Kind: ports.NumberColumn},
	{Name: "depth_to_cm", Short: "to_cm", Kind: ports.NumberColumn},
	{Name: "plan", Short: "plan", Kind: ports.TextColumn},
	{Name: "round", Short: "round", Kind: ports.WholeColumn},
}

// WriteCarbon implements ports.StratificationFiles.
func (StratificationFiles) WriteCarbon(to io.Writer, format string, in ports.ShownCarbon) error {
	m := in.Carbon
	if format == ports.GeoTIFF {
		depths := fmt.Sprintf("soil organic carbon, %g to %g cm, t C/ha", m.FromCm, m.ToCm)
		confidence := fmt.Sprintf("of the %g %% interval", 100*m.Confidence)
		return raster{
			frame: in.Frame, bands: []string{depths, "lower end " + confidence, "upper end " + confidence},
			value: func(band, cell int) float64 {
				stock := m.Zones[in.Strata[cell]-1].Stock
				return [...]float64{stock.Mean, stock.Low, stock.High}[band]
			},
		}.write(to)
	}
	f := shapesFile{format: format, columns: carbonColumns, stem: in.Stem, kind: shapefile.Polygon}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		for i, z := range m.Zones {
			edge := "no"
			if m.Edge && i == len(m.Zones)-1 {
				edge = "yes"
			}
			values := []any{
				int64(z.Zone), edge, geo.RoundHa(z.AreaHa), int64(z.Points), z.SOC.Mean, z.SOC.Low, z.SOC.High,
				z.Stock.Mean, z.Stock.Low, z.Stock.High, m.Confidence, m.FromCm, m.ToCm, m.PlanUUID, m.Round,
			}
			if !yield(shape{name: fmt.Sprintf("Zone %d", z.Zone), area: in.Map.Candidate.Zones[i].Geometry, values: values}, nil) {
				return
			}
		}
	})
}
