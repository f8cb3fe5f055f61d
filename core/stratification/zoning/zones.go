package zoning

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/cluster"
	"tilth/core/stratification/layer"
)

// The rules of the recommendation.
const (
	nearlyFewest = 1.05 // times the fewest samples still counts as fewest
	worthwhile   = 0.95 // of the samples without zones: zones that do not need fewer are weak
)

// Work states how a call of Zones is carried out. It does not affect the result.
type Work struct {
	Workers  int                   // concurrent workers; 0 and 1: one
	Progress func(done, total int) // called after every finished step, never concurrently; may be nil
}

// Zones divides a frame into zones of like cells, for every number of zones from Params.MinZones
// on, and recommends one of the numbers: the smallest that needs hardly more samples than the best.
//
// The layers are prepared and weighted, clustered, and the maps cleaned of specks and drawn as
// polygons. Where cleaning leaves fewer zones than requested, the map counts under that number, or
// is dropped where another map has it.
//
// Faults: Invalid for parameters out of range and for layers that do not fit the frame; with the
// code no_usable_layers where every layer is dropped. The context's error when it ends.
func Zones(ctx context.Context, f *frame.Frame, layers []layer.Layer, p Params, w Work) (Result, error) {
	z, err := newZoner(ctx, f, layers, p)
	if err != nil {
		return Result{}, err
	}
	z.work = w
	upper := p.maxZonesFor(f.AreaHa)
	z.steps = 2*max(upper-p.MinZones+1, 0) + 1
	candidates, err := z.candidates(ctx, upper)
	if err != nil {
		return Result{}, err
	}
	print := fingerprint(f, layers, p)
	for i := range candidates {
		candidates[i].MapUUID = mapUUID(print, candidates[i].Requested)
	}
	result := Result{Candidates: candidates, About: About{
		Layers: z.data.uses, Params: p, MinZoneAreaHa: p.minZoneArea(f.AreaHa),
		SamplesWithoutZones: max(p.samples(1), p.MinSamplesPerZone), AlgorithmVersion: AlgorithmVersion,
		CellSize: f.CellSize, EPSG: f.EPSG, AreaHa: f.AreaHa,
	}}
	if len(candidates) == 0 {
		result.Reason = p.noMap(f.AreaHa)
		return result, nil
	}
	result.recommend()
	fewest := slices.MinFunc(candidates, func(a, b Candidate) int { return cmp.Compare(a.SamplesNeeded, b.SamplesNeeded) }).SamplesNeeded
	result.WeakStratification = float64(fewest) >= worthwhile*float64(result.SamplesWithoutZones)
	return result, nil
}

// Judge returns how Zones would use each of the layers, before anybody pays for a map from them.
//
// Faults: those of Zones; Invalid with the code no_zones where the layers leave no map.
func Judge(ctx context.Context, f *frame.Frame, layers []layer.Layer, p Params) ([]LayerUse, error) {
	z, err := newZoner(ctx, f, layers, p)
	if err != nil {
		return nil, err
	}
	z.tables()
	for k := p.MinZones; k <= p.maxZonesFor(f.AreaHa); k++ {
		_, left, err := z.cluster(ctx, k)
		if err != nil {
			return nil, err
		}
		if left > 1 {
			return z.data.uses, nil
		}
	}
	return nil, fault.New(fault.Invalid, "no_zones", p.noMap(f.AreaHa)+reasons(z.data.uses))
}

// newZoner checks a call and prepares its layers.
func newZoner(ctx context.Context, f *frame.Frame, layers []layer.Layer, p Params) (*zoner, error) {
	if err := p.Check(list.Map(layers, func(l layer.Layer) string { return l.Name })); err != nil {
		return nil, err
	}
	if err := checkLayers(f, layers); err != nil {
		return nil, err
	}
	budget := effort.Of(ctx, 0)
	data := prepare(budget, f, layers, p)
	if err := budget.Err(); err != nil {
		return nil, err
	}
	if data.layers == 0 {
		return nil, noUsableLayers(data.uses)
	}
	return &zoner{budget: budget, frame: f, params: p, data: data}, nil
}

func noUsableLayers(uses []LayerUse) error {
	dropped := map[string]string{}
	for _, u := range uses {
		dropped[u.Name] = u.Dropped
	}
	return fault.New(fault.Invalid, "no_usable_layers", "No layer can be used."+reasons(uses)).With("dropped", dropped)
}

// reasons states why each dropped layer was dropped.
func reasons(uses []LayerUse) string {
	var out strings.Builder
	for _, u := range uses {
		if u.Dropped != "" {
			fmt.Fprintf(&out, " %s: %s.", u.Name, u.Dropped)
		}
	}
	return out.String()
}

// zoner is a running call of Zones.
type zoner struct {
	budget      *effort.Budget // for what one goroutine does
	frame       *frame.Frame
	params      Params
	work        Work
	data        prepared
	board       *frame.Board // of the frame's cells
	outliner    *frame.Outliner
	masked      []int32
	like        []int32 // for each masked cell the nearest unmasked one
	done, steps int
}

func (z *zoner) step() {
	z.done++
	if z.work.Progress != nil {
		z.work.Progress(min(z.done, z.steps), z.steps)
	}
}

func (z *zoner) candidates(ctx context.Context, upper int) ([]Candidate, error) {
	z.tables()
	if err := z.budget.Err(); err != nil {
		return nil, err
	}
	z.step()
	z.outliner = frame.NewOutliner(z.frame)
	var out []Candidate
	last := 1
	for k := z.params.MinZones; k <= upper; k++ {
		c, left, err := z.cluster(ctx, k)
		if err != nil {
			return nil, err
		}
		z.step()
		if left <= last { // nothing is left, or another map has as many zones
			continue
		}
		last = left
		out = append(out, c)
	}
	for i := range out {
		if err := z.draw(&out[i]); err != nil {
			return nil, err
		}
		z.judge(&out[i])
		z.step()
	}
	return out, z.diagnose(ctx, out)
}

// nearestSteps is the number of steps that the search for the nearest unmasked cell costs.
const nearestSteps = 32

// tables finds the neighbours of cells and, for masked cells, the nearest unmasked one.
func (z *zoner) tables() {
	f := z.frame
	z.board = frame.NewBoard(f.Cells, nil)
	open := func(i int) bool { return !f.Cells[i].Masked }
	for i, c := range f.Cells {
		if c.Masked {
			if z.budget.Spend(nearestSteps) != nil {
				return
			}
			z.masked = append(z.masked, int32(i))
			z.like = append(z.like, int32(f.Nearest(int(c.Row), int(c.Col), open)))
		}
	}
}

// cluster makes the cleaned map of k zones, and returns it with the number of zones that are left.
func (z *zoner) cluster(ctx context.Context, k int) (Candidate, int, error) {
	points := z.data.clustered
	found, err := kMeans(ctx, points, k, z.params.Starts, z.params.Seed, z.work.Workers)
	if err != nil {
		return Candidate{}, 0, err
	}
	c := Candidate{Requested: k}
	if z.params.Method == Fuzzy {
		fuzzy, err := cluster.FuzzyCMeans(z.budget, points, k, z.params.Fuzziness, found)
		if err != nil {
			return Candidate{}, 0, err
		}
		found = fuzzy.Clustering
		c.Diagnostics.FPI, c.Diagnostics.NCE = fuzzy.FPI(k), fuzzy.NCE(k)
	}
	c.Inertia = found.Inertia
	labels := make([]int32, len(z.frame.Cells))
	for n, i := range z.data.cells {
		labels[i] = found.Labels[n] + 1
	}
	for n, i := range z.masked {
		labels[i] = labels[z.like[n]]
	}
	labels = majority(z.budget, z.board, labels, k)
	cell := z.frame.CellSize * z.frame.CellSize
	absorb(z.budget, z.board, labels, int(math.Ceil(z.params.minZoneArea(z.frame.AreaHa)*frame.M2PerHectare/cell-1e-9)))
	z.restoreSeen(labels, k)
	c.Labels = labels
	if err := z.budget.Err(); err != nil {
		return c, 0, err
	}
	return c, number(labels, z.data.cells, z.data.values[z.data.first]), nil
}

// restoreSeen dissolves zones that consist only of masked cells, about which nothing is known: their
// cells join the zone of the nearest unmasked cell.
func (z *zoner) restoreSeen(labels []int32, k int) {
	seen := make([]bool, k+1)
	for _, i := range z.data.cells {
		seen[labels[i]] = true
	}
	for n, i := range z.masked {
		if !seen[labels[i]] {
			labels[i] = labels[z.like[n]]
		}
	}
}
