package exchange

import (
	"fmt"
	"strings"

	"tilth/core/ghg/report"
	"tilth/core/ghg/views"
)

// writeViews writes the parts of each standard, the removals with their monitoring, and what is allocated to the products.
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
	writeElectricity(write, v.Electricity)
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

// writeElectricity writes the electricity bought from the grid by both methods, and the losses of the grid; an empty value has a note.
func writeElectricity(write func(impactRow), e views.Electricity) {
	for _, figure := range []struct {
		name  string
		value any
		unit  string
		note  string
	}{
		{"bought", e.BoughtKWh, "kWh", ""}, {"location_based", e.LocationBased, "t CO2e", "in the totals"},
		{"market_based", e.MarketBased, "t CO2e, beside the totals", e.MarketNote}, {"market_coverage", e.MarketCoverage, "of the kWh", ""},
		{"scope_2_location_based", e.Scope2Location, "t CO2e", "in the totals"}, {"scope_2_market_based", e.Scope2Market, "t CO2e, beside the totals", e.MarketNote},
		{"grid_losses", e.GridLosses, "t CO2e, scope 3, outside the totals", e.LossNote}, {"grid_loss_coverage", e.LossCoverage, "of the kWh", ""},
	} {
		write(impactRow{"record": "view", "name": "electricity", "key": figure.name, "value": figure.value, "unit": figure.unit, "note": figure.note})
	}
}

// writeBasis writes how the figures were made: the data by input, the methods by label, and what is left out.
func writeBasis(write func(impactRow), r report.Report) {
	for _, q := range report.ByInput(r) {
		row := withKnown(impactRow{
			"record": "input_quality", "place": q.Section, "co2e_t": q.CO2e, "share": q.Share, "value": q.Entered, "unit": "entered values",
			"note": fmt.Sprintf("%d values left to a default; %g t removed", q.Defaults, q.Removed),
		}, report.Known{ValueStatus: q.Evidence.Status(), RangeStatus: q.Evidence.RangeStatus(), Factors: &q.Evidence})
		write(row)
	}
	for _, m := range report.Methods(r) {
		write(impactRow{"record": "method", "name": m.Label, "tier": m.Tier, "co2e_t": m.CO2e, "source": strings.Join(m.Sources, "; ")})
	}
	for _, e := range report.Exclusions(r) {
		write(impactRow{"record": "exclusion", "name": e.What, "note": e.Why})
	}
}
