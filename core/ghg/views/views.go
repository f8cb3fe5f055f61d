// Package views arranges the lines of a result as the standards of inventories and of product footprints ask for them. Every
// view holds each line once, so that its parts add up to the emissions; removals stand apart in all of them.
package views

import (
	"cmp"
	"slices"

	"tilth/core/ghg"
)

// Views are a result in the parts of each standard, t CO2e.
type Views struct {
	LandSector  LandSector  `json:"land_sector" doc:"The inventory by the GHG Protocol's Land Sector and Removals Standard."`
	FLAG        FLAG        `json:"flag" doc:"The inventory by the FLAG guidance of the Science Based Targets initiative."`
	Product     Footprint   `json:"iso_14067" doc:"The parts of a product's footprint by ISO 14067:2018, 7.2."`
	Electricity Electricity `json:"electricity" doc:"Electricity of the grid by both methods of scope 2."`
}

// Part is one part of the emissions, t CO2e.
type Part struct {
	Part  string  `json:"part" doc:"Which part it is."`
	CO2e  float64 `json:"co2e" doc:"t CO2e."`
	Share float64 `json:"share" doc:"Of the emissions, 0 to 1."`
}

// LandSector is the inventory by the GHG Protocol's Land Sector and Removals Standard.
type LandSector struct {
	Parts              []Part    `json:"parts" doc:"land_use_change, land_management and non_land; they add up to the emissions."`
	LandManagementCO2  float64   `json:"land_management_co2" doc:"Net CO2 of carbon stocks, lime and urea within land_management, t CO2e; the rest of that are CH4 and N2O."`
	BiogenicProductCO2 float64   `json:"biogenic_product_co2" doc:"CO2 of burnt biofuels and wood, t CO2, outside the emissions."`
	LandBiogenicCO2    float64   `json:"land_biogenic_co2" doc:"CO2 of residues burnt on the field, t CO2, outside the emissions."`
	Removals           []Removal `json:"removals" doc:"What was taken up, and how it is monitored; the largest first."`
}

// How the carbon of a removal is monitored. The standard lets removals be reported where stocks are monitored and
// primary data show them.
const (
	MonitoringMeasured = "measured"      // two measurements of the stock, or two rounds of samples, show it
	MonitoringModelled = "modelled"      // a model shows it, with data of the land
	MonitoringNone     = "not_monitored" // it rests on a default, or on a growth that was entered
)

// Removal is CO2 that was taken up, t CO2e, with how it is monitored.
type Removal struct {
	Label      string  `json:"label" doc:"What reports and the dashboard call the source."`
	Section    string  `json:"section" doc:"Section of the assessment that it comes from."`
	CO2e       float64 `json:"co2e" doc:"t CO2e."`
	Low        float64 `json:"low" doc:"Lower end of the 95 % range, t CO2e."`
	High       float64 `json:"high" doc:"Upper end of the 95 % range, t CO2e."`
	Monitoring string  `json:"monitoring" doc:"measured: two measurements of the stock, or two rounds of samples, show it. modelled: a model shows it, with data of the land. not_monitored: it rests on a default, or on a growth that was entered."`
}

// FLAG is the inventory by the FLAG guidance of the Science Based Targets initiative: each part has targets of its own,
// and removals are reported beside them.
type FLAG struct {
	Parts    []Part  `json:"parts" doc:"flag_land_use_change, flag_land_management and non_flag; they add up to the emissions."`
	Total    float64 `json:"flag" doc:"The two parts of FLAG together, t CO2e."`
	Removals float64 `json:"removals" doc:"Removals, t CO2e, not deducted from the parts."`
}

// Of arranges a result.
func Of(res ghg.Result) Views {
	v := Views{
		LandSector: LandSector{Removals: removals(res)},
		FLAG:       FLAG{Removals: ghg.Tonnes(res.Removed)},
	}
	land, flag := map[string]float64{}, map[string]float64{}
	var stocks, fromLand float64
	for i := range res.Lines {
		l := &res.Lines[i]
		rule := ruleOf(l)
		land[rule.LandSector] += l.CO2e
		flag[rule.FLAG] += l.CO2e
		if rule.LandSector == LandManagement {
			stocks += ghg.CO2e(l.Kg[ghg.CO2], res.Warming[ghg.CO2])
			fromLand += l.BiogenicCO2
		}
	}
	v.LandSector.Parts = parts(land, res.Emissions, LandUseChange, LandManagement, NonLand)
	v.LandSector.LandManagementCO2, v.LandSector.LandBiogenicCO2 = ghg.Tonnes(stocks), ghg.Tonnes(fromLand)
	v.LandSector.BiogenicProductCO2 = ghg.Tonnes(max(0, res.BiogenicCO2-fromLand))
	v.FLAG.Parts = parts(flag, res.Emissions, FLAGLandUse, FLAGManagement, NonFLAG)
	v.FLAG.Total = ghg.Tonnes(flag[FLAGLandUse] + flag[FLAGManagement])
	v.Product, v.Electricity = product(res), electricity(res)
	return v
}

// parts returns the parts of a view in order, including empty ones.
func parts(kg map[string]float64, whole float64, order ...string) []Part {
	out := make([]Part, 0, len(order))
	for _, name := range order {
		p := Part{Part: name, CO2e: ghg.Tonnes(kg[name])}
		if share, ok := ghg.Intensity(kg[name], whole); ok {
			p.Share = ghg.Rounded(share)
		}
		out = append(out, p)
	}
	return out
}

func removals(res ghg.Result) []Removal {
	out := make([]Removal, 0, len(res.Removals))
	for _, l := range res.Removals {
		out = append(out, Removal{l.Label, l.Section, ghg.Tonnes(l.CO2e), ghg.Tonnes(l.Low), ghg.Tonnes(l.High), monitoring(res, l)})
	}
	slices.SortStableFunc(out, func(a, b Removal) int { return cmp.Compare(b.CO2e, a.CO2e) })
	return out
}

func monitoring(res ghg.Result, l ghg.Line) string {
	switch {
	case l.Model == ghg.ModelMeasuredStock:
		return MonitoringMeasured
	case l.Label != ghg.RemovalSoil || l.Section == ghg.LabelLandUse || res.SoilCarbon == nil: // converted land keeps Tier 1
		return MonitoringNone
	}
	switch res.SoilCarbon.Method {
	case ghg.SoilMeasured:
		return MonitoringMeasured
	case ghg.SoilTier2:
		return MonitoringModelled
	}
	return MonitoringNone
}
