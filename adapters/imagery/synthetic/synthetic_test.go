package synthetic_test

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/synthetic"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/tests/realdata"
)

// The demo's archive is made once for all tests.
var demo func() (synthetic.Archive, error)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tilth-synthetic-*")
	if err != nil {
		log.Fatal(err)
	}
	demo = sync.OnceValues(func() (synthetic.Archive, error) {
		return synthetic.Make(context.Background(), filepath.Join(dir, "demo"), synthetic.Options{})
	})
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// fewPasses leaves every seventh pass of the season, of both satellites and both processing baselines.
const fewPasses = 7

func archive(t testing.TB) synthetic.Archive {
	t.Helper()
	a, err := demo()
	require.NoError(t, err)
	return a
}

// tree returns the hash of every file by path, and the sum of their sizes.
func tree(t testing.TB, dir string) (map[string]string, int64) {
	t.Helper()
	hashes, size := map[string]string{}, int64(0)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		sum := sha256.Sum256(raw)
		name, _ := filepath.Rel(dir, path)
		hashes[name], size = hex.EncodeToString(sum[:]), size+int64(len(raw))
		return err
	}))
	return hashes, size
}

func TestTheArchiveIsSmall(t *testing.T) {
	files, size := tree(t, archive(t).Dir)
	t.Logf("%d files, %.1f MB", len(files), float64(size)/1e6)
	require.Less(t, size, int64(25e6))
	require.Len(t, files, 98*9+5+3, "eight bands and an item a scene, five tables, and the elevation model")
}

// Two makers at the same time, where an empty folder is in the way: both find the
// archive, it is the same to the byte as any other of its seed, and nothing else is left.
func TestMakersAtTheSameTimeMakeTheSameArchive(t *testing.T) {
	dir, options := filepath.Join(t.TempDir(), "demo"), synthetic.Options{Seed: 1, Every: fewPasses}
	require.NoError(t, os.Mkdir(dir, 0o755))
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wg.Go(func() { _, errs[i] = synthetic.Make(t.Context(), dir, options) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Len(t, left, 1)
	alone, err := synthetic.Make(t.Context(), filepath.Join(t.TempDir(), "demo"), options)
	require.NoError(t, err)
	want, _ := tree(t, alone.Dir)
	got, _ := tree(t, dir)
	require.Equal(t, want, got)

	// What is in both archives of the seed, the scenes and the elevation model included, is the same in both.
	whole, _ := tree(t, archive(t).Dir)
	differ := []string{}
	for name, sum := range got {
		if whole[name] != sum {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	require.Equal(t, []string{"collection.json", "truth.csv"}, differ, "the tables that list passes")
}

func TestAnotherSeedIsAnotherArchive(t *testing.T) {
	of := func(seed uint64) synthetic.Archive {
		a, err := synthetic.Make(t.Context(), filepath.Join(t.TempDir(), "new", "demo"), synthetic.Options{Seed: seed, Every: fewPasses})
		require.NoError(t, err)
		return a
	}
	one, other := of(1), of(2)
	require.Len(t, other.Truth, len(one.Truth))
	require.NotEqual(t, one.Truth, other.Truth)
	require.Equal(t, one.Parcels, other.Parcels)
}

func TestAPatchIsDeadFromItsDayOn(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2025, 5, d, 0, 0, 0, 0, time.UTC) }
	dir, options := filepath.Join(t.TempDir(), "demo"), synthetic.Options{Days: []time.Time{day(15), day(20)}}
	options.Patches = []synthetic.Patch{{Where: archive(t).Parcels[0].Boundary, From: day(20)}}
	made, err := synthetic.Make(t.Context(), dir, options)
	require.NoError(t, err)
	for _, row := range made.Truth {
		switch {
		case row.NValid == 0:
		case row.Parcel == synthetic.WalkField && row.Date.Equal(day(20)):
			require.InDelta(t, 0.15, row.MeanNDVI, 1e-3)
		default:
			require.InDelta(t, row.CurveNDVI, row.MeanNDVI, 1e-3)
		}
	}
	again, err := synthetic.Make(t.Context(), dir, options)
	require.NoError(t, err)
	require.Equal(t, made, again)
	_, err = synthetic.Make(t.Context(), dir, synthetic.Options{})
	require.True(t, fault.Is(err, fault.Conflict), "another land: %v", err)
}

func TestMakingAgainWritesNothing(t *testing.T) {
	first := archive(t)
	before, err := os.Stat(filepath.Join(first.Dir, "archive.json"))
	require.NoError(t, err)
	second, err := synthetic.Make(t.Context(), first.Dir, synthetic.Options{})
	require.NoError(t, err)
	after, err := os.Stat(filepath.Join(first.Dir, "archive.json"))
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
	require.Equal(t, before.ModTime(), after.ModTime())
	require.Equal(t, first, second)
	loaded, err := synthetic.Load(first.Dir)
	require.NoError(t, err)
	require.Equal(t, first, loaded)
	_, err = synthetic.Make(t.Context(), first.Dir, synthetic.Options{Seed: 7})
	require.True(t, fault.Is(err, fault.Conflict), "another seed: %v", err)
}

func TestWhatIsThereIsNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o600))
	_, err := synthetic.Make(t.Context(), dir, synthetic.Options{})
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	raw, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "mine", string(raw))
	_, err = synthetic.Make(t.Context(), mine, synthetic.Options{})
	require.Error(t, err, "a file in the way")
}

func TestAMakerThatIsStoppedLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := synthetic.Make(ctx, filepath.Join(parent, "demo"), synthetic.Options{})
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestArchivesThatCannotBeLoaded(t *testing.T) {
	const good = `{"format":1,"synthetic":true,"seed":1,"season_from":"2025-03-01","season_to":"2025-10-31"}`
	const header = "parcel,date,n_polygon,n_valid,mean_ndvi,accepted,curve_ndvi\n"
	for name, tt := range map[string]struct {
		files map[string]string
		kind  fault.Kind
	}{
		"empty":          {nil, fault.NotFound},
		"not JSON":       {map[string]string{"archive.json": "x"}, fault.Invalid},
		"another format": {map[string]string{"archive.json": `{"format":0,"synthetic":true}`}, fault.Invalid},
		"not synthetic":  {map[string]string{"archive.json": `{"format":1}`}, fault.Invalid},
		"no season":      {map[string]string{"archive.json": `{"format":1,"synthetic":true}`}, fault.Invalid},
		"no truth":       {map[string]string{"archive.json": good, "parcels.geojson": "{}"}, fault.Invalid},
		"odd truth":      {map[string]string{"archive.json": good, "parcels.geojson": "{}", "truth.csv": "a,b\n"}, fault.Invalid},
		"odd number":     {map[string]string{"archive.json": good, "parcels.geojson": "{}", "truth.csv": header + "a,2025-03-01,x,1,0.5,true,0.5\n"}, fault.Invalid},
		"odd line":       {map[string]string{"archive.json": good, "parcels.geojson": "{}", "truth.csv": header + "a,2025-03-01\n"}, fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
			_, err := synthetic.Load(dir)
			require.True(t, fault.Is(err, tt.kind), "%v", err)
		})
	}
}

func parcel(t testing.TB, name string) synthetic.Parcel {
	t.Helper()
	for _, p := range archive(t).Parcels {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no parcel %s", name)
	return synthetic.Parcel{}
}

func rowsOf(t testing.TB, name string) []synthetic.TruthRow {
	t.Helper()
	var rows []synthetic.TruthRow
	for _, r := range archive(t).Truth {
		if r.Parcel == name {
			rows = append(rows, r)
		}
	}
	return rows
}

func TestTheParcelsAreWhatTheyAreThereFor(t *testing.T) {
	a := archive(t)
	require.Len(t, a.Parcels, 10)
	require.Equal(t, "2025-03-01", a.From.Format(time.DateOnly))
	require.Equal(t, "2025-10-31", a.To.Format(time.DateOnly))
	require.Len(t, parcel(t, "Pond meadow").Boundary[0], 2, "a hole")
	require.Len(t, parcel(t, "Twin fields").Boundary, 2, "two parts")
	require.Equal(t, 9, rowsOf(t, "Kitchen plot")[0].NPolygon, "under a tenth of a hectare")
	for i, p := range a.Parcels {
		for _, polygon := range p.Boundary {
			for _, ring := range polygon {
				for _, q := range ring {
					require.InDelta(t, q.X, math.Round(q.X*1e6)/1e6, 1e-12)
					require.InDelta(t, q.Y, math.Round(q.Y*1e6)/1e6, 1e-12)
				}
			}
		}
		for _, other := range a.Parcels[i+1:] {
			require.NotEqual(t, p.Name, other.Name)
		}
	}
	require.Equal(t, "winter_wheat", parcel(t, synthetic.WalkField).Crop)
}

func TestCropsAreOfTheCatalog(t *testing.T) {
	raw, err := os.Open(realdata.Path(t, "crops", "crops.csv"))
	require.NoError(t, err)
	defer raw.Close()
	records, err := csv.NewReader(raw).ReadAll()
	require.NoError(t, err)
	slugs := map[string]bool{}
	for _, r := range records {
		slugs[r[0]] = true
	}
	for _, p := range archive(t).Parcels {
		require.True(t, slugs[p.Crop], p.Crop)
	}
}

// No two programs can disagree about which pixels count.
func TestNoPixelCentreIsNearAnEdge(t *testing.T) {
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	for _, p := range archive(t).Parcels {
		for _, polygon := range utm.Project(p.Boundary) {
			for _, ring := range polygon {
				for i := 1; i < len(ring); i++ {
					require.Greater(t, clearance(ring[i-1], ring[i]), 0.01, "%s, edge %d", p.Name, i)
				}
			}
		}
	}
}

// clearance is the distance in metres of an edge from the nearest centre of a pixel.
func clearance(a, b geo.Position) float64 {
	nearest := math.Inf(1)
	for x := math.Floor(min(a.X, b.X)/10)*10 - 5; x <= max(a.X, b.X)+10; x += 10 {
		for y := math.Floor(min(a.Y, b.Y)/10)*10 - 5; y <= max(a.Y, b.Y)+10; y += 10 {
			dx, dy := b.X-a.X, b.Y-a.Y
			along := min(max(((x-a.X)*dx+(y-a.Y)*dy)/(dx*dx+dy*dy), 0), 1)
			nearest = min(nearest, math.Hypot(x-a.X-along*dx, y-a.Y-along*dy))
		}
	}
	return nearest
}

func TestMeansFollowTheCurves(t *testing.T) {
	checked := 0
	for _, r := range archive(t).Truth {
		if r.NValid < 9 {
			continue
		}
		checked++
		require.InDelta(t, r.CurveNDVI, r.MeanNDVI, 3e-4, "%+v", r)
	}
	require.Greater(t, checked, 250)
}

func TestTheCurveIsADoubleLogistic(t *testing.T) {
	c := synthetic.Curve{Base: 0.2, Peak: 0.8, Green: 100, Rise: 0.1, Ripe: 250, Fall: 0.1}
	on := func(day int) float64 { return c.NDVI(time.Date(2025, 1, day, 0, 0, 0, 0, time.UTC)) }
	require.InDelta(t, 0.2, on(1), 1e-4)
	require.InDelta(t, 0.5, on(100), 1e-4, "half way up on the day of the steepest rise")
	require.InDelta(t, 0.8, on(175), 1e-3)
	require.InDelta(t, 0.5, on(250), 1e-4)
	require.InDelta(t, 0.2, on(350), 1e-4)
}

func TestTheSeasonHasAllKindsOfDates(t *testing.T) {
	for _, p := range archive(t).Parcels {
		rows := rowsOf(t, p.Name)
		require.Len(t, rows, 49)
		accepted, closed, partly := 0, 0, 0
		for i, r := range rows {
			require.Equal(t, archive(t).From.AddDate(0, 0, 5*i), r.Date)
			enough := r.NValid >= 10 && 2*r.NValid >= r.NPolygon
			require.Equal(t, enough, r.Accepted)
			switch {
			case r.NValid == 0:
				closed++
				require.Zero(t, r.MeanNDVI)
			case r.NValid < r.NPolygon:
				partly++
			}
			if r.Accepted {
				accepted++
			}
		}
		require.GreaterOrEqual(t, closed, 7, p.Name)
		if p.Name == "Kitchen plot" {
			require.Zero(t, accepted)
			continue
		}
		require.Greater(t, accepted, 25, p.Name)
		require.Positive(t, partly, p.Name)
	}
}

func TestEverythingIsMarkedSynthetic(t *testing.T) {
	a := archive(t)
	require.NoError(t, filepath.WalkDir(a.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "json") {
			return err
		}
		raw, err := os.ReadFile(path)
		require.Contains(t, string(raw), `"synthetic": true`, path)
		require.Contains(t, string(raw), "SYNTHETIC", path)
		return err
	}))
}

// Three rows as numbers, so that a change of the archive does not pass unnoticed on any machine:
// such a change requires another format number.
func TestFiguresOfTheArchive(t *testing.T) {
	rows := rowsOf(t, "Border field")
	for i, want := range map[int]string{
		0:  "2025-03-01 3996 3996 0.150919428 0.150926068",
		5:  "2025-03-26 3996 2890 0.155301009 0.155306469",
		20: "2025-06-09 3996 3996 0.571708006 0.571708700",
		48: "2025-10-27 3996 3996 0.509971760 0.509971866",
	} {
		r := rows[i]
		require.Equal(t, want, fmt.Sprintf("%s %d %d %.9f %.9f", r.Date.Format(time.DateOnly), r.NPolygon, r.NValid, r.MeanNDVI, r.CurveNDVI))
	}
}

// The season before is added once, and leaves what was there as it is; an archive where adding was interrupted is as it was.
func TestSeasonBefore(t *testing.T) {
	t.Parallel()
	dir, options := filepath.Join(t.TempDir(), "demo"), synthetic.Options{Every: fewPasses}
	made, err := synthetic.Make(t.Context(), dir, options)
	require.NoError(t, err)
	was, _ := tree(t, dir)

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = synthetic.AddBefore(ended, dir, options)
	require.ErrorIs(t, err, context.Canceled)
	first, err := catalog.Open(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, first.Close()) }()
	outline := made.Parcels[0].Boundary
	from, to := made.From.AddDate(-1, 0, 0), made.To.AddDate(-1, 0, 1)
	seen, err := first.Search(t.Context(), outline, from, to)
	require.NoError(t, err)
	require.Empty(t, seen)

	season, err := synthetic.AddBefore(t.Context(), dir, options)
	require.NoError(t, err)
	require.Equal(t, []time.Time{made.From.AddDate(-1, 0, 0), made.To.AddDate(-1, 0, 0)}, []time.Time{season.From, season.To})
	require.Equal(t, "sunflower", season.Crops["Mill fallow"])
	require.Len(t, season.Crops, len(made.Parcels))
	seen, err = first.Search(t.Context(), outline, from, to)
	require.NoError(t, err)
	require.NotEmpty(t, seen, "a catalog that is open finds them")
	is, _ := tree(t, dir)
	for path, hash := range was {
		if path != "collection.json" {
			require.Equal(t, hash, is[path], path)
		}
	}
	_, err = synthetic.AddBefore(t.Context(), dir, options)
	require.NoError(t, err)
	again, _ := tree(t, dir)
	require.Equal(t, is, again)

	_, err = synthetic.AddBefore(t.Context(), filepath.Join(t.TempDir(), "none"), options)
	require.True(t, fault.Is(err, fault.NotFound))
}
