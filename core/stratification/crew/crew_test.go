package crew_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/crew"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
)

var (
	planned = geo.Position{X: -4.7, Y: 41.6}
	north   = geo.Position{X: -4.7, Y: 41.6001} // 11.1 m
	at      = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
)

// TestWhatTheCrewSays: each statement of a form, and its effect on a planned sample of that point.
func TestWhatTheCrewSays(t *testing.T) {
	t.Parallel()
	three := 3.0
	clock := at.Add(-3 * time.Hour)
	none := fault.Fields{}
	for name, c := range map[string]struct {
		point  crew.Point
		own    crew.Sample
		status sample.Status
		place  *geo.Position
		remark string
		wrong  string // the field
	}{
		"nothing":                      {status: sample.StatusPlanned},
		"taken here":                   {point: crew.Point{Status: crew.Taken, At: &at}, status: sample.StatusCollected},
		"taken, on the map as planned": {point: crew.Point{Status: crew.Taken, At: &at, OnMap: &planned}, status: sample.StatusCollected},
		"taken, measured":              {point: crew.Point{Status: crew.Taken, At: &at, Measured: &north, Accuracy: &three, Clock: &clock}, status: sample.StatusCollected, place: &north},
		"taken, moved and measured":    {point: crew.Point{Status: crew.Moved, At: &at, OnMap: &north, Measured: &planned}, status: sample.StatusCollected, place: &north, remark: "11 m away"},
		"no date at all":               {point: crew.Point{Status: crew.Taken}, wrong: "collected_at"},
		"a date without a zone":        {point: crew.Point{Status: crew.Taken, Clock: &at}, status: sample.StatusCollected, remark: "read as UTC"},
		"moved without a place":        {point: crew.Point{Status: crew.Moved, At: &at}, wrong: "status"},
		"moved without a status":       {point: crew.Point{OnMap: &north}, wrong: "status"},
		"a date without a status":      {point: crew.Point{Clock: &at}, wrong: "status"},
		"a name without a status":      {point: crew.Point{By: "Ana"}, status: sample.StatusPlanned},
		"missed":                       {point: crew.Point{Status: crew.Missed}, status: sample.StatusMissed},
		"missed at this depth":         {point: crew.Point{Status: crew.Taken, At: &at}, own: crew.Sample{Status: crew.Missed}, status: sample.StatusMissed},
		"taken at this depth":          {point: crew.Point{Status: crew.Missed, At: &at}, own: crew.Sample{Status: crew.Taken}, status: sample.StatusCollected},
		"no such status":               {point: crew.Point{Status: "done", At: &at}, wrong: "status"},
		"what could not be read":       {point: crew.Point{Errors: fault.Fields{"lon": []string{"no number"}}}, wrong: "lon"},
	} {
		c.point.ID, c.point.Planned, c.own.Point, c.own.Label = "Z1-01", planned, "Z1-01", "P1"
		c.point.Notes, c.own.Notes = "wet", "stones"
		rows, _ := crew.Rows([]crew.Point{c.point}, []crew.Sample{c.own})
		require.Len(t, rows, 1, name)
		after, _, wrong := rows[0].Apply(sample.Sample{Label: "P1", Status: sample.StatusPlanned, Planned: planned})
		wrong.Merge(rows[0].Errors)
		if c.wrong != "" {
			require.Contains(t, wrong, c.wrong, name)
			continue
		}
		require.Equal(t, none, wrong, name)
		require.Equal(t, []any{c.status, "wet\nstones"}, []any{after.Status, after.Notes}, name)
		require.Contains(t, strings.Join(rows[0].Remarks, " "), c.remark, name)
		if c.status != sample.StatusCollected {
			continue
		}
		require.Equal(t, at, after.Collected.At, name)
		require.Equal(t, c.place, after.Collected.LonLat, name)
	}
}

// TestTheClockOfADevice: it may be ahead of UTC by as much as a time zone can be; any other difference is an edit of the date.
func TestTheClockOfADevice(t *testing.T) {
	t.Parallel()
	for ahead, same := range map[time.Duration]bool{
		0: true, -3 * time.Hour: true, 5*time.Hour + 45*time.Minute: true, 14*time.Hour + time.Second: true,
		20 * time.Minute: false, 15 * time.Hour: false, -24 * time.Hour: false,
	} {
		clock := at.Add(ahead)
		rows, _ := crew.Rows([]crew.Point{{ID: "a", Status: crew.Taken, Planned: planned, At: &at, Clock: &clock}}, []crew.Sample{{Label: "1", Point: "a"}})
		require.Equal(t, same, rows[0].Says.CollectedAt.Equal(at), ahead)
	}
}

// TestPointsAndSamplesThatDoNotFit: a sample or point without its counterpart is refused by name, and photos go to the first sample of a point.
func TestPointsAndSamplesThatDoNotFit(t *testing.T) {
	t.Parallel()
	points := []crew.Point{
		{ID: "a", Planned: planned, Photos: []string{"DCIM/1.jpg", "DCIM/2.jpg"}}, {ID: "twice", Planned: planned}, {ID: "twice", Planned: planned},
		{ID: "new", Planned: planned, Notes: "here"}, {ID: "new and silent", Planned: planned},
	}
	samples := []crew.Sample{{Label: "1", Point: "gone"}, {Label: "2", Point: "twice"}, {Label: "3", Point: "a"}, {Label: "4", Point: "a"}}
	rows, photos := crew.Rows(points, samples)
	require.Equal(t, []bool{true, true, false, false, true}, list.Map(rows, func(r labtable.Row) bool { return len(r.Errors) > 0 }))
	require.Contains(t, rows[4].Errors.Messages()["point"][0], `"new" has no samples`)
	require.Equal(t, []crew.Photo{{Path: "DCIM/1.jpg", Point: "a", Row: 2}, {Path: "DCIM/2.jpg", Point: "a", Row: 2}}, photos)
}

// TestAPackageThatNobodyTouched: whatever is known about the samples of a point, its package states nothing new.
func TestAPackageThatNobodyTouched(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		depth := 0
		of := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sample.Sample {
			depth++
			s := sample.Sample{Label: strings.Repeat("x", depth), Planned: planned, Notes: rapid.SampledFrom([]string{"", "wet"}).Draw(t, "notes"), Status: sample.StatusPlanned}
			switch rapid.IntRange(0, 3).Draw(t, "state") {
			case 1:
				s.Status = sample.StatusMissed
			case 2, 3:
				c := sample.Collected{At: at.Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "second")) * time.Second), By: rapid.SampledFrom([]string{"", "Ana"}).Draw(t, "by")}
				if rapid.Bool().Draw(t, "measured") {
					place, accuracy := north, 2.0
					c.LonLat, c.AccuracyM = &place, &accuracy
				}
				s.Status, s.Collected = sample.StatusCollected, &c
				if rapid.Bool().Draw(t, "analysed") {
					s.Status, s.Lab = sample.StatusAnalysed, &sample.Lab{SOCPct: 2}
				}
				s.Normalise()
			}
			return s
		}), 1, 3).Draw(t, "samples")
		p, own := crew.Known("a", of)
		rows, _ := crew.Rows([]crew.Point{p}, own)
		for i, r := range rows {
			require.Empty(t, r.Errors)
			after, remarks, wrong := r.Apply(of[i])
			after.Normalise()
			require.Empty(t, wrong)
			require.Empty(t, remarks)
			require.Equal(t, of[i], after)
		}
		require.True(t, slices.IsSortedFunc(own, func(a, b crew.Sample) int { return len(a.Label) - len(b.Label) }))
	})
}
