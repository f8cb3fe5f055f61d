package fieldmap

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// The classes of a zoning map.
const (
	MinZones     = 2
	MaxZones     = 7
	DefaultZones = 3 // low, middle and high: what most spreaders and sowing plans distinguish
)

// MaxSeasons is the maximum number of seasons that a zoning map is made from, including the order's own.
const MaxSeasons = layer.MaxYears

// The names of the layers of a zoning map; those of seasons are "peak_" and the year in which they end.
const (
	ZonesLayer     = "zones"
	MeanLayer      = "mean"
	StabilityLayer = "stability"
)

// Earlier returns the span of days of a season, moved back by a number of years.
func Earlier(start, end time.Time, years int) (time.Time, time.Time) {
	return start.AddDate(-years, 0, 0), end.AddDate(-years, 0, 0)
}

// Peak is a season with the peak of each cell of a frame.
type Peak struct {
	Season
	Values    []float64 // NaN where the cell was not seen often enough
	Synthetic bool
}

// Zoned is what zones are made from.
type Zoned struct {
	Index   string           // the code of the index
	Field   geo.MultiPolygon // WGS84
	Frame   *frame.Frame     // over the field
	Seasons []Peak           // those that were looked for, the newest first; without values where they are not used
	Classes int              // 0: DefaultZones
}

// edgeSpace is the weight of each coordinate beside the seasons, which have a weight of 1 together.
const edgeSpace = 0.25

// zonesMethod describes, for people, how zones are made.
const zonesMethod = "k-means on the seasons' peaks (95th percentile of the dates of each pixel), each season standardised and all of the same weight, with the place at a quarter of it; " +
	"pixels along the outline take the zone beside them; parts below the smallest area join their neighbours (" + zoning.AlgorithmVersion + ")"

// MakeZones divides a field into zones that are alike in all seasons, numbered from the lowest peaks on. The same input makes the same
// zones. The layers are, in order: the zones, how far the peaks lie above the field's, how much that changes, and the peaks of each season.
//
// Faults: Invalid (no_season) where no season can be used; (no_zones, no_usable_layers) where the field has no zones.
func MakeZones(ctx context.Context, in Zoned) ([]Made, error) {
	k := cmp.Or(in.Classes, DefaultZones)
	in.Seasons = slices.Clone(in.Seasons)
	used := in.used()
	if len(used) == 0 {
		return nil, fault.New(fault.Invalid, "no_season", noSeason(in.Seasons))
	}
	labels, err := cluster(ctx, in.Frame, used, k)
	if err != nil {
		return nil, err
	}
	used = in.used()
	var notes []string
	if len(used) == 1 {
		notes = append(notes, "WARNING: the zones come from a single season. Whether they also occur in other years is not known.")
	}
	deviations := deviate(in.Frame, used)
	mean, sd := layer.MeanAndSD(deviations)
	zones := number(labels, mean)
	describe(zones, labels, used, deviations, sd)
	about := Layer{
		Source: fmt.Sprintf("Sentinel-2: %s of %s", in.Index, seasonsInWords(used)), Method: zonesMethod, Notes: notes, Zones: zones,
		Seasons: list.Map(in.Seasons, func(p Peak) Season { return p.Season }),
	}
	for _, p := range used {
		about.Scenes, about.Years, about.Synthetic = append(about.Scenes, p.Scenes...), append(about.Years, p.End.Year()), about.Synthetic || p.Synthetic
	}
	about.Subject = indexmap.Subject{Name: ZonesLayer, Title: "Zones", Kind: indexmap.Numbers}
	pixels := raster(in.Frame, list.Map(labels, func(n int32) float64 { return float64(n) }), nil)
	if err := measure(effort.Of(ctx, 0), pixels, in.Field, zones); err != nil {
		return nil, err
	}
	about.Notes = append(about.Notes, alike(zones, labels, mean)...)
	if len(zones) < k {
		about.Notes = append(about.Notes, fmt.Sprintf("%d zones instead of %d: any further differences are in patches smaller than the smallest part of a zone.", len(zones), k))
	}
	out := []Made{made(about, pixels)}
	about.Seasons, about.Zones, about.Notes = nil, nil, nil
	plain := func(name, title, method string, values []float64) {
		about.Subject, about.Method = indexmap.Subject{Name: name, Title: title, Kind: indexmap.Measure}, method
		out = append(out, made(about, raster(in.Frame, values, nil)))
	}
	plain(MeanLayer, "Peak of "+in.Index+" above the field's", "mean over the seasons of each pixel's peak less the mean peak of the field", mean)
	if sd != nil {
		plain(StabilityLayer, "Change between seasons", "standard deviation over the seasons of each pixel's peak less the mean peak of the field", sd)
	}
	for _, p := range used {
		about.Source, about.Scenes, about.Years, about.Synthetic = fmt.Sprintf("Sentinel-2: %s of %s", in.Index, inWords(p.Season)), p.Scenes, []int{p.End.Year()}, p.Synthetic
		plain(fmt.Sprintf("peak_%d", p.End.Year()), fmt.Sprintf("Peak of %s in %d", in.Index, p.End.Year()), "95th percentile of the dates of each pixel", p.Values)
	}
	return out, nil
}

// used returns the seasons that are used.
func (in Zoned) used() (out []*Peak) {
	for i := range in.Seasons {
		if in.Seasons[i].Used {
			out = append(out, &in.Seasons[i])
		}
	}
	return out
}

// noSeason returns why there is no season to make zones from.
func noSeason(all []Peak) string {
	if len(all) == 0 {
		return "The archive has no season for the field."
	}
	return fmt.Sprintf("No season can be used. %s: %s.", inWords(all[0].Season), strings.TrimSuffix(all[0].Reason, "."))
}

func inWords(s Season) string {
	return s.Start.Format(time.DateOnly) + " to " + s.End.Format(time.DateOnly)
}

func seasonsInWords(used []*Peak) string {
	if len(used) == 1 {
		return "the season " + inWords(used[0].Season)
	}
	first, last := used[len(used)-1].Season, used[0].Season
	return fmt.Sprintf("%d seasons, of %s and up to %s", len(used), inWords(first), inWords(last))
}

// cluster returns the zone of each cell. Seasons that cannot be used after all are marked as not used, with the reason.
func cluster(ctx context.Context, f *frame.Frame, used []*Peak, k int) ([]int32, error) {
	p := zoning.DefaultParams()
	p.SpatialWeight, p.Weights = edgeSpace, map[string]float64{}
	layers := list.Map(used, func(s *Peak) layer.Layer {
		p.Weights[s.name()] = 1 / float64(len(used))
		return layer.Layer{Name: s.name(), Values: s.Values, Source: inWords(s.Season)}
	})
	var result zoning.Result
	for _, bounds := range [][2]int{{k, k}, {MinZones, k - 1}} { // where no map of k is left, the one with the most zones
		if p.MinZones, p.MaxZones = bounds[0], bounds[1]; p.MaxZones < p.MinZones || len(result.Candidates) > 0 {
			break
		}
		var err error
		if result, err = zoning.Zones(ctx, f, layers, p.Seeded(seed.Choice{}), zoning.Work{}); err != nil {
			return nil, err
		}
	}
	if len(result.Candidates) == 0 {
		return nil, fault.New(fault.Invalid, "no_zones", result.Reason)
	}
	for i, use := range result.Layers {
		used[i].Used, used[i].Reason = use.Dropped == "", use.Dropped
	}
	return result.Candidates[len(result.Candidates)-1].Labels, nil
}

func (p *Peak) name() string { return p.Start.Format(time.DateOnly) }

// deviate returns how far the peaks of each season lie above the field's mean in it.
func deviate(f *frame.Frame, used []*Peak) [][]float64 {
	out := make([][]float64, len(used))
	for s := range used {
		l := raster(f, used[s].Values, nil)
		figures := l.Describe()
		used[s].Mean, used[s].Std = figures.Mean, figures.Std
		out[s] = list.Map(used[s].Values, func(v float64) float64 { return v - figures.Mean })
	}
	return out
}

// number numbers the zones by ascending mean, and returns them with their means.
func number(labels []int32, mean []float64) []Zone {
	k := int(slices.Max(labels))
	sums, counts := make([]float64, k), make([]float64, k)
	pixels := make([]int, k)
	for i, label := range labels {
		pixels[label-1]++
		if !math.IsNaN(mean[i]) {
			sums[label-1] += mean[i]
			counts[label-1]++
		}
	}
	order := make([]int, k)
	for h := range order {
		order[h] = h
		sums[h] /= max(counts[h], 1)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[a], sums[b]) })
	rank, zones := make([]int32, k), make([]Zone, k)
	for n, h := range order {
		rank[h] = int32(n + 1)
		zones[n] = Zone{Number: n + 1, Pixels: pixels[h], Mean: sums[h]}
	}
	for i, label := range labels {
		labels[i] = rank[label-1]
	}
	return zones
}

// describe sets the figures of the seasons in each zone.
func describe(zones []Zone, labels []int32, used []*Peak, deviations [][]float64, sd []float64) {
	average := func(n int, values []float64) float64 {
		sum, count := 0.0, 0
		for i, label := range labels {
			if int(label) == n && !math.IsNaN(values[i]) {
				sum, count = sum+values[i], count+1
			}
		}
		return sum / float64(max(count, 1))
	}
	for z := range zones {
		zone := &zones[z]
		for s := range used {
			zone.Peaks = append(zone.Peaks, used[s].Mean+average(zone.Number, deviations[s]))
		}
		if sd != nil {
			zone.Std = average(zone.Number, sd)
		}
	}
}

// alike warns about zones with consecutive numbers that differ less than the pixels within them: a plan need not distinguish them.
func alike(zones []Zone, labels []int32, mean []float64) (out []string) {
	within := make([]float64, len(zones)) // sums of squares
	for i, label := range labels {
		if d := mean[i] - zones[label-1].Mean; !math.IsNaN(d) {
			within[label-1] += d * d
		}
	}
	for z := 1; z < len(zones); z++ {
		a, b := zones[z-1], zones[z]
		sd := math.Sqrt((within[z-1] + within[z]) / float64(a.Pixels+b.Pixels))
		if gap := b.Mean - a.Mean; gap < sd {
			out = append(out, fmt.Sprintf("WARNING: zones %d and %d hardly differ: their peaks lie %.4f apart, and the pixels within them vary by %.4f.", a.Number, b.Number, gap, sd))
		}
	}
	return out
}

// measure sets the areas of the zones.
func measure(budget *effort.Budget, pixels *indexmap.Layer, field geo.MultiPolygon, zones []Zone) error {
	areas, err := pixels.Areas(budget, field, len(zones))
	total := 0.0
	for _, a := range areas {
		if a.Number <= len(zones) {
			zones[a.Number-1].AreaHa = a.Ha
			total += a.Ha
		}
	}
	for z := range zones {
		zones[z].Share = zones[z].AreaHa / max(total, math.SmallestNonzeroFloat64)
	}
	return err
}
