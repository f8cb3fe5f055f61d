package ghg

import "strings"

// stepTransport is the transport of goods: a tank-to-wheel gas, the effects of flying besides its gases, or the well-to-tank.
var stepTransport = newStep("transport", "m * d * EF", "kg", "tank-to-wheel or well-to-tank",
	of3(func(t, km, ef float64) float64 { return t * km * ef }), "m t", "d km", "EF kg/(t km)")

// Models of the lines of transport.
const (
	modelTransport = "transport"         // bought, with its well-to-tank
	ModelAircraft  = "aircraft"          // bought, by air
	modelOnFarm    = "on_farm_transport" // with vehicles of the farm; its well-to-tank is fuel_upstream
	legOnFarm      = "on_farm"           // of a journey
)

// transportGases are the tank-to-wheel terms. Only aviation has effects besides its gases, which are counted under no gas.
var transportGases = []struct {
	term string
	gas  Gas
}{{"co2", CO2}, {"ch4", CH4Fossil}, {"n2o", N2O}, {"non_co2", NotSplit}}

// transport emits the transport of goods: on the farm with its own vehicles (scope 1, with the well-to-tank of their
// fuel in scope 3), else bought (scope 3, with its well-to-tank).
func (r *run) transport() {
	for i := range r.in.Transport {
		t := &r.in.Transport[i]
		if t.CountedElsewhere {
			continue
		}
		r.at("transport", i)
		condition := ""
		if t.Refrigerated {
			condition = "refrigerated"
		}
		row, ok := r.set.mapping.Find(r.section, "mode/co2", t.Mode, condition)
		if !ok {
			r.unknown("mode", t.Mode)
			return
		}
		if plain, _ := r.set.mapping.Find(r.section, "mode/co2", t.Mode); t.Refrigerated && plain.Key == row.Key {
			r.warn(WarnRefrigeration, "There is no factor for refrigerated transport by "+t.Mode+": that of the plain transport is used.")
		}
		r.journey(t, condition)
	}
}

func (r *run) journey(t *Journey, condition string) {
	model, upstream, scope := modelTransport, modelTransport, 3
	switch {
	case t.Leg == legOnFarm:
		model, upstream, scope = modelOnFarm, stepUpstream.Name, 1
	case strings.HasPrefix(t.Mode, "air_"):
		model, upstream = ModelAircraft, ModelAircraft
	}
	weight, km := r.activity(rowTransport, "weight_t", t.WeightT, t.UncertaintyPct), r.given(t.DistanceKm, "distance_km")
	for _, of := range transportGases {
		if row, ok := r.set.mapping.Find(r.section, "mode/"+of.term, t.Mode, condition); ok {
			r.emit(model, LabelTransport, scope, of.gas, r.do(stepTransport, weight, km, r.resolved(row)))
		}
	}
	r.emit(upstream, LabelTransport, 3, NotSplit, r.do(stepTransport, weight, km, r.factor(r.section, "mode/upstream", t.Mode, condition)))
}
