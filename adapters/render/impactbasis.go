package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// printBasis prints what an auditor asks for before the lines: what the report covers, how it was made, with which data,
// and what it leaves out.
func printBasis(d *pdf.Document, doc ports.ImpactDocument) {
	d.Page()
	d.Text("Basis of preparation", draw.Title)
	printBoundary(d, doc)
	printMethods(d, doc.Report)
	printInputs(d, doc.Report)
	printExclusions(d, doc)
	printResponsibility(d, doc)
}

func printBoundary(d *pdf.Document, doc ports.ImpactDocument) {
	r, about := doc.Report, doc.Subject
	d.Heading("1  Scope and boundary", 40)
	unit := "1 ha of growing area"
	if r.FunctionalUnit.ProductT != nil {
		unit += "; 1 t of fresh product at the farm gate"
	}
	rows := [][]pdf.Cell{
		pdf.Row("Organisation", cmp.Or(about.Company, "–")+"; the operations on the assessed land are reported whole, whoever carries them out"),
		pdf.Row("System", fmt.Sprintf("%s, from the making of its inputs to the farm gate", words(about.Crop))),
		pdf.Row("Period", fmt.Sprintf("The harvest of %d, with all growing cycles of that year; changes of carbon stocks as a twentieth a year over 20 years", about.Year)),
		pdf.Row("Functional units", unit),
		pdf.Row("Scopes", "1: field, soils and fuel burnt on the farm. 2: electricity and heat that are bought, location-based. 3: inputs that are made elsewhere, goods that are moved, and the supply of every fuel"),
		pdf.Row("Gases", "CO2, CH4 (fossil and biogenic apart) and N2O, with the 100-year warming potentials of the set "+r.GWPSet+". Biogenic CO2 of what is burnt is stated outside the totals"),
		pdf.Row("Removals", "CO2 taken up by soils and woody plants, stated apart from emissions and never netted in them; the balance is their difference"),
	}
	d.Table([]pdf.Column{pdf.Left("Item", 35), pdf.Left("What the report holds", 145)}, rows)
}

func printMethods(d *pdf.Document, r report.Report) {
	d.Heading("2  Methods", 40)
	d.Text(fmt.Sprintf("The engine %s %s computed the figures with the factor set %s %s. Every step, with its equation, its inputs and its factors, "+
		"is given under \"How it was calculated\" and can be recomputed from this report.", r.Engine.ID, r.Engine.Version, r.FactorSet.ID, r.FactorSet.Version), draw.Text)
	d.Space()
	var rows [][]pdf.Cell
	for _, m := range report.Methods(r) {
		rows = append(rows, pdf.Row(words(m.Label), strconv.Itoa(m.Tier), fixed(m.CO2e, 3), cmp.Or(strings.Join(m.Sources, "; "), "not stated by the engine")))
	}
	d.Table([]pdf.Column{pdf.Left("Source or removal", 42), pdf.Right("Tier", 11), pdf.Right("t CO2e", 20), pdf.Left("Method", 107)}, rows)
	d.Text("Uncertainty is the 95 % range: each factor and each amount with a stated uncertainty moves alone to its bounds; deviations of one factor add, "+
		"those of different factors combine as the root of the sum of squares. Ranges of warming potentials are left out.", draw.Note)
}

func printInputs(d *pdf.Document, r report.Report) {
	d.Heading("3  Data quality by input", 40)
	var rows [][]pdf.Cell
	for _, q := range report.ByInput(r) {
		e := q.Evidence
		rows = append(rows, pdf.Row(words(q.Section), strconv.Itoa(q.Entered), strconv.Itoa(q.Defaults), strconv.Itoa(e.Factors), strconv.Itoa(e.Secondary), strconv.Itoa(e.Unverified),
			fmt.Sprintf("%d · %d · %d", e.Factors-e.RangesRecalled-e.RangesAssumed, e.RangesRecalled, e.RangesAssumed), fixed(q.CO2e, 3), percent(q.Share), fixed(q.Removed, 3)))
	}
	d.Table([]pdf.Column{
		pdf.Left("Input", 34), pdf.Right("Entered", 15), pdf.Right("Defaults", 16), pdf.Right("Factors", 15), pdf.Right("secondary", 18), pdf.Right("unverified", 18),
		pdf.Right("Ranges", 20), pdf.Right("t CO2e", 16), pdf.Right("Share", 13), pdf.Right("Removed", 15),
	}, rows)
	d.Text("Entered: values of the farm that the steps use. Defaults: values that could have been entered and were not. Factors: rows of the tables, each counted once "+
		"in its input. Secondary: read in another's copy; unverified: recalled. Ranges: published · recalled · assumed by the kind of source.", draw.Note)
	d.Text(percent(r.DataQuality.UserShare)+" of the emissions rest on values of the farm alone.", draw.Text)
}

func printExclusions(d *pdf.Document, doc ports.ImpactDocument) {
	d.Heading("4  Exclusions", 30)
	var rows [][]pdf.Cell
	for _, e := range report.Exclusions(doc.Report) {
		rows = append(rows, pdf.Row(e.What, e.Why))
	}
	for _, section := range slices.Sorted(maps.Keys(doc.Subject.Declarations)) {
		if doc.Subject.Declarations.None(section) {
			rows = append(rows, pdf.Row(words(section), "declared: none"))
		}
	}
	if len(rows) == 0 {
		d.Text("The engine does not state what it leaves out.", draw.Text)
		return
	}
	d.Table([]pdf.Column{pdf.Left("Not in the figures", 80), pdf.Left("Reason", 100)}, rows)
	if doc.Report.Engine.ID == ghg.EngineID && len(doc.Report.Warnings) > 0 {
		d.Text(fmt.Sprintf("What was entered and could not be counted is among the %d warnings below.", len(doc.Report.Warnings)), draw.Note)
	}
}

func printResponsibility(d *pdf.Document, doc ports.ImpactDocument) {
	d.Heading("5  Responsibility and review", 30)
	text := "The company is responsible for the data and for this report. "
	switch n := len(doc.Signatures); {
	case doc.Report.ResultVersion == nil:
		text += "It is a draft of live data: none of it is frozen or reviewed."
	case n == 0:
		text += "Its content is frozen as a version. No second person has signed it, and it has no external assurance."
	default:
		text += fmt.Sprintf("Its content is frozen as a version with %s of someone other than the submitter (first page). That is a review within the company, not external assurance.",
			map[bool]string{true: "the signature", false: strconv.Itoa(n) + " signatures, each"}[n == 1])
	}
	d.Text(text, draw.Text)
}
