package ghg

var (
	stepProduction = newStep("production", "M * EF", "kg CO2e", "life-cycle inventory of the factor's source", of2(product),
		"M kg", "EF kg CO2e/kg")
	stepNutrientProduction = newStep("production_by_nutrient", "N * EFN + P * EFP + K * EFK", "kg CO2e", "life-cycle inventory of the factors' sources",
		func(v []float64) float64 { return v[0]*v[1] + v[2]*v[3] + v[4]*v[5] },
		"N kg N", "EFN kg CO2e/kg N", "P kg P2O5", "EFP kg CO2e/kg P2O5", "K kg K2O", "EFK kg CO2e/kg K2O")
	stepApplications = newStep("crop_protection_applications", "n * A * p / 100 * EF", "kg CO2e", "Cool Farm Tool FAQ",
		of4(func(applications, area, treatedPct, ef float64) float64 {
			return applications * area * treatedPct / 100 * ef
		}),
		"n applications", "A ha", "p %", "EF kg CO2e/(ha application)")
	stepIngredient = newStep("active_ingredient", "n * A * p / 100 * R * a / 100", "kg a.i.", "definition",
		of5(func(applications, area, treatedPct, rate, pct float64) float64 {
			return applications * area * treatedPct / 100 * rate * pct / 100
		}), "n applications", "A ha", "p %", "R kg/ha", "a %")
)

// fertilizerProduction emits the production of a product, by the region's row, else the world's.
func (r *run) fertilizerProduction(f *Fertilizer, mass, n quantity) {
	const model = "fertilizer_production"
	if f.ManualProductionEF != nil {
		r.emit(model, LabelProduction, 3, NotSplit, r.do(stepProduction, mass, r.own(rowOwnProduct, "manual_production_ef", *f.ManualProductionEF)))
		return
	}
	region, assumed := f.Region, f.Region == ""
	if assumed {
		region = r.country().Production
	}
	if f.Product == custom {
		p := r.nutrient(f, mass, "product/p2o5", f.P2O5Pct)
		k := r.nutrient(f, mass, "product/k2o", f.K2OPct)
		q := r.do(stepNutrientProduction, n, r.regional("n_class/production_n", region, f.NClass),
			p, r.regional("custom/production_p2o5", region), k, r.regional("custom/production_k2o", region))
		q.assumed = q.assumed || assumed
		r.emit(model, LabelProduction, 3, NotSplit, q)
		return
	}
	ef := r.regional("product/production", region, f.Product)
	ef.assumed = assumed
	r.emit(model, LabelProduction, 3, NotSplit, r.do(stepProduction, mass, ef))
}

// regional is the factor of a region of production, else that of the world.
func (r *run) regional(field, region string, values ...string) quantity {
	if r.err != nil {
		return quantity{}
	}
	row, ok := r.set.mapping.Find(r.section, field, append(values, region)...)
	if !ok {
		row, ok = r.set.mapping.Find(r.section, field, append(values, world)...)
	}
	if !ok {
		return r.unknown(field, region)
	}
	return r.resolved(row)
}

func (r *run) cropProtection() {
	const model = "crop_protection_production"
	for i := range r.in.CropProtection {
		r.at("crop_protection", i)
		p := &r.in.CropProtection[i]
		times, treated := r.activity(rowProtection, "applications", float64(p.Applications), p.UncertaintyPct), r.given(p.TreatedPct, "treated_pct")
		if p.KgPerHa != nil && p.ActiveIngredientPct != nil {
			kg := r.do(stepIngredient, times, r.area, treated, r.given(*p.KgPerHa, "kg_per_ha"), r.given(*p.ActiveIngredientPct, "active_ingredient_pct"))
			r.emit(model, LabelProtection, 3, NotSplit, r.do(stepProduction, kg, r.factor(r.section, "category/per_kg_ai", p.Category)))
			continue
		}
		ef := assume(r.factor(r.section, "category/per_application", p.Category))
		r.emit(model, LabelProtection, 3, NotSplit, r.do(stepApplications, times, r.area, treated, ef))
	}
}

func (r *run) seeds() {
	s := r.in.Seeds
	if s == nil || s.Origin == "own" {
		return
	}
	r.at("seeds", noItem)
	mass := r.do(stepMass, r.activity(rowSeed, "kg_per_ha", s.KgPerHa, s.UncertaintyPct), r.area, r.constant(100, allOfTheArea))
	r.emit("seed_production", LabelSeed, 3, NotSplit, r.do(stepProduction, mass, r.factor("seeds", "crop_type/production", r.in.Crop.Type)))
}
