package labtable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/stratification/sample"
)

func TestWhatColumnsMean(t *testing.T) {
	for header, want := range map[string]struct {
		name, unit string
		factor     float64
	}{
		"soc_pct": {"soc_pct", "%", 1}, "SOC [g/kg]": {"soc_pct", "g/kg", .1}, "Corg (g kg⁻¹)": {"soc_pct", "g/kg", .1}, "TOC mg/kg": {"soc_pct", "mg/kg", 1e-4},
		"Soil organic carbon, %": {"soc_pct", "%", 1}, "OC ‰": {"soc_pct", "g/kg", .1}, "organic_c kg/kg": {"soc_pct", "kg/kg", 100}, "SOC LOD [g/100 g]": {"soc_limit_pct", "%", 1},
		"bulk_density_g_cm3": {"bulk_density_g_cm3", "g/cm³", 1}, "BD (kg/m³)": {"bulk_density_g_cm3", "kg/m³", .001}, "Bulk density Mg m-3": {"bulk_density_g_cm3", "g/cm³", 1},
		"Stones (vol-%)": {"coarse_fragments_pct", "%", 1}, "coarse fragments m3/m3": {"coarse_fragments_pct", "m³/m³", 100},
		"Sample ID": {"label", "", 1}, "Sampling date": {"collected_at", "", 1}, "Lab No.": {"lab_ref", "", 1}, "pH (CaCl2)": {"", "", 1}, "soc_method": {"", "", 1}, "depth": {"", "", 1},
	} {
		name, unit, err := meaning(header)
		require.NoError(t, err, header)
		require.Equal(t, []any{want.name, want.unit}, []any{name, unit.Shown}, header)
		require.InDelta(t, want.factor, unit.Factor(), 1e-12, header)
	}
	for want, header := range map[string][]string{
		`"SOC" states no unit`:                    {"label", "SOC"},
		"cannot be converted to soc_pct":          {"label", "SOC [mmol/l]"},
		"cannot be converted to coarse_fragments": {"label", "stones (g/kg)"}, // of the mass: converting it takes the density of stones
		"no column label":                         {"soc_pct"},
		"Two columns are soc_pct":                 {"label", "soc_pct", "Corg [g/kg]"},
		"Two columns are label":                   {"sample id", "sample no"},
	} {
		_, err := Columns(header)
		require.True(t, fault.Is(err, fault.Invalid))
		require.ErrorContains(t, err, want)
	}
	for _, header := range [][]string{{"Sample", "label"}, {"label", "Sample"}} {
		columns, err := Columns(header)
		require.NoError(t, err)
		for _, c := range columns {
			require.Equal(t, c.Header == "label", c.Name == "label", "the very name counts")
		}
	}
}

func TestColumnsThatAreNotKnown(t *testing.T) {
	columns, err := Columns([]string{"Sample", "label", "Metod", "pH", "zone", "SOC [g/kg]", ""})
	require.NoError(t, err)
	unknown := Unknown(columns)
	require.Equal(t, []string{"Metod", "pH"}, unknown.Unknowns(), "what an export shows is passed over")
	require.Contains(t, unknown.Messages()["Metod"][0], `There is no such column: did you mean "method"?`)

	_, err = Columns([]string{"lable", "soc_pct"})
	refused, _ := fault.As(err)
	require.Equal(t, fault.CodeUnknownName, refused.Code)
	require.Contains(t, refused.Message, `lable (did you mean "label"?)`)
	require.Equal(t, []string{"The header has no column label."}, refused.Fields.Messages()["file"])
}

// read reads rows under a header, in a table whose columns are separated by semicolons.
func read(t *testing.T, options Options, header []string, rows ...[]string) []Row {
	t.Helper()
	columns, err := Columns(header)
	require.NoError(t, err)
	options.Commas = true
	table, err := Read(columns, rows, options)
	require.NoError(t, err)
	return table.Rows
}

func TestValuesOfRows(t *testing.T) {
	limit := .4
	header := []string{"label", "SOC [g/kg]", "BD [kg/m3]", "stones %", "sampled at"}
	for cell, want := range map[string]struct {
		soc, limit float64 // %
		remark     string
		wrong      string
	}{
		"23,4":     {soc: 2.34},
		"< 5":      {soc: .25, limit: .5, remark: "soc_pct: < 5 is below the limit of 0.5 %; half of the limit is used, 0.25 %."},
		"<LOD":     {soc: .2, limit: .4, remark: "half of the limit is used, 0.2 %."},
		"3":        {soc: .2, limit: .4, remark: "3 is below the limit of 0.4 %"},
		"n.d.":     {wrong: "not detected or not determined"},
		"> 100":    {wrong: "is not a number"},
		"1.234,5":  {wrong: "is not a number"},
		"NaN":      {wrong: "is not a number"},
		"< little": {wrong: "is not a number"},
	} {
		columns, err := Columns(header)
		require.NoError(t, err)
		r := reader{cells: map[string]string{"label": "a", "soc_pct": cell}, units: map[string]Unit{"soc_pct": columns[1].Unit}, options: Options{Commas: true, SOCLimitPct: &limit}, row: Row{Errors: fault.Fields{}}}
		row := r.read()
		if want.wrong != "" {
			require.Contains(t, row.Errors.Messages()["soc_pct"][0], want.wrong, cell)
			continue
		}
		require.Empty(t, row.Errors, cell)
		require.InDelta(t, want.soc, *row.Says.SOCPct, 1e-15, cell)
		if want.limit > 0 {
			require.InDelta(t, want.limit, *row.Says.SOCLimitPct, 1e-15, cell)
			require.Contains(t, row.Remarks[0], want.remark)
			continue
		}
		require.Nil(t, row.Says.SOCLimitPct, cell)
	}
	rows := read(t, Options{}, header, []string{"a", "-", "1300", "<2", "1.3.2026"}, []string{"b", "<LOQ", "<1000", "n.a.", "03/01/2026"})
	require.Equal(t, []any{1.3, 1.0}, []any{*rows[0].Says.BulkDensity, *rows[0].Says.Fragments})
	require.Nil(t, rows[0].Says.SOCPct)
	require.Equal(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), *rows[0].Says.CollectedAt)
	require.Len(t, rows[1].Errors, 3)
	require.Contains(t, rows[1].Errors.Messages()["soc_pct"][0], "states no limit")

	columns, err := Columns([]string{"label", "soc_pct"})
	require.NoError(t, err)
	_, err = Read(columns, [][]string{{"a.1", "1,234"}, {"b", "2.5"}}, Options{Commas: true})
	require.ErrorContains(t, err, "1,234 in row 0; 2.5 in row 1")
	_, err = Read(columns, [][]string{{"a.1", "1,234"}, {"b", "2,5"}}, Options{Commas: true})
	require.NoError(t, err)
}

func TestRepeatedLabels(t *testing.T) {
	header := []string{"label", "soc_pct", "bd g/cm3", "lab_ref"}
	again := func(mean bool) []Row {
		rows := read(t, Options{}, header, []string{"a", "2", "1,3", ""}, []string{"b", "1", "", ""}, []string{"a", "3", "", "7"}, []string{"b", "1", "", ""}, []string{"c", "<1", "", ""}, []string{"c", "<2", "", ""})
		Repeats(rows, mean)
		return rows
	}
	rows := again(false)
	require.Contains(t, rows[2].Errors.Messages()["label"][0], `"a" occurs in rows 0, 2, which differ`)
	require.Equal(t, rows[0].Errors, rows[2].Errors)
	require.Equal(t, []int{-1, 1}, []int{rows[1].Instead, rows[3].Instead}, "the same twice counts once")
	require.Equal(t, []string{"It says the same as row 1."}, rows[3].Remarks)
	rows = again(true)
	require.Empty(t, rows[0].Errors)
	require.Equal(t, []any{2.5, 1.3, "7", -1, 0}, []any{*rows[0].Says.SOCPct, *rows[0].Says.BulkDensity, rows[0].Says.Ref, rows[0].Instead, rows[2].Instead})
	require.Equal(t, []any{.75, 1.5}, []any{*rows[4].Says.SOCPct, *rows[4].Says.SOCLimitPct}, "all are below their limits")
	require.Equal(t, []string{"It is the mean of rows 0, 2."}, rows[0].Remarks)
}

// A row without a date takes the day of its round; if the round has none, the row is refused.
func TestDatesOfRows(t *testing.T) {
	day := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	row := read(t, Options{}, []string{"label", "soc_pct"}, []string{"a", "2"})[0]
	planned := sample.Sample{Round: 2, Status: sample.StatusPlanned}
	_, _, wrong := row.Apply(planned)
	require.Contains(t, wrong.Messages()["collected_at"][0], "sampled_on")
	planned.SampledOn = &day
	after, remarks, wrong := row.Apply(planned)
	require.Empty(t, wrong)
	require.Equal(t, []string{"collected_at: the day of round 2, 2024-03-01, is used."}, remarks)
	require.Equal(t, []any{day, sample.StatusAnalysed, 2.0}, []any{after.Collected.At, after.Status, after.Lab.SOCPct})
	taken := planned
	taken.Collected, taken.Status = &sample.Collected{At: day.Add(time.Hour)}, sample.StatusCollected
	after, remarks, wrong = row.Apply(taken)
	require.Empty(t, remarks)
	require.Empty(t, wrong)
	require.Equal(t, taken.Collected, after.Collected, "what the crew recorded stays")
}

// The result of pooled soil is that of the composite, which has no place.
func TestRowsOfComposites(t *testing.T) {
	t.Parallel()
	pooled := sample.Sample{PlanID: 7, Round: 1, Point: "Z1-02", Zone: 1, Composite: "Z1-C1", Depth: sample.DepthOf(0, 30), Label: "P7-Z1-02-0-30", Lab: &sample.Lab{SOCPct: 2}}
	single, missed := pooled, pooled
	single.Composite, missed.Status = "", sample.StatusMissed
	for name, tc := range map[string]struct {
		of     sample.Sample
		header []string
		row    []string
		wrong  string
	}{
		"result of the composite": {pooled, []string{"label", "soc_pct"}, []string{"P7-Z1-C1-0-30", "3"}, ""},
		"place of a composite":    {pooled, []string{"label", "lon", "lat"}, []string{"P7-Z1-C1-0-30", "6", "52"}, "A composite has no place"},
		"all were missed":         {missed, []string{"label", "soc_pct"}, []string{"P7-Z1-C1-0-30", "3"}, "were missed"},
		"result of one point":     {pooled, []string{"label", "soc_pct"}, []string{"P7-Z1-02-0-30", "3"}, "is in the composite P7-Z1-C1-0-30"},
		"the same said again":     {pooled, []string{"label", "soc_pct"}, []string{"P7-Z1-02-0-30", "2"}, ""},
		"place of a point":        {pooled, []string{"label", "lon", "lat"}, []string{"P7-Z1-02-0-30", "6", "52"}, ""},
		"by itself":               {single, []string{"label", "soc_pct"}, []string{"P7-Z1-02-0-30", "3"}, ""},
	} {
		err := read(t, Options{}, tc.header, tc.row)[0].Pooling([]sample.Sample{tc.of}).Err()
		if tc.wrong == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, tc.wrong, name)
		}
	}
}
