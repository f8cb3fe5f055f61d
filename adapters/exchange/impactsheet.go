package exchange

import (
	"fmt"
	"io"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// impactColumns are those of every record of the sheet; a record leaves empty what it does
// not have. Masses of gases are kg, co2e and its range t.
var impactColumns = []string{
	"record", "name", "place", "model", "scope", "category", "co2_kg", "ch4_fossil_kg", "ch4_biogenic_kg", "n2o_kg", "not_split_kg_co2e",
	"co2e_t", "share", "per_ha_t", "per_t_t", "low_t", "high_t", "tier",
	"step", "symbol", "key", "value", "unit", "source", "status", "note",
	"range_status", "factors", "secondary", "unverified", "ranges_recalled", "ranges_assumed",
}

// impactRow is one record of the sheet, by the names of its columns.
type impactRow map[string]any

// ImpactSheet implements ports.ImpactSheets: what the report is of, its totals, a record a
// line, and the trace, a record a step, an input and a factor.
func (Sheets) ImpactSheet(w io.Writer, doc ports.ImpactDocument) error {
	out := newSheet(w, impactColumns)
	write := func(row impactRow) {
		line := make([]any, len(impactColumns))
		for i, column := range impactColumns {
			line[i] = row[column]
		}
		_ = out.line(line...) // end returns the first error
	}
	writeAbout(write, doc)
	r := doc.Report
	write(withKnown(impactRow{"record": "data_quality", "name": "factors"}, r.DataQuality.Known))
	t := r.Totals
	for _, total := range []struct {
		name  string
		value *float64
		unit  string
	}{
		{"emissions", &t.Emissions, "t CO2e"}, {"removals", &t.Removals, "t CO2e"}, {"balance", &t.Balance, "t CO2e"},
		{"emissions_low", &r.Uncertainty.Low, "t CO2e"}, {"emissions_high", &r.Uncertainty.High, "t CO2e"},
		{"removals_low", &r.RemovalsRange.Low, "t CO2e"}, {"removals_high", &r.RemovalsRange.High, "t CO2e"},
		{"emissions_per_ha", t.EmissionsPerHa, "t CO2e/ha"}, {"removals_per_ha", t.RemovalsPerHa, "t CO2e/ha"},
		{"emissions_per_t", t.EmissionsPerT, "t CO2e/t"}, {"biogenic_co2", &r.Memo.BiogenicCO2, "t CO2, outside the totals"},
	} {
		write(impactRow{"record": "total", "name": total.name, "value": total.value, "unit": total.unit})
	}
	for _, l := range r.BySource {
		write(sourceRow("emission", l))
	}
	for _, l := range r.RemovalsBySrc {
		write(sourceRow("removal", l))
	}
	writeSoilCarbon(write, r.SoilCarbon)
	for _, warning := range r.Warnings {
		write(impactRow{"record": "warning", "name": warning.Code, "place": warning.Item, "note": warning.Message})
	}
	for i, step := range r.Trace {
		writeStep(write, i+1, step)
	}
	return out.end()
}

// writeSoilCarbon writes what each method says of the soil, a record each; status tells the one that the totals hold.
func writeSoilCarbon(write func(impactRow), s *ghg.SoilEstimates) {
	if s == nil {
		return
	}
	for _, e := range s.Estimates {
		status := "not used"
		if e.Used {
			status = "used"
		}
		write(impactRow{
			"record": "soil_carbon", "name": e.Method, "status": status, "co2e_t": e.CO2e, "value": e.Change, "unit": "t C/ha/yr",
			"note": fmt.Sprintf("a gain is above 0; 95 %% range %g to %g t C/ha/yr", e.Low, e.High),
		})
	}
}

// writeAbout writes what the report is of and what it was computed with.
func writeAbout(write func(impactRow), doc ports.ImpactDocument) {
	r, s := doc.Report, doc.Subject
	var version any
	if r.ResultVersion != nil {
		version = *r.ResultVersion
	}
	for _, about := range [][2]any{
		{"company", s.Company}, {"resource_type", s.ResourceType}, {"resource", s.Resource}, {"assessment_year", s.Year},
		{"crop_type", s.Crop}, {"farm_country", s.Country}, {"climate_region", s.ClimateRegion}, {"submitted_data_quality", s.DataQuality},
		{"area_ha", r.FunctionalUnit.AreaHa}, {"product_t", r.FunctionalUnit.ProductT},
		{"assessment_id", r.AssessmentID}, {"basis", r.Basis}, {"result_version", version},
		{"computed_at", r.ComputedAt}, {"engine", r.Engine.ID + " " + r.Engine.Version},
		{"factor_set", r.FactorSet.ID + " " + r.FactorSet.Version}, {"factor_set_digest", r.FactorSet.Digest},
		{"gwp_set", r.GWPSet}, {"input_digest", r.InputDigest},
	} {
		write(impactRow{"record": "about", "name": about[0], "value": about[1]})
	}
	for _, signature := range doc.Signatures {
		write(impactRow{
			"record": "signature", "name": signature.By.Name, "value": signature.At, "key": signature.Digest, "note": signature.Statement,
		})
	}
}

func sourceRow(record string, l report.SourceLine) impactRow {
	return withKnown(impactRow{
		"record": record, "name": l.Label, "place": l.Section, "model": l.Model, "scope": l.Scope, "category": l.Category,
		"co2_kg": l.Kg.CO2, "ch4_fossil_kg": l.Kg.CH4Fossil, "ch4_biogenic_kg": l.Kg.CH4Biogenic, "n2o_kg": l.Kg.N2O,
		"not_split_kg_co2e": l.Kg.NotSplit, "co2e_t": l.CO2e, "share": l.Share,
		"per_ha_t": l.PerHa, "per_t_t": l.PerT, "low_t": l.Low, "high_t": l.High, "tier": l.Tier,
	}, l.Known)
}

// withKnown puts on a record what is known of the factors behind it: nothing in reports that do not tell.
func withKnown(row impactRow, k report.Known) impactRow {
	if k.Factors == nil {
		return row
	}
	row["status"], row["range_status"] = k.ValueStatus, k.RangeStatus
	row["factors"], row["secondary"], row["unverified"] = k.Factors.Factors, k.Factors.Secondary, k.Factors.Unverified
	row["ranges_recalled"], row["ranges_assumed"] = k.Factors.RangesRecalled, k.Factors.RangesAssumed
	return row
}

// writeStep writes a step of the trace, then its inputs and factors under the same number.
func writeStep(write func(impactRow), step int, t ghg.TraceLine) {
	write(impactRow{
		"record": "step", "name": t.Step, "place": t.Item, "step": step, "symbol": t.Label, "key": t.Gas,
		"value": t.Result, "unit": t.Unit, "source": t.Source, "note": t.Equation,
	})
	for _, in := range t.Inputs {
		write(impactRow{
			"record": "input", "name": t.Step, "place": t.Item, "step": step, "symbol": in.Symbol,
			"value": in.Value, "unit": in.Unit, "status": map[bool]string{true: "default", false: "given"}[in.Default],
		})
	}
	for _, f := range t.Factors {
		write(impactRow{
			"record": "factor", "name": t.Step, "place": t.Item, "step": step, "symbol": f.Symbol, "key": f.Key,
			"value": f.Value, "unit": f.Unit, "source": f.Source, "status": f.Status, "note": f.Note, "range_status": f.RangeStatus,
		})
	}
}
