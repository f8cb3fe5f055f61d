package mapview_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite/mapview"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/memory"
)

var season = time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)

func day(n int) time.Time { return season.AddDate(0, 0, n) }

// rig is a company with a map of three dates, the last of which has no file any more, and one cloudy date.
type rig struct {
	*memory.World
	views  mapview.Views
	who    access.Principal
	order  vegetation.OrderState
	layers map[string]*indexmap.Layer
	remade int
	drawn  []any
}

func (r *rig) Layer(_ context.Context, object string) (*indexmap.Layer, error) {
	l, ok := r.layers[object]
	if !ok {
		return nil, fault.Missing("file")
	}
	return l, nil
}

func (r *rig) Remake(context.Context, vegetation.OrderState) error { r.remade++; return nil }

func (r *rig) DrawLayer(_ context.Context, w io.Writer, _ string, in ports.ShownLayer) error {
	r.drawn = append(r.drawn, in)
	_, err := io.WriteString(w, "picture")
	return err
}

func (r *rig) DrawTile(w io.Writer, in ports.ShownTile) error {
	r.drawn = append(r.drawn, in)
	_, err := io.WriteString(w, "tile")
	return err
}

func (r *rig) WriteGeoTIFF(w io.Writer, l indexmap.Layer) error {
	r.drawn = append(r.drawn, l)
	_, err := io.WriteString(w, "file")
	return err
}

func (r *rig) WriteFieldGeoTIFF(w io.Writer, l indexmap.Layer) error { return r.WriteGeoTIFF(w, l) }

func (r *rig) IssueLink(_ context.Context, _ access.Principal, below string, need access.Permission, lasts time.Duration) (string, time.Time, error) {
	return below + " " + string(need.Slug()), season.Add(lasts), nil
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{World: memory.New(), layers: map[string]*indexmap.Layer{}}
	r.who = r.Company(1)
	r.views = mapview.Views{Deps: r.Deps(), Layers: r, Pictures: r, Files: r, Links: r, Orders: r}
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	outline := utm.Unproject(geo.MultiPolygon{{{{X: 500_000, Y: 4_600_000}, {X: 500_000, Y: 4_599_980}, {X: 500_060, Y: 4_599_980}, {X: 500_060, Y: 4_600_000}, {X: 500_000, Y: 4_600_000}}}})
	r.order = vegetation.OrderState{
		UUID: "m", CompanyID: r.who.CompanyID, Product: credit.VegetationIndexMap, Map: vegetation.MapTerms{Outline: "abc", Classes: 3}, SeasonID: 1,
		Index: "NDVI", Status: vegetation.Active, StartDate: season, EndDate: day(90), Boundary: outline, AreaM2: 1200, CreatedAt: season, UpdatedAt: season,
	}
	series := vegetation.Series{Index: vegetation.NDVI, Rejected: []vegetation.Rejection{{Date: day(12), Reason: vegetation.ReasonCloud}}}
	var files []indexmap.File
	for k, n := range []int{3, 10, 20} {
		l := &indexmap.Layer{Day: day(n), Index: vegetation.NDVI, Cols: 6, Rows: 2, Scenes: []string{"s"},
			Grid: vegetation.Grid{EPSG: 32630, OriginX: 500_000, OriginY: 4_600_000, PixelX: 10, PixelY: 10, Width: 6, Height: 2}}
		for i := range 12 {
			l.Values, l.Inside = append(l.Values, float64(i*(k+1))/100), append(l.Inside, true)
		}
		l.Values[5] = math.NaN()
		object := string(rune('a' + k))
		if n != 20 {
			r.layers[object] = l
		}
		files = append(files, indexmap.File{Day: day(n), Object: object, Bytes: 9})
		series.Observations = append(series.Observations, vegetation.Observation{Date: day(n)})
	}
	require.NoError(t, r.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		if err := tx.Maps.Of(credit.VegetationIndexMap).Insert(ctx, access.Own(r.who.CompanyID), &r.order); err != nil {
			return err
		}
		return tx.Maps.Of(credit.VegetationIndexMap).PutDates(ctx, access.Own(r.who.CompanyID), r.order.ID, series, files)
	}))
	return r
}

func (r *rig) whole() mapview.Ask {
	return mapview.Ask{Product: credit.VegetationIndexMap, ID: r.order.ID}
}

func (r *rig) ask(n int) mapview.Ask {
	d := day(n)
	ask := r.whole()
	ask.Day = &d
	return ask
}

func faultOf(t *testing.T, err error) *fault.Error {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	return f
}

func TestADateThatTheMapLacks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, _, err := r.views.Picture(t.Context(), r.who, r.ask(12), ports.PNG, mapview.Look{})
	f := faultOf(t, err)
	require.Equal(t, fault.NotFound, f.Kind)
	require.Equal(t, "map_date", f.Code)
	require.Equal(t, "cloud", f.Details["reason"])
	require.Equal(t, []string{"2025-04-04", "2025-04-11", "2025-04-21"}, f.Details["nearest"])
	_, _, err = r.views.GeoTIFF(t.Context(), r.who, r.ask(11), false)
	require.Equal(t, "none", faultOf(t, err).Details["reason"])

	// A date whose file has expired is remade.
	_, write, err := r.views.Tile(t.Context(), r.who, r.ask(20), indexmap.Tile{Size: 256}, indexmap.Sampling{}, mapview.Look{})
	require.NoError(t, err)
	f = faultOf(t, write(io.Discard))
	require.Equal(t, fault.Unavailable, f.Kind)
	require.Equal(t, "map_file_expired", f.Code)
	require.Equal(t, 1, r.remade)
}

func TestWhoSeesAMap(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stranger := r.Company(2)
	for _, who := range []access.Principal{stranger, {}} {
		_, _, err := r.views.Picture(t.Context(), who, r.ask(3), ports.PNG, mapview.Look{})
		require.True(t, fault.Is(err, fault.NotFound) || fault.Is(err, fault.Unauthenticated), "%v", err)
		_, _, err = r.views.Statistics(t.Context(), who, r.ask(3), indexmap.Quantile, 0)
		require.Error(t, err)
		_, _, err = r.views.Share(t.Context(), who, r.whole(), "maps/1/", time.Hour)
		require.Error(t, err)
	}
	text, expires, err := r.views.Share(t.Context(), r.who, r.whole(), "maps/1/", time.Hour)
	require.NoError(t, err)
	require.Equal(t, "maps/1/ vi-map.view", text)
	require.Equal(t, season.Add(time.Hour), expires)
}

func TestAMapThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	require.NoError(t, r.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		order := r.order
		order.Status = vegetation.Processing
		if err := tx.Maps.Of(credit.VegetationIndexMap).Update(ctx, access.Own(r.who.CompanyID), order); err != nil {
			return err
		}
		return tx.Maps.Of(credit.VegetationIndexMap).PutDates(ctx, access.Own(r.who.CompanyID), r.order.ID, vegetation.Series{}, nil)
	}))
	_, _, err := r.views.Picture(t.Context(), r.who, r.ask(3), ports.PNG, mapview.Look{})
	f := faultOf(t, err)
	require.Equal(t, fault.Conflict, f.Kind)
	require.Equal(t, "order_state", f.Code)
}

func TestPicturesAreShownAsAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	low, high := 0.2, 0.4
	var out bytes.Buffer
	d, write, err := r.views.Picture(t.Context(), r.who, r.ask(10), ports.PNG, mapview.Look{Low: &low, High: &high, Bare: true, Method: indexmap.Quantile, Classes: 3})
	require.NoError(t, err)
	require.Equal(t, "b", d.Key())
	require.NoError(t, write(&out))
	require.Equal(t, "picture", out.String())
	shown := r.drawn[0].(ports.ShownLayer)
	require.Equal(t, [2]float64{0.2, 0.4}, [2]float64{shown.Style.Low, shown.Style.High})
	require.True(t, shown.Bare)
	require.Len(t, shown.Classes.Each, 3)
	require.Equal(t, day(10), shown.Layer.Day)

	_, _, err = r.views.Picture(t.Context(), r.who, r.ask(10), ports.PNG, mapview.Look{Low: &high, High: &low})
	require.Contains(t, faultOf(t, err).Fields, "low")
	_, _, err = r.views.Picture(t.Context(), r.who, r.ask(10), ports.PNG, mapview.Look{Method: "x", Classes: 99})
	require.Len(t, faultOf(t, err).Fields, 2)
	_, _, err = r.views.Tile(t.Context(), r.who, r.ask(10), indexmap.Tile{Z: 30, Size: 256}, indexmap.Sampling{}, mapview.Look{})
	require.Contains(t, faultOf(t, err).Fields, "z")
}

func TestFiguresOfAMap(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.layers["c"] = r.layers["a"]
	_, all, err := r.views.Statistics(t.Context(), r.who, r.whole(), indexmap.EqualInterval, 4)
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.InDelta(t, (66.0-5)/11/100, all[0].Mean, 1e-12)
	require.Len(t, all[0].Classes.Each, 4)
	_, one, err := r.views.Statistics(t.Context(), r.who, r.ask(10), indexmap.Quantile, 0)
	require.NoError(t, err)
	require.Len(t, one, 1)
	require.Nil(t, one[0].Classes)

	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	_, values, err := r.views.At(t.Context(), r.who, r.whole(), utm.Inverse(geo.Position{X: 500_015, Y: 4_599_985}))
	require.NoError(t, err)
	require.Len(t, values, 3)
	require.InDelta(t, 0.14, values[1].Value, 1e-12)
	_, _, err = r.views.At(t.Context(), r.who, r.whole(), geo.Position{X: 10, Y: 10})
	require.Contains(t, faultOf(t, err).Fields, "lon")
	_, _, err = r.views.At(t.Context(), r.who, r.whole(), geo.Position{X: math.NaN(), Y: 100})
	require.Len(t, faultOf(t, err).Fields, 2)

	zones, err := r.views.Zones(t.Context(), r.who, r.whole(), indexmap.Quantile, 0)
	require.NoError(t, err)
	require.Len(t, zones.Each, 4, "as many classes as were ordered, and the pixel without a value")
	sum := 0.0
	for _, z := range zones.Each {
		sum += z.Ha
	}
	require.InDelta(t, 0.12, sum, 1e-4)
}
