package assessment_test

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/exchange"
	"tilth/core/assessment"
	"tilth/core/fault"
)

// stored is a file in memory.
type stored struct{ *bytes.Reader }

func (stored) Close() error { return nil }

// written writes assessments as a file, as an export does.
func written(t require.TestingT, tab *assessment.Table, a *assessment.Assessment, sheet assessment.Sheet) string {
	cells := tab.Cells(a, sheet)
	heading := tab.FileHeading(cells)
	row := make([]string, len(heading))
	for _, cell := range cells {
		row[slices.Index(heading, cell.Name)] = cell.Text
	}
	file := func(format string) string {
		var out bytes.Buffer
		require.NoError(t, exchange.AssessmentTables{}.Write(&out, format, heading, func(yield func([]string, error) bool) { yield(row, nil) }))
		return out.String()
	}
	workbook := stored{bytes.NewReader([]byte(file("xlsx")))}
	names, err := exchange.AssessmentTables{}.Heading(workbook, "")
	require.NoError(t, err)
	require.Equal(t, heading, names)
	for read, err := range (exchange.AssessmentTables{}).Rows(workbook, "") {
		require.NoError(t, err)
		require.Equal(t, row, read.Texts, "a workbook returns every text to the letter")
	}
	return file("csv")
}

// readBack reads the one row of a file, in which nothing is wrong.
func readBack(t require.TestingT, tab *assessment.Table, file string) (*assessment.Heading, assessment.FileRow) {
	heading, row := readRow(t, tab, file)
	require.Empty(t, row.Errors)
	return heading, row
}

func readRow(t require.TestingT, tab *assessment.Table, file string) (*assessment.Heading, assessment.FileRow) {
	object := stored{bytes.NewReader([]byte(file))}
	names, err := exchange.AssessmentTables{}.Heading(object, "")
	require.NoError(t, err)
	heading, wrong := tab.ReadHeading(names)
	require.Empty(t, wrong)
	next, stop := iter.Pull2(exchange.AssessmentTables{}.Rows(object, ""))
	defer stop()
	texts, err, more := next()
	require.NoError(t, err)
	require.True(t, more)
	return heading, heading.Row(texts.Texts)
}

// rebuilt is what a row makes of an assessment; before is nil for a new one.
func rebuilt(t require.TestingT, tab *assessment.Table, h *assessment.Heading, row assessment.FileRow, before *assessment.Assessment, have assessment.Sheet) (assessment.Assessment, assessment.Sheet) {
	a, sections, declarations := h.Over(&row, before, have)
	require.Empty(t, a.CheckGeneral())
	a.Status = assessment.Draft
	sheet := assessment.Sheet{}
	for key, sent := range sections {
		rows, wrong := tab.Check(key, sent)
		require.Empty(t, wrong, key)
		s, _ := tab.Section(key)
		if s.Shape == assessment.Object && len(rows) > 0 && len(rows[0].Values) == 0 {
			continue
		}
		if len(rows) > 0 {
			sheet[key] = rows
		}
	}
	var wrong fault.Fields
	a.Declarations, wrong = tab.CheckDeclarations(declarations, sheet)
	require.Empty(t, wrong)
	return a, sheet
}

// TestFilesGoThereAndBack exports what was entered at random, imports it as a new assessment and over the old one, and
// exports it again: nothing differs. Texts include those that spreadsheets take for formulas, and those of several
// lines.
func TestFilesGoThereAndBack(t *testing.T) {
	t.Parallel()
	tab := table(t)
	properties, _ := plain(t, tab.Schema())["properties"].(map[string]any)
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
		soil := assessment.Values{"soil_class": "sandy"}
		soil["notes"] = rapid.SampledFrom([]string{"=1+1", "'quoted", "''", "-5", "@x", "+1 more", "a\nb", "a,b;c\"d", "\tx", "ü"}).Draw(r, "notes")
		sheet["soil"] = []assessment.Row{{Values: soil}}
		delete(a.Declarations, "soil")
		for key, rows := range sheet {
			if s, _ := tab.Section(key); s.Shape == assessment.List {
				for i := range rows {
					rows[i].ID = int64(i + 1)
				}
			}
		}
		file := written(r, tab, a, sheet)
		heading, row := readBack(r, tab, file)
		again, sheetAgain := rebuilt(r, tab, heading, row, a, sheet)
		require.Equal(r, *a, again)
		require.Equal(r, sheet, sheetAgain)
		require.Equal(r, file, written(r, tab, &again, sheetAgain))

		fresh, newSheet := rebuilt(r, tab, heading, row, nil, nil)
		require.Equal(r, *a, fresh)
		for key, rows := range newSheet {
			require.Len(r, rows, len(sheet[key]))
			for i := range rows {
				require.Zero(r, rows[i].ID, "the items of a new assessment are new")
				require.Equal(r, sheet[key][i].Values, rows[i].Values)
			}
		}
		require.Len(r, newSheet, len(sheet))
	})
}

func TestRowsLayOverWhatThereIs(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	for name, c := range map[string]struct {
		heading, row []string
		holds        func(t *testing.T, a assessment.Assessment, sheet assessment.Sheet)
	}{
		"one member": {[]string{"soil.ph"}, []string{"6.5"}, func(t *testing.T, got assessment.Assessment, s assessment.Sheet) {
			require.Equal(t, assessment.Values{"soil_class": "high_activity_clay", "ph": 6.5}, s["soil"][0].Values)
			require.Equal(t, a.GrowingArea, got.GrowingArea)
		}},
		"a part of an amount": {[]string{"crop.harvested_yield.value", "growing_area.value"}, []string{"9", "11"}, func(t *testing.T, got assessment.Assessment, s assessment.Sheet) {
			require.Equal(t, map[string]any{"value": 9.0, "unit": "t/ha"}, s["crop"][0].Values["harvested_yield"])
			require.Equal(t, map[string]any{"value": 11.0, "unit": "ha"}, got.GrowingArea)
		}},
		"an empty cell empties": {[]string{"climate_region", "crop.harvested_yield.value", "crop.harvested_yield.unit"}, []string{"", "", ""}, func(t *testing.T, got assessment.Assessment, s assessment.Sheet) {
			require.Empty(t, got.ClimateRegion)
			require.Equal(t, assessment.Values{"crop_type": "winter_wheat"}, s["crop"][0].Values)
		}},
		"a list is replaced": {[]string{"fertilizers[0].product"}, []string{"can"}, func(t *testing.T, _ assessment.Assessment, s assessment.Sheet) {
			require.Equal(t, assessment.Values{"product": "can"}, s["fertilizers"][0].Values)
		}},
		"items end a declaration": {[]string{"irrigation[0].method"}, []string{"drip"}, func(t *testing.T, got assessment.Assessment, s assessment.Sheet) {
			require.Len(t, s["irrigation"], 1)
			require.False(t, got.Declarations.None("irrigation"))
			require.True(t, got.Declarations.None("transport"))
		}},
		"a declaration goes": {[]string{"section_declarations.transport"}, []string{""}, func(t *testing.T, got assessment.Assessment, _ assessment.Sheet) {
			require.False(t, got.Declarations.None("transport"))
			require.True(t, got.Declarations.None("irrigation"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heading, wrong := tab.ReadHeading(c.heading)
			require.Empty(t, wrong)
			row := heading.Row(c.row)
			require.Empty(t, row.Errors)
			row.ResourceType, row.ResourceID = a.ResourceType, a.ResourceID
			got, over := rebuilt(t, tab, heading, row, a, sheet)
			c.holds(t, got, over)
		})
	}
}

func TestHeadingsAreRefused(t *testing.T) {
	t.Parallel()
	tab := table(t)
	_, wrong := tab.ReadHeading([]string{"id", "soil.ph", "soil.ph", "comment", "fertilizers[].product", "", "status"})
	require.ElementsMatch(t, []string{"soil.ph", "comment", "fertilizers[].product", fault.NonField}, slices.Collect(func(yield func(string) bool) {
		for key := range wrong {
			if !yield(key) {
				return
			}
		}
	}))
	_, wrong = tab.ReadHeading([]string{"fertilizers[2].prodct", "growing_area.valu", "colour", "fertilizers[].rate.unit", "fertilizers[500].product"})
	for name, says := range map[string]string{
		"fertilizers[2].prodct": `did you mean "fertilizers[2].product"?`, "growing_area.valu": `did you mean "growing_area.value"?`, "colour": "the template has them all",
		"fertilizers[].rate.unit": `did you mean "fertilizers[0].rate.unit"?`, "fertilizers[500].product": "the template has them all",
	} {
		require.Contains(t, wrong.Messages()[name][0], says)
	}
	refused, _ := fault.As(wrong.Err())
	require.Equal(t, fault.CodeUnknownName, refused.Code)
	_, wrong = tab.ReadHeading(tab.Template())
	require.Empty(t, wrong, "the template is one that is taken")
}

// TestUnchangedRowsAreTheSame exports what was entered at random, including odd values that no file can express, and
// reads it back: it is the same; with any one text changed it is not.
func TestUnchangedRowsAreTheSame(t *testing.T) {
	t.Parallel()
	tab := table(t)
	properties, _ := plain(t, tab.Schema())["properties"].(map[string]any)
	odd := []any{nil, map[string]any{}, map[string]any{"value": "10", "unit": "ha"}, map[string]any{"value": "ten"}, map[string]any{"value": 10.0, "unit": 5.0, "note": "x"}}
	rapid.Check(t, func(r *rapid.T) {
		body, _ := tree(t, wheat).(map[string]any)
		delete(body, "section_declarations")
		for _, s := range tab.Sections() {
			if rapid.IntRange(0, 2).Draw(r, s.Key) == 0 {
				property, _ := properties[s.Key].(map[string]any)
				body[s.Key] = generator{r}.value(property, s.Key)
			}
		}
		body["growing_area"] = rapid.SampledFrom(odd).Draw(r, "area")
		a, sheet := readBody(t, tab, body)
		a.Declarations = rapid.SampledFrom([]assessment.Declarations{nil, {}, {"irrigation": "none"}}).Draw(r, "declared")
		if len(sheet["irrigation"]) > 0 {
			a.Declarations = nil
		}
		soil := assessment.Values{"soil_class": "sandy", "carbon_history": []any{}}
		soil["notes"] = rapid.SampledFrom([]string{" ", "a\r\nb", "=1", "'", "\t", " x ", "\r"}).Draw(r, "notes")
		sheet["soil"] = []assessment.Row{{Values: soil}}
		for key, rows := range sheet {
			for i := range rows {
				if s, _ := tab.Section(key); s.Shape == assessment.List {
					rows[i].ID = int64(i + 1)
				}
			}
		}
		heading, row := readRow(r, tab, written(r, tab, a, sheet))
		require.True(r, heading.Same(&row, a, sheet))
		changed := maps.Clone(soil)
		changed["soil_class"] = "volcanic"
		require.False(r, heading.Same(&row, a, withSoil(sheet, changed)))
		require.False(r, heading.Same(&row, a, withSoil(sheet, nil)))
		changed["soil_class"], changed["ph"] = "sandy", 6.5
		other, more := readRow(r, tab, written(r, tab, a, withSoil(sheet, changed)))
		require.False(r, other.Same(&more, a, sheet), "a value that the assessment does not have")
		require.True(r, heading.Same(&row, a, withSoil(sheet, changed)), "a member without a column stays")
		moved := *a
		moved.ResourceID++
		require.False(r, heading.Same(&row, &moved, sheet))
	})
}

func withSoil(sheet assessment.Sheet, soil assessment.Values) assessment.Sheet {
	out := maps.Clone(sheet)
	if delete(out, "soil"); soil != nil {
		out["soil"] = []assessment.Row{{Values: soil}}
	}
	return out
}
