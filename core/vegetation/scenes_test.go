package vegetation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/vegetation"
)

func sensed(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func ids(scenes []vegetation.Scene) []string {
	out := []string{}
	for _, s := range scenes {
		out = append(out, s.ID)
	}
	return out
}

func TestDeduplicate(t *testing.T) {
	base := vegetation.Scene{
		ID: "a", Platform: "sentinel-2a", Tile: "33TWM", RelativeOrbit: 122,
		SensedAt: sensed("2023-08-10T10:07:31Z"), Datastrip: "D1", Baseline: "05.09", Updated: sensed("2023-08-11T00:00:00Z"),
	}
	with := func(change func(*vegetation.Scene)) vegetation.Scene {
		s := base
		s.ID = "b"
		change(&s)
		return s
	}
	for _, c := range []struct {
		name  string
		other vegetation.Scene
		stays []string
	}{
		{"higher baseline", with(func(s *vegetation.Scene) { s.Baseline = "05.10" }), []string{"b"}},
		{"higher baseline, older update", with(func(s *vegetation.Scene) { s.Baseline = "10.00"; s.Updated = time.Time{} }), []string{"b"}},
		{"lower baseline, later update", with(func(s *vegetation.Scene) { s.Baseline = "04.00"; s.Updated = s.Updated.Add(time.Hour) }), []string{"a"}},
		{"unknown baseline", with(func(s *vegetation.Scene) { s.Baseline = "" }), []string{"a"}},
		{"later update", with(func(s *vegetation.Scene) { s.Updated = s.Updated.Add(time.Hour) }), []string{"b"}},
		{"all equal: the greater id", with(func(*vegetation.Scene) {}), []string{"b"}},
		{"within the second", with(func(s *vegetation.Scene) { s.SensedAt = s.SensedAt.Add(400 * time.Millisecond) }), []string{"b"}},
		{"another second", with(func(s *vegetation.Scene) { s.SensedAt = s.SensedAt.Add(time.Second) }), []string{"a", "b"}},
		{"another datastrip", with(func(s *vegetation.Scene) { s.Datastrip = "D2" }), []string{"a", "b"}},
		{"another tile", with(func(s *vegetation.Scene) { s.Tile = "33TWL" }), []string{"a", "b"}},
		{"another orbit", with(func(s *vegetation.Scene) { s.RelativeOrbit = 22 }), []string{"a", "b"}},
		{"another platform", with(func(s *vegetation.Scene) { s.Platform = "sentinel-2b" }), []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.stays, ids(vegetation.Deduplicate([]vegetation.Scene{base, c.other})))
			require.Equal(t, c.stays, ids(vegetation.Deduplicate([]vegetation.Scene{c.other, base})))
		})
	}
	one, two := base, base
	one.Tile, two.Tile, two.ID = "", "", "b"
	require.Equal(t, []string{"a", "b"}, ids(vegetation.Deduplicate([]vegetation.Scene{two, one})), "no known tile")
}

func TestSolarDay(t *testing.T) {
	for _, c := range []struct {
		at        string
		longitude float64
		day       string
	}{
		{"2019-02-06T11:08:00Z", -4.87, "2019-02-06"},
		{"2023-01-09T22:20:00Z", 175, "2023-01-10"}, // New Zealand: the morning of the next day
		{"2023-01-10T00:30:00Z", -120, "2023-01-09"},
		{"2023-01-10T23:59:59Z", 0, "2023-01-10"},
	} {
		require.Equal(t, c.day, vegetation.SolarDay(sensed(c.at), c.longitude).Format(time.DateOnly))
	}
	require.Equal(t, -2*time.Hour, vegetation.SolarOffset(-30))
}

func TestPasses(t *testing.T) {
	scene := func(id, platform, tile string, orbit int, at string) vegetation.Scene {
		return vegetation.Scene{ID: id, Platform: platform, Tile: tile, RelativeOrbit: orbit, SensedAt: sensed(at)}
	}
	scenes := []vegetation.Scene{
		scene("late", "sentinel-2a", "T1", 22, "2023-08-13T09:57:00Z"),
		scene("south", "sentinel-2b", "T2", 122, "2023-08-10T10:07:45Z"),
		scene("north", "sentinel-2b", "T1", 122, "2023-08-10T10:07:31Z"),
		scene("other orbit", "sentinel-2b", "T1", 22, "2023-08-10T09:57:00Z"),
		scene("other satellite", "sentinel-2a", "T1", 122, "2023-08-10T10:07:31Z"),
	}
	rapid.Check(t, func(t *rapid.T) {
		var got [][]string
		for _, p := range vegetation.Passes(rapid.Permutation(scenes).Draw(t, "scenes"), 14) {
			got = append(got, ids(p.Scenes))
			for _, s := range p.Scenes {
				require.Equal(t, p.Platform, s.Platform)
				require.Equal(t, p.RelativeOrbit, s.RelativeOrbit)
				require.Equal(t, p.Day, vegetation.SolarDay(s.SensedAt, 14))
			}
		}
		require.Equal(t, [][]string{{"other satellite"}, {"other orbit"}, {"north", "south"}, {"late"}}, got)
	})
}
