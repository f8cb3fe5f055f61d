package views

import "tilth/core/ghg"

// Footprint is the footprint of the products by ISO 14067:2018: its parts, t CO2e of the whole harvest, the share of
// each product, and the removals apart.
type Footprint struct {
	Parts        []Part         `json:"parts" doc:"fossil, biogenic, land_use_change and aircraft; they add up to the emissions."`
	Removals     float64        `json:"removals" doc:"Biogenic removals, t CO2e, not deducted from the parts."`
	BiogenicCO2  float64        `json:"biogenic_co2" doc:"CO2 of burnt plants and biofuels, t CO2, outside the parts."`
	AircraftNote string         `json:"aircraft_note,omitempty" doc:"Why there are no emissions of transport by air; absent where there are."`
	Allocations  []AllocationBy `json:"allocations" doc:"The products' shares by each method."`
}

// Notes on transport by air.
const (
	NoAircraft       = "no aircraft transport entered"
	AircraftNotApart = "the engine does not separate transport by air"
)

// The ways to share a footprint among products. The stated shares are those of the totals; the others stand beside them.
const (
	ByStatedShare = "stated_share"
	ByMass        = "mass"
	ByValue       = "economic_value"
)

// AllocationBy is one way to share the footprint.
type AllocationBy struct {
	Method      string         `json:"method" doc:"stated_share, mass or economic_value."`
	Used        bool           `json:"used" doc:"Whether the figures per tonne in the report use it."`
	NotPossible string         `json:"not_possible,omitempty" doc:"Why the products have no shares by it; absent where they do."`
	Products    []ProductShare `json:"products" doc:"The main product, then the co-products; empty where it is not possible."`
}

// ProductShare is what a product carries, t CO2e.
type ProductShare struct {
	Product  string   `json:"product" doc:"Name of the product; main_product: the crop itself."`
	SharePct float64  `json:"share_pct" doc:"Its share of the emissions, per cent."`
	MassT    *float64 `json:"mass_t" doc:"What left the farm, t; null: not entered."`
	Parts    []Part   `json:"parts" doc:"Its share of each part."`
	CO2e     float64  `json:"co2e" doc:"Its share of the emissions, t CO2e."`
	PerT     *float64 `json:"per_t" doc:"t CO2e per t of the product; null where its mass is not known."`
}

// mainProduct names the crop's own product.
const mainProduct = "main_product"

func product(res ghg.Result) Footprint {
	kg := map[string]float64{}
	air, transport := false, false
	for i := range res.Lines {
		l := &res.Lines[i]
		rule := ruleOf(l)
		methane := 0.0
		if rule.Product == Fossil {
			methane = ghg.CO2e(l.Kg[ghg.CH4Biogenic], res.Warming[ghg.CH4Biogenic])
		}
		kg[Biogenic] += methane
		kg[rule.Product] += l.CO2e - methane
		air, transport = air || rule.Product == Aircraft, transport || l.Label == ghg.LabelTransport
	}
	out := Footprint{
		Parts: productParts(kg, res.Emissions, 100), Removals: ghg.Tonnes(res.Removed), BiogenicCO2: ghg.Tonnes(res.BiogenicCO2),
	}
	switch {
	case air:
	case transport && res.Engine.ID != ghg.EngineID:
		out.AircraftNote = AircraftNotApart
	default:
		out.AircraftNote = NoAircraft
	}
	for _, method := range []string{ByStatedShare, ByMass, ByValue} {
		a := AllocationBy{Method: method, Used: method == ByStatedShare, Products: []ProductShare{}}
		shares, reason := sharesBy(method, res)
		a.NotPossible = reason
		for _, s := range shares {
			a.Products = append(a.Products, s.of(kg, res.Emissions))
		}
		out.Allocations = append(out.Allocations, a)
	}
	return out
}

// productParts are the parts of pct per cent of the whole.
func productParts(kg map[string]float64, whole, pct float64) []Part {
	of := map[string]float64{}
	for part, mass := range kg {
		of[part] = mass * pct / 100
	}
	return parts(of, whole*pct/100, Fossil, Biogenic, LandUseChange, Aircraft)
}

// weight is a product with its weight in an allocation.
type weight struct {
	name   string
	massT  float64 // 0: not known
	weight float64
}

func (w weight) of(kg map[string]float64, whole float64) ProductShare {
	s := ProductShare{Product: w.name, SharePct: ghg.Rounded(w.weight), Parts: productParts(kg, whole, w.weight), CO2e: ghg.Tonnes(whole * w.weight / 100)}
	if per, ok := ghg.Intensity(whole*w.weight/100, w.massT); ok {
		mass, perT := w.massT, ghg.Tonnes(per)
		s.MassT, s.PerT = &mass, &perT
	}
	return s
}

// sharesBy returns the products with their percentage of the emissions, or why there are none.
func sharesBy(method string, res ghg.Result) (out []weight, reason string) {
	main := weight{mainProduct, res.ProductT, res.MainSharePct}
	prices := []*float64{res.PricePerT}
	out = append(out, main)
	for _, c := range res.CoProducts {
		co := weight{name: c.Name, weight: c.SharePct}
		if c.MassT != nil {
			co.massT = *c.MassT
		}
		out, prices = append(out, co), append(prices, c.PricePerT)
	}
	if method == ByStatedShare || len(out) == 1 {
		return out, ""
	}
	var sum float64
	for i := range out {
		w := &out[i]
		if w.massT <= 0 {
			return nil, "not possible: no mass entered of " + w.name
		}
		w.weight = w.massT
		if method == ByValue {
			if prices[i] == nil {
				return nil, "not possible: no price entered of " + w.name
			}
			w.weight *= *prices[i]
		}
		sum += w.weight
	}
	if sum <= 0 {
		return nil, "not possible: the products have no value"
	}
	for i := range out {
		out[i].weight *= 100 / sum
	}
	return out, ""
}
