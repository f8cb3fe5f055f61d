package ghg

import "cmp"

const energyVolume = "IPCC 2006 V2 ch2 Eq. 2.1, ch3 Eq. 3.3.1"

var (
	stepFuelMJ     = newStep("fuel_energy", "Q * NCV", "MJ", energyVolume, of2(product), "Q l, kg or m3", "NCV MJ/unit")
	stepFuelVolume = newStep("fuel_amount", "E / NCV", "l, kg or m3", energyVolume, of2(quotient), "E MJ", "NCV MJ/unit")
	stepDensity    = newStep("fuel_volume", "M / rho", "l", "definition", of2(quotient), "M kg", "rho kg/l")
	stepAllocated  = newStep("allocated_amount", "Q * p / 100", "as entered", "definition", of2(part), "Q as entered", "p %")
	stepBurn       = newStep("fuel_combustion", "E * EF / 1e6", "kg", energyVolume,
		of2(func(mj, ef float64) float64 { return mj * ef / 1e6 }), "E MJ", "EF kg/TJ")
	stepKWh = newStep("energy_of_kwh", "W * 3.6", "MJ", "definition",
		of1(func(kwh float64) float64 { return kwh * MJPerKWh }), "W kWh")
	stepToKWh = newStep("kwh_of_energy", "E / 3.6", "kWh", "definition",
		of1(func(mj float64) float64 { return mj / MJPerKWh }), "E MJ")
	stepUpstream = newStep("fuel_upstream", "Q * EF", "kg CO2e", "well-to-tank", of2(product),
		"Q l, m3 or kWh", "EF kg CO2e/unit")
	stepUpstreamTonne = newStep("fuel_upstream_by_tonne", "M / 1000 * EF", "kg CO2e", "well-to-tank",
		of2(func(kg, ef float64) float64 { return kg / 1000 * ef }), "M kg", "EF kg CO2e/t")
	stepElectricity = newStep("electricity", "W * EF", "kg CO2e", "life-cycle intensity of generation", of2(product),
		"W kWh", "EF kg CO2e/kWh")
	stepManualFuel = newStep("fuel_by_own_factor", "Q * EF", "kg CO2e", "factor of the user", of2(product),
		"Q as entered", "EF kg CO2e/unit")
	stepMemo    = newStep("biogenic_co2", "Q * EF", "kg CO2", "outside of scopes", of2(product), "Q l", "EF kg CO2/l")
	stepMachine = newStep("machinery_fuel", "R * A * p / 100 * n", "l", "definition",
		of4(func(rate, area, pct, passes float64) float64 { return rate * area * pct / 100 * passes }),
		"R l/ha", "A ha", "p %", "n passes")
)

// biogenic holds the carriers whose carbon is of recent growth: their CO2 is a memo item, and their CH4 is not fossil
// (IPCC 2006 V2 ch1, section 1.3.1).
var biogenic = map[string]bool{"biodiesel": true, "hvo": true, "ethanol": true, "wood": true}

// ModelStationary is the model of fuel that is not burnt in vehicles of the farm, but in dryers, stores and pumps.
const ModelStationary = "stationary_combustion"

// Purposes of fuel that vehicles burn.
const (
	purposeField     = "field"
	purposeTransport = "transport"
)

// carrierGrid is bought electricity.
const carrierGrid = "electricity_grid"

func (r *run) fuelEnergy() {
	for i := range r.in.FuelEnergy {
		r.at("fuel_energy", i)
		f := &r.in.FuelEnergy[i]
		amount := r.do(stepAllocated, r.activity(rowFuel, "amount", f.Amount, f.UncertaintyPct), r.given(f.AllocationPct, "allocation_pct"))
		switch f.Carrier {
		case carrierGrid, "electricity_renewable_own":
			r.electricity(f, amount, "electricity")
		case "district_heat":
			r.districtHeat(f, amount)
		default:
			r.fuel(f, amount)
		}
	}
}

// kwh turns an amount into kWh.
func (r *run) kwh(f *Fuel, amount quantity) quantity {
	switch f.Unit {
	case KilowattHour:
		return amount
	case Megajoule:
		return r.do(stepToKWh, amount)
	}
	return r.refuse("amount", "The carrier "+f.Carrier+" is measured in kWh or MJ.")
}

func (r *run) electricity(f *Fuel, amount quantity, model string) {
	var q quantity
	if f.ManualEF != nil {
		q = r.do(stepManualFuel, amount, r.own(rowOwnFuel, "manual_ef", *f.ManualEF))
	} else {
		q = r.do(stepElectricity, r.kwh(f, amount), r.factor(r.section, "carrier/direct", f.Carrier))
	}
	r.emit(model, LabelElectricity, 2, NotSplit, q)
	if f.Carrier == carrierGrid {
		r.bought(r.kwh(f, amount), q, f)
	}
}

// districtHeat counts heat as bought energy (scope 2); distribution losses and the supply of fuel to the plant are upstream.
func (r *run) districtHeat(f *Fuel, amount quantity) {
	r.electricity(f, amount, "district_heat")
	kwh := r.kwh(f, amount)
	for _, term := range []string{"carrier/upstream", "carrier/distribution"} {
		r.emit(stepUpstream.Name, LabelUpstream, 3, NotSplit, r.do(stepUpstream, kwh, r.factor(r.section, term, f.Carrier)))
	}
}

func (r *run) fuel(f *Fuel, amount quantity) {
	purpose, model := cmp.Or(f.Purpose, purposeField), ModelStationary
	if purpose == purposeField || purpose == purposeTransport {
		model = stepBurn.Name
	}
	ncv := r.factor(r.section, "carrier/ncv", f.Carrier, purpose)
	mj, stock := r.fuelAmounts(f, amount, ncv)
	if r.err != nil {
		return
	}
	if f.ManualEF != nil {
		r.emit(model, LabelCombustion, 1, NotSplit, r.do(stepManualFuel, amount, r.own(rowOwnFuel, "manual_ef", *f.ManualEF)))
	} else {
		of := func(gas string) quantity { return r.factor(r.section, "carrier/"+gas, f.Carrier, purpose) }
		r.burn(burnt{LabelCombustion, model, biogenic[f.Carrier]}, mj, of)
	}
	if row, ok := r.set.mapping.Find(r.section, "carrier/biogenic_memo", f.Carrier); ok {
		r.memo(model, LabelCombustion, r.do(stepMemo, stock, r.resolved(row)))
	} else if biogenic[f.Carrier] {
		r.memo(model, LabelCombustion, r.do(stepBurn, mj, r.factor(r.section, "carrier/co2", f.Carrier)))
	}
	wtt := r.factor(r.section, "carrier/upstream", f.Carrier)
	r.emit(stepUpstream.Name, LabelUpstream, 3, NotSplit, r.upstream(stock, wtt))
}

// upstream returns the burden of bringing a fuel to the farm; the unit of its factor decides the equation.
func (r *run) upstream(stock, wtt quantity) quantity {
	if wtt.factor != nil && wtt.factor.Unit == "kg CO2e/t" {
		return r.do(stepUpstreamTonne, stock, wtt)
	}
	return r.do(stepUpstream, stock, wtt)
}

// fuelAmounts returns an amount in MJ, and in the unit of the carrier's calorific value: l, kg or m3.
func (r *run) fuelAmounts(f *Fuel, amount, ncv quantity) (mj, stock quantity) {
	if r.err != nil {
		return mj, stock
	}
	unit := map[string]string{"MJ/L": Litre, "MJ/kg": Kilogram, "MJ/m3": CubicMetre}[ncv.factor.Unit]
	switch {
	case f.Unit == Megajoule:
		mj = amount
	case f.Unit == KilowattHour:
		mj = r.do(stepKWh, amount)
	case f.Unit == unit:
		return r.do(stepFuelMJ, amount, ncv), amount
	case f.Unit == Kilogram && unit == Litre:
		stock = r.do(stepDensity, amount, r.factor(r.section, "carrier/density", f.Carrier))
		return r.do(stepFuelMJ, stock, ncv), stock
	default:
		return r.refuse("amount", "The carrier "+f.Carrier+" is not measured in "+f.Unit+"."), stock
	}
	return mj, r.do(stepFuelVolume, mj, ncv)
}

// burnt is a fuel that is burnt, with the label and the model of its lines.
type burnt struct {
	label, model string
	biogenic     bool
}

// burn emits the gases of mj MJ of fuel with the factor of each gas; CO2 of biogenic carbon is left to the memo.
func (r *run) burn(fuel burnt, mj quantity, of func(gas string) quantity) {
	co2, ch4, n2o := of("co2"), of("ch4"), of("n2o")
	methane := CH4Fossil
	if fuel.biogenic {
		methane = CH4Biogenic
	} else {
		r.emit(fuel.model, fuel.label, 1, CO2, r.do(stepBurn, mj, co2))
	}
	r.emit(fuel.model, fuel.label, 1, methane, r.do(stepBurn, mj, ch4))
	r.emit(fuel.model, fuel.label, 1, N2O, r.do(stepBurn, mj, n2o))
}

func (r *run) machinery() {
	const model = "machinery_fuel"
	for i := range r.in.Machinery {
		m := &r.in.Machinery[i]
		if m.CountedElsewhere {
			continue
		}
		r.at("machinery", i)
		if m.FuelLPerHa == nil && m.Operation == "other" {
			r.refuse("fuel_rate", "Another operation needs its fuel_rate, in l of diesel per ha and pass.")
		}
		rate := r.entered(m.FuelLPerHa, "fuel_l_per_ha", "operation/fuel_rate", m.Operation)
		litres := r.do(stepMachine, rate, r.area, r.given(m.AreaPct, "area_pct"), r.activity(rowMachine, "passes", m.Passes, m.UncertaintyPct))
		of := func(term string) quantity { return r.factor(r.section, "fuel/"+term) }
		r.burn(burnt{LabelMachinery, model, false}, r.do(stepFuelMJ, litres, of("ncv")), of)
		r.emit(stepUpstream.Name, LabelMachinery, 3, NotSplit, r.upstream(litres, of("upstream")))
	}
}
