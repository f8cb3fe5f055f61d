package assessment

// Done is the share of a section that is done, from 0 to 1, as it counts towards the
// completeness: filled required fields of all; 1 where it is complete or declared.
func (s SectionState) Done() float64 { return s.score() }

// SectionKeys returns the key of the general part and those of the sections, in the order
// people fill them in.
func (t *Table) SectionKeys() []string {
	out := []string{secGeneral}
	for i := range t.sections {
		out = append(out, t.sections[i].Key)
	}
	return out
}

// FieldLabel returns the label of a field by its [Missing.Field]; empty where the table has
// no such field.
func (t *Table) FieldLabel(field string) string {
	if _, f := t.locate(field); f != nil {
		return f.Label
	}
	return ""
}

// CropType returns the crop that a sheet declares; empty where it states none.
func (s Sheet) CropType() string { return s.first(secCrop).text("crop_type") }
