package satellite_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// refresh brings series up to date and also returns the scenes whose pixels were read.
func refresh(t require.TestingT, a *archive, req satellite.SeriesRequest, known ...vegetation.Series) (out []vegetation.Series, read []string) {
	clear(a.read)
	out, err := (&satellite.Computer{Imagery: a}).Refresh(context.Background(), req, known)
	require.NoError(t, err)
	seen := map[string]bool{}
	for key := range a.read {
		id, _, _ := strings.Cut(key, " ")
		seen[id] = true
	}
	return out, slices.Sorted(maps.Keys(seen))
}

func (a *archive) add(tiles ...tile) {
	for _, t := range tiles {
		a.tiles[t.scene.ID] = t
	}
}

func TestRefreshReadsWhatChangedAndNothingElse(t *testing.T) {
	replaced, orbit := newTile("replaced", "2023-08-10T10:00:00Z", all(4), 3000), newTile("orbit", "2023-08-15T12:00:00Z", westOf(15, 4, 9), 5000)
	orbit.scene.RelativeOrbit = 23
	broken := newTile("broken", "2023-08-20T10:00:00Z", all(4), 3000)
	broken.broken = map[vegetation.Band]error{vegetation.B08: fault.New(fault.NotFound, "gone", "The file is gone.")}
	a := newArchive(
		newTile("stays", "2023-08-05T10:00:00Z", all(4), 3000), replaced, newTile("both", "2023-08-15T10:00:00Z", all(4), 3000), orbit,
		broken, newTile("cloudy", "2023-08-24T10:00:00Z", all(9), 3000), newTile("leaves", "2023-08-28T10:00:00Z", all(4), 3000),
	)
	req := request(t)
	before := compute(t, a, req)
	require.Equal(t, "5 10 15 28 | 20 24", days(before))

	got, read := refresh(t, a, req, before)
	require.Equal(t, []string{"broken"}, read, "only what could not be read is tried again")
	require.Equal(t, before, got[0])

	healed, changed := broken, replaced
	healed.broken = nil
	changed.nir, changed.scene.Revision = 4000, "new files"
	other := orbit
	other.classes, other.scene.Baseline = all(4), "05.11"
	a.add(healed, changed, other, newTile("late", "2023-08-26T10:00:00Z", all(4), 6000))
	delete(a.tiles, "leaves")
	got, read = refresh(t, a, req, before)
	require.Equal(t, []string{"both", "broken", "late", "orbit", "replaced"}, read)
	require.Equal(t, "5 10 15 20 26 | 24", days(got[0]))
	require.Equal(t, compute(t, a, req), got[0], "what computing anew gives")
	require.Equal(t, before.Observations[0], got[0].Observations[0])
	require.InDelta(t, 0.6, got[0].Observations[1].Value, 1e-12)

	again, read := refresh(t, a, req, got...)
	require.Empty(t, read)
	require.Equal(t, got, again)
}

func days(s vegetation.Series) string {
	var out []string
	for _, o := range s.Observations {
		out = append(out, fmt.Sprint(o.Date.Day()))
	}
	out = append(out, "|")
	for _, r := range s.Rejected {
		out = append(out, fmt.Sprint(r.Date.Day()))
	}
	return strings.Join(out, " ")
}

func TestRefreshOfSeveralIndexesSearchesOnce(t *testing.T) {
	a := newArchive(newTile("one", "2023-08-05T10:00:00Z", all(4), 3000))
	req := request(t)
	ndvi := compute(t, a, req)
	var err error
	req.Index, err = vegetation.ParseIndex("SAVI")
	require.NoError(t, err)
	savi := compute(t, a, req)
	searches := a.searches
	a.add(newTile("two", "2023-08-10T10:00:00Z", all(4), 4000))
	got, read := refresh(t, a, satellite.SeriesRequest{Boundary: req.Boundary, From: req.From, To: req.To}, ndvi, savi)
	require.Equal(t, 1, a.searches-searches)
	require.Equal(t, []string{"two"}, read)
	require.Equal(t, []vegetation.IndexCode{"NDVI", "SAVI"}, []vegetation.IndexCode{got[0].Index, got[1].Index})
	require.Equal(t, compute(t, a, req), got[1])
}

func TestRefreshKeepsWhatASourceInTroubleWouldTake(t *testing.T) {
	a := newArchive(newTile("one", "2023-08-05T10:00:00Z", all(4), 3000))
	req := request(t)
	known := compute(t, a, req)
	c := &satellite.Computer{Imagery: a}

	a.outage = fault.New(fault.Unavailable, "imagery_unavailable", "The source is out.")
	_, err := c.Refresh(t.Context(), req, []vegetation.Series{known})
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)

	a.outage, a.tiles = nil, nil
	_, err = c.Refresh(t.Context(), req, []vegetation.Series{known})
	require.True(t, fault.Is(err, fault.Unavailable), "an archive that has nothing left is in trouble: %v", err)
	got, err := c.Refresh(t.Context(), req, []vegetation.Series{{Index: vegetation.NDVI}})
	require.NoError(t, err, "where nothing was known, nothing is lost")
	require.Equal(t, []vegetation.Series{{Index: vegetation.NDVI}}, got)

	_, err = c.Refresh(t.Context(), req, []vegetation.Series{{Index: "nonsense"}})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	_, err = c.Refresh(t.Context(), satellite.SeriesRequest{}, []vegetation.Series{known})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

// Whatever happens to an archive, a refresh returns what computing everything anew does.
func TestRefreshEqualsComputing(t *testing.T) {
	req := request(t)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(id string) tile {
			made := newTile(id, fmt.Sprintf("2023-08-%02dT%02d:00:00Z", rapid.IntRange(1, 9).Draw(t, "day"), rapid.IntRange(9, 11).Draw(t, "hour")),
				westOf(rapid.IntRange(8, 32).Draw(t, "edge"), 4, 9), uint16(rapid.IntRange(2, 6).Draw(t, "nir")*1000))
			made.scene.RelativeOrbit = rapid.IntRange(22, 23).Draw(t, "orbit")
			made.scene.Revision = fmt.Sprint(rapid.IntRange(0, 1<<30).Draw(t, "revision"))
			made.scene.Synthetic = rapid.Bool().Draw(t, "synthetic")
			if rapid.Bool().Draw(t, "unmasked") {
				made.scene.Bands = map[vegetation.Band]bool{vegetation.B04: true, vegetation.B08: true}
			}
			if rapid.IntRange(0, 4).Draw(t, "luck") == 0 {
				made.broken = map[vegetation.Band]error{vegetation.B08: fault.New(fault.NotFound, "gone", "The file is gone.")}
			}
			return made
		}
		a := newArchive()
		for i := range rapid.IntRange(1, 8).Draw(t, "scenes") {
			a.add(draw(fmt.Sprint(i)))
		}
		known, err := (&satellite.Computer{Imagery: a}).Compute(context.Background(), req)
		require.NoError(t, err)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			id := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "which"))
			if rapid.Bool().Draw(t, "goes") && len(a.tiles) > 1 {
				delete(a.tiles, id)
			} else {
				a.add(draw(id))
			}
		}
		got, _ := refresh(t, a, req, known)
		want, err := (&satellite.Computer{Imagery: a}).Compute(context.Background(), req)
		require.NoError(t, err)
		require.Equal(t, want, got[0])
	})
}
