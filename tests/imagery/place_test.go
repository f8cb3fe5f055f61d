package imagery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// north is a grid of 2 km around a point of zone 31, at 3° east.
var north = vegetation.Grid{EPSG: 32631, OriginX: 499000, OriginY: 5001000, PixelX: 10, PixelY: 10, Width: 200, Height: 200}

func observed(t *testing.T, s vegetation.Series) vegetation.Observation {
	t.Helper()
	require.Empty(t, s.Rejected)
	require.Len(t, s.Observations, 1)
	return s.Observations[0]
}

func TestTheSouthernHemisphere(t *testing.T) {
	// Mato Grosso, zone 21 south: NDVI is 0.6 west of the field's middle and 0.5 east of it.
	grid := vegetation.Grid{EPSG: 32721, OriginX: 699960, OriginY: 8600040, PixelX: 10, PixelY: 10, Width: 200, Height: 200}
	middle := grid.OriginX + 1000
	nir := func(x, _ float64) uint16 {
		if x < middle {
			return 4000
		}
		return 3000
	}
	imagery := folder(t, made{id: "s", at: "2025-01-10T13:50:00Z", tile: "21LYF", orbit: 67, grid: grid, scl: flat(4), red: flat(1000), nir: nir})
	field := rectangle(t, 32721, middle-300, grid.OriginY-1500, middle+100, grid.OriginY-500)
	o := observed(t, compute(t, imagery, field, vegetation.NDVI, "2025-01-01", "2025-02-01", vegetation.MaskStandard))
	require.Equal(t, [2]int{4000, 4000}, [2]int{o.NValid, o.NPolygon})
	require.InDelta(t, 0.6*0.75+0.5*0.25, o.Value, 1e-12)
	require.Equal(t, []vegetation.AppliedOffset{{Item: "s", Offset: 0, Basis: vegetation.OffsetByItem}}, o.Offsets)
}

func TestTheEdgeOfAnOrbit(t *testing.T) {
	// Data ends along a slanted line; the field reaches from 400 m before it to beyond it.
	ends := func(share float64) (scl, band surface) {
		inside := func(x, y float64) bool { return x-(y-5000000)/5 < 500000-500+1000*share }
		return func(x, y float64) uint16 {
				if inside(x, y) {
					return 5
				}
				return 0
			}, func(x, y float64) uint16 {
				if inside(x, y) {
					return 2000
				}
				return 0
			}
	}
	var scenes []made
	for id, share := range map[string]float64{"2025-06-01": 0.3, "2025-06-02": 0.7, "2025-06-03": -1} {
		scl, band := ends(share)
		scenes = append(scenes, made{id: id, at: id + "T10:50:00Z", tile: "31TEL", orbit: 8, grid: north, scl: scl, red: band, nir: band})
	}
	field := rectangle(t, 32631, 499500, 4999500, 500500, 5000500)
	s := compute(t, folder(t, scenes...), field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Len(t, s.Observations, 1)
	o := s.Observations[0]
	require.Equal(t, day("2025-06-02"), o.Date)
	require.InDelta(t, 0.7, o.Coverage, 0.005)
	require.Equal(t, 10_000, o.NPolygon, "the part without data counts as part of the field")
	require.Zero(t, o.Value)
	require.Len(t, s.Rejected, 2)
	require.Equal(t, vegetation.ReasonPartial, s.Rejected[0].Reason)
	require.InDelta(t, 0.3, s.Rejected[0].Coverage, 0.005)
	require.Equal(t, vegetation.ReasonNoData, s.Rejected[1].Reason)
}

// TestTwoZones puts a field across 6° east, where zone 31 ends and zone 32 begins. The
// tile of each zone is clear only on its own side: together they cover the whole field.
func TestTwoZones(t *testing.T) {
	gridAt := func(epsg int) (vegetation.Grid, geo.UTM) {
		utm, err := geo.NewUTM(epsg)
		require.NoError(t, err)
		p := utm.Forward(geo.Position{X: 6, Y: 45})
		return vegetation.Grid{EPSG: epsg, OriginX: 10 * float64(int(p.X/10)-100), OriginY: 10 * float64(int(p.Y/10)+100), PixelX: 10, PixelY: 10, Width: 200, Height: 200}, utm
	}
	// side is clear west or east of a meridian, cloudy beyond it.
	side := func(utm geo.UTM, limit float64, west bool) surface {
		return func(x, y float64) uint16 {
			if (utm.Inverse(geo.Position{X: x, Y: y}).X < limit) == west {
				return 4
			}
			return 9
		}
	}
	g31, u31 := gridAt(32631)
	g32, u32 := gridAt(32632)
	const limit, overlap = 6.002, 0.0004 // degrees; some 30 m that both see
	imagery := folder(t,
		made{id: "w", at: "2025-06-01T10:30:00Z", tile: "31TGK", orbit: 108, grid: g31, scl: side(u31, limit, true), red: flat(1000), nir: flat(3000)},
		made{id: "e", at: "2025-06-01T10:30:05Z", tile: "32TLQ", orbit: 108, grid: g32, scl: side(u32, limit-overlap, false), red: flat(1000), nir: flat(4000)})
	const west, east = 5.996, 6.006
	field := geo.MultiPolygon{{{{X: west, Y: 44.997}, {X: east, Y: 44.997}, {X: east, Y: 45.003}, {X: west, Y: 45.003}, {X: west, Y: 44.997}}}}
	o := observed(t, compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard))
	require.Equal(t, []string{"w", "e"}, o.Items, "the larger coverage first")
	require.Equal(t, o.NPolygon, o.NValid, "no pixel is lost between the zones")
	require.InDelta(t, 0.5, o.Min, 1e-12)
	require.InDelta(t, 0.6, o.Max, 1e-12)
	share := (limit - west) / (east - west) // the west wins where both are clear
	require.InDelta(t, 0.5*share+0.6*(1-share), o.Value, 0.002)
	require.Equal(t, []string{"w", "e"}, []string{o.Offsets[0].Item, o.Offsets[1].Item})
}

func TestMasks(t *testing.T) {
	// A quarter each of vegetation, bare ground, water and the unclassified.
	classes := func(x, _ float64) uint16 { return 4 + uint16(x-499500)/100 }
	imagery := folder(t, made{id: "m", at: "2025-06-01T10:50:00Z", tile: "31TEL", orbit: 8, grid: north, scl: classes, red: flat(1000), nir: func(x, _ float64) uint16 { return uint16(x-499500)*10 + 1005 }})
	field := rectangle(t, 32631, 499500, 4999800, 499900, 5000200)
	standard := observed(t, compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard))
	strict := observed(t, compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStrict))
	require.Equal(t, []int{1600, 1600, 800, 1600}, []int{standard.NValid, standard.NPolygon, strict.NValid, strict.NPolygon})
	require.Equal(t, 0.5, strict.Coverage)
	require.Greater(t, standard.Max, strict.Max, "the near infrared grows to the east, where the water is")
}

func maskOf(t *testing.T, text string) vegetation.Mask {
	t.Helper()
	m, err := vegetation.ParseMask(text)
	require.NoError(t, err)
	return m
}

// A cloud beside the field grows into it, even if no pixel of the field would have required reading its block.
func TestACloudBesideTheFieldGrowsIntoIt(t *testing.T) {
	cloud := func(x, y float64) uint16 {
		if x > 500400 && x < 500440 { // a column 20 m to 60 m east of the field
			return 9
		}
		return 4
	}
	imagery := folder(t, made{id: "m", at: "2025-06-01T10:50:00Z", tile: "31TEL", orbit: 8, grid: north, scl: cloud, red: flat(1000), nir: flat(3000)})
	field := rectangle(t, 32631, 499980, 4999800, 500380, 5000200)
	valid := map[string]int{}
	for _, mask := range []string{"standard", "dilate:1", "dilate:2", "dilate:6", "buffer:20", "dilate:2,buffer:20"} {
		o := observed(t, compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", maskOf(t, mask)))
		valid[mask] = o.NValid
		require.InDelta(t, 0.5, o.Value, 1e-12)
	}
	// Of 40 columns of 10 m; a pixel of the classification is 20 m wide, and the first cloudy one is 20 m away.
	require.Equal(t, map[string]int{
		"standard": 1600, "dilate:1": 1600, "dilate:2": 38 * 40, "dilate:6": 30 * 40, "buffer:20": 36 * 36, "dilate:2,buffer:20": 36 * 36,
	}, valid)
	none := compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", maskOf(t, "buffer:300"))
	require.Equal(t, "The field is too narrow for the buffer of 300 m: no pixel is left.", none.Empty())
}

func TestCloudProbabilityIsReadWhereTheMaskNeedsIt(t *testing.T) {
	clouds := func(x, _ float64) uint16 {
		if x < 500100 {
			return 0
		}
		return 60
	}
	with := made{id: "with", at: "2025-06-01T10:50:00Z", tile: "31TEL", orbit: 8, grid: north, scl: flat(4), red: flat(1000), nir: flat(3000), clouds: clouds}
	without := with
	without.id, without.at, without.clouds = "without", "2025-06-11T10:50:00Z", nil
	field := rectangle(t, 32631, 499900, 4999800, 500200, 5000200)
	imagery := folder(t, with, without)
	both := compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Len(t, both.Observations, 2)
	require.Equal(t, 1200, both.Observations[0].NValid, "other masks do not look at it")
	s := compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-30", maskOf(t, "cloud:60"))
	require.Len(t, s.Observations, 1)
	require.Equal(t, 800, s.Observations[0].NValid)
	require.Len(t, s.Rejected, 1)
	require.Equal(t, vegetation.ReasonError, s.Rejected[0].Reason)
	require.Equal(t, "scene without: The scene has no cloud probability (an asset cld, cloud or clp), which the mask needs.", s.Rejected[0].Note)
	higher := compute(t, imagery, field, vegetation.NDVI, "2025-06-01", "2025-06-10", maskOf(t, "cloud:61"))
	require.Equal(t, 1200, observed(t, higher).NValid)
}

func TestSmallFieldsAreWeighted(t *testing.T) {
	// 25 m × 20 m: two columns count fully, the third counts half.
	nir := func(x, _ float64) uint16 {
		if x < 500020 {
			return 3000
		}
		return 4000
	}
	imagery := folder(t, made{id: "m", at: "2025-06-01T10:50:00Z", tile: "31TEL", orbit: 8, grid: north, scl: flat(4), red: flat(1000), nir: nir})
	s := compute(t, imagery, rectangle(t, 32631, 500000, 4999980, 500025, 5000000), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.True(t, s.SmallField)
	o := observed(t, s)
	require.InDelta(t, (4*0.5+1*0.6)/5, o.Value, 1e-6)
	require.InDelta(t, 1, o.Coverage, 1e-6)

	// Large enough by one row: counted by pixel centres.
	s = compute(t, imagery, rectangle(t, 32631, 500000, 4999950, 500020, 5000000), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.False(t, s.SmallField)
	require.Equal(t, 10, observed(t, s).NPolygon)
}
