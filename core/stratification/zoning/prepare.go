package zoning

import (
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/cluster"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/layer"
)

// The rules of preparation.
const (
	minValid           = 0.70 // of the cells, or the layer is dropped
	lowTail            = 0.01 // values beyond these quantiles are moved to them
	highTail           = 0.99
	minDistinct        = 4    // of a coarse layer
	minCoarseCV        = 0.01 // of a coarse layer
	principalEnough    = 0.90 // of the variance, kept by principal components
	defaultSpatial     = 0.25
	defaultLayerWeight = 1.0
	// minOverlap is the minimum share of the cells in which every used layer has a value: with fewer,
	// zones would follow the edges of layers.
	minOverlap = 0.50
	// roundingNoise is the deviation, relative to the largest value, that rounding to 32-bit numbers leaves.
	roundingNoise = 1e-6
	// windowSteps is the number of steps that the search for a window costs; a distance costs one.
	windowSteps = 64
)

// resolutions are the deviations below which layers with a known unit mean nothing. Means near 0 and
// differences of nearly equal numbers leave noise that is large relative to the mean.
var resolutions = map[string]float64{
	layer.NDVIMean: 1e-4, layer.NDVISD: 1e-4, // reflectances are whole multiples of 1e-4
	layer.Elevation: 1e-3, // m
	layer.Slope:     1e-3, // degrees
}

// layerWeights are the weights of layers with a known meaning. Relief that shapes the flow of water
// counts more than height itself; soil maps of 250 m resolve little within a field.
var layerWeights = map[string]float64{
	layer.NDVIMean: 1, layer.NDVISD: 0.5, layer.Elevation: 0.5, layer.Slope: 1, layer.TWI: 1,
	"clay": 0.5, "soc_prior": 0.5, "bulk_density": 0.5,
}

// DefaultWeight returns the weight of a layer that Params.Weights does not name.
func DefaultWeight(layer string) float64 {
	if w, ok := layerWeights[layer]; ok {
		return w
	}
	return defaultLayerWeight
}

// prepared are the points of a clustering: a row for each unmasked cell.
type prepared struct {
	cells  []int32 // the frame's cells, in order
	uses   []LayerUse
	values [][]float64 // of the used layers, filled and winsorised, by row
	// points are the weighted standardised layers, then the two coordinates where the place has a
	// weight; layers is the number of the former. clustered is points or its principal components.
	points    cluster.Matrix
	layers    int
	clustered cluster.Matrix
	first     int // the used layer by whose mean zones are numbered
}

// prepare makes the points, unless the budget ends.
func prepare(budget *effort.Budget, f *frame.Frame, layers []layer.Layer, p Params) prepared {
	out := prepared{cells: f.Unmasked()}
	filled := make([][]float64, len(layers))
	for i, layer := range layers {
		if budget.Spend(len(out.cells)) != nil {
			return out
		}
		values, use := prepareLayer(budget, f, layer, out.cells)
		filled[i], out.uses = values, append(out.uses, use)
	}
	dropWetnessOfFlatLand(out.uses)
	if out.dropApart(budget, layers) != nil {
		return out
	}
	for i := range out.uses {
		if use := &out.uses[i]; use.Dropped == "" {
			use.Weight = weightOf(use.Name, p)
			out.values = append(out.values, filled[i])
		}
	}
	out.layers = len(out.values)
	if out.layers > 0 {
		out.standardise(budget, f, p)
	}
	return out
}

func weightOf(layer string, p Params) float64 {
	if w, ok := p.Weights[layer]; ok {
		return w
	}
	return DefaultWeight(layer)
}

func (p *prepared) used() []LayerUse {
	return slices.DeleteFunc(slices.Clone(p.uses), func(u LayerUse) bool { return u.Dropped != "" })
}

// prepareLayer fills and winsorises one layer over cells, or sets why it is dropped.
func prepareLayer(budget *effort.Budget, f *frame.Frame, layer layer.Layer, cells []int32) ([]float64, LayerUse) {
	use := LayerUse{Name: layer.Name, Source: layer.Source}
	values, valid := make([]float64, len(cells)), 0
	for n, i := range cells {
		values[n] = layer.Values[i]
		if math.IsInf(values[n], 0) {
			values[n] = math.NaN()
		}
		if !math.IsNaN(values[n]) {
			valid++
		}
	}
	use.ValidShare = float64(valid) / float64(len(cells))
	if use.ValidShare < minValid {
		use.Dropped = fmt.Sprintf("only %.1f %% of the cells have a value; %.0f %% are needed", 100*use.ValidShare, 100*minValid)
		return nil, use
	}
	fill(budget, f, values, cells)
	winsorise(values)
	use.Mean, use.SD = stats.MeanAndSD(values)
	switch {
	case use.SD == 0:
		use.Dropped = "it has the same value everywhere"
	case !(use.SD > max(roundingNoise*max(math.Abs(slices.Min(values)), math.Abs(slices.Max(values))), resolutions[layer.Name])):
		use.Dropped = fmt.Sprintf("it varies by %.2g around %.6g: that is noise", use.SD, use.Mean)
	case layer.Coarse && distinct(values) < minDistinct:
		use.Dropped = fmt.Sprintf("a coarse layer with fewer than %d different values", minDistinct)
	case layer.Coarse && use.SD < minCoarseCV*math.Abs(use.Mean):
		use.Dropped = fmt.Sprintf("a coarse layer that varies by less than %.0f %% of its mean", 100*minCoarseCV)
	}
	return values, use
}

// dropWetnessOfFlatLand drops the wetness of land whose height does not vary: all that it shows is the
// order in which flats were filled.
func dropWetnessOfFlatLand(uses []LayerUse) {
	height := slices.IndexFunc(uses, func(u LayerUse) bool { return u.Name == layer.Elevation })
	wetness := slices.IndexFunc(uses, func(u LayerUse) bool { return u.Name == layer.TWI })
	if height >= 0 && wetness >= 0 && uses[wetness].Dropped == "" && uses[height].ValidShare >= minValid && uses[height].Dropped != "" {
		uses[wetness].Dropped = "it follows from heights that do not vary"
	}
}

// dropApart drops layers until the remaining ones all have values in enough cells: each time the layer
// with values in the fewest cells or, of several, the last. Its error is that of the budget.
func (p *prepared) dropApart(budget *effort.Budget, layers []layer.Layer) error {
	missing := make([]int, len(p.cells)) // number of used layers without a value, by cell
	gaps := func(l layer.Layer, count int) {
		for n, i := range p.cells {
			if !stats.Finite(l.Values[i]) {
				missing[n] += count
			}
		}
	}
	for i, l := range layers {
		if p.uses[i].Dropped == "" {
			gaps(l, 1)
		}
	}
	for {
		if err := budget.Spend(len(p.cells)); err != nil {
			return err
		}
		together, fewest := 0, -1
		for _, count := range missing {
			if count == 0 {
				together++
			}
		}
		share := float64(together) / float64(len(p.cells))
		for i, u := range p.uses {
			if u.Dropped == "" && (fewest < 0 || u.ValidShare <= p.uses[fewest].ValidShare) {
				fewest = i
			}
		}
		if share >= minOverlap || fewest < 0 {
			return nil
		}
		p.uses[fewest].Dropped = fmt.Sprintf("only %.1f %% of the cells have values of it and of the other layers; %.0f %% are needed, and of these it has the fewest", 100*share, 100*minOverlap)
		gaps(layers[fewest], -1)
	}
}

// fill sets every missing value to the mean of the valid cells of the smallest window around the
// cell, 3 × 3, 5 × 5 and so on, that holds one. Filled cells do not fill others.
func fill(budget *effort.Budget, f *frame.Frame, values []float64, cells []int32) {
	if !slices.ContainsFunc(values, math.IsNaN) {
		return
	}
	known := &frame.Frame{Rows: f.Rows, Cells: make([]frame.Cell, 0, len(cells))}
	var at []float64
	for n, i := range cells {
		if !math.IsNaN(values[n]) {
			known.Cells, at = append(known.Cells, f.Cells[i]), append(at, values[n])
		}
	}
	known = known.Indexed()
	filled := slices.Clone(values)
	for n, i := range cells {
		if math.IsNaN(values[n]) {
			if budget.Spend(windowSteps) != nil {
				break
			}
			filled[n] = windowMean(known, at, int(f.Cells[i].Row), int(f.Cells[i].Col))
		}
	}
	copy(values, filled)
}

// windowMean returns the mean of the smallest window with a cell, found by doubling and halving.
func windowMean(f *frame.Frame, values []float64, row, col int) float64 {
	high := 1
	for f.InWindow(row, col, high, nil) == 0 {
		high *= 2
	}
	low := high / 2
	for low+1 < high {
		if middle := (low + high) / 2; f.InWindow(row, col, middle, nil) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	sum := 0.0
	count := f.InWindow(row, col, high, func(i int) { sum += values[i] })
	return sum / float64(count)
}

// winsorise moves the values beyond the 1st and 99th percentiles to these.
func winsorise(values []float64) {
	sorted := slices.Sorted(slices.Values(values))
	low, high := stats.Quantile(sorted, lowTail), stats.Quantile(sorted, highTail)
	for i, v := range values {
		values[i] = min(max(v, low), high)
	}
}

func distinct(values []float64) int {
	sorted := slices.Sorted(slices.Values(values))
	return len(slices.Compact(sorted))
}

// standardise makes the points: z = (x - mean) / sd · √(weight / sum of weights). Both coordinates
// are divided by the larger of their two deviations, which preserves the shape of distances.
func (p *prepared) standardise(budget *effort.Budget, f *frame.Frame, params Params) {
	used := p.used()
	columns, total := p.layers, 0.0
	for h, u := range used {
		total += u.Weight
		if u.Weight > used[p.first].Weight {
			p.first = h
		}
	}
	if params.SpatialWeight > 0 {
		columns += 2
		total += 2 * params.SpatialWeight
	}
	p.points = cluster.NewMatrix(len(p.cells), columns)
	for j, u := range used {
		p.points.SetColumn(j, p.values[j], u.Mean, u.SD, math.Sqrt(u.Weight/total))
	}
	if params.SpatialWeight > 0 {
		p.place(f, math.Sqrt(params.SpatialWeight/total))
	}
	p.clustered = p.points
	if params.PCA {
		p.clustered = principal(budget, p.points)
	}
}

func (p *prepared) place(f *frame.Frame, scale float64) {
	x, y := make([]float64, len(p.cells)), make([]float64, len(p.cells))
	for n, i := range p.cells { // in cells: numbers near 0 keep their precision
		x[n], y[n] = float64(f.Cells[i].Col), -float64(f.Cells[i].Row)
	}
	meanX, sdX := stats.MeanAndSD(x)
	meanY, sdY := stats.MeanAndSD(y)
	wider := max(sdX, sdY)
	p.points.SetColumn(p.layers, x, meanX, wider, scale)
	p.points.SetColumn(p.layers+1, y, meanY, wider, scale)
}
