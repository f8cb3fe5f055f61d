package dashboard_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/engine"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/ghg/report"
	"tilth/core/verification"
)

func table(t require.TestingT) *assessment.Table {
	mapping, err := engine.Mapping()
	require.NoError(t, err)
	return assessment.NewTable(mapping)
}

func at[T any](v T) *T { return &v }

func reported(emissions, main float64, ha, tonnes *float64, lines ...report.SourceLine) report.Report {
	return report.Report{
		Totals: report.Totals{Emissions: emissions, Removals: emissions / 10}, BySource: lines,
		FunctionalUnit: report.FunctionalUnit{AreaHa: ha, ProductT: tonnes}, Allocation: report.Allocation{Main: main},
	}
}

func submitted(year *int, r report.Report, checked *verification.Record) dashboard.Facts {
	a := assessment.Assessment{Year: year, Status: assessment.Submitted, SubmittedVersion: 2, Completeness: 100, Ready: true}
	return dashboard.FactsOf(&a, nil, dashboard.FiguresOf(2, r), checked)
}

func compose(t *testing.T, year *int, all ...dashboard.Facts) dashboard.Dashboard {
	var contributions []dashboard.Contribution
	for _, f := range all {
		contributions = append(contributions, f.Contribution())
	}
	return dashboard.Compose(table(t), sumsOf(contributions), year)
}

func TestNothingIsAllZeros(t *testing.T) {
	t.Parallel()
	d := compose(t, nil)
	require.Zero(t, d.Summary)
	require.Equal(t, dashboard.Carbon{EmissionsByModel: []dashboard.Part{}, RemovalsBySource: []dashboard.Part{}}, d.Carbon)
	require.Zero(t, d.Verification.Rate)
	require.Zero(t, d.Verification.AverageConfidence)
	require.Len(t, d.Verification.ByStatus, 4)
	require.Empty(t, d.Trend)
	require.Empty(t, d.Issues)
	require.Len(t, d.Sections, 16)
	for _, s := range d.Sections {
		require.Equal(t, assessment.NotStarted, s.Status)
		require.Len(t, s.ByStatus, 3)
		require.Zero(t, s.Completion)
	}
}

// TestIntensitiesAreSumOverSum checks that a small farm with a large figure does not count as much as a large one, and
// that what has no denominator is in neither part.
func TestIntensitiesAreSumOverSum(t *testing.T) {
	t.Parallel()
	d := compose(t, nil,
		submitted(at(2024), reported(100, 80, at(1.0), at(10.0)), nil),
		submitted(at(2024), reported(300, 300, at(99.0), at(90.0)), nil),
		submitted(at(2023), reported(1000, 1000, nil, nil), nil),
	)
	require.Equal(t, 1400.0, d.Carbon.Emissions, "the totals hold all")
	require.Equal(t, 140.0, d.Carbon.Removals)
	require.Equal(t, 1260.0, d.Carbon.Balance)
	require.Equal(t, 4.0, d.Carbon.EmissionsPerHa, "400 t on 100 ha; the mean of ratios would be 51.5")
	require.Equal(t, 0.4, d.Carbon.RemovalsPerHa)
	require.Equal(t, 3.6, d.Carbon.NetPerHa)
	require.Equal(t, 3.8, d.Carbon.EmissionsPerT, "what is allocated to the main product, over its tonnes")
}

func TestPartsAddUp(t *testing.T) {
	t.Parallel()
	d := compose(t, nil,
		submitted(nil, reported(3, 3, nil, nil, report.SourceLine{Label: "machinery", CO2e: 1}, report.SourceLine{Label: "urea_co2", CO2e: 2}), nil),
		submitted(nil, reported(2, 2, nil, nil, report.SourceLine{Label: "machinery", CO2e: 1}, report.SourceLine{Label: "transport", CO2e: 1}, report.SourceLine{Label: "electricity"}), nil),
	)
	require.Equal(t, []dashboard.Part{{"machinery", 2}, {"urea_co2", 2}, {"transport", 1}}, d.Carbon.EmissionsByModel,
		"the largest first, of equals by label, zeros left out")
	require.Empty(t, d.Trend, "without a year there is no place in the trend")
	require.Zero(t, d.Summary.LatestYear)
	require.EqualValues(t, 2, d.Summary.Total)
}

// TestOnlyWhatWasSubmittedCounts checks that a draft adds no carbon, and that a check of an earlier version does not
// count.
func TestOnlyWhatWasSubmittedCounts(t *testing.T) {
	t.Parallel()
	verified := &verification.Record{Version: 2, Outcome: verification.Outcome{Status: verification.Verified, Confidence: 0.8, CropType: "maize"}}
	failed := &verification.Record{Version: 2, Outcome: verification.Outcome{Status: verification.Failed, Confidence: 0.6, CropType: "maize"}}
	old := *verified
	old.Version = 1
	draft := dashboard.FactsOf(&assessment.Assessment{Year: at(2022), Status: assessment.Draft, Completeness: 33.3}, nil, dashboard.FiguresOf(2, reported(5, 5, nil, nil)), verified)
	r := reported(1, 1, nil, nil)
	d := compose(t, nil, draft, submitted(at(2024), r, verified), submitted(at(2024), r, verified), submitted(at(2024), r, failed), submitted(at(2020), r, &old))
	require.Equal(t, 4.0, d.Carbon.Emissions)
	require.Equal(t, map[verification.Status]int64{"verified": 2, "failed": 1, "processing": 0, "pending": 1}, d.Verification.ByStatus)
	require.Equal(t, 66.67, d.Verification.Rate)
	require.Equal(t, 0.7333, d.Verification.AverageConfidence)
	require.Equal(t, []dashboard.CropCount{{"maize", 2}}, d.Verification.CropTypes)
	require.Equal(t, []dashboard.Year{{2020, 100, 1, 0.1, 0.9}, {2022, 33.3, 0, 0, 0}, {2024, 100, 3, 0.3, 2.7}}, d.Trend, "2021 and 2023 are not made up")
	narrow := compose(t, at(2022), draft, submitted(at(2024), r, verified))
	require.EqualValues(t, 1, narrow.Summary.Total)
	require.Equal(t, 2022, narrow.Summary.LatestYear)
	require.Len(t, narrow.Trend, 2)
}

func TestSections(t *testing.T) {
	t.Parallel()
	section := func(key string, status assessment.SectionStatus, filled int, missing ...string) assessment.SectionState {
		s := assessment.SectionState{Section: key, Applies: true, Status: status, Filled: filled, Required: 4}
		for _, m := range missing {
			s.Missing = append(s.Missing, assessment.Missing{Field: m})
		}
		return s
	}
	with := func(states ...assessment.SectionState) dashboard.Facts {
		return dashboard.FactsOf(&assessment.Assessment{Status: assessment.Draft}, states, dashboard.Figures{}, nil)
	}
	rice := section("rice", assessment.NotStarted, 0, "rice.water_regime")
	rice.Applies = false
	d := compose(t, nil,
		with(section("soil", assessment.Complete, 4), section("fertilizers", assessment.InProgress, 1, "fertilizers[].rate", "fertilizers[].rate", "fertilizers[].product"), rice),
		with(section("soil", assessment.Complete, 4), section("fertilizers", assessment.NotStarted, 0, "fertilizers[].product")),
	)
	by := map[string]dashboard.Section{}
	for _, s := range d.Sections {
		by[s.Key] = s
	}
	require.Equal(t, assessment.Complete, by["soil"].Status)
	require.Equal(t, 100.0, by["soil"].Completion)
	require.Equal(t, assessment.InProgress, by["fertilizers"].Status)
	require.Equal(t, 12.5, by["fertilizers"].Completion)
	require.EqualValues(t, 4, by["fertilizers"].Missing)
	require.Zero(t, by["rice"].Assessments, "it does not apply")
	require.Equal(t, []string{"fertilizers[].product", "fertilizers[].rate"}, []string{d.Issues[0].Field, d.Issues[1].Field})
	require.EqualValues(t, []int64{2, 1}, []int64{d.Issues[0].Count, d.Issues[1].Count}, "a field that two items lack is one assessment's")
	require.NotEmpty(t, d.Issues[0].Label)
	require.Len(t, d.Issues, 2)
}

// TestChangesNeverDrift checks that sums which are changed step by step are those of the final assessments, to the
// gram.
func TestChangesNeverDrift(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) dashboard.Contribution {
			year := at(rapid.IntRange(2020, 2023).Draw(t, label+" year"))
			if *year == 2020 {
				year = nil
			}
			e := rapid.Float64Range(0, 1e7).Draw(t, label)
			return submitted(year, reported(e, e/3, at(e/7), at(e/11), report.SourceLine{Label: "machinery", CO2e: e / 3}), nil).Contribution()
		}
		sums := map[int]dashboard.Cells{}
		var live []dashboard.Contribution
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			var before, after []dashboard.Contribution
			if len(live) > 0 && rapid.Bool().Draw(t, "replace or remove") {
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				before = live[i : i+1 : i+1]
				live = slices.Concat(live[:i], live[i+1:])
			}
			if len(before) == 0 || rapid.Bool().Draw(t, "replace") {
				after = []dashboard.Contribution{draw("new")}
				live = append(live, after...)
			}
			changes := dashboard.Changes(before, after)
			for i, c := range changes {
				require.NotZero(t, c.By)
				if i > 0 {
					p := changes[i-1]
					require.True(t, p.Year < c.Year || p.Year == c.Year && (p.Kind < c.Kind || p.Kind == c.Kind && p.Key < c.Key), "one order of locks")
				}
				if sums[c.Year] == nil {
					sums[c.Year] = dashboard.Cells{}
				}
				if sums[c.Year][c.Cell] += c.By; sums[c.Year][c.Cell] == 0 {
					delete(sums[c.Year], c.Cell)
				}
				if len(sums[c.Year]) == 0 {
					delete(sums, c.Year)
				}
			}
		}
		require.Equal(t, sumsOf(live), sums)
	})
}

// TestFiguresAreBounded checks that a faulty engine cannot make a sum overflow.
func TestFiguresAreBounded(t *testing.T) {
	t.Parallel()
	f := dashboard.FiguresOf(1, reported(1e300, -1e300, at(1e300), nil))
	require.EqualValues(t, 1e15, f.Emissions)
	require.EqualValues(t, -1e15, f.Allocated)
}

// sumsOf adds up contributions, by year: what the kept sums must be.
func sumsOf(all []dashboard.Contribution) map[int]dashboard.Cells {
	out := map[int]dashboard.Cells{}
	for _, c := range dashboard.Changes(nil, all) {
		if out[c.Year] == nil {
			out[c.Year] = dashboard.Cells{}
		}
		out[c.Year][c.Cell] = c.By
	}
	return out
}
