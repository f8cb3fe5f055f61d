package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"tilth/core/assessment"
	"tilth/core/ghg"
	"tilth/ports"
)

// Documents prints with one library. It implements ports.Documents.
type Documents struct{}

// PrintImpact implements ports.Documents: what it is of and its figures on the first page,
// then the lines, the warnings and the trace.
func (Documents) PrintImpact(w io.Writer, doc ports.ImpactDocument) error {
	r := doc.Report
	s := newSheet("Greenhouse-gas impact report", footOf(r), r.ComputedAt)
	picture, err := drawSources(r.BySource)
	if err != nil {
		return err
	}
	printHead(s, doc)
	printFigures(s, r)
	if picture != nil {
		s.heading("Emissions by source, t CO2e, with the 95 % range of each", 40)
		s.picture("sources", picture, pageInner)
	}
	printSplits(s, r)
	printLines(s, r)
	printWarnings(s, r)
	printTrace(s, r)
	return s.end(w)
}

// footOf says on each page what the figures were computed with.
func footOf(r ghg.Report) string {
	return fmt.Sprintf("Tilth · engine %s %s · factors %s %s · input %s", r.Engine.ID, r.Engine.Version, r.FactorSet.ID, r.FactorSet.Version, short(r.InputDigest))
}

// short gives the beginning of a digest, which is enough to tell two apart.
func short(digest string) string { return digest[:min(16, len(digest))] }

func printHead(s sheet, doc ports.ImpactDocument) {
	r, about := doc.Report, doc.Subject
	s.paragraph("B", sizeTitle, inkRGB, "Greenhouse-gas impact report")
	name := about.Resource
	if name == "" {
		name = fmt.Sprintf("%s %d", words(string(about.ResourceType)), about.ResourceID)
	}
	s.paragraph("B", sizeHeading, leafRGB, fmt.Sprintf("%s, %d", name, about.Year))
	s.space(2)
	kind := "Farm"
	if about.ResourceType == assessment.OfField {
		kind = "Field"
	}
	s.facts([][2]string{
		{"Company", orDash(about.Company)}, {kind, name},
		{"Assessment year", strconv.Itoa(about.Year)}, {"Crop", words(about.Crop)},
		{"Growing area", optional(r.FunctionalUnit.AreaHa, 2) + " ha"}, {"Product", optional(r.FunctionalUnit.ProductT, 2) + " t"},
		{"Country", words(about.Country)}, {"Climate zone", words(about.ClimateRegion)},
		{"Data", words(about.DataQuality)}, {"Basis", basisOf(doc)},
		{"Computed", r.ComputedAt.UTC().Format("2006-01-02 15:04 UTC")}, {"Assessment", strconv.FormatInt(r.AssessmentID, 10)},
	})
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// basisOf says whether the report was submitted, and by whom.
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

// figure is a number of the first page.
type figure struct{ name, value, unit string }

func printFigures(s sheet, r ghg.Report) {
	t := r.Totals
	s.space(3)
	figures := []figure{
		{"Emissions", fixed(t.Emissions, 3), "t CO2e; 95 %: " + fixed(r.Uncertainty.Low, 3) + " to " + fixed(r.Uncertainty.High, 3)},
		{"Removals", fixed(t.Removals, 3), "t CO2e"}, {"Balance", fixed(t.Balance, 3), "t CO2e; emissions − removals"},
		{"Emissions per hectare", optional(t.EmissionsPerHa, 3), "t CO2e/ha"}, {"Removals per hectare", optional(t.RemovalsPerHa, 3), "t CO2e/ha"},
		{"Emissions per tonne", optional(t.EmissionsPerT, 3), "t CO2e/t of product"},
	}
	const across, gap, height = 3, 3.0, 18.0
	width := (pageInner - gap*(across-1)) / across
	top := s.pdf.GetY()
	for i, f := range figures {
		left, y := pageMargin+float64(i%across)*(width+gap), top+float64(i/across)*(height+gap)
		s.pdf.SetFillColor(headRGB.r, headRGB.g, headRGB.b)
		s.pdf.Rect(left, y, width, height, "F")
		for n, line := range []struct {
			style string
			size  float64
			color rgb
			text  string
		}{{"", sizeFoot + 1, softRGB, f.name}, {"B", 15, leafRGB, f.value}, {"", sizeFoot, softRGB, f.unit}} {
			s.letters(line.style, line.size, line.color)
			s.pdf.SetXY(left+2.5, y+1.5+[]float64{0, 4.5, 11}[n])
			s.pdf.CellFormat(width-4, 5, legible(line.text), "", 0, "L", false, 0, "")
		}
	}
	rows := float64((len(figures) + across - 1) / across)
	s.pdf.SetXY(pageMargin, top+rows*height+(rows-1)*gap)
}

// printSplits sets the emissions by scope, category and gas.
func printSplits(s sheet, r ghg.Report) {
	s.heading("By scope, category and gas", 30)
	var rows [][]string
	for _, l := range r.ByScope {
		rows = append(rows, []string{fmt.Sprintf("Scope %d", l.Scope), fixed(l.CO2e, 3), percent(l.Share), ""})
	}
	for _, l := range r.ByCategory {
		rows = append(rows, []string{words(l.Category), fixed(l.CO2e, 3), "", ""})
	}
	for _, l := range r.ByGas {
		if l.Kg > 0 {
			rows = append(rows, []string{gasWord(l.Gas), fixed(l.CO2e, 3), percent(l.Share), fmt.Sprintf("%s kg × %g", fixed(l.Kg, 3), l.GWP)})
		}
	}
	s.table([]column{{"Part", 70, false}, {"t CO2e", 30, true}, {"Share", 25, true}, {"Mass × warming potential (" + r.GWPSet + ")", 55, true}}, rows)
}

func percent(share float64) string { return fixed(share*100, 1) + " %" }

func gasWord(gas string) string {
	said, ok := map[string]string{
		"co2": "CO2", "ch4_fossil": "CH4, fossil", "ch4_biogenic": "CH4, biogenic", "n2o": "N2O", "not_split": "Not told apart",
	}[gas]
	if !ok {
		return words(gas)
	}
	return said
}

var lineColumns = []column{
	{"Source", 40, false}, {"Section", 26, false}, {"Scope", 11, true}, {"Tier", 8, true}, {"CO2 kg", 17, true}, {"CH4 kg", 15, true}, {"N2O kg", 15, true},
	{"t CO2e", 16, true}, {"Low", 15, true}, {"High", 17, true},
}

func printLines(s sheet, r ghg.Report) {
	s.pdf.AddPage()
	s.heading("Emissions, line by line", 20)
	s.table(lineColumns, lineRows(r.BySource))
	if len(r.RemovalsBySrc) > 0 {
		s.heading("Removals", 20)
		s.table(lineColumns, lineRows(r.RemovalsBySrc))
	}
	s.paragraph("", sizeCell, softRGB, "Low and High are the 95 % range of a line; ranges of lines do not add up to that of the total, because they do not all move together. "+
		"An asterisk marks a line whose factors have no published range: plus or minus 50 % is taken.")
	if len(r.Allocation.CoProducts) > 0 {
		s.heading("What the products carry", 20)
		rows := [][]string{{"Main product", fixed(r.Allocation.MainSharePct, 2) + " %", "", fixed(r.Allocation.Main, 3)}}
		for _, c := range r.Allocation.CoProducts {
			rows = append(rows, []string{c.Name, fixed(c.SharePct, 2) + " %", words(c.Basis), fixed(c.CO2e, 3)})
		}
		s.table([]column{{"Product", 80, false}, {"Share", 30, true}, {"Basis", 40, false}, {"t CO2e", 30, true}}, rows)
	}
	s.space(2)
	s.facts([][2]string{
		{"Own values", percent(r.DataQuality.UserShare) + " of the emissions"}, {"Biogenic CO2", fixed(r.Memo.BiogenicCO2, 3) + " t, outside the totals"},
		{"Engine", r.Engine.ID + " " + r.Engine.Version}, {"Factor set", r.FactorSet.ID + " " + r.FactorSet.Version},
	})
	s.paragraph("", sizeCell, softRGB, "Digest of the factor set: "+r.FactorSet.Digest)
	s.paragraph("", sizeCell, softRGB, "Digest of the input: "+r.InputDigest)
}

func lineRows(lines []ghg.SourceLine) [][]string {
	var rows [][]string
	for _, l := range lines {
		low, high := fixed(l.Low, 3), fixed(l.High, 3)
		if l.RangeAssumed {
			high += " *"
		}
		rows = append(rows, []string{
			words(l.Label), words(l.Section), strconv.Itoa(l.Scope), strconv.Itoa(l.Tier),
			fixed(l.Kg.CO2, 1), fixed(l.Kg.CH4Fossil+l.Kg.CH4Biogenic, 2), fixed(l.Kg.N2O, 3), fixed(l.CO2e, 3), low, high,
		})
	}
	return rows
}

func printWarnings(s sheet, r ghg.Report) {
	if len(r.Warnings) == 0 {
		return
	}
	s.heading("Warnings", 20)
	var rows [][]string
	for _, w := range r.Warnings {
		rows = append(rows, []string{w.Item, w.Message})
	}
	s.table([]column{{"Where", 50, false}, {"What", 130, false}}, rows)
}

// printTrace sets every step with all that is needed to redo it by hand.
func printTrace(s sheet, r ghg.Report) {
	if len(r.Trace) == 0 {
		return
	}
	s.pdf.AddPage()
	s.heading("How it was calculated", 30)
	s.paragraph("", sizeText, softRGB, "Each step with its equation and its source, then the values that stand for its symbols, with where they are from. "+
		"A default stood in for a value that was not entered.")
	for i, t := range r.Trace {
		s.space(2)
		s.room(stepHeight(s, t))
		s.paragraph("B", sizeText, inkRGB, fmt.Sprintf("%d  %s, %s", i+1, t.Item, words(t.Step)))
		s.paragraph("", sizeText, inkRGB, t.Equation)
		result := fmt.Sprintf("= %s %s", exact(t.Result), t.Unit)
		if t.Label != "" {
			result += fmt.Sprintf("  (%s, %s)", words(t.Label), gasWord(t.Gas))
		}
		s.paragraph("B", sizeText, leafRGB, result)
		s.paragraph("", sizeCell, softRGB, t.Source)
		s.table(traceColumns, traceRows(t))
	}
}

// stepHeight is about what a step takes: most fit on a page, and are not torn apart.
func stepHeight(s sheet, t ghg.TraceLine) float64 {
	height := 22.0
	for _, row := range traceRows(t) {
		height += s.rowHeight(traceColumns, row, "")
	}
	return min(height, pageBottom-pageMargin)
}

var traceColumns = []column{{"Symbol", 26, false}, {"Value", 24, true}, {"Unit", 36, false}, {"From", 94, false}}

func traceRows(t ghg.TraceLine) [][]string {
	var rows [][]string
	for _, in := range t.Inputs {
		from := "entered, or an earlier step"
		if in.Default {
			from = "default"
		}
		rows = append(rows, []string{in.Symbol, exact(in.Value), in.Unit, from})
	}
	for _, f := range t.Factors {
		parts := []string{f.Key + ": " + f.Source}
		if f.Status == ghg.Unverified {
			parts = append(parts, "unverified")
		}
		if f.Default {
			parts = append(parts, "default")
		}
		if f.Note != "" {
			parts = append(parts, f.Note)
		}
		rows = append(rows, []string{f.Symbol, exact(f.Value), f.Unit, strings.Join(parts, "; ")})
	}
	return rows
}
