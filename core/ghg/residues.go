package ghg

import (
	"cmp"
	"fmt"
	"math"
)

const equation116 = chapter11 + "Eq. 11.6"

var (
	stepCropDM     = newStep("crop_dry_matter", "Y * DRY", "kg dm", equation116, of2(product), "Y kg", "DRY kg dm/kg")
	stepAboveRatio = newStep("above_ground_residue", "C * RAG", "kg dm", equation116, of2(product), "C kg dm", "RAG kg dm/kg dm")
	// The intercept is per hectare and growing cycle.
	stepAboveRegression = newStep("above_ground_residue", "C * S + I * 1000 * A * n", "kg dm", "IPCC 2006 V4 ch11 Table 11.2",
		of5(func(crop, slope, intercept, area, cycles float64) float64 {
			return crop*slope + intercept*1000*area*cycles
		}),
		"C kg dm", "S t/t", "I t/ha", "A ha", "n cycles")
	// What above-ground residue returns to the soil: what was neither removed nor lost in the fire.
	stepAboveN = newStep("residue_n_above_ground", "AG * NAG * max(0, 1 - rem - burn * Cf)", "kg N", equation116,
		of5(func(above, nAG, removed, burnt, combustion float64) float64 {
			return above * nAG * math.Max(0, 1-removed-burnt*combustion)
		}), "AG kg dm", "NAG kg N/kg dm", "rem share", "burn share", "Cf kg/kg")
	// Roots that die: FR is the share of the area that is renewed in a year.
	stepBelowN = newStep("residue_n_below_ground", "(C + AG) * RS * NBG * FR", "kg N", equation116,
		of5(func(crop, above, rs, nBG, renewed float64) float64 { return (crop + above) * rs * nBG * renewed }),
		"C kg dm", "AG kg dm", "RS kg dm/kg dm", "NBG kg N/kg dm", "FR 1/yr")
	stepSum     = newStep("sum", "a + b", "as the parts", "definition", of2(plus), "a part", "b part")
	stepPct     = newStep("share_of_per_cent", "p / 100", "fraction", "definition", of1(func(pct float64) float64 { return pct / 100 }), "p %")
	stepRenewal = newStep("renewal", "1 / y", "1/yr", equation116, of1(func(years float64) float64 { return 1 / years }), "y yr")
	stepShare   = newStep("residue_share", "AG * s", "kg dm", "definition", of2(product), "AG kg dm", "s share")
	stepBurnt   = newStep("residue_burnt", "AG * s * Cf", "kg dm", "IPCC 2019 V4 ch2 Eq. 2.27",
		of3(func(above, share, combustion float64) float64 { return above * share * combustion }), "AG kg dm", "s share", "Cf kg/kg")
	stepBurning    = newStep("residue_burning", "DM * EF / 1000", "kg", "IPCC 2019 V4 ch2 Eq. 2.27", of2(thousandths), "DM kg dm", "EF g/kg dm")
	stepComposting = newStep("residue_composting", "DM * EF / 1000", "kg", "IPCC 2006 V5 ch4 Eq. 4.1", of2(thousandths), "DM kg dm", "EF g/kg dm")
)

func thousandths(dm, ef float64) float64 { return dm * ef / 1000 }

// Practices of residue management that the engine distinguishes beyond their class.
const (
	burned    = "burned"
	composted = "composted"
	heaped    = "heaped"
)

// residueShares are the shares of the above-ground residue, 0 to 1.
type residueShares struct{ returned, removed, burnt, composted, heaped quantity }

// residueMass is the dry matter of a harvest and of its residue above ground, kg, with what becomes of the residue.
type residueMass struct {
	crop, above quantity
	shares      residueShares
}

// shareTolerance is how far shares may be from 100 per cent, for rounded entries.
const shareTolerance = 0.01

func (r *run) residueShares() (residueShares, bool) {
	var s residueShares
	var sum float64
	for i, m := range r.in.Residues.Management {
		row, ok := r.set.mapping.Find("residues", "management.practice", m.Practice)
		if !ok {
			r.unknown(fmt.Sprintf("management.%d.practice", i), m.Practice)
			return s, false
		}
		part := r.do(stepPct, r.given(m.SharePct, r.path("management", i, "share_pct")))
		sum += m.SharePct
		switch class, _ := row.Literal(); class {
		case "returned":
			s.returned = r.plus(s.returned, part)
		case "removed":
			s.removed = r.plus(s.removed, part)
		case "burned":
			s.burnt = r.plus(s.burnt, part)
		}
		switch m.Practice {
		case composted:
			s.composted = r.plus(s.composted, part)
		case heaped:
			s.heaped = r.plus(s.heaped, part)
		}
	}
	if math.Abs(sum-100) > shareTolerance {
		r.refuse("management", "The shares of the residue practices must sum to 100 per cent.")
		return s, false
	}
	return s, true
}

func (r *run) residues() {
	if r.in.Residues == nil {
		return
	}
	r.at("residues", noItem)
	if r.in.Crop.YieldKg == nil && r.in.Residues.AboveGroundDMKg == nil {
		r.warn(WarnNoYield, "Residues are not counted: neither the harvest nor the residue dry matter is stated.")
		return
	}
	shares, ok := r.residueShares()
	if !ok {
		return
	}
	crop, above := r.aboveGround()
	r.residue = residueMass{crop, above, shares}
	combustion := r.factor("crop", "crop_type/combustion_factor", r.in.Crop.Type)
	aboveN := r.do(stepAboveN, above, r.cropFactor("n_ag"), shares.removed, shares.burnt, combustion)
	belowN := r.do(stepBelowN, crop, above, r.cropFactor("rs"), r.cropFactor("n_bg"), r.renewal())
	r.soilNitrogen(residue, LabelResidues, r.do(stepSum, aboveN, belowN), quantity{})
	r.burning(above, shares.burnt, combustion)
	r.composting(above, composted, shares.composted)
	r.composting(above, heaped, shares.heaped)
	if r.floodedRice() {
		r.straw = r.do(stepShare, above, shares.returned)
	}
}

// cropFactor returns a row of the crop in the residue tables.
func (r *run) cropFactor(term string) quantity {
	return r.factor("crop", "crop_type/"+term, r.in.Crop.Type)
}

// harvest is the fresh yield of the whole area, kg.
func (r *run) harvest() quantity {
	q := r.of(*r.in.Crop.YieldKg, "crop.yield_kg")
	if pct := r.in.Crop.UncertaintyPct; pct != nil {
		r.vary(&q, rowYield, *pct)
	}
	return q
}

// aboveGround returns the dry matter of the harvest and of the residue above ground, kg.
func (r *run) aboveGround() (crop, above quantity) {
	if r.in.Crop.YieldKg != nil {
		crop = r.do(stepCropDM, r.harvest(), r.cropFactor("dry"))
	}
	if dm := r.in.Residues.AboveGroundDMKg; dm != nil {
		return crop, r.activity(rowResidue, "above_ground_dm_kg", *dm, r.in.Residues.UncertaintyPct)
	}
	method := cmp.Or(r.in.Residues.Method, r.set.residueMethod)
	row, ok := r.set.mapping.Find("crop", "crop_type/slope", r.in.Crop.Type)
	if _, refused := row.Literal(); method == slopeIntercept && ok && !refused {
		return crop, assume(r.do(stepAboveRegression, crop, r.resolved(row), r.cropFactor("intercept"), r.area, r.cycles()))
	}
	if r.in.Residues.Method == slopeIntercept {
		return crop, r.refuse("method", "The method slope_intercept has no row for this crop: use ratio.")
	}
	return crop, assume(r.do(stepAboveRatio, crop, r.cropFactor("r_ag")))
}

// slopeIntercept is the method of Table 11.2 of IPCC 2006.
const slopeIntercept = "slope_intercept"

// renewal is the share of the stand that is renewed in a year.
func (r *run) renewal() quantity {
	row, ok := r.set.mapping.Find("crop", "crop_type/frac_renew", r.in.Crop.Type)
	if !ok {
		return r.unknown("crop_type", r.in.Crop.Type)
	}
	if _, forage := row.Literal(); !forage {
		return r.resolved(row)
	}
	years := assume(r.constant(1, "every year where it is not stated"))
	if y := r.in.Crop.RenewalYears; y != nil {
		years = r.of(*y, "crop.renewal_years")
	}
	return r.do(stepRenewal, years)
}

func (r *run) burning(above, share, combustion quantity) {
	if share.v == 0 {
		return
	}
	dm := r.do(stepBurnt, above, share, combustion)
	of := func(gas string) quantity { return r.factor("residues", "management.practice/"+gas, burned) }
	r.emit("residue_burning", LabelBurning, 1, CH4Biogenic, r.do(stepBurning, dm, of("ch4")))
	r.emit("residue_burning", LabelBurning, 1, N2O, r.do(stepBurning, dm, of("n2o")))
	r.memo("residue_burning", LabelBurning, r.do(stepBurning, dm, of("co2")))
}

func (r *run) composting(above quantity, practice string, share quantity) {
	if share.v == 0 {
		return
	}
	if practice == heaped {
		r.warn(WarnHeaped, "A heap of residues has no factor of its own: that of composting is used.")
	}
	dm := r.do(stepShare, above, share)
	of := func(gas string) quantity { return r.factor("residues", "management.practice/"+gas, practice) }
	r.emit("residue_composting", LabelResidues, 1, CH4Biogenic, r.do(stepComposting, dm, of("ch4")))
	r.emit("residue_composting", LabelResidues, 1, N2O, r.do(stepComposting, dm, of("n2o")))
}
