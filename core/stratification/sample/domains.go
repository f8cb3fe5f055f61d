package sample

import (
	"fmt"
	"slices"

	"tilth/core/stratification/plan"
	"tilth/core/stratification/programme"
)

// Land is a field of a survey: its area is as it was ordered, its name and farm are as they are today.
type Land struct {
	FieldUUID, FieldName string
	FarmID               int64 // 0 where the field no longer exists
	FarmName             string
	AreaHa               float64
}

// Domain is the estimate of a field or farm.
type Domain struct {
	UUID   string // of a field
	ID     int64  // of a farm
	Name   string
	AreaHa float64
	N      int     // points with a value
	Figure *Figure // of the mean; nil where there is no value
	Total  *Figure // mean times area
	Reason string  // why there is no standard error, or no mean; empty where there is one
}

// domainsOf estimates fields and farms; values are by stratum.
func (e *estimator) domainsOf(s Survey, values [][]Value) {
	if len(s.Land) == 0 {
		return
	}
	whole := func(fields []int, d Domain) Domain {
		if s.staged() {
			e.drawnDomain(&d, s, values, fields)
			return d
		}
		e.domain(&d, values, func(v Value) bool { return slices.Contains(fields, s.FieldOf[v.Point]-1) })
		return d
	}
	farms, order := map[int64][]int{}, []int64(nil)
	for i, l := range s.Land {
		e.Fields = append(e.Fields, whole([]int{i}, Domain{UUID: l.FieldUUID, Name: l.FieldName, AreaHa: l.AreaHa}))
		if l.FarmID == 0 {
			continue
		}
		if len(farms[l.FarmID]) == 0 {
			order = append(order, l.FarmID)
		}
		farms[l.FarmID] = append(farms[l.FarmID], i)
	}
	for _, id := range order {
		d := Domain{ID: id}
		for _, i := range farms[id] {
			d.Name = s.Land[i].FarmName
			d.AreaHa += s.Land[i].AreaHa
		}
		e.Farms = append(e.Farms, whole(farms[id], d))
	}
}

func (e *estimator) domain(d *Domain, values [][]Value, in func(Value) bool) {
	for _, v := range slices.Concat(values...) {
		if v.pooled() {
			d.Reason = noPooledDomains
			return
		}
	}
	strata := make([]programme.Stratum, len(values))
	for h, all := range values {
		strata[h] = programme.Stratum{Weight: e.Zones[h].Weight, N: len(all)}
		for _, v := range all {
			if in(v) {
				strata[h].In = append(strata[h].In, v.Value)
			}
		}
	}
	m, ok := programme.DomainMean(strata)
	d.N = m.N
	if !ok {
		d.Reason = "Too few: no point has a value."
		return
	}
	d.Figure, d.Total = &Figure{Mean: m.Value}, &Figure{Mean: m.Value * d.AreaHa}
	switch {
	case !e.designed:
		d.Reason = e.Reasons[0]
	case m.N < plan.MinSamplesPerZone:
		d.Reason = "Too few: one point has a value; a standard error needs two."
	case m.Part == nil:
		d.Reason = "Too few: a zone in which its points lie has one value in all."
	default:
		s := spread(m.Value, m.Part.Variance, m.Part.DF, e.Confidence)
		d.Figure.Spread = s
		d.Total.Spread = s.times(d.AreaHa)
	}
}

func (s *Spread) times(v float64) *Spread {
	return &Spread{SE: s.SE * v, Low: s.Low * v, High: s.High * v, DF: s.DF}
}

// fieldsOf returns the fields of a plan's points, from 1, by the points' ids.
func fieldsOf(p plan.Plan) map[string]int {
	out := make(map[string]int, len(p.Points))
	for _, point := range p.Points {
		out[point.ID] = point.Field + 1
	}
	return out
}

// noteDomains adds a note on the fields with too few points for an estimate.
func (e *estimator) noteDomains() {
	few := 0
	for _, f := range e.Fields {
		if f.N < plan.MinSamplesPerZone && f.Reason != noPooledDomains {
			few++
		}
	}
	if few > 0 && e.designed {
		e.note("%s fewer than two points with a value, too few for an estimate with a standard error.", counted(few, "field has", "fields have"))
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
