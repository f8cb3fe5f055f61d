package assessment_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/assessment"
	"tilth/core/fault"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	tab := table(t)
	columns, names := tab.Columns(), []string{}
	for _, c := range columns {
		names = append(names, c.Name)
		require.NotEmpty(t, c.Title, c.Name)
		require.NotContains(t, []assessment.Kind{assessment.Amount, assessment.Items}, c.Kind, c.Name)
	}
	require.Subset(t, names, []string{
		"resource_type", "assessment_year", "growing_area.value", "growing_area.unit", "crop.harvested_yield.value", "fertilizers[].id",
		"fertilizers[].rate.value", "residues.management[].practice", "perennial_biomass[].measured_stocks[].t_c", "section_declarations.irrigation",
	})
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "no name is there twice")
}

func TestHeadingKeepsItemsTogether(t *testing.T) {
	t.Parallel()
	tab := table(t)
	first := []assessment.Cell{{"fertilizers[1].product", "can"}, {"soil.soil_class", "sandy"}, {"farm_country", "france"}}
	second := []assessment.Cell{{"fertilizers[0].rate.value", "1"}, {"fertilizers[0].product", "urea"}, {"fertilizers[10].product", "urea"}, {"fertilizers[2].product", "urea"},
		{"perennial_biomass[1].measured_stocks[0].year", "2000"}, {"perennial_biomass[0].notes", "x"}, {"perennial_biomass[1].system", "orchard"}}
	require.Equal(t, []string{
		"farm_country", "soil.soil_class", "fertilizers[0].product", "fertilizers[0].rate.value", "fertilizers[1].product", "fertilizers[2].product",
		"fertilizers[10].product", "perennial_biomass[0].notes", "perennial_biomass[1].system", "perennial_biomass[1].measured_stocks[0].year",
	}, tab.Heading(first, second))
}

// TestCellsGoThereAndBack writes what was entered at random as a row of a file and reads
// it again: it is the same, to the last digit.
func TestCellsGoThereAndBack(t *testing.T) {
	t.Parallel()
	tab := table(t)
	schema := plain(t, tab.Schema())
	properties, _ := schema["properties"].(map[string]any)
	rapid.Check(t, func(r *rapid.T) {
		body, _ := tree(t, wheat).(map[string]any)
		delete(body, "section_declarations")
		for _, s := range tab.Sections() {
			switch rapid.IntRange(0, 2).Draw(r, s.Key) {
			case 0:
				property, _ := properties[s.Key].(map[string]any)
				body[s.Key] = generator{r}.value(property, s.Key)
			case 1:
				delete(body, s.Key)
				if s.Declarable() {
					body["section_declarations"] = map[string]any{s.Key: "none"}
				}
			}
		}
		spaces(body)
		a, sheet := readBody(t, tab, body)
		dropEmptyItems(sheet)
		for key, rows := range sheet {
			if s, _ := tab.Section(key); s.Shape == assessment.List {
				for i := range rows {
					rows[i].ID = int64(rapid.IntRange(0, 1).Draw(r, "kept")) * int64(i+1)
				}
			}
		}
		cells := tab.Cells(a, sheet)
		back, wrong := tab.Body(rapid.Permutation(cells).Draw(r, "in any order"))
		require.Empty(r, wrong)
		again, sheetAgain := readBody(t, tab, back)
		require.Equal(r, a, again)
		require.Equal(r, sheet, sheetAgain)
		require.Len(r, tab.Heading(cells), len(cells))
	})
}

// spaces removes texts that are blank: a file cannot tell them from empty cells.
func spaces(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(v)) {
			if s, ok := v[key].(string); ok && strings.TrimSpace(s) == "" {
				v[key] = "x"
			}
			spaces(v[key])
		}
	case []any:
		for _, item := range v {
			spaces(item)
		}
	}
}

// dropEmptyItems removes what has no cell: objects and lists with nothing in them.
func dropEmptyItems(sheet assessment.Sheet) {
	for key, rows := range sheet {
		for _, row := range rows {
			for name, v := range row.Values {
				if list, ok := v.([]any); ok && len(list) == 0 {
					delete(row.Values, name)
				}
			}
		}
		rows = slices.DeleteFunc(rows, func(r assessment.Row) bool { return len(r.Values) == 0 })
		if sheet[key] = rows; len(rows) == 0 {
			delete(sheet, key)
		}
	}
}

func TestBodyNamesTheColumn(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for name, c := range map[string]struct {
		cells    []assessment.Cell
		at, says string
	}{
		"no such column":     {[]assessment.Cell{{"fertilizers[0].price", "5"}}, "fertilizers[0].price", "no such column"},
		"the pattern itself": {[]assessment.Cell{{"fertilizers[].product", "urea"}}, "fertilizers[].product", "no such column"},
		"no number":          {[]assessment.Cell{{"soil.ph", "6,5"}}, "soil.ph", "point for decimals"},
		"not finite":         {[]assessment.Cell{{"soil.ph", "NaN"}}, "soil.ph", "is not a number"},
		"neither":            {[]assessment.Cell{{"irrigation[0].energy_counted_elsewhere", "maybe"}}, "irrigation[0].energy_counted_elsewhere", "neither true nor false"},
		"twice":              {[]assessment.Cell{{"soil.ph", "6"}, {"soil.ph", "7"}}, "soil.ph", "twice"},
		"a gap":              {[]assessment.Cell{{"fertilizers[1].product", "urea"}}, "fertilizers[0]", "without gaps"},
		"too many":           {[]assessment.Cell{{"fertilizers[500].product", "urea"}}, "fertilizers[500].product", "no such column"},
		"a huge number":      {[]assessment.Cell{{"fertilizers[99999999999].product", "urea"}}, "fertilizers[99999999999].product", "no such column"},
		"too many below":     {[]assessment.Cell{{"land_management.changes[4].year", "2000"}}, "land_management.changes[0]", "without gaps"},
	} {
		_, wrong := tab.Body(c.cells)
		require.Contains(t, wrong, c.at, name)
		require.Contains(t, wrong[c.at].([]string)[0], c.says, name)
	}
	body, wrong := tab.Body([]assessment.Cell{{"soil.ph", " 6.5 "}, {"soil.notes", " as it is "}, {"soil.texture", "fine "}, {"crop.crop_type", "  "}, {"irrigation[0].energy_counted_elsewhere", "TRUE"}})
	require.Empty(t, wrong)
	require.Equal(t, map[string]any{
		"soil":       map[string]any{"ph": 6.5, "notes": " as it is ", "texture": "fine"},
		"irrigation": []any{map[string]any{"energy_counted_elsewhere": true}},
	}, body)
}

// FuzzBody passes names and texts as files hold them.
func FuzzBody(f *testing.F) {
	tab := table(f)
	f.Add("fertilizers[0].rate.value", "5", "fertilizers[0].rate", "6")
	f.Add("residues.management[1].practice", "removed", "residues[0]", "")
	f.Add("soil[0].ph", "5", "][", "x")
	f.Fuzz(func(t *testing.T, one, first, two, second string) {
		body, wrong := tab.Body([]assessment.Cell{{Name: one, Text: first}, {Name: two, Text: second}})
		if len(wrong) > 0 {
			require.Nil(t, body)
			return
		}
		for _, s := range tab.Sections() {
			if rows, wrong := tab.Check(s.Key, body[s.Key]); len(wrong) == 0 {
				tab.Cells(&assessment.Assessment{}, assessment.Sheet{s.Key: rows})
			} else {
				require.IsType(t, fault.Fields{}, wrong)
			}
		}
	})
}
