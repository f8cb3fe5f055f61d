package vegetation_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

var recipe = vegetation.Recipe{
	Boundary: geo.MultiPolygon{{{{X: 9, Y: 45}, {X: 9.1, Y: 45}, {X: 9, Y: 45.1}, {X: 9, Y: 45}}}}, Reading: vegetation.Reading{Index: vegetation.NDVI},
}

// fullScene has a value in every member that the catalog fills.
func fullScene() vegetation.Scene {
	return vegetation.Scene{
		ID: "a", Platform: "sentinel-2a", Tile: "33TWM", RelativeOrbit: 122, SensedAt: sensed("2023-08-10T10:07:31Z"), Datastrip: "D1",
		Baseline: "05.09", Updated: sensed("2023-08-11T00:00:00Z"), Revision: "r", Bands: map[vegetation.Band]bool{vegetation.B04: true, vegetation.B08: true},
	}
}

func fingerprint(t *testing.T, r vegetation.Recipe, scenes ...vegetation.Scene) string {
	days := r.Days(vegetation.Passes(scenes, 9))
	require.Len(t, days, 1)
	return days[0].Fingerprint
}

func TestFingerprintTellsEveryDifference(t *testing.T) {
	t.Parallel()
	plain := fingerprint(t, recipe, fullScene())
	require.Equal(t, plain, fingerprint(t, recipe, fullScene()))
	seen := map[string]string{plain: "plain"}
	differs := func(name, got string) {
		t.Helper()
		require.Empty(t, seen[got], "%s makes no difference", name)
		seen[got] = name
	}
	for name, change := range map[string]func(*vegetation.Scene){
		"id":         func(s *vegetation.Scene) { s.ID = "b" },
		"platform":   func(s *vegetation.Scene) { s.Platform = "sentinel-2b" },
		"tile":       func(s *vegetation.Scene) { s.Tile = "33TWL" },
		"orbit":      func(s *vegetation.Scene) { s.RelativeOrbit = 22 },
		"time":       func(s *vegetation.Scene) { s.SensedAt = s.SensedAt.Add(time.Millisecond) },
		"datastrip":  func(s *vegetation.Scene) { s.Datastrip = "D2" },
		"baseline":   func(s *vegetation.Scene) { s.Baseline = "05.10" },
		"update":     func(s *vegetation.Scene) { s.Updated = s.Updated.Add(time.Second) },
		"made up":    func(s *vegetation.Scene) { s.Synthetic = true },
		"broken":     func(s *vegetation.Scene) { s.Broken = "no bands" },
		"fewer":      func(s *vegetation.Scene) { s.Bands = map[vegetation.Band]bool{vegetation.B04: true} },
		"files":      func(s *vegetation.Scene) { s.Revision = "r2" },
		"what joins": func(s *vegetation.Scene) { s.ID, s.Tile = "a33T", "WM" },
	} {
		s := fullScene()
		change(&s)
		differs(name, fingerprint(t, recipe, s))
	}
	neighbour, other := fullScene(), fullScene()
	neighbour.ID, neighbour.Tile = "n", "33TWL"
	other.ID, other.RelativeOrbit = "n", 22
	differs("a neighbouring tile", fingerprint(t, recipe, fullScene(), neighbour))
	differs("another orbit", fingerprint(t, recipe, fullScene(), other))
	older := fullScene()
	older.ID, older.Baseline = "older", "04.00"
	require.Equal(t, plain, fingerprint(t, recipe, older, fullScene()), "a duplicate that is not used makes none")
	clouded := fullScene()
	clouded.Bands[vegetation.CLP], clouded.Auxiliary = true, "clouds"
	require.Equal(t, plain, fingerprint(t, recipe, clouded), "a mask that does not look at the cloud probability keeps its dates")
	looking := recipe
	looking.Mask = parsed(t, "cloud:40")
	differs("cloud probability", fingerprint(t, looking, clouded))
	clouded.Auxiliary = "other clouds"
	differs("another cloud probability", fingerprint(t, looking, clouded))
	for name, change := range map[string]func(*vegetation.Recipe){
		"index":    func(r *vegetation.Recipe) { r.Index = "EVI" },
		"mask":     func(r *vegetation.Recipe) { r.Mask = vegetation.MaskStrict },
		"boundary": func(r *vegetation.Recipe) { r.Boundary = geo.MultiPolygon{r.Boundary[0], r.Boundary[0]} },
	} {
		r := recipe
		change(&r)
		differs(name, fingerprint(t, r, fullScene()))
	}
}

// judged stands in for the work on pixels: its result depends on the scenes alone.
func judged(p vegetation.Pass, fingerprint string) vegetation.Outcome {
	out := vegetation.Outcome{Origin: vegetation.Origin{Fingerprint: fingerprint}}
	coverage, broken := 0.0, false
	for _, s := range p.Scenes {
		coverage += float64(len(s.Revision)) / 10
		broken = broken || s.Broken != ""
		out.Synthetic = out.Synthetic || s.Synthetic
		out.NoSCL = out.NoSCL || s.Baseline == "old"
		out.SmallField = out.SmallField || s.Baseline == "small"
	}
	switch {
	case broken:
		out.Rejection = &vegetation.Rejection{Date: p.Day, Reason: vegetation.ReasonError, Note: "broken"}
	case coverage < 0.5:
		out.Rejection = &vegetation.Rejection{Date: p.Day, Reason: vegetation.ReasonCloud, Coverage: coverage}
	default:
		out.Observation = &vegetation.Observation{Date: p.Day, Coverage: coverage, Value: float64(len(p.Scenes)), Items: []string{p.Scenes[0].ID}}
	}
	return out
}

// refreshed runs a whole refresh, and also returns the days that were computed.
func refreshed(known vegetation.Series, scenes []vegetation.Scene) (vegetation.Series, []time.Time) {
	outcomes, fresh := known.Unchanged(recipe.Days(vegetation.Passes(scenes, 9)))
	var worked []time.Time
	for _, d := range fresh {
		worked = append(worked, d.Date)
		for _, p := range d.Passes {
			outcomes = append(outcomes, judged(p, d.Fingerprint))
		}
	}
	return vegetation.Assemble(recipe.Reading, outcomes), worked
}

func drawScene(t *rapid.T, label string) vegetation.Scene {
	return vegetation.Scene{
		ID: label, Platform: rapid.SampledFrom([]string{"sentinel-2a", "sentinel-2b"}).Draw(t, "platform"), Tile: label, RelativeOrbit: 22,
		SensedAt: time.Date(2025, 6, rapid.IntRange(1, 12).Draw(t, "day"), 10, 0, 0, 0, time.UTC),
		Baseline: rapid.SampledFrom([]string{"05.11", "old", "small"}).Draw(t, "baseline"), Synthetic: rapid.Bool().Draw(t, "synthetic"),
		Revision: rapid.SampledFrom([]string{"1", "22222", "333333"}).Draw(t, "revision"),
		Broken:   rapid.SampledFrom([]string{"", "", "", "broken"}).Draw(t, "broken"),
	}
}

// A refresh yields what recomputing everything would, whatever happened to the archive, and
// computes only the days of which something changed or could not be read.
func TestRefreshEqualsComputingAnew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := map[string]vegetation.Scene{}
		for i := range rapid.IntRange(0, 15).Draw(t, "scenes") {
			s := drawScene(t, fmt.Sprintf("s%02d", i))
			before[s.ID] = s
		}
		known, _ := refreshed(vegetation.Series{}, slices.Collect(maps.Values(before)))
		again, worked := refreshed(known, slices.Collect(maps.Values(before)))
		require.True(t, again.Same(known) && again.SameOrigins(known))
		require.Equal(t, known, again)
		require.Subset(t, daysOf(before, func(s vegetation.Scene) bool { return s.Broken != "" }), worked)

		after := maps.Clone(before)
		touched := map[string]vegetation.Scene{}
		for i := range rapid.IntRange(0, 5).Draw(t, "changes") {
			id := fmt.Sprintf("s%02d", rapid.IntRange(0, 15).Draw(t, "which"))
			if was, ok := after[id]; ok {
				touched[id+"was"+fmt.Sprint(i)] = was
				delete(after, id)
			}
			if rapid.Bool().Draw(t, "stays") {
				after[id] = drawScene(t, id)
				touched[id+"is"+fmt.Sprint(i)] = after[id]
			}
		}
		fresh, worked := refreshed(known, slices.Collect(maps.Values(after)))
		whole, _ := refreshed(vegetation.Series{}, slices.Collect(maps.Values(after)))
		require.Equal(t, whole, fresh)
		may := daysOf(touched, func(vegetation.Scene) bool { return true })
		may = append(may, daysOf(before, func(s vegetation.Scene) bool { return s.Broken != "" })...)
		require.Subset(t, may, worked)
	})
}

func daysOf(scenes map[string]vegetation.Scene, which func(vegetation.Scene) bool) []time.Time {
	out := []time.Time{}
	for _, s := range scenes {
		if which(s) {
			out = append(out, vegetation.SolarDay(s.SensedAt, 9))
		}
	}
	return out
}

// Of two overflights of a day one may be accepted while the other cannot be read: the day is
// tried again, for the other might be the better one.
func TestADayWithAnUnreadablePassIsTriedAgain(t *testing.T) {
	t.Parallel()
	good, bad := fullScene(), fullScene()
	good.Revision = "123456"
	bad.ID, bad.RelativeOrbit, bad.Broken = "bad", 22, "broken"
	for _, scenes := range [][]vegetation.Scene{{good, bad}, {bad, good}} {
		known, _ := refreshed(vegetation.Series{}, scenes)
		require.Len(t, known.Observations, 1)
		_, worked := refreshed(known, scenes)
		require.Len(t, worked, 1)
	}
}

func TestDatesWithoutAFingerprintAreMadeAnew(t *testing.T) {
	t.Parallel()
	s := fullScene()
	s.Revision = "123456"
	known, _ := refreshed(vegetation.Series{}, []vegetation.Scene{s})
	known.Observations[0].Origin = vegetation.Origin{} // as an older version of the program stored it
	fresh, worked := refreshed(known, []vegetation.Scene{s})
	require.Len(t, worked, 1)
	require.True(t, fresh.Same(known), "what it says is the same")
	require.False(t, fresh.SameOrigins(known))
}

func TestSameSeesEveryDifference(t *testing.T) {
	t.Parallel()
	date := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	full := func() vegetation.Series {
		return vegetation.Series{
			Index: vegetation.NDVI,
			Observations: []vegetation.Observation{{
				Date: date, Value: 0.5, Median: 0.5, Std: 0.1, Min: 0.1, Max: 0.9, P10: 0.2, P90: 0.8, Coverage: 1, NValid: 10, NPolygon: 10,
				Items: []string{"a"}, Offsets: []vegetation.AppliedOffset{{Item: "a", Offset: -0.1, Basis: vegetation.OffsetByItem}},
			}},
			Rejected: []vegetation.Rejection{{Date: date, Reason: vegetation.ReasonCloud, Coverage: 0.1, NValid: 1, NPolygon: 10, Items: []string{"b"}}},
		}
	}
	require.True(t, full().Same(full()))
	empty := vegetation.Series{Index: vegetation.NDVI, Observations: []vegetation.Observation{}}
	require.True(t, empty.Same(vegetation.Series{Index: vegetation.NDVI}), "no dates are no dates")
	type observation = vegetation.Observation
	type rejection = vegetation.Rejection
	one := func(f func(o *observation, r *rejection)) func(*vegetation.Series) {
		return func(s *vegetation.Series) { f(&s.Observations[0], &s.Rejected[0]) }
	}
	for name, change := range map[string]func(*vegetation.Series){
		"index": func(s *vegetation.Series) { s.Index = "EVI" }, "no scl": func(s *vegetation.Series) { s.NoSCL = true },
		"small": func(s *vegetation.Series) { s.SmallField = true }, "synthetic": func(s *vegetation.Series) { s.Synthetic = true },
		"fewer": func(s *vegetation.Series) { s.Observations = nil }, "fewer rejected": func(s *vegetation.Series) { s.Rejected = nil },
		"date": one(func(o *observation, _ *rejection) { o.Date = date.AddDate(0, 0, 1) }), "value": one(func(o *observation, _ *rejection) { o.Value++ }),
		"median": one(func(o *observation, _ *rejection) { o.Median++ }), "std": one(func(o *observation, _ *rejection) { o.Std++ }),
		"min": one(func(o *observation, _ *rejection) { o.Min++ }), "max": one(func(o *observation, _ *rejection) { o.Max++ }),
		"p10": one(func(o *observation, _ *rejection) { o.P10++ }), "p90": one(func(o *observation, _ *rejection) { o.P90++ }),
		"coverage": one(func(o *observation, _ *rejection) { o.Coverage++ }), "valid": one(func(o *observation, _ *rejection) { o.NValid++ }),
		"polygon": one(func(o *observation, _ *rejection) { o.NPolygon++ }), "items": one(func(o *observation, _ *rejection) { o.Items[0] = "c" }),
		"offsets": one(func(o *observation, _ *rejection) { o.Offsets[0].Offset = 0 }), "rejected date": one(func(_ *observation, r *rejection) { r.Date = date.AddDate(0, 0, 1) }),
		"reason": one(func(_ *observation, r *rejection) { r.Reason = vegetation.ReasonPartial }), "rejected coverage": one(func(_ *observation, r *rejection) { r.Coverage++ }),
		"rejected valid": one(func(_ *observation, r *rejection) { r.NValid++ }), "rejected polygon": one(func(_ *observation, r *rejection) { r.NPolygon++ }),
		"rejected items": one(func(_ *observation, r *rejection) { r.Items[0] = "c" }), "note": one(func(_ *observation, r *rejection) { r.Note = "n" }),
	} {
		other := full()
		change(&other)
		require.False(t, full().Same(other), name)
		require.False(t, other.Same(full()), name)
	}
}
