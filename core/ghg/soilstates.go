package ghg

import (
	"math"
	"slices"
	"strconv"
)

// state is a state of land: the three factors that set its stock.
type state struct{ landUse, management, input quantity }

// same reports whether two states have the same factors, so that no transition restarts.
func (s state) same(t state) bool {
	return s.landUse.v == t.landUse.v && s.management.v == t.management.v && s.input.v == t.input.v
}

// turn is a state that began in a year.
type turn struct {
	year int
	path string // of the year in the snapshot
	state
}

// turns returns the states of a parcel in chronological order; the first is at equilibrium.
func (r *run) turns(p parcel, changes []LandChange) []turn {
	now, since, path := r.stateNow(), math.MinInt, ""
	out := make([]turn, 0, len(changes)+2)
	if c := p.conversion; c != nil {
		if before, known := r.stateBefore(c); known {
			out, since, path = append(out, turn{since, path, before}), c.Year, r.path(sectionConversion, p.index, "year")
		}
		changes = slices.DeleteFunc(slices.Clone(changes), func(o LandChange) bool { return o.Year <= c.Year })
	}
	states := make([]state, len(changes)+1)
	states[len(changes)] = now
	for i := len(changes) - 1; i >= 0; i-- {
		states[i] = r.stateOf(changes[i], states[i+1])
	}
	for i, s := range states {
		out = append(out, turn{since, path, s})
		if i < len(changes) {
			since, path = changes[i].Year, r.changePath(changes[i])
		}
	}
	return out
}

// changePath is where the year of a change stands in the snapshot.
func (r *run) changePath(c LandChange) string {
	return r.path("land_management.changes", slices.Index(r.in.LandManagement.Changes, c), "year")
}

// stateNow is the state after the last change.
func (r *run) stateNow() state {
	land := r.in.LandManagement
	class, _ := r.set.mapping.Find("crop", "crop_type/f_lu_class", r.in.Crop.Type)
	name, ok := class.Literal()
	if !ok {
		r.fail("crop", "crop_type", "The crop "+strconv.Quote(r.in.Crop.Type)+" has no class of land use.")
		return state{}
	}
	return state{r.landUse(useOfClass[name]), r.tillage(land.Tillage), r.carbonInputs(land.CarbonInputs)}
}

// Uses of land as the changes of land_management name them.
const (
	annualCrops    = "annual_crops"
	perennialCrops = "perennial_crops"
)

// useOfClass ties the classes of F_LU of crops to the uses of land_management, which have a row in every factor set.
var useOfClass = map[string]string{
	"long_term_cultivated": annualCrops, "paddy_rice": "paddy_rice", "perennial_tree_crop": perennialCrops,
}

// landUse is F_LU of a use. Long cultivation of wetland soils has its own row in temperate and boreal zones.
func (r *run) landUse(use string) quantity {
	row, ok := r.set.mapping.Find("soil", "soil_class/f_lu_long_term_cultivated", r.in.Soil.Class, r.in.General.ClimateRegion)
	if ok && use == annualCrops {
		return r.resolved(row)
	}
	return r.factor("land_management", "changes.land_use/f_lu", use)
}

func (r *run) tillage(value string) quantity {
	return r.factor("land_management", "tillage/f_mg", value)
}

func (r *run) carbonInputs(value string) quantity {
	return r.factor("land_management", "carbon_inputs/f_i", value)
}

// stateOf returns the state that ended with a change; what the item leaves out is as in the state after it.
func (r *run) stateOf(c LandChange, after state) state {
	if c.LandUse != "" {
		after.landUse = r.landUse(c.LandUse)
	}
	if c.Tillage != "" {
		after.management = r.tillage(c.Tillage)
	}
	if c.CarbonInputs != "" {
		after.input = r.carbonInputs(c.CarbonInputs)
	}
	return after
}

// stateBefore is the state before a conversion; known is false where the stock before is not distinguished from that after.
func (r *run) stateBefore(c *Conversion) (before state, known bool) {
	if !cropland(c.PreviousUse) {
		row, ok := r.set.mapping.Find("land_use_change", "previous_use/f_lu_before", c.PreviousUse)
		if !ok {
			r.unknown("previous_use", c.PreviousUse)
			return state{}, false
		}
		if _, sameAsAfter := row.Literal(); sameAsAfter {
			if inTransition(c.Year, r.in.General.Year) {
				r.warn(WarnOtherLand, "No change of soil carbon is counted for land of another use before: its stock is not known.")
			}
			return state{}, false
		}
		one := r.constant(1, "no factor of land that was no cropland")
		return state{r.resolved(row), one, one}, true
	}
	use := map[string]string{"perennial": perennialCrops, "annual_cropland": annualCrops}[c.PreviousUse]
	before = state{r.landUse(use), r.tillage("full"), r.carbonInputs("medium")}
	for _, change := range r.in.LandManagement.Changes {
		if change.Year == c.Year {
			change.LandUse = ""
			before = r.stateOf(change, before)
		}
	}
	return before, true
}
