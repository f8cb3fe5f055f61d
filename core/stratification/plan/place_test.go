package plan

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/cluster"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/zoning"
	"tilth/tests/fields"
	"tilth/tests/realdata"
)

// zoningOf makes a map from labels.
func zoningOf(f *frame.Frame, labels []int32) *zoning.Zoning {
	k := int(slices.Max(labels))
	z := &zoning.Zoning{Labels: labels, Zones: make([]zoning.Zone, k)}
	for h, outline := range frame.NewOutliner(f).Outlines(nil, labels, k) {
		cells := 0
		for _, label := range labels {
			if int(label) == h+1 {
				cells++
			}
		}
		share := float64(cells) / float64(len(labels))
		z.Zones[h] = zoning.Zone{Number: h + 1, Outline: outline, Cells: cells, Share: share, AreaHa: share * f.AreaHa, RV: 1}
	}
	return z
}

func oneZone(f *frame.Frame) *zoning.Zoning {
	return zoningOf(f, slices.Repeat([]int32{1}, len(f.Cells)))
}

// voorstFrame returns the cells of Voorst, with their values and strata (1 to 5).
func voorstFrame(t testing.TB) (f frame.Frame, values []float64, strata []int32) {
	t.Helper()
	records := fields.RecordsOf(t, realdata.Path(t, "stratification", "voorst.csv"))[1:]
	var x, y, z []float64
	for _, r := range records {
		x, y, z = append(x, fields.Number(t, r[0])), append(y, fields.Number(t, r[1])), append(z, fields.Number(t, r[2]))
	}
	g := frame.GridCells{CellSize: 25, OriginX: slices.Min(x) - 12.5, OriginY: slices.Max(y) + 12.5}
	for i := range x {
		g.Places = append(g.Places, [2]int32{int32(math.Round((g.OriginY-y[i])/25 - 0.5)), int32(math.Round((x[i]-g.OriginX)/25 - 0.5))})
	}
	f, given, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	for _, i := range given {
		values = append(values, z[i])
		strata = append(strata, int32(slices.Index(fields.VoorstStrata, records[i][3])+1))
	}
	return f, values, strata
}

// loosely returns parameters without an offset, a minimum distance or reserves.
func loosely(placement Placement, samples map[int]int) Params {
	p := DefaultParams()
	p.Placement, p.ZoneOffset, p.MinDistance, p.ReserveShare = placement, 0, 0, 0
	p.Allocation, p.PerZone = Given, samples
	return p
}

func designOf(t testing.TB, f *frame.Frame, z *zoning.Zoning, p Params) *design {
	t.Helper()
	require.NoError(t, p.Check(len(z.Zones)))
	strata, mean, err := strataOf(z.Zones, p)
	require.NoError(t, err)
	g, err := newGround(nil, f, z, p)
	require.NoError(t, err)
	return &design{ground: g, params: p, strata: strata, mean: mean}
}

// Over 2,000 seeds the estimates from stratified random points have the mean of the population and
// the theoretical standard error.
func TestStratifiedRandomPointsAreUnbiased(t *testing.T) {
	w, _ := fields.Voorst(t)
	f, values, strata := voorstFrame(t)
	z := zoningOf(&f, strata)
	for name, want := range map[string]struct {
		samples map[string]int
		se      float64
	}{"proportional": {w.Published.Prop, 6.5046}, "neyman": {w.Published.Neyman, 6.1624}} {
		samples := map[int]int{}
		for h, stratum := range fields.VoorstStrata {
			samples[h+1] = want.samples[stratum]
		}
		d := designOf(t, &f, z, loosely(StratifiedRandom, samples))
		var means []float64
		for seed := range 2000 {
			d.params.Seed = uint64(seed)
			found, err := d.place(0)
			require.NoError(t, err)
			require.Len(t, found.samples, 40)
			mean := 0.0
			for _, s := range found.samples {
				h := strata[s.cell]
				mean += z.Zones[h-1].Share * values[s.cell] / float64(samples[int(h)])
			}
			means = append(means, mean)
		}
		mean, sd := stats.MeanAndSD(means)
		require.InDelta(t, w.Computed.Mean, mean, 0.45, name)
		require.InEpsilon(t, want.se, sd, 0.05, name)
	}
}

// evenness returns the mean squared distance of cells to the nearest point, and the balance of
// Stevens and Olsen.
func evenness(f *frame.Frame, spots []spot) (mssd, balance float64) {
	share := make([]float64, len(spots))
	for i := range f.Cells {
		at := f.Centre(i)
		nearest, lower := 0, math.Inf(1)
		for n, s := range spots {
			if d := cluster.SquaredDistance([]float64{at.X, at.Y}, []float64{s.at.X, s.at.Y}); d < lower {
				nearest, lower = n, d
			}
		}
		mssd += lower / float64(len(f.Cells))
		share[nearest] += float64(len(spots)) / float64(len(f.Cells))
	}
	for _, v := range share {
		balance += (v - 1) * (v - 1) / float64(len(spots))
	}
	return mssd, balance
}

func TestBalancedPointsLieEvenly(t *testing.T) {
	f, values, _ := voorstFrame(t)
	z := oneZone(&f)
	figures := func(placement Placement, seeds int) (mssd, balance, sd float64) {
		d := designOf(t, &f, z, loosely(placement, map[int]int{1: 40}))
		var means []float64
		for seed := range seeds {
			d.params.Seed = uint64(seed)
			found, err := d.place(0)
			require.NoError(t, err)
			m, b := evenness(&f, found.samples)
			mssd, balance = mssd+m/float64(seeds), balance+b/float64(seeds)
			mean := 0.0
			for _, s := range found.samples {
				mean += values[s.cell] / 40
			}
			means = append(means, mean)
		}
		mean, sd := stats.MeanAndSD(means)
		require.InDelta(t, 81.13, mean, 4.5*sd/math.Sqrt(float64(seeds)), "unbiased")
		return mssd, balance, sd
	}
	mssd, balance, sd := figures(SpatiallyBalanced, 50)
	t.Logf("spatially balanced: MSSD %.0f, balance %.3f, standard error %.2f", mssd, balance, sd)
	require.InEpsilon(t, 34_905, mssd, 0.03)
	require.InDelta(t, 0.0865, balance, 0.01)
	require.InDelta(t, 6.017, sd, 1.9) // three times its own standard error, which is a tenth of it for 50 values
	mssd, balance, sd = figures(StratifiedRandom, 25)
	t.Logf("random: MSSD %.0f, balance %.3f, standard error %.2f", mssd, balance, sd)
	require.InEpsilon(t, 58_062, mssd, 0.12)
	require.InDelta(t, 0.382, balance, 0.09)
}

// Every unit is drawn with the same chance, those at the edge too.
func TestPivotalDrawsAllAlike(t *testing.T) {
	var at [][2]int32
	for row := range int32(7) {
		for col := range int32(9) {
			at = append(at, [2]int32{row, col})
		}
	}
	const seeds, n = 6000, 7
	seen := make([]int, len(at))
	for seed := range seeds {
		drawn := pivotal(nil, at, n, pcg.New(uint64(seed), "pivotal"))
		require.Len(t, drawn, n)
		for _, i := range drawn {
			seen[i]++
		}
	}
	for i, times := range seen { // 666.7 expected; four and a half standard deviations
		require.InDelta(t, seeds*n/63.0, times, 4.5*math.Sqrt(seeds*7.0/63*56/63), "unit %d", i)
	}
	require.Empty(t, pivotal(nil, at, 0, pcg.New(1, "pivotal")))
	require.Len(t, pivotal(nil, at, len(at), pcg.New(1, "pivotal")), len(at))
}

func TestTreeFindsTheNearest(t *testing.T) {
	random := pcg.New(5, "tree")
	var at [][2]int32
	for range 500 {
		at = append(at, [2]int32{int32(random.Below(60)), int32(random.Below(60))})
	}
	tree := newTree(at)
	left := len(at)
	for left > 1 {
		i := int32(random.Below(len(at)))
		if tree.gone[i] {
			continue
		}
		lower := int64(math.MaxInt64)
		for j := range at {
			if int32(j) != i && !tree.gone[j] {
				lower = min(lower, squaredSteps(at[i], at[j]))
			}
		}
		j := tree.nearest(i, random)
		require.NotEqual(t, i, j)
		require.False(t, tree.gone[j])
		require.Equal(t, lower, squaredSteps(at[i], at[j]))
		tree.remove(i)
		left--
	}
}

func TestCoverageIsAsEvenAsThePeers(t *testing.T) {
	w, _ := fields.Voorst(t)
	f, _, _ := voorstFrame(t)
	z := oneZone(&f)
	for _, row := range w.Coverage.Rows {
		found, err := designOf(t, &f, z, loosely(Coverage, map[int]int{1: row.N})).place(0)
		require.NoError(t, err)
		mssd, _ := evenness(&f, found.samples)
		require.LessOrEqual(t, mssd, row.Max, "%d points", row.N)
	}
	var wheat struct {
		Coverage []struct {
			N   int
			Max float64
		} `json:"mssd_spatial_coverage"`
	}
	fields.Expected(t, "wheat-expected.json", &wheat)
	require.Len(t, wheat.Coverage, 3)
	field, _ := fields.WheatFrame(t, 0)
	for _, row := range wheat.Coverage {
		found, err := designOf(t, &field, oneZone(&field), loosely(Coverage, map[int]int{1: row.N})).place(0)
		require.NoError(t, err)
		mssd, _ := evenness(&field, found.samples)
		require.LessOrEqual(t, mssd, row.Max, "%d points", row.N)
	}
}

// The cells that keep an offset are those that shapely's buffers yield.
func TestEligibleCellsOfTheWheatField(t *testing.T) {
	var want struct {
		Cleaning struct {
			Raw, Once map[string]any
			Fifty     struct {
				Cells map[string]map[string]int `json:"cells_with_centre_at_least"`
			} `json:"majority_once_then_smallest_first_50"`
		} `json:"zone_cleaning"`
	}
	fields.Expected(t, "wheat-expected.json", &want)
	f, _ := fields.WheatFrame(t, 0)
	z := zoningOf(&f, fields.LabelsOf(t, &f, "wheat-zones-smallest-first50.csv"))
	for offset, zones := range want.Cleaning.Fifty.Cells {
		meters := int(fields.Number(t, offset))
		g, err := newGround(nil, &f, z, Params{ZoneOffset: meters})
		require.NoError(t, err)
		got := g.eligible(meters)
		require.Len(t, zones, 3)
		for zone, cells := range zones {
			require.Len(t, got[int(fields.Number(t, zone))-1], cells, "zone %s, %s m", zone, offset)
		}
	}
}

// Points of a square field of cells lie anywhere in it with the same chance: in quarters of cells,
// and at the field's edge as often as inside, whatever the seed.
func TestPlacesAreUniform(t *testing.T) {
	f := squareFrame(t, 20)
	d := designOf(t, &f, oneZone(&f), loosely(StratifiedRandom, map[int]int{1: 4}))
	var inCell [4]int
	edge, total := 0, 0
	for seed := range 3000 {
		d.params.Seed = uint64(seed)
		found, err := d.place(0)
		require.NoError(t, err)
		for _, s := range found.samples {
			x, y := s.at.X-f.OriginX, f.OriginY-s.at.Y
			total++
			if min(x, y, 200-x, 200-y) < 20 {
				edge++
			}
			quarter := 0
			if math.Mod(x, 10) >= 5 {
				quarter++
			}
			if math.Mod(y, 10) >= 5 {
				quarter += 2
			}
			inCell[quarter]++
		}
	}
	require.InDelta(t, 0.36*float64(total), edge, 4.5*math.Sqrt(0.36*0.64*float64(total)), "at the edge")
	for q, n := range inCell {
		require.InDelta(t, float64(total)/4, n, 4.5*math.Sqrt(float64(total)*3/16), "quarter %d", q)
	}
}

// squareFrame returns a field of side × side cells of 10 m.
func squareFrame(t testing.TB, side int32) frame.Frame {
	t.Helper()
	g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	for row := range side {
		for col := range side {
			g.Places = append(g.Places, [2]int32{row, col})
		}
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	return f
}

// The search around a place passes all eligible cells of a zone, in the order of their distances.
func TestPropertySearchesGoOutward(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(5, 40).Draw(t, "rows"), rapid.IntRange(5, 40).Draw(t, "cols")
		g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
		var labels []int32
		for i := range rows * cols {
			if rapid.IntRange(0, 3).Draw(t, "cell") > 0 || i < 2*frame.MinCells {
				g.Places = append(g.Places, [2]int32{int32(i / cols), int32(i % cols)})
				labels = append(labels, int32(1+i%2))
			}
		}
		f, given, err := frame.OfCells(g, nil, 0)
		if err != nil {
			t.Skip("too few cells")
		}
		sorted := make([]int32, len(given))
		for i, n := range given {
			sorted[i] = labels[n]
		}
		ground, err := newGround(nil, &f, zoningOf(&f, sorted), Params{})
		require.NoError(t, err)
		d := &design{ground: ground, params: DefaultParams()}
		eligible := d.eligible(0)
		search := newTargeted(d, eligible)
		at := geo.Position{X: 500_000 + rapid.Float64Range(-20, 420).Draw(t, "x"), Y: 5_400_000 - rapid.Float64Range(-20, 420).Draw(t, "y")}
		for zone, cells := range eligible {
			want := slices.Clone(cells)
			slices.SortFunc(want, func(a, b int32) int {
				return cmp.Or(cmp.Compare(search.away(at, a), search.away(at, b)), cmp.Compare(a, b))
			})
			got := []int32{}
			require.False(t, search.outward(at, zone, func(cell int32) bool { got = append(got, cell); return false }))
			require.Equal(t, len(want), len(got))
			for i := range want {
				require.Equal(t, want[i], got[i])
			}
		}
	})
}
