package zoning

import (
	"maps"
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
)

// The bounds of parameters.
const (
	MaxZones  = 8
	maxStarts = 1000
	maxWeight = 1000.0

	minPartHa    = 0.25
	minPartShare = 0.02
	maxPartHa    = 2.0
)

// DefaultParams returns the default choices of the method: an estimate within 10 % at a confidence of
// 90 %, where the layers explain 30 % of the variance (an assumption, to be replaced by the share found
// with pilot samples), with at least 3 samples in a zone.
func DefaultParams() Params {
	return Params{
		MinZones: 2, SpatialWeight: defaultSpatial,
		Confidence: 0.90, RelativeError: 0.10, CV: 0.30, Rho2: 0.30, MinSamplesPerZone: 3, MaxSamples: 40,
		Method: KMeans, Fuzziness: defaultFuzziness, Starts: defaultStarts,
	}
}

// Check refuses parameters out of range under the interface's names, given the layers' names.
func (p Params) Check(layers []string) error {
	fields := fault.Fields{}
	fields.AddIf(p.MinZones < 2 || p.MinZones > MaxZones, "min_zones", "It must be a whole number from 2 to %d.", MaxZones)
	fields.AddIf(p.MaxZones != 0 && (p.MaxZones < p.MinZones || p.MaxZones > MaxZones),
		"max_zones", "It must be a whole number from min_zones (%d) to %d.", p.MinZones, MaxZones)
	for _, name := range slices.Sorted(maps.Keys(p.Weights)) {
		switch w := p.Weights[name]; {
		case !slices.Contains(layers, name):
			fields.Addf("weights", "There is no layer %q.", name)
		case !(w > 0 && w <= maxWeight):
			fields.Addf("weights", "The weight of %s must be a number over 0, at most %g. Leave a layer out by not naming it among the layers.", name, maxWeight)
		}
	}
	fields.Within("spatial_weight", p.SpatialWeight, 0, maxWeight)
	fields.Within("min_zone_area", p.MinZoneAreaHa, 0, 10_000)
	fields.Within("confidence", p.Confidence, 0.5, 0.999)
	fields.Within("relative_error", p.RelativeError, 0.001, 1)
	fields.Within("cv", p.CV, 0.001, 10)
	fields.Within("rho2", p.Rho2, 0, 1)
	fields.Within("min_samples_per_zone", float64(p.MinSamplesPerZone), 2, 1000)
	fields.Within("max_samples", float64(p.MaxSamples), 4, 100_000)
	fields.AddIf(p.Method != KMeans && p.Method != Fuzzy, "method", "It must be %s or %s.", KMeans, Fuzzy)
	fields.Within("fuzziness", p.Fuzziness, 1.05, 5)
	fields.Within("starts", float64(p.Starts), 1, maxStarts)
	fields.Merge(seed.Of(p.Seed).Check())
	return fields.Err()
}

// minZoneArea returns the smallest part of a zone in hectares: as requested, or by the rule.
func (p Params) minZoneArea(areaHa float64) float64 {
	if p.MinZoneAreaHa > 0 {
		return p.MinZoneAreaHa
	}
	return min(max(minPartHa, minPartShare*areaHa), maxPartHa)
}

// maxZonesFor returns the maximum number of zones to try: as requested, or as many as area and samples have room for.
func (p Params) maxZonesFor(areaHa float64) int {
	if p.MaxZones != 0 {
		return p.MaxZones
	}
	return min(MaxZones, int(areaHa/p.minZoneArea(areaHa)), p.MaxSamples/p.MinSamplesPerZone)
}

// samples returns the number of samples for the requested precision: that of simple random sampling times
// the variance left within zones, ceil((z cv / r)² q), with z of the normal distribution (Cochran,
// "Sampling Techniques", 1977, section 4.6).
func (p Params) samples(varianceLeft float64) int {
	z := stats.NormalQuantile(p.Confidence)
	n := z * p.CV / p.RelativeError
	// Slightly less, so that a whole number of samples is not rounded up to the next.
	return int(math.Ceil(float64(float64(n*n)*varianceLeft) - 1e-9))
}

func checkLayers(f *frame.Frame, layers []layer.Layer) error {
	fields := fault.Fields{}
	seen := map[string]bool{}
	for _, l := range layers {
		fields.AddIf(l.Name == "" || seen[l.Name], "layers", "The layer %q is listed twice, or has no name.", l.Name)
		seen[l.Name] = true
		fields.AddIf(len(l.Values) != len(f.Cells),
			"layers", "The layer %q has %d values for %d cells.", l.Name, len(l.Values), len(f.Cells))
	}
	return fields.Err()
}

// Method is a way of clustering.
type Method string

// The methods of clustering.
const (
	KMeans Method = "kmeans"
	Fuzzy  Method = "fuzzy" // fuzzy c-means; the zone of a cell is that of its largest membership
)

// Params are the choices of a call of Zones. DefaultParams returns the method's own.
type Params struct {
	MinZones, MaxZones int                // bound the numbers of zones; MaxZones 0: by the area and MaxSamples
	Weights            map[string]float64 // of layers by name, each over 0; others have their DefaultWeight
	SpatialWeight      float64            // of each of the two coordinates; 0 ignores the place
	MinZoneAreaHa      float64            // smallest part of a zone; 0: max(0.25 ha, 2 % of the area), at most 2 ha

	// The precision for which the samples are planned.
	Confidence        float64 // of the estimate, in (0, 1)
	RelativeError     float64 // half the width of the interval over the mean, in (0, 1)
	CV                float64 // coefficient of variation of soil organic carbon over the area
	Rho2              float64 // share of its variance that the layers can explain, in [0, 1]
	MinSamplesPerZone int
	MaxSamples        int // bounds the number of zones: at least MinSamplesPerZone go to each

	Method    Method
	Fuzziness float64 // exponent m of fuzzy c-means, over 1
	PCA       bool    // cluster on principal components that hold 90 % of the variance
	Starts    int     // of k-means
	Seed      uint64  `audit:"-"` // up to seed.Max
	// Origin states where the seed comes from. Seeded sets both.
	Origin seed.Origin `json:",omitzero" audit:"-"`
	// Scope is the owner of the maps, such as the id of an order. It is part of their ids: the same
	// land under another order has maps of its own.
	Scope string `audit:"-"`
}
