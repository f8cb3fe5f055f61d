package plan

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/zoning"
)

// estate returns fields side by side, each with its number of columns of 40 cells of 10 m, and two zones: the
// northern and the southern half.
func estate(t *testing.T, columns ...int) (frame.Frame, *zoning.Zoning) {
	t.Helper()
	g := frame.GridCells{CellSize: 10, OriginX: 500_000, OriginY: 5_700_000}
	west, fields := 0, []geo.MultiPolygon(nil)
	for _, n := range columns {
		x0, x1, y := 500_000+float64(10*west), 500_000+float64(10*(west+n)), 5_700_000.0
		fields = append(fields, geo.MultiPolygon{{{{X: x0, Y: y - 400}, {X: x1, Y: y - 400}, {X: x1, Y: y}, {X: x0, Y: y}, {X: x0, Y: y - 400}}}})
		for c := range n {
			for r := range 40 {
				g.Places = append(g.Places, [2]int32{int32(r), int32(west + c)})
			}
		}
		west += n
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	f.Fields = fields
	labels := make([]int32, len(f.Cells))
	for i, c := range f.Cells {
		f.Cells[i].Field = int32(f.FieldAt(f.Centre(i), 0))
		if labels[i] = 1; c.Row >= 20 {
			labels[i] = 2
		}
	}
	return f, zoningOf(&f, labels)
}

func byField(plan Plan) map[int]int {
	out := map[int]int{}
	for _, p := range plan.Points {
		if p.Role == RoleSample {
			out[p.Field]++
		}
	}
	return out
}

// Every field gets its minimum; fields whose share does not yield as many samples are strata of their own.
func TestMinimumByField(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24, 6, 4)
	p := DefaultParams()
	p.Samples, p.MinSamplesPerField, p.ZoneOffset, p.MinDistance = 24, 3, 5, 10
	for _, placement := range Placements {
		for seed := range uint64(5) {
			p.Placement, p.Seed = placement, seed
			plan, err := New(nil, &f, z, p, layersOf(&f)...)
			require.NoError(t, err)
			require.Equal(t, 24, plan.Samples)
			require.Equal(t, placement.Probability(), plan.ProbabilitySample)
			require.Equal(t, 2, plan.Zones())
			require.Len(t, plan.PerZone, 4, "the two small fields follow the zones")
			require.Equal(t, []int{0, 0, 3, 4}, []int{plan.PerZone[0].Field, plan.PerZone[1].Field, plan.PerZone[2].Field, plan.PerZone[3].Field})
			weights := 0.0
			for _, s := range plan.PerZone {
				weights += s.Weight
				require.False(t, s.Edge)
			}
			require.InDelta(t, 1, weights, 1e-9)
			require.InDelta(t, 6/64.0, plan.PerZone[2].Weight, 1e-9)
			require.InDelta(t, f.AreaHa*(plan.Covered.Ha+plan.Covered.StripHa)/f.AreaHa, f.AreaHa, 1e-9)
			counts := byField(plan)
			for field := range 4 {
				require.GreaterOrEqual(t, counts[field], 3, "%s, seed %d, field %d", placement, seed, field)
			}
			for _, point := range plan.Points {
				require.Equal(t, point.Zone > 2, point.Field > 1, point.ID)
			}
		}
	}
	// All fields are too small to get their minimum from the zones, which are left without land.
	p.Samples, p.MinSamplesPerField = 16, 4
	plan, err := New(nil, &f, z, p, layersOf(&f)...)
	require.NoError(t, err)
	require.Zero(t, plan.PerZone[0].Samples+plan.PerZone[1].Samples)
	require.Zero(t, plan.PerZone[0].Weight)
	require.False(t, math.IsNaN(plan.ExpectedRelativeError) || math.IsNaN(plan.Detection.Change))

	custom, err := Customise(nil, &f, z, plan, []Operation{{Change: Delete, Point: "Z3-01"}})
	require.NoError(t, err)
	require.Equal(t, 3, custom.PerZone[2].Samples)
	require.Equal(t, "few_samples", custom.Concerns[0].Code)
}

// A field that is a stratum of its own is weighted by its land, even where more of it than of other fields is strip.
func TestOwnFieldsWeighAsTheirLand(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24, 6, 4)
	for _, edge := range Edges {
		p := DefaultParams()
		p.Samples, p.MinSamplesPerField, p.ZoneOffset, p.MinDistance, p.Edge = 24, 3, 15, 10, edge
		plan, err := New(nil, &f, z, p, layersOf(&f)...)
		require.NoError(t, err)
		require.Equal(t, p.ZoneOffset, plan.Params.ZoneOffset)
		strips, sum := 0.0, 0.0
		for _, stratum := range plan.PerZone {
			sum += stratum.Weight
			if stratum.Field > 0 {
				columns := float64([]int{30, 24, 6, 4}[stratum.Field-1])
				land := columns / 64
				if edge == EdgeStratum {
					land = (columns - 2) * 36 / 64 / 40
				}
				require.InDelta(t, land, stratum.Weight, 1e-9, "%s, field %d", edge, stratum.Field)
				strips++
			}
		}
		require.GreaterOrEqual(t, strips, 2.0)
		require.InDelta(t, 1, sum, 1e-9)
	}
}

// A plan that is changed by hand warns of a field that keeps too few samples, and of legacy points.
func TestCustomPlansWarnOfFields(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24)
	p := DefaultParams()
	p.Samples, p.MinSamplesPerField, p.ZoneOffset, p.MinDistance = 24, 10, 5, 10
	p.Legacy = []geo.Position{f.Centre(100)}
	base, err := New(nil, &f, z, p, layersOf(&f)...)
	require.NoError(t, err)
	require.Equal(t, 2, base.Zones())
	var gone []Operation
	for _, point := range base.Points {
		if point.Role == RoleSample && point.Field == 1 && len(gone) < byField(base)[1]-9 {
			gone = append(gone, Operation{Change: Delete, Point: point.ID})
		}
	}
	changed, err := Customise(nil, &f, z, base, gone)
	require.NoError(t, err)
	var said []string
	for _, c := range changed.Concerns {
		said = append(said, c.Message)
	}
	require.Contains(t, said, "Field 2 has 9 samples, fewer than the 10 required.")
	require.Contains(t, said, "The plan keeps 1 from before (legacy points), which it did not draw: estimates do not include them.")
}

func TestMinimumByFieldIsRefused(t *testing.T) {
	f, z := estate(t, 30, 2)
	p := DefaultParams()
	p.MinSamplesPerField = 1
	_, err := New(nil, &f, z, p, layersOf(&f)...)
	require.ErrorContains(t, err, "min_samples_per_field")
	p.MinSamplesPerField, p.Allocation, p.PerZone = 3, Given, map[int]int{1: 5, 2: 5}
	_, err = New(nil, &f, z, p, layersOf(&f)...)
	require.ErrorContains(t, err, "min_samples_per_field")
	p.Allocation, p.PerZone, p.Samples = Proportional, nil, 12
	p.ZoneOffset = 10 // the second field is 20 m wide
	_, err = New(nil, &f, z, p, layersOf(&f)...)
	known, _ := fault.As(err)
	require.Equal(t, noRoomCode, known.Code)
	require.Contains(t, known.Message, "field 2")
	p.Samples, p.ZoneOffset = 5, 5
	_, err = New(nil, &f, z, p, layersOf(&f)...)
	require.ErrorContains(t, err, "2 zones need at least 6 samples; 5 were requested.")
}

// Over 3,000 seeds, the weighted mean of the samples averages to the mean of the land: every place of a stratum
// has the same chance. Its standard error is at most that of the strata alone.
func TestMinimumByFieldIsUnbiased(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 20, 16, 10, 3)
	truth, values := 0.0, make([]float64, len(f.Cells))
	for i, c := range f.Cells {
		values[i] = 50 + 4*float64(c.Field) + 0.2*float64(c.Row) + 3*math.Sin(float64(7*c.Col+3*c.Row))
		truth += values[i] / float64(len(values))
	}
	p := DefaultParams()
	p.Samples, p.MinSamplesPerField, p.ZoneOffset, p.MinDistance, p.ReserveShare = 14, 2, 0, 0, 0
	d := designOf(t, &f, z, p)
	var means, variances []float64
	drawn := make([]float64, len(values))
	for seed := range 3000 {
		d.params.Seed = uint64(seed)
		found, err := d.place(0)
		require.NoError(t, err)
		byStratum := make([][]float64, len(found.counts))
		for _, s := range found.samples {
			h := d.stratum(s.cell) - 1
			byStratum[h] = append(byStratum[h], values[s.cell])
			drawn[s.cell] += float64(len(found.eligible[h])) / float64(found.counts[h]) / 3000
		}
		mean, variance := 0.0, 0.0
		for h, v := range byStratum {
			m, s2 := stats.MeanAndVariance(v)
			mean += d.shared[h].Weight * m
			variance += d.shared[h].Weight * d.shared[h].Weight * s2 / float64(len(v))
		}
		means, variances = append(means, mean), append(variances, variance)
	}
	mean, sd := stats.MeanAndSD(means)
	require.InDelta(t, truth, mean, 4*sd/math.Sqrt(3000))
	reported, _ := stats.MeanAndSD(variances)
	require.GreaterOrEqual(t, math.Sqrt(reported), 0.95*sd, "the usual standard error is no smaller than the true one")
	for field := range int32(4) {
		sum, n := 0.0, 0.0
		for i, c := range f.Cells {
			if c.Field == field {
				sum, n = sum+drawn[i], n+1
			}
		}
		require.InDelta(t, 1, sum/n, 0.05, "the chance of field %d", field)
	}
}
