package render

import (
	"cmp"
	"fmt"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/ghg/views"
)

var partColumns = []pdf.Column{pdf.Left("Part", 100), pdf.Right("t CO2e", 40), pdf.Right("Share", 40)}

// printViews prints the emissions in the parts that the standards require.
func printViews(d *pdf.Document, v *views.Views) {
	if v == nil {
		return
	}
	d.Heading("Land Sector and Removals Standard (GHG Protocol)", 30)
	land := v.LandSector
	d.Table(partColumns, partRows(land.Parts))
	d.Text(fmt.Sprintf("Land management holds %s t of net CO2 of carbon stocks, lime and urea; the rest of it is CH4 and N2O. Outside the totals: "+
		"%s t CO2 of biofuels and wood, %s t CO2 of residues burnt on the field.",
		fixed(land.LandManagementCO2, 3), fixed(land.BiogenicProductCO2, 3), fixed(land.LandBiogenicCO2, 3)), draw.Note)
	printRemovals(d, land.Removals)

	d.Heading("FLAG guidance (Science Based Targets initiative)", 30)
	rows := partRows(v.FLAG.Parts)
	rows = append(rows, pdf.Row("FLAG in all", fixed(v.FLAG.Total, 3), ""), pdf.Row("Removals, alongside the emissions", fixed(v.FLAG.Removals, 3), ""))
	d.Table(partColumns, rows)

	d.Heading("Footprint of the products (ISO 14067)", 30)
	rows = append(partRows(v.Product.Parts),
		pdf.Row("Biogenic removals, alongside the footprint", fixed(v.Product.Removals, 3), ""),
		pdf.Row("Biogenic CO2 of what is burnt, outside", fixed(v.Product.BiogenicCO2, 3), ""))
	d.Table(partColumns, rows)
	if v.Product.AircraftNote != "" {
		d.Text("Aircraft: "+v.Product.AircraftNote+".", draw.Note)
	}
	printAllocations(d, v.Product.Allocations)
	printElectricity(d, v.Electricity)
}

func partRows(parts []views.Part) [][]pdf.Cell {
	var rows [][]pdf.Cell
	for _, p := range parts {
		rows = append(rows, pdf.Row(viewWord(p.Part), fixed(p.CO2e, 3), percent(p.Share)))
	}
	return rows
}

func printRemovals(d *pdf.Document, removals []views.Removal) {
	if len(removals) == 0 {
		return
	}
	var rows [][]pdf.Cell
	for _, r := range removals {
		rows = append(rows, pdf.Row(words(r.Label), words(r.Section), fixed(r.CO2e, 3), fixed(r.Low, 3)+" to "+fixed(r.High, 3), words(r.Monitoring)))
	}
	d.Space()
	d.Table([]pdf.Column{
		pdf.Left("Removal", 45), pdf.Left("Section", 45), pdf.Right("t CO2e", 22), pdf.Right("95 % range", 38), pdf.Left("Monitoring", 30),
	}, rows)
}

// printAllocations prints the shares of the products by each method, the used one first.
func printAllocations(d *pdf.Document, allocations []views.AllocationBy) {
	d.Space()
	var rows [][]pdf.Cell
	for _, a := range allocations {
		method := viewWord(a.Method)
		if a.Used {
			method += " (used)"
		}
		if a.NotPossible != "" {
			rows = append(rows, pdf.Row(method, words(a.NotPossible), "", "", "", "", "", ""))
		}
		for _, s := range a.Products {
			cells := []string{method, words(s.Product), fixed(s.SharePct, 1) + " %"}
			for _, p := range s.Parts {
				cells = append(cells, fixed(p.CO2e, 2))
			}
			rows = append(rows, pdf.Row(append(cells, optional(s.PerT, 3))...))
		}
	}
	d.Table([]pdf.Column{
		pdf.Left("Allocation", 30), pdf.Left("Product", 42), pdf.Right("Share", 16), pdf.Right("Fossil", 18), pdf.Right("Biogenic", 18),
		pdf.Right("Land use", 18), pdf.Right("Aircraft", 18), pdf.Right("t CO2e/t", 20),
	}, rows)
	d.Text("t CO2e. The stated shares are those of the figures per tonne; the others are given alongside for comparison.", draw.Note)
}

// viewWord returns a part of a view in words.
func viewWord(part string) string {
	if said, ok := map[string]string{
		views.NonLand: "Energy and goods (no land)", views.FLAGLandUse: "FLAG, land-use change", views.FLAGManagement: "FLAG, land management",
		views.NonFLAG: "Not FLAG", views.Aircraft: "Aircraft", views.ByStatedShare: "Stated shares", views.ByMass: "By mass", views.ByValue: "By value",
		views.LandUseChange: "Land-use change",
	}[part]; ok {
		return said
	}
	return words(part)
}

// printElectricity prints the electricity bought from the grid by both methods, and the losses of the grid.
func printElectricity(d *pdf.Document, e views.Electricity) {
	if e.MarketNote == views.NoElectricity {
		return
	}
	d.Heading("Electricity by both methods of scope 2 (GHG Protocol)", 30)
	figure := func(v *float64, note string) []string {
		if v == nil {
			return []string{"–", note}
		}
		return []string{fixed(*v, 3), note}
	}
	row := func(name string, cells ...string) []pdf.Cell { return pdf.Row(append([]string{name}, cells...)...) }
	d.Table([]pdf.Column{pdf.Left("Electricity of the grid", 70), pdf.Right("t CO2e", 25), pdf.Left("", 85)}, [][]pdf.Cell{
		row("Bought", fixed(e.LocationBased, 3), fixed(e.BoughtKWh, 0)+" kWh, location-based, in the totals"),
		row("Bought, market-based", figure(e.MarketBased, e.MarketNote)...),
		row("Scope 2, location-based", fixed(e.Scope2Location, 3), "in the totals"),
		row("Scope 2, market-based", figure(e.Scope2Market, e.MarketNote)...),
		row("Losses of the grid, scope 3", figure(e.GridLosses, cmp.Or(e.LossNote, "outside the totals"))...),
	})
	if e.MarketBased != nil {
		d.Text("A market-based factor covers "+percent(e.MarketCoverage)+" of the electricity.", draw.Note)
	}
}
