package verification

import (
	"fmt"

	"tilth/core/farm"
)

// Grown is a live cultivation with its season and crop.
type Grown struct {
	Cultivation farm.Cultivation
	Season      farm.Season
	Crop        farm.Crop
}

// Choose returns the one cultivation of a field whose season is harvested in a year and whose crop is of a crop type of
// assessments. Where there is none, or there are several, nothing is chosen: reason says so, and text for people.
func Choose(year int, cropType string, grown []Grown) (chosen Grown, reason Reason, text string) {
	var fit []Grown
	for _, g := range grown {
		if g.Season.HarvestYear == year && g.Crop.GHGCropType == cropType {
			fit = append(fit, g)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], "", ""
	case 0:
		return Grown{}, ReasonNoGrowing, fmt.Sprintf("No cultivation of %s is entered in a season harvested in %d.", cropType, year)
	}
	return Grown{}, ReasonSeveral, fmt.Sprintf("%d cultivations of %s are entered in seasons harvested in %d; it is not clear which one is meant.", len(fit), cropType, year)
}

// Keep stores the series of fields that an unfinished run looked at, in place of older ones of the same fields.
func (r *Record) Keep(fields []Field) {
	kept := append([]Field{}, fields...)
	for _, old := range r.Evidence.Fields {
		if SeriesOf(kept, old.FieldID) == nil {
			kept = append(kept, old)
		}
	}
	r.Evidence.Fields = kept
}

// SeriesOf returns the series of a field; nil where there is none.
func SeriesOf(fields []Field, fieldID int64) *Series {
	for _, f := range fields {
		if f.FieldID == fieldID {
			return f.Series
		}
	}
	return nil
}
