package vegetation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pass is the scenes of one satellite, solar day and orbit, which become one observation.
type Pass struct {
	Day           time.Time // the solar day, as UTC midnight
	Platform      string
	RelativeOrbit int
	Scenes        []Scene // without duplicates, by sensing time, then id
}

// Passes drops duplicate scenes and groups the rest by solar day (at a longitude in degrees),
// platform and relative orbit. The result is ordered by day, platform and orbit.
func Passes(scenes []Scene, longitude float64) []Pass {
	var out []Pass
	for _, s := range Deduplicate(scenes) {
		day := SolarDay(s.SensedAt, longitude)
		i := slices.IndexFunc(out, func(p Pass) bool {
			return p.Day.Equal(day) && p.Platform == s.Platform && p.RelativeOrbit == s.RelativeOrbit
		})
		if i < 0 {
			out = append(out, Pass{Day: day, Platform: s.Platform, RelativeOrbit: s.RelativeOrbit})
			i = len(out) - 1
		}
		out[i].Scenes = append(out[i].Scenes, s)
	}
	slices.SortFunc(out, func(a, b Pass) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.RelativeOrbit, b.RelativeOrbit))
	})
	return out
}

// SolarDay returns the day of mean solar time at a longitude (degrees) as UTC midnight: a satellite
// that crosses at 10:30 solar time does so on the same local day everywhere, while in the Pacific
// the UTC day changes between passes.
func SolarDay(t time.Time, longitude float64) time.Time {
	return t.Add(SolarOffset(longitude)).UTC().Truncate(24 * time.Hour)
}

// SolarOffset returns mean solar time minus UTC at a longitude: four minutes a degree.
func SolarOffset(longitude float64) time.Duration {
	return time.Duration(longitude * 4 * float64(time.Minute)).Round(time.Second)
}

// Deduplicate keeps one scene of each acquisition. Two scenes are the same acquisition when platform, tile, sensing
// second, relative orbit and datastrip agree. Of these a scene that is not broken stays, then that with the highest
// processing baseline, then the latest update, then the greatest id. Scenes of different datastrips complement one
// another and all stay. A scene whose tile is not known is never a duplicate. The result is ordered by sensing time,
// then id.
func Deduplicate(scenes []Scene) []Scene {
	type key struct {
		platform, tile, datastrip string
		second                    int64
		orbit                     int
	}
	best := make(map[key]Scene, len(scenes))
	for _, s := range scenes {
		k := key{s.Platform, s.Tile, s.Datastrip, s.SensedAt.Unix(), s.RelativeOrbit}
		if s.Tile == "" {
			k.tile = "\x00" + s.ID // unlike any tile, so that it equals only itself
		}
		if have, ok := best[k]; !ok || newer(s, have) {
			best[k] = s
		}
	}
	out := make([]Scene, 0, len(best))
	for _, s := range best {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Scene) int {
		return cmp.Or(a.SensedAt.Compare(b.SensedAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func newer(a, b Scene) bool {
	if (a.Broken == "") != (b.Broken == "") {
		return a.Broken == ""
	}
	return cmp.Or(compareBaselines(a.Baseline, b.Baseline), a.Updated.Compare(b.Updated), cmp.Compare(a.ID, b.ID)) > 0
}

// compareBaselines orders processing baselines ("05.09"); one that is not a number comes first.
func compareBaselines(a, b string) int {
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return -1
		}
		return n
	}
	majorA, minorA, _ := strings.Cut(a, ".")
	majorB, minorB, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(number(majorA), number(majorB)), cmp.Compare(number(minorA), number(minorB)))
}
