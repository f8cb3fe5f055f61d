package assessment

import (
	"fmt"
	"math"

	"tilth/core/agronomy"
	"tilth/core/assessment/conversion"
	"tilth/core/ghg"
)

// Converted is [Table.Normalise] without its warnings, and with its conversions as steps of a trace.
func (t *Table) Converted(a *Assessment, sheet Sheet, facts Facts) (in ghg.Input, conversions []ghg.TraceLine, violations []Finding) {
	log := new(conversion.Log)
	in, _, violations = t.normalise(a, sheet, facts, log)
	return in, log.Steps(), violations
}

// unitRule returns the conversion of a unit; ok is false where there is none.
type unitRule = func(unit string) (rule conversion.Rule, ok bool)

// amount returns the amount of a row under a key in the unit of the member of the snapshot that it sets; nil where it
// is missing or cannot be converted.
func (n *normaliser) amount(sets, to, path string, v Values, key string, rule unitRule) *float64 {
	value, unit, given := v.amount(key)
	r, ok := rule(unit)
	if !given || !ok {
		return nil
	}
	out := n.log.Take(sets, to, conversion.Amount{Value: value, Unit: unit, Path: n.entered(path, key+".value")}, r)
	return &out
}

// item names an item of the snapshot, where conversions are kept.
func (n *normaliser) item(section string, index int) string {
	if n.log == nil {
		return ""
	}
	return fmt.Sprintf("%s[%d]", section, index)
}

// entered names a member of a row in what was entered, where conversions are kept.
func (n *normaliser) entered(path, member string) string {
	if n.log == nil {
		return ""
	}
	return "sections." + path + "." + member
}

// frame keeps the conversion of a member of the general part, which has been checked.
func (n *normaliser) frame(sets, to, key string, object map[string]any, rule unitRule) {
	if value, unit, wrong := quantity(key, object); len(wrong) == 0 {
		r, _ := rule(unit)
		n.log.Take(sets, to, conversion.Amount{Value: value, Unit: unit, Path: "general." + key + ".value"}, r)
	}
}

// area is the growing area as a part of conversions.
func (n *normaliser) area() conversion.Term {
	return conversion.Term{Symbol: "A", Value: n.areaHa, Unit: "ha", Input: "general.area_ha"}
}

// share is a share of the growing area, all of it where nothing is entered.
func (n *normaliser) share(path string, v Values, key string) conversion.Term {
	term := conversion.Term{Symbol: "p", Value: 100, Unit: "%"}
	if pct := v.number(key); pct != nil {
		term.Value, term.Entered = *pct, n.entered(path, key)
	} else {
		term.Constant = "all of the area"
	}
	return term
}

// ownDensity returns the density of a type of organic input, t/m3 (which is kg/l); nil where it is not known.
func ownDensity(v Values) *float64 {
	p, _ := agronomy.FindProduct(v.text("type"))
	return p.Density
}

// density returns the density of what is applied, kg/l: as entered, else own, with what as its description; without a
// symbol where neither is known.
func (n *normaliser) density(path string, v Values, own *float64, what string) conversion.Term {
	term := conversion.Term{Symbol: "rho", Unit: "kg/l"}
	switch rho := v.number("density_kg_l"); {
	case rho != nil:
		term.Value, term.Entered = *rho, n.entered(path, "density_kg_l")
	case own != nil:
		term.Value, term.Constant = *own, what
	default:
		return conversion.Term{}
	}
	return term
}

// yield returns kg of the whole growing area.
func (n *normaliser) yield(v Values, key, sets string) *float64 {
	return n.amount(sets, "kg", secCrop, v, key, func(unit string) (conversion.Rule, bool) { return conversion.Yield(unit, n.area()) })
}

// massT returns the mass of a co-product, t.
func (n *normaliser) massT(i int, v Values) *float64 {
	path := n.item("crop.co_products", i)
	return n.amount(path+".mass_t", "t", path, v, "amount", func(unit string) (conversion.Rule, bool) { return conversion.Mass(unit, n.area()) })
}

// rate returns kg per treated ha of an item of the snapshot; ok is false where the growing area is needed and not known.
func (n *normaliser) rate(item, path string, v Values, density, share conversion.Term) (kgHa float64, ok bool) {
	_, unit, _ := v.amount("rate")
	var treated conversion.Term
	if !agronomy.Unit(unit).PerArea() && n.areaHa > 0 {
		treated = n.log.Part(item, n.area(), share)
	}
	out := n.amount(item+".kg_per_ha", "kg/ha", path, v, "rate", func(unit string) (conversion.Rule, bool) { return conversion.Rate(unit, density, treated) })
	if out == nil {
		n.warnings.add("area_needed", path+".rate", "%s is left out: a total in %s needs the growing area.", path, unit)
		return 0, false
	}
	return *out, true
}

// perHa converts a rate per hectare to kg/ha.
func perHa(unit string) (conversion.Rule, bool) {
	return conversion.Rate(unit, conversion.Term{}, conversion.Term{})
}

// water returns m3 over the irrigated area of an item of the snapshot.
func (n *normaliser) water(item, path string, v Values) float64 {
	return orZero(n.amount(item+".water_m3", "m3", path, v, "water_volume", func(unit string) (conversion.Rule, bool) {
		if unit == "mm" || unit == "m3/ha" {
			return conversion.Water(unit, n.log.Part(item, n.area(), n.share(path, v, "area_pct")))
		}
		return conversion.Water(unit, conversion.Term{})
	}))
}

// fuel returns an amount of a carrier, and its own factor, in the unit that the method uses for it.
func (n *normaliser) fuel(path string, v Values) ghg.Fuel {
	value, unit, _ := v.amount("amount")
	rule, normal, _ := conversion.Energy(unit)
	item := n.item(secFuel, len(n.in.FuelEnergy))
	out := ghg.Fuel{
		Carrier: v.text("carrier"), Unit: normal, AllocationPct: v.numberOr("allocation_pct", 100), Purpose: v.text("purpose"),
		Amount:         n.log.Take(item+".amount", normal, conversion.Amount{Value: value, Unit: unit, Path: n.entered(path, "amount.value")}, rule),
		UncertaintyPct: v.number("uncertainty_pct"),
		MarketEF:       v.number("market_ef"), MarketBasis: v.text("market_basis"), GridLossPct: v.number("grid_loss_pct"),
	}
	if out.Carrier != "electricity_grid" && (out.MarketEF != nil || out.GridLossPct != nil) {
		n.warnings.add("contract_unused", path, "%s: market_ef and grid_loss_pct apply only to electricity_grid and are left out.", path)
		out.MarketEF, out.MarketBasis, out.GridLossPct = nil, "", nil
	}
	if own := v.number("manual_ef"); own != nil {
		*own = n.log.Take(item+".manual_ef", "kg CO2e/"+normal, conversion.Amount{Value: *own, Unit: "kg CO2e/" + unit, Path: n.entered(path, "manual_ef")}, rule.Inverse())
		out.ManualEF = own
	}
	return out
}

// residueShares returns the shares of the residue by practice; shares that sum to nearly 100 per cent are scaled to 100.
func (n *normaliser) residueShares(list []Values) []ghg.ResidueShare {
	out := make([]ghg.ResidueShare, len(list))
	amounts := make([]conversion.Amount, len(list))
	for i, o := range list {
		out[i].Practice = o.text("practice")
		amounts[i] = conversion.Amount{Value: o.numberOr("share_pct", 0), Unit: "%", Path: n.entered(secResidues, fmt.Sprintf("management[%d].share_pct", i))}
	}
	whole := conversion.Rule{}
	if math.Abs(shareSum(list)-100) <= shareTolerance {
		whole = n.log.Whole(secResidues, amounts) // three thirds of 33.33 are the whole
	}
	for i, a := range amounts {
		out[i].SharePct = n.log.Take(fmt.Sprintf("residues.management[%d].share_pct", i), "%", a, whole)
	}
	return out
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
