package satellite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// tile is one scene of the in-memory imagery: constant reflectance and class columns.
type tile struct {
	scene   vegetation.Scene
	grid    vegetation.Grid
	classes func(col, row int) uint16
	red     uint16
	nir     uint16
	broken  map[vegetation.Band]error // errors of reading bands
}

// archive is imagery in memory. It keeps a log of what was read.
type archive struct {
	tiles  map[string]tile
	outage error // of Search

	searches int

	mu    sync.Mutex
	read  map[string]int // by "id band"
	upper int            // pixels of the largest window
	from  time.Time
	to    time.Time
}

func (a *archive) Describe() string { return "in memory" }

func (a *archive) Search(_ context.Context, _ geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	a.from, a.to = from, to
	a.searches++
	if a.outage != nil {
		return nil, a.outage
	}
	var out []vegetation.Scene
	for _, t := range a.tiles {
		if at := t.scene.SensedAt; !at.Before(from) && at.Before(to) {
			out = append(out, t.scene)
		}
	}
	slices.SortFunc(out, func(x, y vegetation.Scene) int { return x.SensedAt.Compare(y.SensedAt) })
	return out, nil
}

func (a *archive) Grid(_ context.Context, s vegetation.Scene, b vegetation.Band) (vegetation.Grid, error) {
	g := a.tiles[s.ID].grid
	if b == vegetation.SCL { // 20 m over 10 m
		g.PixelX, g.PixelY, g.Width, g.Height = 2*g.PixelX, 2*g.PixelY, g.Width/2, g.Height/2
	}
	return g, nil
}

func (a *archive) Read(ctx context.Context, s vegetation.Scene, b vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	t := a.tiles[s.ID]
	a.mu.Lock()
	a.read[s.ID+" "+string(b)]++
	a.upper = max(a.upper, w.Width*w.Height)
	a.mu.Unlock()
	if err := t.broken[b]; err != nil {
		return vegetation.Raster{}, err
	}
	grid, err := a.Grid(ctx, s, b)
	if err != nil {
		return vegetation.Raster{}, err
	}
	r := vegetation.Raster{Grid: w.Of(grid), DN: make([]uint16, w.Width*w.Height), HasNoData: true, Scale: 0.0001}
	for i := range r.DN {
		col, row := w.Col+i%w.Width, w.Row+i/w.Width
		switch {
		case col < 0 || row < 0 || col >= grid.Width || row >= grid.Height:
		case b == vegetation.SCL:
			r.DN[i] = t.classes(col, row)
		case b == vegetation.B04:
			r.DN[i] = t.red
		case b == vegetation.B08:
			r.DN[i] = t.nir
		}
	}
	return r, nil
}

// The field is 400 m × 200 m on the grid of the default tile: columns 20 to 59, rows 20 to 39,
// 800 pixels. It lies at 9° east.
var (
	grid  = vegetation.Grid{EPSG: 32632, OriginX: 500000, OriginY: 5000000, PixelX: 10, PixelY: 10, Width: 200, Height: 200}
	field = lonlat(500200, 4999600, 500600, 4999800)
)

func lonlat(minX, minY, maxX, maxY float64) geo.MultiPolygon {
	utm, err := geo.NewUTM(32632)
	if err != nil {
		panic(err)
	}
	var ring geo.Ring
	for _, p := range []geo.Position{{X: minX, Y: minY}, {X: maxX, Y: minY}, {X: maxX, Y: maxY}, {X: minX, Y: maxY}, {X: minX, Y: minY}} {
		ring = append(ring, utm.Inverse(p))
	}
	return geo.MultiPolygon{{ring}}
}

func all(class uint16) func(int, int) uint16 { return func(int, int) uint16 { return class } }

// westOf shows one class west of a column of the 20 m grid and another east of it.
func westOf(col int, west, east uint16) func(int, int) uint16 {
	return func(c, _ int) uint16 {
		if c < col {
			return west
		}
		return east
	}
}

func newTile(id, at string, classes func(int, int) uint16, nir uint16) tile {
	sensed, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	return tile{
		scene: vegetation.Scene{
			ID: id, Platform: "sentinel-2a", Tile: id, RelativeOrbit: 22, SensedAt: sensed,
			Bands: map[vegetation.Band]bool{vegetation.B04: true, vegetation.B08: true, vegetation.SCL: true},
		},
		grid: grid, classes: classes, red: 1000, nir: nir,
	}
}

func newArchive(tiles ...tile) *archive {
	a := &archive{tiles: map[string]tile{}, read: map[string]int{}}
	for _, t := range tiles {
		a.tiles[t.scene.ID] = t
	}
	return a
}

func request(t testing.TB) satellite.SeriesRequest {
	ndvi, err := vegetation.ParseIndex("NDVI")
	require.NoError(t, err)
	return satellite.SeriesRequest{
		Boundary: field, Index: ndvi,
		From: time.Date(2023, 8, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2023, 8, 31, 0, 0, 0, 0, time.UTC),
	}
}

func compute(t testing.TB, a *archive, req satellite.SeriesRequest) vegetation.Series {
	s, err := (&satellite.Computer{Imagery: a}).Compute(t.Context(), req)
	require.NoError(t, err)
	return s
}

func TestSeriesOfASeason(t *testing.T) {
	gone := newTile("gone", "2023-08-20T10:00:00Z", all(4), 3000)
	gone.broken = map[vegetation.Band]error{vegetation.B08: fault.New(fault.NotFound, "gone", "The file is gone.")}
	broken := newTile("broken", "2023-08-22T10:00:00Z", all(4), 3000)
	broken.broken = map[vegetation.Band]error{vegetation.SCL: fault.New(fault.Invalid, "invalid_raster", "The file is broken.")}
	bandless := newTile("bandless", "2023-08-24T10:00:00Z", all(4), 3000)
	bandless.scene.Bands = map[vegetation.Band]bool{vegetation.B04: true, vegetation.SCL: true}
	elsewhere := newTile("elsewhere", "2023-08-26T10:00:00Z", all(4), 3000)
	elsewhere.grid.OriginX += 50_000
	a := newArchive(
		newTile("clear", "2023-08-05T10:00:00Z", all(4), 3000),
		newTile("cloudy", "2023-08-10T10:00:00Z", westOf(15, 4, 9), 3000), // 10 of 40 columns
		newTile("mostly", "2023-08-15T10:00:00Z", westOf(25, 7, 8), 4000), // 30 of 40 columns
		newTile("before", "2023-07-31T10:00:00Z", all(4), 3000),
		newTile("after", "2023-09-01T10:00:00Z", all(4), 3000),
		gone, broken, bandless, elsewhere,
	)
	s := compute(t, a, request(t))

	require.Equal(t, vegetation.NDVI, s.Index)
	require.False(t, s.NoSCL || s.SmallField || s.Synthetic)
	require.Len(t, s.Observations, 2)
	first, second := s.Observations[0], s.Observations[1]
	require.Equal(t, "2023-08-05", first.Date.Format(time.DateOnly))
	require.InDelta(t, 0.5, first.Value, 1e-12)
	require.Equal(t, [2]int{800, 800}, [2]int{first.NValid, first.NPolygon})
	require.InDelta(t, 0.6, second.Value, 1e-12)
	require.InDelta(t, 0.75, second.Coverage, 1e-12)
	require.Equal(t, []string{"mostly"}, second.Items)

	var got []string
	for _, r := range s.Rejected {
		got = append(got, fmt.Sprintf("%d %s %s %d/%d", r.Date.Day(), r.Reason, r.Items[0], r.NValid, r.NPolygon))
		require.Equal(t, r.Reason == vegetation.ReasonError, r.Note != "")
	}
	require.Equal(t, []string{
		"10 cloud cloudy 200/800", "20 error gone 0/800", "22 error broken 0/0", "24 error bandless 0/0", "26 nodata elsewhere 0/800",
	}, got)

	require.Zero(t, a.read["cloudy B04"]+a.read["cloudy B08"], "the bands of a cloudy date are not read")
	require.Equal(t, 1, a.read["clear B04"])
	require.Zero(t, a.read["elsewhere SCL"], "nothing is read where the file holds nothing of the field")
	require.LessOrEqual(t, a.upper, 46*26, "only the window of the field is read")
}

func TestStrictMask(t *testing.T) {
	a := newArchive(newTile("water", "2023-08-05T10:00:00Z", westOf(20, 6, 4), 3000)) // half water
	req := request(t)
	require.Equal(t, 800, compute(t, a, req).Observations[0].NValid)
	req.Mask = vegetation.MaskStrict
	require.Equal(t, 400, compute(t, a, req).Observations[0].NValid)
}

func TestTilesOfAPassAreMerged(t *testing.T) {
	small := newTile("south", "2023-08-05T10:00:00Z", westOf(20, 4, 0), 4000)
	large := newTile("north", "2023-08-05T10:00:15Z", westOf(14, 0, 5), 3000) // without the western 8 of 40 columns
	large.grid.OriginX, large.grid.OriginY = grid.OriginX-5, grid.OriginY+5   // half a pixel off
	spare := newTile("spare", "2023-08-05T10:00:30Z", westOf(18, 4, 0), 9000)
	a := newArchive(small, large, spare)
	s := compute(t, a, request(t))
	require.Len(t, s.Observations, 1)
	require.Equal(t, []string{"north", "south"}, s.Observations[0].Items, "the larger coverage first")
	o := s.Observations[0]
	require.Equal(t, o.NPolygon, o.NValid)
	require.InDelta(t, 0.5, o.Median, 1e-12, "the larger scene wins where both are clear")
	require.InDelta(t, 0.6, o.Max, 1e-12)
	require.InDelta(t, 0.5+0.1*8/40, o.Value, 0.003)
	require.Zero(t, a.read["spare B04"], "a scene that can add nothing is not read")
}

func TestOneBrokenTileRejectsThePass(t *testing.T) {
	broken := newTile("south", "2023-08-05T10:00:00Z", all(4), 4000)
	broken.broken = map[vegetation.Band]error{vegetation.SCL: fault.New(fault.Invalid, "invalid_raster", "Broken.")}
	other := newTile("other orbit", "2023-08-05T11:00:00Z", westOf(22, 4, 9), 3000)
	other.scene.RelativeOrbit = 23
	pass := []tile{broken, newTile("north", "2023-08-05T10:00:15Z", all(4), 3000)}
	require.Equal(t, vegetation.ReasonError, compute(t, newArchive(pass...), request(t)).Rejected[0].Reason)
	s := compute(t, newArchive(append(pass, other)...), request(t))
	require.Equal(t, []string{"other orbit"}, s.Observations[0].Items, "another pass of the day stands in")
	require.Empty(t, s.Rejected)
}

func TestTwoOrbitsOfADay(t *testing.T) {
	less := newTile("less", "2023-08-05T10:00:00Z", westOf(25, 4, 9), 3000)
	more := newTile("more", "2023-08-05T10:10:00Z", westOf(28, 4, 9), 4000)
	more.scene.RelativeOrbit = 122
	s := compute(t, newArchive(less, more), request(t))
	require.Len(t, s.Observations, 1)
	require.Equal(t, []string{"more"}, s.Observations[0].Items)
}

func TestWithoutClassification(t *testing.T) {
	plain := newTile("plain", "2023-08-05T10:00:00Z", nil, 3000)
	plain.scene.Bands = map[vegetation.Band]bool{vegetation.B04: true, vegetation.B08: true}
	plain.scene.Synthetic = true
	second := plain
	second.scene.ID, second.scene.Tile = "second", "second"
	second.grid.OriginX -= 1500 // its eastern edge lies in the field
	a := newArchive(plain, second)
	s := compute(t, a, request(t))
	require.True(t, s.NoSCL)
	require.True(t, s.Synthetic)
	require.Equal(t, 800, s.Observations[0].NValid)
	require.Equal(t, []string{"plain"}, s.Observations[0].Items)
	require.Equal(t, 1, a.read["plain B04"], "bands read for the order of merging are not read again")
	require.Zero(t, a.read["plain SCL"])
}

func TestSmallField(t *testing.T) {
	req := request(t)
	req.Boundary = lonlat(500200, 4999785, 500225, 4999800)
	s := compute(t, newArchive(newTile("clear", "2023-08-05T10:00:00Z", all(4), 3000)), req)
	require.True(t, s.SmallField)
	require.InDelta(t, 0.5, s.Observations[0].Value, 1e-12)
	require.Equal(t, 6, s.Observations[0].NValid)
}

// TestSolarDays puts the field at 175° east, where the satellite crosses on the day before by
// UTC: the season's first morning counts and the first morning after it does not.
func TestSolarDays(t *testing.T) {
	req := request(t)
	req.Boundary = geo.MultiPolygon{{{{X: 175, Y: -40}, {X: 175.01, Y: -40}, {X: 175, Y: -39.99}, {X: 175, Y: -40}}}}
	a := newArchive()
	compute(t, a, req)
	require.Equal(t, "2023-07-31T12:19:59Z", a.from.Format(time.RFC3339))
	require.Equal(t, "2023-08-31T12:19:59Z", a.to.Format(time.RFC3339))
}

func TestOutagesAbort(t *testing.T) {
	out := fault.New(fault.Unavailable, "imagery_unavailable", "The imagery source is out.")
	a := newArchive(newTile("clear", "2023-08-05T10:00:00Z", all(4), 3000))
	a.outage = out
	_, err := (&satellite.Computer{Imagery: a}).Compute(t.Context(), request(t))
	require.True(t, fault.Is(err, fault.Unavailable))

	half := newTile("half", "2023-08-10T10:00:00Z", all(4), 3000)
	for _, failure := range []error{errors.New("a defect"), context.Canceled} {
		half.broken = map[vegetation.Band]error{vegetation.B08: failure}
		s, err := (&satellite.Computer{Imagery: newArchive(newTile("clear", "2023-08-05T10:00:00Z", all(4), 3000), half)}).
			Compute(t.Context(), request(t))
		require.ErrorIs(t, err, failure)
		require.Zero(t, s, "no series with holes")
	}
}

// One bad object costs one date; a source that delivers nothing is unavailable.
func TestAFileThatIsNotDeliveredIsOneBadDate(t *testing.T) {
	out := fault.New(fault.Unavailable, "imagery_unavailable", "The source did not deliver half/B08.tif after 5 tries.")
	half := newTile("half", "2023-08-10T10:00:00Z", all(4), 3000)
	half.broken = map[vegetation.Band]error{vegetation.B08: out}
	clear := newTile("clear", "2023-08-05T10:00:00Z", all(4), 3000)
	a := newArchive(clear, half)
	s := compute(t, a, request(t))
	require.Len(t, s.Observations, 1)
	require.Len(t, s.Rejected, 1)
	require.Equal(t, vegetation.ReasonError, s.Rejected[0].Reason)
	require.Equal(t, 800, s.Rejected[0].NPolygon)
	require.Contains(t, s.Rejected[0].Note, "half/B08.tif")
	require.Equal(t, 1, s.Unread())

	// A refresh tries that date again, and no other.
	half.broken = nil
	a.tiles["half"] = half
	a.read = map[string]int{}
	fresh, err := (&satellite.Computer{Imagery: a}).Refresh(t.Context(), request(t), []vegetation.Series{s})
	require.NoError(t, err)
	require.Len(t, fresh[0].Observations, 2)
	require.Zero(t, a.read["clear B08"])

	half.broken = map[vegetation.Band]error{vegetation.B08: out}
	_, err = (&satellite.Computer{Imagery: newArchive(half)}).Compute(t.Context(), request(t))
	require.ErrorIs(t, err, out, "nothing was delivered at all")
}

func TestImpossibleRequests(t *testing.T) {
	for field, change := range map[string]func(*satellite.SeriesRequest){
		"boundary":   func(r *satellite.SeriesRequest) { r.Boundary = nil },
		"index_code": func(r *satellite.SeriesRequest) { r.Index = vegetation.Index{} },
		"from":       func(r *satellite.SeriesRequest) { r.From = time.Time{} },
		"to":         func(r *satellite.SeriesRequest) { r.To = r.From.AddDate(0, 0, -1) },
	} {
		req := request(t)
		change(&req)
		_, err := (&satellite.Computer{Imagery: newArchive()}).Compute(t.Context(), req)
		f, ok := fault.As(err)
		require.True(t, ok, field)
		require.Equal(t, fault.Invalid, f.Kind)
		require.Contains(t, f.Fields, field)
	}
}

func TestTheOrderOfWorkDoesNotMatter(t *testing.T) {
	var tiles []tile
	for i := range 60 {
		id := fmt.Sprintf("s%02d", i)
		tl := newTile(id, fmt.Sprintf("2023-08-%02dT10:%02d:00Z", 1+i%20, i), westOf(10+i%20, 4, 9), uint16(3000+10*i))
		tl.scene.RelativeOrbit = i % 3
		tiles = append(tiles, tl)
	}
	want := compute(t, newArchive(tiles...), request(t))
	require.NotEmpty(t, want.Observations)
	require.NotEmpty(t, want.Rejected)
	for range 5 {
		slices.Reverse(tiles)
		require.Equal(t, want, compute(t, newArchive(tiles...), request(t)))
	}
}
