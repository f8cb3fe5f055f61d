package zoning

import (
	"fmt"
	"math"

	"tilth/core/geo"
)

// Zone is one zone of a map, or stratum.
type Zone struct {
	Number int     // 1 to k, by ascending mean of the first layer of the highest weight
	AreaHa float64 // as Frame.AreaHa
	Share  float64 // of the area of interest; the shares add up to 1
	Cells  int
	Parts  int // 4-connected groups of cells
	// Means and SDs (n-1) of each used layer over the zone's unmasked cells, in the order of
	// Result.Layers without the dropped ones, in the layer's own unit.
	Means, SDs []float64
	// RV is the summed variance of the weighted layers (not the place) in the zone, divided by that in the area.
	RV float64
	// Clipped to the fields: in the frame's plane, and in WGS84 (nil where it has no EPSG).
	Outline, Geometry geo.MultiPolygon
}

// Zoning is a map of zones.
type Zoning struct {
	Labels []int32 // the zone's number for each cell of the frame, in its order
	Zones  []Zone
}

// Diagnostics state how well zones separate the values of the layers. They do not affect any decision.
type Diagnostics struct {
	CalinskiHarabasz float64
	Silhouette       float64 // mean over at most 5,000 cells
	DaviesBouldin    float64
	FPI, NCE         float64 // of fuzzy c-means; 0 for k-means
}

// Candidate is a map of zones with the figures by which its number of zones is judged.
type Candidate struct {
	Zoning
	MapUUID       string  // derived from frame, layers, parameters and seed
	Requested     int     // the number of zones that the clustering made; cleaning may leave fewer
	Inertia       float64 // within-zone sum of squares of the clustering, in weighted standard deviations
	RV            float64 // variance of the layers left within the zones, relative to no zones
	VarianceLeft  float64 // q: variance of soil organic carbon expected within the zones, relative to no zones
	Precision     int     // n: samples for the requested precision
	SamplesNeeded int     // N: with at least MinSamplesPerZone in each zone
	Recommended   bool
	Needs         *PlanNeeds // nil: it takes the default sample plan, or that was not checked (see RecommendPlannable)
	Diagnostics   Diagnostics
}

// LayerUse states how a call of Zones used a layer.
type LayerUse struct {
	Name       string
	Source     string
	Weight     float64 // 0 where dropped
	ValidShare float64 // of the cells that are not masked
	Mean, SD   float64 // of the unmasked cells, filled and winsorised
	Dropped    string  // why the layer is not used; empty where it is
}

// Result is the result of Zones.
type Result struct {
	About
	Candidates []Candidate // by ascending number of zones; exactly one is recommended, or there is none
	Reason     string      // why there is no candidate; empty where there is one
}

// PlanNeeds states why a map does not take the default sample plan.
type PlanNeeds struct {
	Message   string
	MaxOffset int // metres: with this zone_offset it takes the plan otherwise unchanged; -1: with none
}

// RecommendPlannable recommends one of the maps that take the default sample plan, where there is one.
// lacks returns what a map needs for that. The error is that of lacks.
func (r *Result) RecommendPlannable(lacks func(*Candidate) (*PlanNeeds, error)) (err error) {
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Needs, err = lacks(c); err != nil {
			return err
		}
	}
	r.recommend()
	return nil
}

// recommend marks the map with the fewest zones that needs hardly more samples than the best, among
// those that take the default plan or, where none does, among all.
func (r *Result) recommend() {
	var all, eligible []*Candidate
	for i := range r.Candidates {
		c := &r.Candidates[i]
		c.Recommended = false
		all = append(all, c)
		if c.Needs == nil {
			eligible = append(eligible, c)
		}
	}
	if len(eligible) == 0 {
		eligible = all
	}
	fewest := math.MaxInt
	for _, c := range eligible {
		fewest = min(fewest, c.SamplesNeeded)
	}
	limit := int(math.Ceil(nearlyFewest*float64(fewest) - 1e-9))
	for _, c := range eligible {
		if c.SamplesNeeded <= limit {
			c.Recommended = true
			break
		}
	}
}

// noMap states why there is no map.
func (p Params) noMap(areaHa float64) string {
	upper := p.maxZonesFor(areaHa)
	switch {
	case upper < 2:
		return fmt.Sprintf("There is no room for two zones of at least %.2f ha, with %d samples each.", p.minZoneArea(areaHa), p.MinSamplesPerZone)
	case upper < p.MinZones:
		return fmt.Sprintf("The area and the samples have room for %d zones at most.", upper)
	default:
		return "Cleaning leaves no map of two zones: any differences are in patches smaller than the smallest part of a zone."
	}
}
