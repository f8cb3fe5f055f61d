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
		if t.Refrigerated && r.plainRow(t.Mode, row) {
			r.warn(WarnRefrigeration, "There is no factor for refrigerated transport by "+t.Mode+": that of the plain transport is used.")
		}
		q := r.do(stepTransport, given(t.WeightT), given(t.DistanceKm), r.resolved(row), r.factor(r.section, "mode/upstream", t.Mode, condition))
		r.emit(stepTransport.Name, LabelTransport, 3, NotSplit, q)
	}
}

// plainRow reports whether a refrigerated row is the one of the plain transport.
func (r *run) plainRow(mode string, row MappingRow) bool {
	plain, _ := r.set.mapping.Find(r.section, "mode/direct", mode)
	return plain.Key == row.Key
}
