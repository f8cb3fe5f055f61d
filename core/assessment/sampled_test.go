package assessment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/ghg"
)

// surveyed is a sampling that fits the wheat of 2024 on 10 ha.
func surveyed() *assessment.Sampled {
	mean, low, high := 6.0, 2.0, 10.0
	return &assessment.Sampled{
		Sampling: assessment.Sampling{Plan: "p", Since: "p", PlanRound: 2, SinceRound: 1},
		FieldIDs: []int64{1}, AssessedIDs: []int64{1}, AreaHa: 10.4, Basis: "stock", Mean: &mean, Low: &low, High: &high,
		Earlier: time.Date(2019, 3, 1, 0, 0, 0, 0, time.UTC), Later: time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC),
	}
}

// TestMeasuredSoilCarbon: a sampling that fits is in the snapshot; one that does not is refused by field, or left out with
// a warning where another method is used.
func TestMeasuredSoilCarbon(t *testing.T) {
	t.Parallel()
	tab := table(t)
	measuring := func(method string, s *assessment.Sampled) (*assessment.Assessment, assessment.Sheet, assessment.Facts) {
		a, sheet := read(t, tab, wheat)
		sheet["soil"] = []assessment.Row{{Values: assessment.Values{
			"soil_class": "high_activity_clay", "carbon_method": method, "sample_plan": "p", "sample_round": 2.0,
		}}}
		facts := today
		facts.Sampled = s
		return a, sheet, facts
	}
	a, sheet, facts := measuring(ghg.SoilMeasured, surveyed())
	violations, _ := tab.Submittable(a, sheet, facts)
	require.Empty(t, violations)
	in, _, obstacles := tab.Normalise(a, sheet, facts)
	require.Empty(t, obstacles)
	require.Equal(t, &ghg.MeasuredChange{
		Plan: "p", Round: 2, SincePlan: "p", SinceRound: 1, Since: "2019-03-01", Until: "2024-03-01", Years: 5.0021, AreaHa: 10.4, DepthCm: 30,
		Basis: "stock", Change: 6, Low: 2, High: 10,
	}, in.Soil.Carbon.Measured)

	for name, c := range map[string]struct {
		change func(s *assessment.Sampled)
		want   string
	}{
		"another company's plan": {func(s *assessment.Sampled) { s.Unknown = "since_plan" }, "not_found soil.since_plan"},
		"the same round":         {func(s *assessment.Sampled) { s.SinceRound = 2 }, "sampling_unfit soil.since_round"},
		"other zones":            {func(s *assessment.Sampled) { s.Refused = "Other zones." }, "sampling_unfit soil.since_plan"},
		"other fields":           {func(s *assessment.Sampled) { s.FieldIDs = []int64{1, 2} }, "sampling_unfit soil.sample_plan"},
		"another area":           {func(s *assessment.Sampled) { s.AreaHa = 12 }, "sampling_unfit growing_area"},
		"another depth":          {func(s *assessment.Sampled) { s.Mean, s.Low, s.High = nil, nil, nil }, "sampling_unfit soil.sample_plan"},
		"no interval":            {func(s *assessment.Sampled) { s.Low, s.High = nil, nil }, "sampling_unfit soil.sample_plan"},
		"no dates":               {func(s *assessment.Sampled) { s.Later = time.Time{} }, "sampling_unfit soil.sample_round"},
		"within a year":          {func(s *assessment.Sampled) { s.Earlier = s.Later.AddDate(0, -6, 0) }, "sampling_unfit soil.since_round"},
		"backwards":              {func(s *assessment.Sampled) { s.Earlier, s.Later = s.Later, s.Earlier }, "sampling_unfit soil.since_round"},
		"long ago": {func(s *assessment.Sampled) {
			s.Earlier, s.Later = s.Earlier.AddDate(-6, 0, 0), s.Later.AddDate(-6, 0, 0)
		}, "sampling_unfit soil.sample_round"},
		"still to come": {func(s *assessment.Sampled) { s.Earlier, s.Later = s.Earlier.AddDate(6, 0, 0), s.Later.AddDate(6, 0, 0) }, "sampling_unfit soil.since_round"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := surveyed()
			c.change(s)
			a, sheet, facts := measuring(ghg.SoilMeasured, s)
			violations, _ := tab.Submittable(a, sheet, facts)
			require.Contains(t, codes(violations), c.want)
			require.False(t, tab.Complete(a, sheet, facts).Ready)
			a, sheet, facts = measuring(ghg.SoilTier1, s)
			in, warnings, obstacles := tab.Normalise(a, sheet, facts)
			require.Empty(t, obstacles, "another method is used")
			require.Contains(t, codes(warnings), c.want)
			require.Nil(t, in.Soil.Carbon.Measured)
		})
	}
	a, sheet, facts = measuring(ghg.SoilMeasured, nil)
	delete(sheet["soil"][0].Values, "sample_plan")
	require.Equal(t, "soil.sample_plan", stateOf(tab.Complete(a, sheet, facts), "soil").Missing[0].Path)
}
