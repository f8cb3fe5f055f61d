package ghg

import "cmp"

var (
	// Lift, pressure head of the method, and friction per m of pipe.
	stepHead = newStep("pumping_head", "lift + press + d * fr", "m", "hydraulics",
		of4(func(lift, pressure, distance, friction float64) float64 { return lift + pressure + distance*friction }),
		"lift m", "press m", "d m", "fr m/m")
	stepShortHead = newStep("pumping_head", "lift + press", "m", "hydraulics", of2(plus), "lift m", "press m")
	// Of the pump set: the density of water is 1000 kg/m3, 1 kWh = 3.6 MJ.
	stepPump = newStep("pump_energy", "V * H * g / 3600 / eff", "kWh", "hydraulics",
		of4(func(m3, head, g, efficiency float64) float64 { return m3 * head * g / 3600 / efficiency }),
		"V m3", "H m", "g m/s2", "eff fraction")
	stepWater = newStep("water_supply", "V * EF", "kg CO2e", "life-cycle inventory of the factor's source", of2(product),
		"V m3", "EF kg CO2e/m3")
)

func (r *run) irrigation() {
	for i := range r.in.Irrigation {
		r.at("irrigation", i)
		if w := &r.in.Irrigation[i]; !w.CountedElsewhere && w.WaterM3 != 0 {
			r.pump(w)
		}
	}
}

func (r *run) pump(w *Irrigation) {
	const model = "pump_energy"
	if row, ok := r.set.mapping.Find(r.section, "source/water_supply", w.Source); ok {
		r.emit(stepWater.Name, LabelIrrigation, 3, NotSplit, r.do(stepWater, r.activity(rowWater, "water_m3", w.WaterM3, w.UncertaintyPct), r.resolved(row)))
		return
	}
	switch w.PowerSource {
	case "gravity", "solar":
		return
	case "":
		r.warn(WarnNoPower, "The energy of pumping is not counted: its power source is not stated.")
		return
	case "electric", "diesel":
	default:
		r.refuse("power_source", "Another power source has no factor: enter its energy among the fuels and set energy_counted_elsewhere.")
		return
	}
	kwh := r.pumpEnergy(w)
	if w.PowerSource == "electric" {
		q := r.do(stepElectricity, kwh, r.factor(r.section, "power_source/energy", w.PowerSource))
		r.emit(model, LabelIrrigation, 2, NotSplit, q)
		r.bought(kwh, q, nil)
		return
	}
	of := func(term string) quantity { return r.factor(r.section, "power_source/"+term, w.PowerSource) }
	mj := r.do(stepKWh, kwh)
	r.burn(burnt{LabelIrrigation, model, false}, mj, of)
	r.emit(stepUpstream.Name, LabelIrrigation, 3, NotSplit, r.upstream(r.do(stepFuelVolume, mj, of("ncv")), of("upstream")))
}

func (r *run) pumpEnergy(w *Irrigation) quantity {
	lift := r.entered(w.PumpingHeadM, "pumping_head_m", "source/lift", cmp.Or(w.Source, "other"))
	pressure := r.factor(r.section, "method/pressure_head", w.Method)
	var head quantity
	if w.DistanceM != nil {
		head = r.do(stepHead, lift, pressure, r.given(*w.DistanceM, "distance_m"), r.factor(r.section, "distance_m/friction"))
	} else {
		head = r.do(stepShortHead, lift, pressure)
	}
	return r.do(stepPump, r.activity(rowWater, "water_m3", w.WaterM3, w.UncertaintyPct), head, r.factor(r.section, "physics/g"), r.factor(r.section, "power_source/efficiency", w.PowerSource))
}
