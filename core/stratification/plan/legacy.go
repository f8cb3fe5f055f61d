package plan

import (
	"fmt"
	"slices"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

const maxLegacy = 1000

// keptOut returns the points from which new ones keep their distance.
func (p Params) keptOut() []geo.Position { return slices.Concat(p.Existing, p.Legacy) }

// legacy returns the legacy points as spots, to be visited with the samples. Faults: Invalid for points outside
// the area of interest.
func (d *design) legacy() ([]spot, error) {
	fields := fault.Fields{}
	var out []spot
	for i, sent := range d.params.Legacy {
		at := centimetres(sent)
		if err := d.budget.Spend(len(d.frame.Fields)); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(d.frame.Fields, func(field geo.MultiPolygon) bool { return field.Contains(at) }) {
			fields.Addf("legacy_points", "Point %d lies outside the area of interest.", i+1)
			continue
		}
		out = append(out, spot{at: at, sent: sent, cell: int32(cellAt(d.frame, at)), legacy: true})
	}
	return out, fields.Err()
}

// cellAt returns the cell of a place, or the nearest.
func cellAt(f *frame.Frame, at geo.Position) int {
	row, col := int((f.OriginY-at.Y)/f.CellSize), int((at.X-f.OriginX)/f.CellSize)
	if i := f.Index(row, col); i >= 0 {
		return i
	}
	return f.Nearest(row, col, func(int) bool { return true })
}

// legacyConcerns adds the concern that legacy points are not part of estimates.
func (plan *Plan) legacyConcerns() {
	if plan.Legacy > 0 {
		plan.Concerns = append(plan.Concerns, Concern{Code: "legacy_points", Message: fmt.Sprintf(
			"The plan keeps %d from before (legacy points), which it did not draw: estimates do not include them.", plan.Legacy)})
	}
}
