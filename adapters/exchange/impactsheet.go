package exchange

import (
	"cmp"
	"fmt"
	"io"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// impactColumns are the columns of every record of the sheet; a record leaves those empty that it
// does not have. Masses of gases are in kg, co2e and its range in t.
var impactColumns = []string{
	"record", "name", "place", "model", "scope", "category", "co2_kg", "ch4_fossil_kg", "ch4_biogenic_kg", "n2o_kg", "not_split_kg_co2e",
	"co2e_t", "share", "per_ha_t", "per_t_t", "low_t", "high_t", "tier",
	"step", "symbol", "key", "value", "unit", "source", "status", "note",
	"range_status", "factors", "secondary", "unverified", "ranges_recalled", "ranges_assumed",
	"from_step", "member", "lower", "upper", "range_of", "co2_biogenic_kg",
}

// impactRow is one record of the sheet, by the names of its columns.
type impactRow map[string]any

// ImpactSheet implements ports.ImpactSheets: the subject of the report, its totals, one record per
// line, and the trace, one record per step, input and factor.
func (Sheets) ImpactSheet(w io.Writer, format string, doc ports.ImpactDocument) error {
	out, err := newTable(w, format, "Impact report", impactColumns)
	if err != nil {
		return err
	}
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
	writeViews(write, r.Views)
	writeBasis(write, r)
	for _, warning := range r.Warnings {
		write(impactRow{"record": "warning", "name": warning.Code, "place": warning.Item, "note": warning.Message})
	}
	for i, step := range r.Trace {
		writeStep(write, cmp.Or(step.Number, i+1), step) // steps of older versions have no number
	}
	return out.end()
}

// writeSoilCarbon writes the result of each method for the soil, one record each; status marks the one that the totals include.
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

// writeAbout writes the subject of the report and what it was computed with.
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
	for _, file := range doc.Evidence {
		write(impactRow{
			"record": "evidence", "name": file.Name, "place": file.For, "symbol": fmt.Sprintf("file:%d", file.ID), "key": file.SHA256,
			"value": file.Size, "unit": "bytes", "source": fmt.Sprintf("%s, %s", cmp.Or(file.By.Name, fmt.Sprintf("user %d", file.By.ID)), file.UploadedAt), "note": file.Note,
		})
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
		"co2_biogenic_kg": l.Kg.CO2Biogenic,
	}, l.Known)
}

// withKnown adds to a record what is known about the factors behind it: nothing in reports that do not state it.
func withKnown(row impactRow, k report.Known) impactRow {
	if k.Factors == nil {
		return row
	}
	row["status"], row["range_status"] = k.ValueStatus, k.RangeStatus
	row["factors"], row["secondary"], row["unverified"] = k.Factors.Factors, k.Factors.Secondary, k.Factors.Unverified
	row["ranges_recalled"], row["ranges_assumed"] = k.Factors.RangesRecalled, k.Factors.RangesAssumed
	return row
}

// writeStep writes a step of the trace, then its inputs and factors under the same number. The range of a step is that of
// a line of the report or of a total, in its unit.
func writeStep(write func(impactRow), step int, t ghg.TraceLine) {
	row := impactRow{
		"record": "step", "name": t.Step, "place": t.Item, "step": step, "symbol": t.Label, "key": t.Gas,
		"value": t.Result, "unit": t.Unit, "source": t.Source, "note": t.Equation, "member": t.Sets,
	}
	if t.Total != nil {
		row["symbol"], row["model"], row["scope"], row["category"] = t.Total.Label, t.Total.Model, filled(t.Total.Scope), t.Total.Of
		row["lower"], row["upper"] = t.Total.Low, t.Total.High
	}
	write(row)
	for _, in := range t.Inputs {
		write(impactRow{
			"record": "input", "name": t.Step, "place": t.Item, "step": step, "symbol": in.Symbol, "key": in.Row,
			"value": in.Value, "unit": in.Unit, "status": originOf(in), "note": in.Constant, "source": in.Source, "from_step": filled(in.From),
			"member": cmp.Or(in.Input, in.Entered), "lower": in.Lower, "upper": in.Upper, "range_of": in.RangeOf,
		})
	}
	for _, f := range t.Factors {
		write(impactRow{
			"record": "factor", "name": t.Step, "place": t.Item, "step": step, "symbol": f.Symbol, "key": f.Key,
			"value": f.Value, "unit": f.Unit, "source": f.Source, "status": f.Status, "note": f.Note, "range_status": f.RangeStatus,
			"lower": f.Lower, "upper": f.Upper, "range_of": f.RangeOf,
		})
	}
}

// originOf returns where the value of an input comes from.
func originOf(in ghg.TraceInput) string {
	switch {
	case in.Default:
		return "default"
	case in.Entered != "":
		return "entered"
	case in.Input == "" && in.From > 0:
		return "step"
	case in.Constant != "":
		return "constant"
	case in.Source != "":
		return "source"
	}
	return "given"
}

// filled leaves the cell of a missing number empty.
func filled(n int) any {
	if n == 0 {
		return nil
	}
	return n
}
