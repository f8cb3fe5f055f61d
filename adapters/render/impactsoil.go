package render

import (
	"fmt"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/ghg"
)

// printSoilCarbon prints the result of each method for the carbon of the mineral soil, and which one the totals include.
func printSoilCarbon(d *pdf.Document, s *ghg.SoilEstimates) {
	if s == nil {
		return
	}
	d.Heading("Soil carbon: "+soilMethod(s.Method)+" is used", 30)
	var rows [][]pdf.Cell
	for _, e := range s.Estimates {
		used := ""
		if e.Used {
			used = "used"
		}
		rows = append(rows, pdf.Row(soilMethod(e.Method), used, fixed(e.Change, 3), fixed(e.Low, 3), fixed(e.High, 3), fixed(e.CO2e, 3)))
	}
	d.Table([]pdf.Column{
		pdf.Left("Method", 70), pdf.Left("", 15), pdf.Right("Change, t C/ha/yr", 30), pdf.Right("Low", 20), pdf.Right("High", 20), pdf.Right("t CO2e", 25),
	}, rows)
	d.Text(fmt.Sprintf("Change of the stock of mineral soil, 0–30 cm, in the assessment year, on land that was cropland for 20 years. "+
		"A gain is above 0, a loss below. Low and High are the 95 %% range. Only the line of %s is part of the totals.", soilMethod(s.Method)), draw.Note)
}

func soilMethod(method string) string {
	if name, known := map[string]string{
		ghg.SoilTier1: "IPCC Tier 1 (default)", ghg.SoilTier2: "IPCC Tier 2 steady state (modelled)", ghg.SoilMeasured: "Measured by sampling",
	}[method]; known {
		return name
	}
	return words(method)
}
