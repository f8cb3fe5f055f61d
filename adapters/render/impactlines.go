package render

import (
	"cmp"
	"fmt"
	"strconv"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/ghg/report"
)

// printEvidence prints, on the first page, how well the values and the ranges of the factors are documented.
func printEvidence(d *pdf.Document, q report.DataQuality) {
	if q.Factors == nil {
		return
	}
	f := q.Factors
	d.Space()
	d.Text(fmt.Sprintf("%d of %d factors unverified; %d from a secondary source. Their ranges: %d recalled, %d assumed, %d published.",
		f.Unverified, f.Factors, f.Secondary, f.RangesRecalled, f.RangesAssumed, f.Factors-f.RangesRecalled-f.RangesAssumed), draw.Strong)
}

var lineColumns = []pdf.Column{
	pdf.Left("Source", 42), pdf.Left("Section", 28), pdf.Right("Scope", 11), pdf.Right("Tier", 9),
	pdf.Right("t CO2e", 17), pdf.Right("Low", 16), pdf.Right("High", 18), pdf.Left("Values", 20), pdf.Left("Ranges", 19),
}

func printLines(d *pdf.Document, r report.Report) {
	d.Heading("Emissions, line by line", 20)
	d.Table(lineColumns, lineRows(r.BySource))
	if len(r.RemovalsBySrc) > 0 {
		d.Heading("Removals", 20)
		d.Table(lineColumns, lineRows(r.RemovalsBySrc))
	}
	d.Text("Low and High are the 95 % range of a line; ranges of lines do not add up to that of the total, because they do not all move together. "+
		"An asterisk marks a line whose factors have no published range: an assumed one is taken, by the kind of source. "+
		"Values and Ranges name the weakest status of the factors of a line: a value that was read where it was published is verified, one that was "+
		"read in another's copy is secondary, one that was recalled is unverified; the range is published with it, recalled, or assumed.", draw.Note)
	printGases(d, r)
	if len(r.Allocation.CoProducts) > 0 {
		d.Heading("Allocation to products", 20)
		rows := [][]pdf.Cell{pdf.Row("Main product", fixed(r.Allocation.MainSharePct, 2)+" %", "", fixed(r.Allocation.Main, 3))}
		for _, c := range r.Allocation.CoProducts {
			rows = append(rows, pdf.Row(c.Name, fixed(c.SharePct, 2)+" %", words(c.Basis), fixed(c.CO2e, 3)))
		}
		d.Table([]pdf.Column{pdf.Left("Product", 80), pdf.Right("Share", 30), pdf.Left("Basis", 40), pdf.Right("t CO2e", 30)}, rows)
	}
	d.Space()
	d.Facts([]pdf.Fact{
		{"Own values", percent(r.DataQuality.UserShare) + " of the emissions"},
		{"Biogenic CO2", fixed(r.Memo.BiogenicCO2, 3) + " t, outside the totals"},
		{"Engine", r.Engine.ID + " " + r.Engine.Version}, {"Factor set", r.FactorSet.ID + " " + r.FactorSet.Version},
	}, 2)
	d.Text("Digest of the factor set: "+r.FactorSet.Digest, draw.Note)
	d.Text("Digest of the input: "+r.InputDigest, draw.Note)
}

func lineRows(lines []report.SourceLine) [][]pdf.Cell {
	var rows [][]pdf.Cell
	for _, l := range lines {
		low, high := fixed(l.Low, 3), fixed(l.High, 3)
		if l.RangeAssumed {
			high += " *"
		}
		rows = append(rows, pdf.Row(
			sourceWord(l), words(l.Section), strconv.Itoa(l.Scope), strconv.Itoa(l.Tier),
			fixed(l.CO2e, 3), low, high, cmp.Or(l.ValueStatus, "–"), cmp.Or(l.RangeStatus, "–"),
		))
	}
	return rows
}

// printGases prints the masses of the gases of every line separately, as far as the sources of its factors separate them.
func printGases(d *pdf.Document, r report.Report) {
	if len(r.BySource) == 0 {
		return
	}
	d.Heading("Gases, line by line", 20)
	var rows [][]pdf.Cell
	for _, l := range r.BySource {
		rows = append(rows, pdf.Row(sourceWord(l), words(l.Section), strconv.Itoa(l.Scope),
			fixed(l.Kg.CO2, 1), fixed(l.Kg.CO2Biogenic, 1), fixed(l.Kg.CH4Fossil, 3), fixed(l.Kg.CH4Biogenic, 3), fixed(l.Kg.N2O, 3), fixed(l.Kg.NotSplit, 1)))
	}
	d.Table([]pdf.Column{
		pdf.Left("Source", 38), pdf.Left("Section", 26), pdf.Right("Scope", 11), pdf.Right("CO2 kg", 17), pdf.Right("CO2 biogenic* kg", 19),
		pdf.Right("CH4 fossil kg", 17), pdf.Right("CH4 biogenic kg", 18), pdf.Right("N2O kg", 14), pdf.Right("Not separated**", 20),
	}, rows)
	d.Text("* of burnt plants and biofuels, outside the totals. ** kg CO2e of factors whose source prints no gases apart.", draw.Note)
}
