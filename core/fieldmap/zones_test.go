package fieldmap_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/stratification/frame"
)

const cells = 30 // each way

// land is a square field of 9 ha whose pixels lie on the frame's.
func land(t *testing.T) (geo.MultiPolygon, *frame.Frame) {
	t.Helper()
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	const x, y, w = 500_000, 4_600_000, 10 * cells
	field := utm.Unproject(geo.MultiPolygon{{{{X: x, Y: y - w}, {X: x + w, Y: y - w}, {X: x + w, Y: y}, {X: x, Y: y}, {X: x, Y: y - w}}}})
	f, err := frame.New(nil, []geo.MultiPolygon{field}, frame.Options{EdgeMask: 1})
	require.NoError(t, err)
	return field, &f
}

// season returns the peaks of a year: for each cell, what value returns for its column and row.
func season(f *frame.Frame, year int, value func(col, row int) float64) fieldmap.Peak {
	p := fieldmap.Peak{Season: fieldmap.Season{
		Start: time.Date(year, 3, 1, 0, 0, 0, 0, time.UTC), End: time.Date(year, 10, 31, 0, 0, 0, 0, time.UTC), Dates: 9, Used: true, Scenes: []string{"s" + time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006")},
	}}
	for _, c := range f.Cells {
		p.Values = append(p.Values, value(int(c.Col), int(c.Row)))
	}
	return p
}

// thirds are three strips from west to east, each higher by a step, with a little of each cell's own.
func thirds(low, step float64) func(col, row int) float64 {
	return func(col, row int) float64 {
		return low + step*float64(col*3/(cells+1)) + 0.001*float64((col*7+row*13)%11)
	}
}

func find(made []fieldmap.Made, name string) *fieldmap.Made {
	for i := range made {
		if made[i].Name == name {
			return &made[i]
		}
	}
	return nil
}

func TestZonesOfSeveralSeasons(t *testing.T) {
	t.Parallel()
	field, f := land(t)
	in := fieldmap.Zoned{Index: "NDVI", Field: field, Frame: f, Seasons: []fieldmap.Peak{
		season(f, 2025, thirds(0.5, 0.1)), season(f, 2024, thirds(0.3, 0.05)), season(f, 2023, thirds(0.6, 0.1)),
		{Season: fieldmap.Season{Start: time.Date(2022, 3, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2022, 10, 31, 0, 0, 0, 0, time.UTC), Reason: "too few"}},
	}}
	made, err := fieldmap.MakeZones(t.Context(), in)
	require.NoError(t, err)
	again, err := fieldmap.MakeZones(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, made[0].Layer, again[0].Layer, "the same input makes the same zones")
	zones := find(made, fieldmap.ZonesLayer)
	require.Len(t, zones.Zones, fieldmap.DefaultZones)
	require.Empty(t, zones.Notes)
	require.Len(t, zones.Seasons, 4, "also those that are not used")
	require.Equal(t, []bool{true, true, true, false}, []bool{zones.Seasons[0].Used, zones.Seasons[1].Used, zones.Seasons[2].Used, zones.Seasons[3].Used})
	require.Equal(t, []string{"s2025", "s2024", "s2023"}, zones.Scenes)
	ha := 0.0
	for i, z := range zones.Zones {
		require.Equal(t, i+1, z.Number)
		require.InDelta(t, 3, z.AreaHa, 0.4)
		require.Len(t, z.Peaks, 3)
		require.InDelta(t, 0.5+0.1*float64(i), z.Peaks[0], 0.02, "the newest season first")
		require.InDelta(t, 0.3+0.05*float64(i), z.Peaks[1], 0.02)
		ha += z.AreaHa
	}
	require.InDelta(t, geo.AreaM2(field)/1e4, ha, 1e-4, "together the zones are the field")
	require.InDelta(t, -0.083, zones.Zones[0].Mean, 0.01, "0.1, 0.05 and 0.1 below the field's")
	require.InDelta(t, 0.029, zones.Zones[0].Std, 0.005, "which differs between the seasons")
	at := func(col int) float64 { return zones.Pixels.Values[15*zones.Pixels.Cols+col] }
	require.Equal(t, []float64{1, 2, 3}, []float64{at(3), at(15), at(27)})
	for _, name := range []string{fieldmap.MeanLayer, fieldmap.StabilityLayer, "peak_2023", "peak_2024", "peak_2025"} {
		require.NotNil(t, find(made, name), name)
	}
	require.Nil(t, find(made, "peak_2022"))
	require.Equal(t, indexmap.Numbers, zones.Pixels.Subject.Kind)
}

func TestZonesOfASingleSeasonSaySo(t *testing.T) {
	t.Parallel()
	field, f := land(t)
	flat := season(f, 2024, func(int, int) float64 { return 0.7 })
	made, err := fieldmap.MakeZones(t.Context(), fieldmap.Zoned{Index: "NDVI", Field: field, Frame: f, Classes: 2, Seasons: []fieldmap.Peak{season(f, 2025, thirds(0.5, 0.1)), flat}})
	require.NoError(t, err)
	require.Contains(t, made[0].Notes[0], "a single season")
	require.False(t, made[0].Seasons[1].Used)
	require.Contains(t, made[0].Seasons[1].Reason, "that is noise")
	require.Len(t, made[0].Zones, 2)
	require.Len(t, made[0].Notes, 1)
	require.Zero(t, made[0].Zones[0].Std)
	require.Nil(t, find(made, fieldmap.StabilityLayer))
}

func TestFewerZonesThanAsked(t *testing.T) {
	t.Parallel()
	field, f := land(t)
	halves := func(col, _ int) float64 { return map[bool]float64{true: 0.4, false: 0.8}[col < cells/2] }
	made, err := fieldmap.MakeZones(t.Context(), fieldmap.Zoned{Index: "NDVI", Field: field, Frame: f, Classes: 7, Seasons: []fieldmap.Peak{season(f, 2025, halves)}})
	require.NoError(t, err)
	require.Less(t, len(made[0].Zones), 8)
	for _, z := range made[0].Zones {
		require.False(t, math.IsNaN(z.Mean))
	}
}

func TestZonesThatHardlyDifferSaySo(t *testing.T) {
	t.Parallel()
	field, f := land(t)
	noise := season(f, 2025, func(col, row int) float64 { return 0.7 + 0.01*float64((col*7+row*13)%11) })
	made, err := fieldmap.MakeZones(t.Context(), fieldmap.Zoned{Index: "NDVI", Field: field, Frame: f, Seasons: []fieldmap.Peak{noise}})
	require.NoError(t, err)
	require.Contains(t, made[0].Notes[1], "hardly differ")
}

func TestFieldsWithoutZones(t *testing.T) {
	t.Parallel()
	field, f := land(t)
	flat := season(f, 2025, func(int, int) float64 { return 0.7 })
	unused := flat
	unused.Used, unused.Reason = false, "The archive has 2 acquisitions."
	for code, seasons := range map[string][]fieldmap.Peak{"no_season": {unused}, "no_usable_layers": {flat}} {
		_, err := fieldmap.MakeZones(t.Context(), fieldmap.Zoned{Index: "NDVI", Field: field, Frame: f, Seasons: seasons})
		known, ok := fault.As(err)
		require.True(t, ok)
		require.Equal(t, []any{fault.Invalid, code}, []any{known.Kind, known.Code})
	}
	_, err := fieldmap.MakeZones(t.Context(), fieldmap.Zoned{Index: "NDVI", Field: field, Frame: f, Seasons: []fieldmap.Peak{unused}})
	require.ErrorContains(t, err, "2025-03-01 to 2025-10-31: The archive has 2 acquisitions.")
}

func TestPrescriptions(t *testing.T) {
	t.Parallel()
	p, err := fieldmap.NewPrescription("180, 160.5,0", "", 3)
	require.NoError(t, err)
	require.Equal(t, []float64{180, 160.5, 0}, p.Rates)
	require.Equal(t, []any{"kg/ha", int64(16_050)}, []any{p.Unit.Name, p.SetPoint(2)})
	none, err := fieldmap.NewPrescription("", "l/ha", 3)
	require.NoError(t, err)
	require.Nil(t, none.Rates)
	for rates, unit := range map[string]string{"1,2": "", "1,2,3,4": "", "1,x,3": "", "1,-2,3": "", "1,NaN,3": "", "1,2,1e9": "", "1,2,3": "bags"} {
		_, err := fieldmap.NewPrescription(rates, unit, 3)
		require.True(t, fault.Is(err, fault.Invalid), "%s %s", rates, unit)
	}
}
