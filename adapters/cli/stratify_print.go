package cli

import (
	"encoding/json"
	"io"

	"tilth/app/soil"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/zoning"
)

// The JSON of zones.
type (
	stratifyJSON struct {
		Zones              int             `json:"zones"`
		Recommended        int             `json:"recommended"`
		AreaHa             float64         `json:"area_ha"`
		Cells              int             `json:"cells"`
		CellSize           float64         `json:"cell_size"`
		EPSG               *int            `json:"epsg"`
		EdgeMask           int             `json:"edge_mask"`
		MinZoneAreaHa      float64         `json:"min_zone_area_ha"`
		Seed               uint64          `json:"seed"`
		AlgorithmVersion   string          `json:"algorithm_version"`
		SamplesWithout     int             `json:"n_without_zones"`
		WeakStratification bool            `json:"weak_stratification"`
		Layers             []layerJSON     `json:"layers"`
		Candidates         []candidateJSON `json:"candidates"`
		Plan               *planJSON       `json:"plan,omitempty"`
	}
	layerJSON struct {
		Name       string  `json:"name"`
		Weight     float64 `json:"weight"`
		ValidShare float64 `json:"valid_share"`
		Mean       float64 `json:"mean"`
		SD         float64 `json:"sd"`
		Dropped    *string `json:"dropped"`
	}
	candidateJSON struct {
		K                int        `json:"k"`
		MapUUID          string     `json:"map_uuid"`
		IsRecommended    bool       `json:"is_recommended"`
		Inertia          float64    `json:"inertia"`
		RV               float64    `json:"rv"`
		NNeeded          int        `json:"n_needed"`
		CalinskiHarabasz float64    `json:"calinski_harabasz"`
		Silhouette       float64    `json:"silhouette"`
		DaviesBouldin    float64    `json:"davies_bouldin"`
		Zones            []zoneJSON `json:"zones"`
		Labels           [][3]int   `json:"labels,omitempty"`
	}
	zoneJSON struct {
		Zone   int                `json:"zone"`
		AreaHa float64            `json:"area_ha"`
		Share  float64            `json:"share"`
		Cells  int                `json:"cells"`
		Parts  int                `json:"parts"`
		Means  map[string]float64 `json:"means"`
		SDs    map[string]float64 `json:"sds"`
	}
)

// recommended returns the recommended candidate. Faults: Invalid if there is none.
func recommended(r zoning.Result) (zoning.Candidate, error) {
	for _, c := range r.Candidates {
		if c.Recommended {
			return c, nil
		}
	}
	return zoning.Candidate{}, fault.New(fault.Invalid, "no_zones", r.Reason)
}

func writeZonesJSON(w io.Writer, a soil.OfflineAnswer, labels bool) error {
	chosen, err := recommended(a.Result)
	if err != nil {
		return err
	}
	out := stratifyJSON{
		Zones: len(chosen.Zones), Recommended: len(chosen.Zones), AreaHa: a.Frame.AreaHa, Cells: len(a.Frame.Cells),
		CellSize: a.Frame.CellSize, EPSG: optional(a.Frame.EPSG), EdgeMask: a.Frame.EdgeMask, MinZoneAreaHa: a.Result.MinZoneAreaHa,
		Seed: a.Result.Params.Seed, AlgorithmVersion: a.Result.AlgorithmVersion,
		SamplesWithout: a.Result.SamplesWithoutZones, WeakStratification: a.Result.WeakStratification,
	}
	for _, l := range a.Result.Layers {
		out.Layers = append(out.Layers, layerJSON{l.Name, l.Weight, l.ValidShare, l.Mean, l.SD, optional(l.Dropped)})
	}
	for _, c := range a.Result.Candidates {
		out.Candidates = append(out.Candidates, showCandidate(a, c, labels))
	}
	out.Plan = showPlan(a.Plan)
	enc := json.NewEncoder(w)
	if !labels { // with the labels of 200,000 cells a line for each number is no help
		enc.SetIndent("", "  ")
	}
	return enc.Encode(out)
}

func showCandidate(a soil.OfflineAnswer, c zoning.Candidate, labels bool) candidateJSON {
	out := candidateJSON{
		K: len(c.Zones), MapUUID: c.MapUUID, IsRecommended: c.Recommended, Inertia: c.Inertia, RV: c.RV, NNeeded: c.SamplesNeeded,
		CalinskiHarabasz: c.Diagnostics.CalinskiHarabasz, Silhouette: c.Diagnostics.Silhouette, DaviesBouldin: c.Diagnostics.DaviesBouldin,
	}
	for _, z := range c.Zones {
		out.Zones = append(out.Zones, showZone(a.Result, z))
	}
	for i, label := range c.Labels {
		if labels {
			cell := a.Frame.Cells[i]
			out.Labels = append(out.Labels, [3]int{int(cell.Row) + a.Corner[0], int(cell.Col) + a.Corner[1], int(label)})
		}
	}
	return out
}

func showZone(r zoning.Result, z zoning.Zone) zoneJSON {
	out := zoneJSON{
		Zone: z.Number, AreaHa: geo.RoundHa(z.AreaHa), Share: z.Share, Cells: z.Cells, Parts: z.Parts,
		Means: map[string]float64{}, SDs: map[string]float64{},
	}
	used := 0
	for _, l := range r.Layers {
		if l.Dropped == "" {
			out.Means[l.Name], out.SDs[l.Name] = z.Means[used], z.SDs[used]
			used++
		}
	}
	return out
}

// writeZonesGeoJSON writes the recommended zones, and then the points of their plan, as a FeatureCollection (RFC 7946).
func writeZonesGeoJSON(w io.Writer, a soil.OfflineAnswer) error {
	chosen, err := recommended(a.Result)
	if err != nil {
		return err
	}
	if a.Frame.EPSG == 0 {
		return fault.Field("epsg", "GeoJSON is in longitude and latitude: give the columns x and y, and the EPSG code of their UTM zone.")
	}
	type feature struct {
		Type       string `json:"type"`
		Properties any    `json:"properties"`
		Geometry   any    `json:"geometry"`
	}
	type point struct {
		Type        string     `json:"type"`
		Coordinates [2]float64 `json:"coordinates"`
	}
	out := struct {
		Type     string    `json:"type"`
		Features []feature `json:"features"`
	}{Type: "FeatureCollection"}
	for _, z := range chosen.Zones {
		out.Features = append(out.Features, feature{"Feature", showZone(a.Result, z), z.Geometry})
	}
	if a.Plan != nil {
		for _, p := range a.Plan.Points {
			out.Features = append(out.Features, feature{"Feature", showPoint(p), point{"Point", [2]float64{p.LonLat.X, p.LonLat.Y}}})
		}
	}
	return json.NewEncoder(w).Encode(out)
}
