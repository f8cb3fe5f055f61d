package assessment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/record"
)

func TestCarry(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	a.Status, a.SubmittedVersion, a.Completeness, a.Ready = assessment.Submitted, 3, 100, true
	sheet["crop"][0].Values["planting_date"], sheet["crop"][0].Values["harvest_date"] = "2023-10-10", "2024-08-01"
	sheet["fertilizers"][0].Values["date"] = "2024-03-01"
	sheet["fertilizers"][0].ID = 7
	sheet["land_management"][0].Values["changes"] = []any{map[string]any{"year": 2010.0, "tillage": "full"}}

	next, carried := tab.Carry(a, sheet, 2025)
	require.Equal(t, 2025, *next.Year)
	require.Equal(t, 2024, *a.Year)
	require.Equal(t, assessment.Draft, next.Status)
	require.Zero(t, next.SubmittedVersion)
	require.Zero(t, next.Completeness)
	require.Equal(t, a.Declarations, next.Declarations)
	require.Equal(t, a.GrowingArea, next.GrowingArea)
	require.Equal(t, assessment.Values{"crop_type": "winter_wheat", "harvested_yield": map[string]any{"value": 8.0, "unit": "t/ha"}}, carried["crop"][0].Values)
	require.NotContains(t, carried["fertilizers"][0].Values, "date")
	require.Zero(t, carried["fertilizers"][0].ID)
	require.Equal(t, sheet["land_management"][0].Values, carried["land_management"][0].Values, "the history of the land keeps its years")
	require.Equal(t, "2024-03-01", sheet["fertilizers"][0].Values["date"], "the source stays as it is")
	for key, sent := range tab.Entered(carried) {
		_, wrong := tab.Check(key, sent)
		require.Empty(t, wrong, key)
	}
}

func TestBatchPasses(t *testing.T) {
	t.Parallel()
	judged := []assessment.Judged{{Outcome: batch.Create}, {Outcome: batch.Fail}}
	for name, c := range map[string]struct {
		options assessment.BatchOptions
		judged  []assessment.Judged
		status  batch.Status
		again   bool
	}{
		"plain":            {assessment.BatchOptions{}, judged, batch.Completed, false},
		"preview":          {assessment.BatchOptions{Preview: true}, judged, batch.Completed, false},
		"atomic, one bad":  {assessment.BatchOptions{Atomic: true}, judged, batch.Failed, false},
		"atomic, all good": {assessment.BatchOptions{Atomic: true}, judged[:1], batch.Running, true},
		"atomic preview":   {assessment.BatchOptions{Atomic: true, Preview: true}, judged, batch.Completed, false},
	} {
		b := assessment.NewBatch(assessment.BatchImport, c.options, record.Ref{}, "file", int64(len(c.judged)), today.Now)
		b.Advance(c.judged, 0, today.Now)
		require.EqualValues(t, len(c.judged), b.Done, name)
		b.EndPass(today.Now)
		require.Equal(t, c.status, b.Status, name)
		require.Equal(t, c.again, b.Open(), name)
		if c.again {
			require.Zero(t, b.Done, name)
			require.Empty(t, b.Tally, name)
			require.False(t, b.Checking, name)
		}
	}
}

func TestProblemsAreToldByPath(t *testing.T) {
	t.Parallel()
	tab := table(t)
	_, wrong := tab.Check("fertilizers", []any{map[string]any{"product": "urea"}, map[string]any{"rate": map[string]any{"unit": "cups"}}})
	all := fault.Fields{}
	all.Nest("fertilizers", wrong)
	problems := assessment.Problems(all)
	require.Len(t, problems, 1)
	require.Equal(t, "fertilizers[1].rate.unit", problems[0].Path)
	require.Contains(t, assessment.ProblemFields(problems), "fertilizers[1].rate.unit")
}

func TestSelectionHolds(t *testing.T) {
	t.Parallel()
	a, _ := read(t, table(t), wheat)
	year, other, yes := 2024, 2023, true
	for name, c := range map[string]struct {
		s    assessment.Selection
		want bool
	}{
		"all": {assessment.Selection{}, true}, "year": {assessment.Selection{Year: &year}, true}, "another year": {assessment.Selection{Year: &other}, false},
		"country": {assessment.Selection{FarmCountry: "france"}, true}, "another country": {assessment.Selection{FarmCountry: "india"}, false},
		"resource": {assessment.Selection{ResourceType: "field", ResourceID: 1}, true}, "a farm": {assessment.Selection{ResourceType: "farm"}, false},
		"climate": {assessment.Selection{ClimateRegion: "boreal_dry"}, false}, "status": {assessment.Selection{Status: "submitted"}, false}, "ready": {assessment.Selection{Ready: &yes}, false},
	} {
		require.Equal(t, c.want, c.s.Holds(a), name)
	}
}
