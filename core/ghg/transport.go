package ghg

// stepTransport adds what is burnt and what is upstream.
var stepTransport = newStep("transport", "m * d * (EF + WTT)", "kg CO2e", "tank-to-wheel and well-to-tank",
	of4(func(t, km, direct, upstream float64) float64 { return t * km * (direct + upstream) }),
	"m t", "d km", "EF kg CO2e/(t km)", "WTT kg CO2e/(t km)")

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
		row, ok := r.set.mapping.Find(r.section, "mode/direct", t.Mode, condition)
		if !ok {
			r.unknown("mode", t.Mode)
			return
		}
		if plain, _ := r.set.mapping.Find(r.section, "mode/direct", t.Mode); t.Refrigerated && plain.Key == row.Key {
			r.warn(WarnRefrigeration, "There is no factor for refrigerated transport by "+t.Mode+": that of the plain transport is used.")
		}
		q := r.do(stepTransport, r.activity(rowTransport, "weight_t", t.WeightT, t.UncertaintyPct), r.given(t.DistanceKm, "distance_km"), r.resolved(row), r.factor(r.section, "mode/upstream", t.Mode, condition))
		r.emit(stepTransport.Name, LabelTransport, 3, NotSplit, q)
	}
}
