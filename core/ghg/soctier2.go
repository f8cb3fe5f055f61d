package ghg

import "math"

// The equations of the Tier 2 steady-state method for the carbon of mineral soil under crops (0-30 cm), with three pools:
// active, slow and passive. Numbers that the method fixes stand in the formulas; those with a range are rows of the tables.
const (
	equation50  = "IPCC 2019 V4 ch5 Eq. 5.0"
	clampedBy50 = ", bounded as in the program of its authors"
	eulerText   = "2.718281828459045" // a formula of a trace holds numbers and symbols only
	sumOf12     = "m1 + m2 + m3 + m4 + m5 + m6 + m7 + m8 + m9 + m10 + m11 + m12"

	monthsOfAYear = 12
	minDecay      = 0.0001 // lower bound of the effect of the climate: decay stops nowhere
)

var (
	// No decomposition at the maximum and above.
	stepT2Temperature = newStep("soc_tier2_temperature_factor",
		"pow(max(0, Tmax - T) / (Tmax - Topt), 0.2) * pow("+eulerText+", 0.076 * (1 - pow(max(0, Tmax - T) / (Tmax - Topt), 2.63)))",
		"factor", equation50+"E", of3(tier2Temperature), "T degC", "Tmax degC", "Topt degC")
	// A month without evapotranspiration counts as one of 0.001 mm.
	stepT2Water = newStep("soc_tier2_water_factor",
		"0.2129 + ws * min(1.25, P / max(PET, 0.001)) - 0.2413 * pow(min(1.25, P / max(PET, 0.001)), 2)",
		"factor", equation50+"F", of3(tier2Water), "P mm", "PET mm", "ws factor")
	stepT2AnnualTemperature = newStep("soc_tier2_annual_factors_temperature", "("+sumOf12+") / 12", "factor", equation50+"E",
		func(v []float64) float64 { return sum12(v) / monthsOfAYear }, months12("factor")...)
	stepT2AnnualWater = newStep("soc_tier2_annual_factors_water", "1.5 * ("+sumOf12+") / 12", "factor", equation50+"F",
		func(v []float64) float64 { return 1.5 * sum12(v) / monthsOfAYear }, months12("factor")...)

	stepT2Beta = newStep("soc_tier2_rates_beta", "C * max(0, min(0.999, 0.85 - 0.018 * LC / NC))", "t C/ha/yr", equation50+"H"+clampedBy50,
		of3(func(input, lignin, nitrogen float64) float64 {
			return input * math.Max(0, math.Min(0.999, 0.85-0.018*lignin/nitrogen))
		}), "C t C/ha/yr", "LC fraction", "NC fraction")
	stepT2Active = newStep("soc_tier2_rates_active", "kfac * tfac * wfac * till * (0.25 + 0.75 * sand)", "1/yr", equation50+"B",
		of5(func(kfac, tfac, wfac, till, sand float64) float64 {
			return kfac * tfac * wfac * till * (0.25 + 0.75*sand)
		}),
		"kfac 1/yr", "tfac factor", "wfac factor", "till factor", "sand fraction")
	stepT2Slow = newStep("soc_tier2_rates_slow", "kfac * max(0.0001, tfac * wfac) * till", "1/yr", equation50+"C"+clampedBy50,
		of4(func(kfac, tfac, wfac, till float64) float64 { return kfac * math.Max(minDecay, tfac*wfac) * till }),
		"kfac 1/yr", "tfac factor", "wfac factor", "till factor")
	stepT2Passive = newStep("soc_tier2_rates_passive", "kfac * max(0.0001, tfac * wfac)", "1/yr", equation50+"D"+clampedBy50,
		of3(func(kfac, tfac, wfac float64) float64 { return kfac * math.Max(minDecay, tfac*wfac) }), "kfac 1/yr", "tfac factor", "wfac factor")

	// The fraction of the active pool's decay that reaches the slow pool.
	stepT2F4 = newStep("soc_tier2_steady_state_f4", "max(0, min(1, 1 - f5 - (0.17 + 0.68 * sand)))", "fraction", equation50+"C"+clampedBy50,
		of2(func(f5, sand float64) float64 { return math.Max(0, math.Min(1, 1-f5-(0.17+0.68*sand))) }), "f5 fraction", "sand fraction")
	// The carbon that reaches the active pool.
	stepT2Alpha = newStep("soc_tier2_steady_state_alpha",
		"(beta * f1 + (C * (1 - LC) - beta) * f2 + C * LC * f3 * (f7 + f6 * f8)) / (1 - f4 * f7 - f5 * f8 - f4 * f6 * f8)",
		"t C/ha/yr", equation50+"G", tier2Alpha, "beta t C/ha/yr", "C t C/ha/yr", "LC fraction",
		"f1 fraction", "f2 fraction", "f3 fraction", "f4 fraction", "f5 fraction", "f6 fraction", "f7 fraction", "f8 fraction")
	stepT2SteadyActive = newStep("soc_tier2_steady_state_active", "alpha / kA", "t C/ha", equation50+"B", of2(quotient), "alpha t C/ha/yr", "kA 1/yr")
	stepT2SteadySlow   = newStep("soc_tier2_steady_state_slow", "(C * LC * f3 + A * kA * f4) / kS", "t C/ha", equation50+"C",
		func(v []float64) float64 { return (v[0]*v[1]*v[2] + v[3]*v[4]*v[5]) / v[6] },
		"C t C/ha/yr", "LC fraction", "f3 fraction", "A t C/ha", "kA 1/yr", "f4 fraction", "kS 1/yr")
	stepT2SteadyPassive = newStep("soc_tier2_steady_state_passive", "(A * kA * f5 + S * kS * f6) / kP", "t C/ha", equation50+"D",
		func(v []float64) float64 { return (v[0]*v[1]*v[2] + v[3]*v[4]*v[5]) / v[6] },
		"A t C/ha", "kA 1/yr", "f5 fraction", "S t C/ha", "kS 1/yr", "f6 fraction", "kP 1/yr")

	// A pool moves towards its steady state by its rate of decay, and not beyond it.
	stepT2Pool = newStep("soc_tier2_series_pool", "P + (E - P) * min(1, k)", "t C/ha", equation50+"B to 5.0D",
		of3(func(pool, steady, k float64) float64 { return pool + (steady-pool)*math.Min(1, k) }), "P t C/ha", "E t C/ha", "k 1/yr")
	stepT2Stock = newStep("soc_tier2_series_stock", "A + S + P", "t C/ha", equation50+"A",
		of3(func(active, slow, passive float64) float64 { return active + slow + passive }), "A t C/ha", "S t C/ha", "P t C/ha")
	stepT2Change = newStep("soc_tier2_series_change", "S1 - S0", "t C/ha/yr", equation50+"A",
		of2(func(now, before float64) float64 { return now - before }), "S1 t C/ha", "S0 t C/ha")
)

func months12(unit string) []string {
	out := make([]string, 0, monthsOfAYear)
	for _, symbol := range []string{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11", "m12"} {
		out = append(out, symbol+" "+unit)
	}
	return out
}

func sum12(v []float64) (out float64) {
	for _, m := range v {
		out += m
	}
	return out
}

func tier2Temperature(t, upper, optimum float64) float64 {
	ratio := math.Max(0, upper-t) / (upper - optimum)
	return math.Pow(ratio, 0.2) * math.Pow(math.E, 0.076*(1-math.Pow(ratio, 2.63)))
}

func tier2Water(precipitation, evapotranspiration, slope float64) float64 {
	ratio := math.Min(1.25, precipitation/math.Max(evapotranspiration, 0.001))
	return 0.2129 + slope*ratio - 0.2413*math.Pow(ratio, 2)
}

func tier2Alpha(v []float64) float64 {
	beta, input, lignin := v[0], v[1], v[2]
	f1, f2, f3, f4, f5, f6, f7, f8 := v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]
	return (beta*f1 + (input*(1-lignin)-beta)*f2 + input*lignin*f3*(f7+f6*f8)) / (1 - f4*f7 - f5*f8 - f4*f6*f8)
}
