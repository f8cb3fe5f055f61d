package farm

import (
	"tilth/core/fault"
	"tilth/core/record"
)

// Cultivation ties one crop to one field within one season; more than once where a field is sown in parts.
type Cultivation struct {
	record.Meta
	Season record.Ref
	Crop   record.Ref
	Field  record.Ref
}

// Check returns what is wrong with the record itself.
func (r *Cultivation) Check() fault.Fields {
	f := fault.Fields{}
	for field, id := range map[string]int64{"season_id": r.Season.ID, "crop_id": r.Crop.ID, "field_id": r.Field.ID} {
		if id <= 0 {
			f.Add(field, "This must be a positive id.")
		}
	}
	return f
}

// MayDeleteCultivation refuses to delete the only cultivation of a field: live is the number of its
// live cultivations, counted under a lock on the field. The interface specification fixes the text.
func MayDeleteCultivation(live int64) error {
	if live > 1 {
		return nil
	}
	return fault.New(fault.Invalid, "last_cultivation",
		"At least one cultivation must be kept. You cannot delete the last cultivation.")
}
