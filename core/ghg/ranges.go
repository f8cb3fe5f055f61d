package ghg

import "strings"

// SourceKind is a kind of source, with the 95 % range that its rows take where their source prints none.
type SourceKind struct {
	Name string
	Pct  float64 // plus and minus, per cent of the value; 0: exact by definition or by convention of the method
	Keys []string
}

// The kinds of sources. The first kind with a pattern that matches the key of a row applies: text before a star is the
// prefix of the key, text after it the suffix. [otherSource] applies to rows of no kind. docs/ghg.md lists them.
var sourceKinds = []SourceKind{
	{"definitions and conventions", 0, []string{"unit.", "conversion.", "gwp.", "rule.", "period.", "depth.", "soc_t2.", "irrigation.physics", "native.", "f_mg.full.", "f_i.medium.", "v2006.f_mg.full", "v2006.f_i.medium"}},
	{"dry matter of crops", 10, []string{"residue.*.dry"}},
	{"residues: slope of the regression", 20, []string{"residue.*.slope"}},
	{"residues: ratio to the crop, nitrogen above ground", 40, []string{"residue.*.r_ag", "residue.*.n_ag"}},
	{"residues: roots, nitrogen below ground, intercept", 50, []string{"residue."}},
	{"combustion factors of residues", 25, []string{"combustion_factor."}},
	{"content of a mineral product", 5, []string{"fertilizer.", "uan.", "urea.n_fraction", "lime.purity."}},
	{"content of an organic material", 50, []string{"organic."}},
	{"carbon fraction of biomass", 10, []string{"cf."}},
	{"heating values, densities and CO2 of fuels", 5, []string{"fuel.*.ncv", "fuel.*.ncv_l", "fuel.*.co2", "density.", "biogenic_co2."}},
	{"CH4 and N2O of combustion", 100, []string{"fuel.*.ch4", "fuel.*.n2o", "transport.*.ch4", "transport.*.n2o"}},
	{"electricity and heat, well to tank", 20, []string{"grid.", "electricity.", "heat.", "wtt."}},
	{"transport", 30, []string{"transport."}},
	{"life-cycle inventories of inputs", 50, []string{"production.", "pesticide.", "seed.", "water_supply.", "application_co2."}},
	{engineering, 50, []string{"irrigation."}},
}

// engineering is the kind whose range is the minimum for its rows.
const engineering = "engineering defaults, at least"

// otherSource is the kind of rows that belong to no other.
var otherSource = SourceKind{Name: "other defaults of the method", Pct: 50}

// ownFactor is the kind of a factor or a stock that a user enters without uncertainty_pct.
var ownFactor = SourceKind{Name: "factors and stocks of the user's own", Pct: 50}

// SourceKinds returns every kind of source with its range.
func SourceKinds() []SourceKind {
	return append(sourceKinds[:len(sourceKinds):len(sourceKinds)], otherSource, ownFactor)
}

// kindOf returns the kind of source of a row.
func kindOf(key string) SourceKind {
	for _, kind := range sourceKinds {
		for _, pattern := range kind.Keys {
			prefix, suffix, _ := strings.Cut(pattern, "*")
			if strings.HasPrefix(key, prefix) && strings.HasSuffix(key, suffix) {
				return kind
			}
		}
	}
	return otherSource
}

// wholes are the units of shares, which do not exceed 1.
var wholes = map[string]bool{"fraction": true, "kg/kg": true, "kg dm/kg fresh": true, "t C/t dm": true, "kg urea/kg": true}

// assumeRange puts the range of its kind of source on a row whose source prints none.
func (f *Factor) assumeRange() {
	kind := kindOf(f.Key)
	if f.Empty || f.Value == 0 || kind.Pct == 0 {
		return
	}
	half := f.Value * kind.Pct / 100
	if f.Ranged && (kind.Name != engineering || f.Lower <= f.Value-half && f.Upper >= f.Value+half) {
		return // one article with a narrower range does not make an engineering default better known
	}
	f.Lower, f.Upper, f.Ranged, f.rangeOf = f.Value-half, f.Value+half, true, kind.Name
	if f.Value < 0 {
		f.Lower, f.Upper = f.Upper, f.Lower
	}
	if wholes[f.Unit] && f.Value <= 1 {
		f.Upper = min(f.Upper, 1)
	}
}

// The rows of what users enter. All items of a section share one row, so that splitting an item does not change the range.
const (
	rowYield       = "entered.crop.harvested_yield"
	rowResidue     = "entered.residues.above_ground_dm"
	rowFertilizer  = "entered.fertilizers.rate"
	rowOrganic     = "entered.organic_inputs.rate"
	rowProtection  = "entered.crop_protection.applications"
	rowSeed        = "entered.seeds.rate"
	rowWater       = "entered.irrigation.water_volume"
	rowFuel        = "entered.fuel_energy.amount"
	rowMachine     = "entered.machinery.passes"
	rowTransport   = "entered.transport.weight"
	rowStand       = "entered.perennial_biomass.area"
	rowOwnProduct  = "own.fertilizers.manual_production_ef"
	rowOwnFuel     = "own.fuel_energy.manual_ef"
	rowOwnGrowth   = "own.perennial_biomass.growth"
	rowOwnStocks   = "own.perennial_biomass.measured_stocks"
	rowOwnPrevious = "own.land_use_change.previous_biomass_t_c_ha"
)

// enteredRows are made for every factor set, after the rows of its tables.
var enteredRows = []string{
	rowYield, rowResidue, rowFertilizer, rowOrganic, rowProtection, rowSeed, rowWater, rowFuel, rowMachine, rowTransport, rowStand,
	rowOwnProduct, rowOwnFuel, rowOwnGrowth, rowOwnStocks, rowOwnPrevious,
}

// activity is an amount of the current item, with the range that was given for it.
func (r *run) activity(row, member string, v float64, pct *float64) quantity {
	q := r.given(v, member)
	if pct != nil {
		r.vary(&q, row, *pct)
	}
	return q
}

// own is a factor or a stock of the user's own.
func (r *run) own(row, member string, v float64) quantity {
	q := r.given(v, member)
	q.specific = true
	r.vary(&q, row, ownFactor.Pct)
	return q
}

// vary adds a range of plus and minus pct per cent, under a row of what users enter.
func (r *run) vary(q *quantity, row string, pct float64) {
	if q.v == 0 || pct == 0 {
		return
	}
	half, start := q.v*pct/100, len(r.moves)
	r.moves = append(r.moves, move{r.set.entered[row], q.v - half, q.v + half})
	q.moves = r.moves[start : start+1 : start+1]
}
