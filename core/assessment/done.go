package assessment

// SectionKeys returns the keys of the general part and of the sections, in the order people fill them in.
func (t *Table) SectionKeys() []string {
	out := []string{secGeneral}
	for i := range t.sections {
		out = append(out, t.sections[i].Key)
	}
	return out
}

// CropType returns the crop that a sheet declares; empty where it states none.
func (s Sheet) CropType() string { return s.first(secCrop).text("crop_type") }
