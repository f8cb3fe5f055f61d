package exchange

import "tilth/core/ghg/views"

// writeViews writes the parts of each standard, the removals with how they are watched, and what the products carry.
func writeViews(write func(impactRow), v *views.Views) {
	if v == nil {
		return
	}
	parts := func(view, place string, parts []views.Part) {
		for _, p := range parts {
			write(impactRow{"record": "view", "name": view, "place": place, "key": p.Part, "co2e_t": p.CO2e, "share": p.Share})
		}
	}
	land := v.LandSector
	parts("land_sector", "", land.Parts)
	for _, memo := range []struct {
		name  string
		value float64
		unit  string
	}{
		{"land_management_co2", land.LandManagementCO2, "t CO2, part of land_management"},
		{"biogenic_product_co2", land.BiogenicProductCO2, "t CO2, outside the totals"},
		{"land_biogenic_co2", land.LandBiogenicCO2, "t CO2, outside the totals"},
	} {
		write(impactRow{"record": "view", "name": "land_sector", "key": memo.name, "value": memo.value, "unit": memo.unit})
	}
	for _, r := range land.Removals {
		write(impactRow{
			"record": "view", "name": "land_sector_removal", "place": r.Section, "key": r.Label, "co2e_t": r.CO2e, "low_t": r.Low, "high_t": r.High, "note": r.Monitoring,
		})
	}
	parts("flag", "", v.FLAG.Parts)
	write(impactRow{"record": "view", "name": "flag", "key": "removals", "co2e_t": v.FLAG.Removals})
	parts("iso_14067", "", v.Product.Parts)
	if v.Product.AircraftNote != "" {
		write(impactRow{"record": "view", "name": "iso_14067", "key": views.Aircraft, "note": v.Product.AircraftNote})
	}
	for _, a := range v.Product.Allocations {
		used := map[bool]string{true: "used", false: "not used"}[a.Used]
		if a.NotPossible != "" {
			write(impactRow{"record": "allocation", "name": a.Method, "status": used, "note": a.NotPossible})
		}
		for _, s := range a.Products {
			write(impactRow{
				"record": "allocation", "name": a.Method, "place": s.Product, "status": used, "share": s.SharePct / 100, "co2e_t": s.CO2e, "per_t_t": s.PerT,
			})
			parts(a.Method, s.Product, s.Parts)
		}
	}
}
