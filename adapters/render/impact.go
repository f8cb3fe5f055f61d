package render

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/assessment"
	"tilth/core/effort"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// Documents prints with one library. It implements ports.Documents.
type Documents struct{}

// PrintImpact implements ports.Documents: the subject and the figures on the first page, then the
// lines, the warnings and the trace.
func (Documents) PrintImpact(ctx context.Context, w io.Writer, doc ports.ImpactDocument) error {
	r := doc.Report
	d, err := pdf.New(effort.Of(ctx, 0), pdf.Head{Paper: ports.PaperA4, Title: impactTitle, Foot: footOf(r), Created: r.ComputedAt})
	if err != nil {
		return err
	}
	printHead(d, doc)
	printFigures(d, r)
	printEvidence(d, r.DataQuality)
	printSources(d, r.BySource)
	printBasis(d, doc)
	printSplits(d, r)
	printLines(d, r)
	printSoilCarbon(d, r.SoilCarbon)
	printViews(d, r.Views)
	printFiles(d, doc.Evidence)
	printWarnings(d, r)
	printTrace(d, r)
	return d.Write(w)
}

const impactTitle = "Greenhouse-gas impact report"

// footOf returns what the figures were computed with, for the foot of each page.
func footOf(r report.Report) string {
	const enough = 16 // of a digest, to distinguish two
	return fmt.Sprintf("Tilth · engine %s %s · factors %s %s · input %s",
		r.Engine.ID, r.Engine.Version, r.FactorSet.ID, r.FactorSet.Version, r.InputDigest[:min(enough, len(r.InputDigest))])
}

func printHead(d *pdf.Document, doc ports.ImpactDocument) {
	r, about := doc.Report, doc.Subject
	d.Text(impactTitle, draw.Title)
	name := cmp.Or(about.Resource, fmt.Sprintf("%s %d", words(string(about.ResourceType)), about.ResourceID))
	d.Text(fmt.Sprintf("%s, %d", name, about.Year), draw.Heading)
	d.Space()
	kind := "Farm"
	if about.ResourceType == assessment.OfField {
		kind = "Field"
	}
	d.Facts([]pdf.Fact{
		{"Company", cmp.Or(about.Company, "–")}, {kind, name},
		{"Assessment year", strconv.Itoa(about.Year)}, {"Crop", words(about.Crop)},
		{"Growing area", optional(r.FunctionalUnit.AreaHa, 2) + " ha"}, {"Product", optional(r.FunctionalUnit.ProductT, 2) + " t"},
		{"Country", words(about.Country)}, {"Climate zone", words(about.ClimateRegion)},
		{"Data", words(about.DataQuality)}, {"Basis", basisOf(doc)},
		{"Computed", r.ComputedAt.UTC().Format("2006-01-02 15:04 UTC")}, {"Assessment", strconv.FormatInt(r.AssessmentID, 10)},
	}, 2)
	var signed []pdf.Fact
	for _, s := range doc.Signatures {
		by := cmp.Or(s.By.Name, fmt.Sprintf("user %d", s.By.ID))
		signed = append(signed, pdf.Fact{"Signed", fmt.Sprintf("%s, %s: %s", by, s.At.UTC().Format("2006-01-02 15:04 UTC"), s.Statement)})
	}
	d.Facts(signed, 1)
}

// basisOf returns whether the report was submitted, and by whom.
func basisOf(doc ports.ImpactDocument) string {
	r := doc.Report
	if r.ResultVersion == nil {
		return "Live data, not submitted"
	}
	text := fmt.Sprintf("Submitted, version %d", *r.ResultVersion)
	if doc.SubmittedBy != nil {
		text += ", by " + doc.SubmittedBy.Name
	}
	if r.Stale {
		text += " (the data have changed since)"
	}
	return text
}

func printFigures(d *pdf.Document, r report.Report) {
	t := r.Totals
	d.Space()
	d.Figures([]pdf.Figure{
		{"Emissions", fixed(t.Emissions, 3), "t CO2e; 95 %: " + fixed(r.Uncertainty.Low, 3) + " to " + fixed(r.Uncertainty.High, 3)},
		{"Removals", fixed(t.Removals, 3), removalsUnit(r.RemovalsRange)}, {"Balance", fixed(t.Balance, 3), "t CO2e; emissions − removals"},
		{"Emissions per hectare", optional(t.EmissionsPerHa, 3), "t CO2e/ha"}, {"Removals per hectare", optional(t.RemovalsPerHa, 3), "t CO2e/ha"},
		{"Emissions per tonne", optional(t.EmissionsPerT, 3), "t CO2e/t of product"},
	})
}

// removalsUnit returns the unit of the removals, with their range where there is one; reports of earlier engines have none.
func removalsUnit(r report.Range) string {
	if r.High == 0 {
		return "t CO2e"
	}
	return "t CO2e; 95 %: " + fixed(r.Low, 3) + " to " + fixed(r.High, 3)
}

func printSplits(d *pdf.Document, r report.Report) {
	var rows [][]pdf.Cell
	for _, l := range r.ByScope {
		rows = append(rows, pdf.Row(fmt.Sprintf("Scope %d", l.Scope), fixed(l.CO2e, 3), percent(l.Share), ""))
	}
	for _, l := range r.ByCategory {
		rows = append(rows, pdf.Row(words(l.Category), fixed(l.CO2e, 3), "", ""))
	}
	for _, l := range r.ByGas {
		if l.Kg > 0 {
			rows = append(rows, pdf.Row(gasWord(l.Gas), fixed(l.CO2e, 3), percent(l.Share), fmt.Sprintf("%s kg × %g", fixed(l.Kg, 3), l.GWP)))
		}
	}
	mass := pdf.Right("Mass × warming potential ("+r.GWPSet+")", 55)
	columns := []pdf.Column{pdf.Left("Part", 70), pdf.Right("t CO2e", 30), pdf.Right("Share", 25), mass}
	d.Heading("By scope, category and gas", d.HeightOf(columns, rows)) // in one piece
	d.Table(columns, rows)
}

func percent(share float64) string { return fixed(share*100, 1) + " %" }

func gasWord(gas string) string {
	return cmp.Or(map[string]string{
		"co2": "CO2", "ch4_fossil": "CH4, fossil", "ch4_biogenic": "CH4, biogenic", "n2o": "N2O", "not_split": "Not separated", "co2_biogenic": "CO2, biogenic (outside)",
	}[gas], words(gas))
}

func printWarnings(d *pdf.Document, r report.Report) {
	if len(r.Warnings) == 0 {
		return
	}
	d.Heading("Warnings", 20)
	var rows [][]pdf.Cell
	for _, w := range r.Warnings {
		rows = append(rows, pdf.Row(w.Item, w.Message))
	}
	d.Table([]pdf.Column{pdf.Left("Where", 50), pdf.Left("What", 130)}, rows)
}

// printTrace prints every step with all that is needed to repeat it by hand. A mass times a warming potential takes one
// line where the potential was printed before, and the parts of a sum are running text.
func printTrace(d *pdf.Document, r report.Report) {
	if len(r.Trace) == 0 {
		return
	}
	d.Page()
	d.Heading("How it was calculated", 30)
	d.Text("Each step with its number, its equation and its source, then the values of its symbols with their origin. "+
		"A default replaces a value that was not entered.", draw.Muted)
	outcome := draw.Strong
	outcome.Color = draw.Leaf
	printed := map[string]bool{}
	for i, t := range r.Trace {
		title := fmt.Sprintf("%d  %s", cmp.Or(t.Number, i+1), strings.TrimPrefix(t.Item+", "+words(t.Step), ", "))
		if t.Step == "co2e" && len(t.Inputs) == 1 && len(t.Factors) == 1 && printed[t.Factors[0].Key] {
			in, gwp := t.Inputs[0], t.Factors[0]
			d.Space()
			d.Text(fmt.Sprintf("%s: %s, of %s (%s) and %s (%s) = %s %s",
				title, t.Equation, exact(in.Value), origin(in), exact(gwp.Value), gwp.Key, exact(t.Result), t.Unit), draw.Text)
			continue
		}
		var rows [][]pdf.Cell
		var parts string
		if t.Total != nil {
			parts = traceParts(t.Inputs)
		} else {
			rows = traceRows(t)
		}
		for _, f := range t.Factors {
			printed[f.Key] = true
		}
		const texts = 25 // approximate height of a step's texts; most steps fit on a page, and are kept in one piece
		d.Space()
		d.Need(texts + d.HeightOf(traceColumns, rows))
		d.Text(title, draw.Strong)
		d.Text(t.Equation, draw.Text)
		d.Text(traceResult(t), outcome)
		d.Text(t.Source, draw.Note)
		if parts != "" {
			d.Text(parts, draw.Text)
			continue
		}
		d.Table(traceColumns, rows)
	}
}

// traceResult prints the result of a step, and its role in the report.
func traceResult(t ghg.TraceLine) string {
	result := fmt.Sprintf("= %s %s", exact(t.Result), t.Unit)
	if t.Label != "" {
		result += fmt.Sprintf("  (%s, %s)", words(t.Label), gasWord(t.Gas))
	}
	if of := t.Total; of != nil {
		result += fmt.Sprintf("  (%s; %s)", words(cmp.Or(of.Label, of.Of)), between(&of.Low, &of.High)[0])
	}
	return result
}

// traceParts prints the parts of a sum.
func traceParts(inputs []ghg.TraceInput) string {
	parts := make([]string, len(inputs))
	for i, in := range inputs {
		parts[i] = fmt.Sprintf("%s (%s)", exact(in.Value), origin(in))
	}
	return strings.Join(parts, " + ")
}

var traceColumns = []pdf.Column{pdf.Left("Symbol", 26), pdf.Right("Value", 24), pdf.Left("Unit", 36), pdf.Left("From", 94)}

func traceRows(t ghg.TraceLine) [][]pdf.Cell {
	var rows [][]pdf.Cell
	for _, in := range t.Inputs {
		rows = append(rows, pdf.Row(in.Symbol, exact(in.Value), in.Unit, origin(in)))
	}
	for _, f := range t.Factors {
		parts := []string{f.Key + ": " + f.Source}
		if f.Status != ghg.Verified {
			parts = append(parts, f.Status)
		}
		if f.RangeStatus == ghg.RangeRecalled || f.RangeStatus == ghg.RangeAssumed {
			parts = append(parts, "range "+f.RangeStatus)
		}
		if f.Default {
			parts = append(parts, "default")
		}
		if f.Note != "" {
			parts = append(parts, f.Note)
		}
		parts = append(parts, between(f.Lower, f.Upper)...)
		rows = append(rows, pdf.Row(f.Symbol, exact(f.Value), f.Unit, strings.Join(parts, "; ")))
	}
	return rows
}

// origin prints where the value of an input comes from.
func origin(in ghg.TraceInput) string {
	var parts []string
	for _, part := range []string{in.Input, in.Entered, in.Constant, in.Source} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch {
	case in.From > 0:
		parts = append(parts, fmt.Sprintf("step %d", in.From))
	case len(parts) == 0: // a version that was stored before steps had numbers
		parts = append(parts, "entered, or an earlier step")
	}
	if in.Default {
		parts = append(parts, "default")
	}
	return strings.Join(append(parts, between(in.Lower, in.Upper)...), "; ")
}

// between prints the 95 % range of a value, where it has one.
func between(lower, upper *float64) []string {
	if lower == nil || upper == nil {
		return nil
	}
	return []string{"95 %: " + exact(*lower) + " to " + exact(*upper)}
}
