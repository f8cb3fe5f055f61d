package ghg_test

import "tilth/core/ghg"

// tier2 are the steps of the Tier 2 steady-state method, by the names of the cases.
func init() {
	for name, model := range map[string]func(r rerun) []float64{
		"soc_tier2_temperature_factor": func(r rerun) []float64 {
			return one(step("soc_tier2_temperature_factor", r.in.f("mean_temp_c"), r.in.f("t_max"), r.in.f("t_opt")))
		},
		"soc_tier2_water_factor": func(r rerun) []float64 {
			return one(step("soc_tier2_water_factor", r.in.f("precipitation_mm"), r.in.f("pet_mm"), r.in.f("w_s")))
		},
		"soc_tier2_annual_factors": tier2AnnualFactors,
		"soc_tier2_rates": func(r rerun) []float64 {
			y := tier2YearOf(r, r.in, r.in["tillage"])
			return []float64{y.beta, y.active, y.slow, y.passive}
		},
		"soc_tier2_steady_state": func(r rerun) []float64 {
			steady := tier2YearOf(r, r.in, r.in["tillage"]).steady(r)
			return steady[:]
		},
		"soc_tier2_series": tier2Series,
	} {
		models[name] = model
	}
	for _, unit := range []string{"[tfac, wfac]", "[beta, k_active, k_slow, k_passive]", "t C/ha [active, slow, passive]", "t C/ha per year"} {
		perUnit[unit] = 1
	}
	setOfCase["ipcc2019_soc_tier2"] = ghg.IPCC2019
}

func tier2AnnualFactors(r rerun) []float64 {
	var t, w []float64
	rain, pet := r.in.floats("monthly_precipitation_mm"), r.in.floats("monthly_pet_mm")
	for month, mean := range r.in.floats("monthly_temp_c") {
		t = append(t, step("soc_tier2_temperature_factor", mean, r.row("", "soc_t2.tmax"), r.row("", "soc_t2.topt")))
		w = append(w, step("soc_tier2_water_factor", rain[month], pet[month], r.row("", "soc_t2.ws")))
	}
	return []float64{step("soc_tier2_annual_factors_temperature", t...), step("soc_tier2_annual_factors_water", w...)}
}

// tier2Year is one year of a case, with its rates.
type tier2Year struct{ carbon, lignin, sand, beta, active, slow, passive float64 }

func tier2YearOf(r rerun, in numbers, tillage any) tier2Year {
	word, _ := tillage.(string)
	row := func(key string) float64 { return r.row("", "soc_t2."+key) }
	y := tier2Year{carbon: in.f("carbon_input_t_c_ha"), lignin: in.f("lignin"), sand: in.f("sand")}
	till, tfac, wfac := row("tillfac."+word), in.f("tfac"), in.f("wfac")
	y.beta = step("soc_tier2_rates_beta", y.carbon, y.lignin, in.f("nitrogen"))
	y.active = step("soc_tier2_rates_active", row("kfac_active"), tfac, wfac, till, y.sand)
	y.slow = step("soc_tier2_rates_slow", row("kfac_slow"), tfac, wfac, till)
	y.passive = step("soc_tier2_rates_passive", row("kfac_passive"), tfac, wfac)
	return y
}

func (y tier2Year) steady(r rerun) [3]float64 {
	row := func(key string) float64 { return r.row("", "soc_t2."+key) }
	f3, f5, f6 := row("f3"), row("f5"), row("f6")
	f4 := step("soc_tier2_steady_state_f4", f5, y.sand)
	alpha := step("soc_tier2_steady_state_alpha", y.beta, y.carbon, y.lignin, row("f1"), row("f2"), f3, f4, f5, f6, row("f7"), row("f8"))
	active := step("soc_tier2_steady_state_active", alpha, y.active)
	slow := step("soc_tier2_steady_state_slow", y.carbon, y.lignin, f3, active, y.active, f4, y.slow)
	return [3]float64{active, slow, step("soc_tier2_steady_state_passive", active, y.active, f5, slow, y.slow, f6, y.passive)}
}

func tier2Series(r rerun) (stocks []float64) {
	start, _ := r.in["start"].(map[string]any)
	pools := [3]float64{numbers(start).f("active"), numbers(start).f("slow"), numbers(start).f("passive")}
	for _, in := range r.in.list("years") {
		y := tier2YearOf(r, in, r.in["tillage"])
		steady := y.steady(r)
		for i, k := range []float64{y.active, y.slow, y.passive} {
			pools[i] = step("soc_tier2_series_pool", pools[i], steady[i], k)
		}
		stocks = append(stocks, step("soc_tier2_series_stock", pools[:]...))
	}
	return stocks
}
