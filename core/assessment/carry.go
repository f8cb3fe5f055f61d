package assessment

import (
	"maps"
	"slices"
)

// datesOfTheYear are the members that hold dates of one year's crop; a copy for another year leaves them out.
var datesOfTheYear = map[string][]string{
	secCrop:        {"planting_date", "harvest_date"},
	secFertilizers: {"date"},
}

// Carry returns a draft of another year with the same sections and declarations, whose items are new. Dates of planting,
// harvest and application are left out; amounts are copied as a first estimate, for the user to correct. The history of
// the land keeps its calendar years, and no_change_20y stays: a submission checks it against them for its own year.
func (t *Table) Carry(from *Assessment, sheet Sheet, toYear int) (Assessment, Sheet) {
	to := Assessment{
		ResourceType: from.ResourceType, ResourceID: from.ResourceID, Year: &toYear,
		GrowingArea: maps.Clone(from.GrowingArea), AverageTemperature: maps.Clone(from.AverageTemperature),
		ClimateRegion: from.ClimateRegion, FarmCountry: from.FarmCountry, DataQuality: from.DataQuality,
		Declarations: maps.Clone(from.Declarations), Status: Draft,
	}
	if to.Declarations == nil {
		to.Declarations = Declarations{}
	}
	out := Sheet{}
	for key, rows := range sheet {
		if _, known := t.byKey[key]; !known {
			continue
		}
		for _, row := range rows {
			values := maps.Clone(row.Values)
			maps.DeleteFunc(values, func(member string, _ any) bool { return slices.Contains(datesOfTheYear[key], member) })
			if len(values) > 0 {
				out[key] = append(out[key], Row{Values: values})
			}
		}
	}
	return to, out
}

// Entered returns what is entered in the form in which a client sends it, for [Table.Check] to read again.
func (t *Table) Entered(sheet Sheet) map[string]any {
	out := make(map[string]any, len(sheet))
	for key, rows := range sheet {
		section, known := t.byKey[key]
		if !known || len(rows) == 0 {
			continue
		}
		if section.Shape == Object {
			out[key] = map[string]any(rows[0].Values)
			continue
		}
		items := make([]any, len(rows))
		for i, row := range rows {
			item := maps.Clone(map[string]any(row.Values))
			if row.ID != 0 {
				item["id"] = float64(row.ID)
			}
			items[i] = item
		}
		out[key] = items
	}
	return out
}
