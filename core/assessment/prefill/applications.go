package prefill

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/core/agronomy"
	"tilth/core/assessment"
	"tilth/core/farm"
	"tilth/core/fault"
)

// applications proposes the fertilizers and organic inputs, one item for each application.
func (p *prefiller) applications() {
	fields := map[int64]int64{}
	for _, c := range p.cultivations {
		fields[c.ID] = c.Field.ID
	}
	items := map[string][]any{}
	sources := map[string][]Source{}
	for _, f := range p.known.Fertilizations {
		field, ofCrop := fields[f.Cultivation.ID]
		if !ofCrop {
			continue
		}
		section, item, problem := p.application(f, field)
		if problem == "" {
			item, problem = p.sound(section, item, f)
		}
		if problem != "" {
			p.note("not_taken", section, "The fertilization %d (%s) is not taken over: %s", f.ID, f.Cultivation.Name, problem)
			continue
		}
		items[section] = append(items[section], item)
		sources[section] = append(sources[section], Source{"fertilization", f.ID, f.Cultivation.Name})
	}
	for _, section := range []string{secFertilizers, secOrganic} {
		switch list := items[section]; {
		case len(list) > assessment.MaxItems:
			p.note("too_many", section, "The records hold %d applications; a section holds at most %d.", len(list), assessment.MaxItems)
		case len(list) > 0:
			p.propose(section, section, p.list(section), list, sources[section]...)
		}
	}
}

// list returns the items of a section as they are compared and shown; nil for none.
func (p *prefiller) list(section string) (out []any) {
	for _, row := range p.sheet[section] {
		out = append(out, map[string]any(row.Values))
	}
	return out
}

// application returns the item of one application. A rate per area is per treated hectare, and the treated share of the
// growing area goes with it; an organic input has no member for the share, so its rate is scaled by it instead.
func (p *prefiller) application(f farm.Fertilization, field int64) (section string, item map[string]any, problem string) {
	product, known := agronomy.FindProduct(f.Product)
	section = secFertilizers
	if product.Organic {
		section = secOrganic
	}
	switch {
	case !known:
		return section, nil, "it does not state the product."
	case f.Amount == nil:
		return section, nil, "it has no amount."
	}
	rate, ok := rateOf(*f.Amount, f.DensityKgPerL, product.Organic)
	if !ok {
		return section, nil, "its amount in " + string(f.Amount.Unit) + " needs the density of the product."
	}
	share := 1.0
	if rate.Unit.PerArea() {
		if share, problem = p.share(f, field); problem != "" {
			return section, nil, problem
		}
	}
	item = map[string]any{}
	if product.Organic {
		rate.Value = significant(rate.Value * share)
		item["type"] = f.Product
	} else {
		item["product"] = f.Product
		if share < 1 {
			item["applied_area_pct"] = significant(share * 100)
		}
	}
	item["rate"] = map[string]any{"value": rate.Value, "unit": string(rate.Unit)}
	p.contents(item, f, product, rate)
	return section, item, ""
}

// rateOf converts an amount to a unit that a section accepts: volumes per area to l/ha (m3/ha of organic inputs stays),
// and total volumes to kg by their density. It returns false where that density is not known.
func rateOf(a agronomy.Amount, density *float64, organic bool) (agronomy.Amount, bool) {
	switch a.Unit {
	case agronomy.M3PerHa:
		if organic {
			return a, true
		}
		return agronomy.Amount{Value: a.Value * agronomy.LitrePerM3, Unit: agronomy.LPerHa}, true
	case agronomy.GalPerAcre:
		return agronomy.Amount{Value: significant(a.Value * agronomy.LitrePerGallon / agronomy.HectarePerAcre), Unit: agronomy.LPerHa}, true
	case agronomy.Litre, agronomy.M3:
		if density == nil {
			return a, false
		}
		litres := a.Value
		if a.Unit == agronomy.M3 {
			litres *= agronomy.LitrePerM3
		}
		return agronomy.Amount{Value: significant(litres * *density), Unit: agronomy.Kg}, true
	}
	return a, true
}

// share is the treated area over the growing area of the crop, at most 1.
func (p *prefiller) share(f farm.Fertilization, field int64) (share float64, problem string) {
	if f.TreatedAreaHa == nil && len(p.known.Fields) == 1 {
		return 1, ""
	}
	treated, known := p.areas[field]
	if f.TreatedAreaHa != nil {
		treated, known = *f.TreatedAreaHa, true
	}
	if !known || p.totalHa <= 0 {
		return 0, "the area it was spread on, or that of all the fields, is not known."
	}
	return min(1, treated/p.totalHa), ""
}

func (p *prefiller) contents(item map[string]any, f farm.Fertilization, product agronomy.Product, rate agronomy.Amount) {
	put := func(key string, value *float64, per float64) {
		if value != nil {
			item[key] = significant(*value * per)
		}
	}
	put("n_pct", f.Nutrients.N, 1)
	if rate.Unit.Volume() {
		put("density_kg_l", f.DensityKgPerL, 1)
	}
	if product.Organic {
		put("dry_matter_pct", f.DryMatterPct, 1)
		return
	}
	phosphorus, potassium := 1.0, 1.0
	if f.NutrientBasis == farm.BasisElemental {
		phosphorus, potassium = agronomy.P2O5PerP, agronomy.K2OPerK
	}
	put("p2o5_pct", f.Nutrients.P2O5, phosphorus)
	put("k2o_pct", f.Nutrients.K2O, potassium)
	for key, word := range map[string]string{"inhibitor": f.Inhibitor, "method": f.ApplicationMethod} {
		if word != "" {
			item[key] = word
		}
	}
	if f.AppliedOn != nil {
		item["date"] = f.AppliedOn.Format(time.DateOnly)
	}
}

// significant rounds to nine digits, which removes what binary fractions add.
func significant(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// sound checks an item against the section and leaves out the members it refuses; without product or rate there is no item.
func (p *prefiller) sound(section string, item map[string]any, f farm.Fertilization) (map[string]any, string) {
	row, wrong := p.table.CheckItem(section, item)
	for _, member := range slices.Sorted(maps.Keys(wrong)) {
		if member == "product" || member == "type" || member == "rate" || member == fault.NonField {
			return nil, messagesOf(wrong)
		}
		delete(item, member)
		p.note("member_left_out", section, "The member %s of the fertilization %d is left out: %s", member, f.ID, messagesOf(fault.Fields{member: wrong[member]}))
	}
	if len(wrong) > 0 {
		row, wrong = p.table.CheckItem(section, item)
	}
	return row.Values, messagesOf(wrong)
}

func messagesOf(f fault.Fields) string {
	var out []string
	for _, problem := range assessment.Problems(f) {
		out = append(out, problem.Message)
	}
	return strings.Join(out, " ")
}
