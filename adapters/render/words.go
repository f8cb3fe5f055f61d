package render

import (
	"math"
	"strconv"
	"strings"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/core/stratification/layer"
)

// labelWords are the labels of a report in words.
var labelWords = map[string]string{
	ghg.LabelProduction: "Fertilizer production", ghg.LabelDirect: "Soil N2O, direct", ghg.LabelVolatilisation: "Soil N2O, volatilised",
	ghg.LabelLeaching: "Soil N2O, leached", ghg.LabelUrea: "CO2 of urea", ghg.LabelLiming: "CO2 of lime", ghg.LabelResidues: "Crop residues",
	ghg.LabelBurning: "Residue burning", ghg.LabelRice: "Rice methane", ghg.LabelOrganicSoils: "Organic soils",
	ghg.LabelSoilLoss: "Soil carbon lost", "co2e": "CO2e",
	ghg.LabelLandUse: "Land-use change", ghg.LabelBiomassLoss: "Biomass lost", ghg.LabelProtection: "Crop protection",
	ghg.LabelSeed: "Seed production", ghg.LabelCombustion: "Fuel burnt", ghg.LabelUpstream: "Fuel supply", ghg.LabelElectricity: "Electricity",
	ghg.LabelIrrigation: "Irrigation energy", ghg.LabelMachinery: "Machinery", ghg.LabelTransport: "Transport",
	ghg.RemovalSoil: "Soil carbon", ghg.RemovalPerennial: "Perennial biomass", ghg.RemovalAgroforestry: "Agroforestry",
	ghg.RemovalHedgerows:   "Hedgerows",
	ghg.CategoryManagement: "Land management", ghg.CategoryInputs: "Energy and inputs", ghg.CategoryRemovals: "Removals",
}

// sourceWord returns the label of a line in words, with what distinguishes it from other lines with that label in its section.
func sourceWord(l report.SourceLine) string {
	switch {
	case l.Model == ghg.ModelStationary:
		return words(l.Label) + ", stationary"
	case l.Model == ghg.ModelAircraft:
		return words(l.Label) + " by air"
	case l.Label == ghg.LabelTransport && l.Scope == 1:
		return words(l.Label) + " on the farm"
	case l.Scope == 3 && l.Label != ghg.LabelUpstream && l.Model == ghg.LabelUpstream:
		return words(l.Label) + ", fuel supply"
	}
	return words(l.Label)
}

// words returns a key in words: "cool_temperate_moist" is "Cool temperate moist".
func words(key string) string {
	if said, ok := labelWords[key]; ok {
		return said
	}
	text := []rune(strings.ReplaceAll(key, "_", " "))
	if len(text) == 0 {
		return "–"
	}
	return strings.ToUpper(string(text[:1])) + string(text[1:])
}

// layerWords are the layers of zones with a known meaning in words.
var layerWords = map[string]string{
	layer.NDVIMean: "NDVI", layer.NDVISD: "change of NDVI between years", layer.Elevation: "elevation", layer.Slope: "slope",
	layer.TWI: "wetness (TWI)", "soc_prior": "mapped organic carbon",
}

// layerWord returns the name of a layer in words.
func layerWord(name string) string {
	if said, ok := layerWords[name]; ok {
		return said
	}
	return strings.ReplaceAll(name, "_", " ")
}

// fixed writes a figure with decimals and a gap between thousands.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(text, ".")
	var out strings.Builder
	if v < 0 && strings.Trim(text, "0.") != "" {
		out.WriteString("−")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteRune('\u00a0')
		}
		out.WriteRune(digit)
	}
	if rest != "" {
		out.WriteString("." + rest)
	}
	return out.String()
}

// optional writes a figure that may be missing.
func optional(v *float64, decimals int) string {
	if v == nil {
		return "–"
	}
	return fixed(*v, decimals)
}

// exact writes a figure of the trace with all the digits that a calculator needs.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
