package soil

import (
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/stratification/zoning"
)

// MapsWrite asks for maps of zones.
type MapsWrite struct {
	Order             int64              `json:"order" minimum:"1" doc:"Id of an active stratification order."`
	MinZones          *int               `json:"min_zones" required:"false" doc:"Fewest zones to try, 2 to 8; 2 where left out."`
	MaxZones          *int               `json:"max_zones" required:"false" doc:"Most zones to try; left out, what the area and max_samples have room for."`
	Layers            *[]string          `json:"layers" required:"false" doc:"Names of the order's layers to use; all of them where left out."`
	Weights           map[string]float64 `json:"weights" required:"false" doc:"Weights of layers by name, over 0."`
	SpatialWeight     *float64           `json:"spatial_weight" required:"false" doc:"Weight of each coordinate, which makes zones compact; 0.25 where left out."`
	MinZoneArea       *float64           `json:"min_zone_area" required:"false" doc:"Smallest part of a zone in hectares; left out: 2 % of the area, at least 0.25 and at most 2."`
	Confidence        *float64           `json:"confidence" required:"false" doc:"Of the estimate that is planned for; 0.9 where left out."`
	RelativeError     *float64           `json:"relative_error" required:"false" doc:"Half the width of its interval over the mean; 0.1 where left out."`
	CV                *float64           `json:"cv" required:"false" doc:"Coefficient of variation of soil organic carbon; 0.3 where left out."`
	Rho2              *float64           `json:"rho2" required:"false" doc:"Share of its variance that the layers explain; 0.3 where left out, which is a judgement."`
	MinSamplesPerZone *int               `json:"min_samples_per_zone" required:"false" doc:"3 where left out."`
	MaxSamples        *int               `json:"max_samples" required:"false" doc:"40 where left out: bounds the number of zones."`
	Method            *string            `json:"method" required:"false" doc:"kmeans (where left out) or fuzzy."`
	Fuzziness         *float64           `json:"fuzziness" required:"false" doc:"Exponent of fuzzy c-means; 1.3 where left out."`
	PCA               *bool              `json:"pca" required:"false" doc:"Cluster on principal components that hold 90 % of the variance."`
	Seed              *int64             `json:"seed" required:"false" minimum:"0" maximum:"9007199254740991" doc:"Left out, it follows from the order and the parameters: asking twice gives the same maps."`
}

func (w MapsWrite) request() soil.MapRequest {
	p := zoning.DefaultParams()
	put(&p.MinZones, w.MinZones)
	put(&p.MaxZones, w.MaxZones)
	put(&p.SpatialWeight, w.SpatialWeight)
	put(&p.MinZoneAreaHa, w.MinZoneArea)
	put(&p.Confidence, w.Confidence)
	put(&p.RelativeError, w.RelativeError)
	put(&p.CV, w.CV)
	put(&p.Rho2, w.Rho2)
	put(&p.MinSamplesPerZone, w.MinSamplesPerZone)
	put(&p.MaxSamples, w.MaxSamples)
	put(&p.Fuzziness, w.Fuzziness)
	put(&p.PCA, w.PCA)
	if w.Method != nil {
		p.Method = zoning.Method(*w.Method)
	}
	p.Weights = w.Weights
	req := soil.MapRequest{OrderID: w.Order, Params: p, Seeded: w.Seed != nil, Layers: form.OrZero(w.Layers)}
	if w.Seed != nil {
		req.Params.Seed = uint64(*w.Seed)
	}
	return req
}

// put sets what was given.
func put[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}

// MapLayer is a layer as a map uses it.
type MapLayer struct {
	Name       string  `json:"name"`
	Source     string  `json:"source"`
	Weight     float64 `json:"weight" doc:"0 where the layer was dropped."`
	ValidShare float64 `json:"valid_share"`
	Mean       float64 `json:"mean" doc:"Of what was clustered: missing cells filled, the extremes drawn in."`
	SD         float64 `json:"sd"`
	Dropped    *string `json:"dropped" doc:"Why it is not used; null where it is."`
}

// MapZone is a zone of a map.
type MapZone struct {
	Zone   int                `json:"zone"`
	AreaHa float64            `json:"area_ha"`
	Share  float64            `json:"share" doc:"Of the area; the shares add up to 1."`
	Cells  int                `json:"cells"`
	Parts  int                `json:"parts"`
	Means  map[string]float64 `json:"means" doc:"By layer, in its own unit."`
	SDs    map[string]float64 `json:"sds"`
}

// MapDiagnostics describe how well zones part the layers. They decide nothing.
type MapDiagnostics struct {
	CalinskiHarabasz float64  `json:"calinski_harabasz"`
	Silhouette       float64  `json:"silhouette" doc:"Mean, over at most 5,000 cells."`
	DaviesBouldin    float64  `json:"davies_bouldin"`
	FPI              *float64 `json:"fpi" doc:"Fuzziness performance index; null for k-means."`
	NCE              *float64 `json:"nce" doc:"Normalised classification entropy, over n ln k; null for k-means."`
}

// MapMetadata is what is known of a map.
type MapMetadata struct {
	NumberOfZones      int                `json:"number_of_zones"`
	IsRecommended      bool               `json:"is_recommended"`
	Seed               uint64             `json:"seed"`
	AlgorithmVersion   string             `json:"algorithm_version"`
	CellSize           float64            `json:"cell_size" doc:"Metres."`
	EPSG               int                `json:"epsg"`
	AreaHa             float64            `json:"area_ha"`
	Layers             []MapLayer         `json:"layers"`
	Zones              []MapZone          `json:"zones"`
	RV                 float64            `json:"rv" doc:"Variance of the layers left within the zones, over that of the whole area."`
	NNeeded            int                `json:"n_needed" doc:"Samples for the precision asked for, with the minimum in each zone."`
	NWithoutZones      int                `json:"n_without_zones" doc:"The same without zones."`
	WeakStratification bool               `json:"weak_stratification" doc:"Even the best zones save less than 5 % of the samples."`
	MinZoneArea        float64            `json:"min_zone_area" doc:"Hectares."`
	SpatialWeight      float64            `json:"spatial_weight"`
	Weights            map[string]float64 `json:"weights" doc:"As they were asked for."`
	Confidence         float64            `json:"confidence"`
	RelativeError      float64            `json:"relative_error"`
	CV                 float64            `json:"cv"`
	Rho2               float64            `json:"rho2"`
	MinSamplesPerZone  int                `json:"min_samples_per_zone"`
	Method             string             `json:"method" enum:"kmeans,fuzzy"`
	PCA                bool               `json:"pca"`
	Inertia            float64            `json:"inertia"`
	Diagnostics        MapDiagnostics     `json:"diagnostics"`
	Synthetic          bool               `json:"synthetic" doc:"A layer is synthetic: not observed."`
}

// MapCandidate is a map that may be saved.
type MapCandidate struct {
	MapUUID       string      `json:"map_uuid" format:"uuid"`
	IsRecommended bool        `json:"is_recommended"`
	Name          string      `json:"name"`
	Metadata      MapMetadata `json:"metadata"`
}

// MapsJob is a call that makes maps.
type MapsJob struct {
	JobID      int64          `json:"job_id"`
	Order      int64          `json:"order"`
	Status     string         `json:"status" enum:"queued,running,done,failed"`
	Progress   float64        `json:"progress" doc:"0 to 1."`
	Candidates []MapCandidate `json:"candidates" doc:"By ascending number of zones; exactly one is recommended, or there is none. They are kept for 30 days."`
	Reason     *string        `json:"reason" doc:"Why there is no candidate, or why it failed."`
}

// MapResponse is the part of a saved map that describes the map itself.
type MapResponse struct {
	MapUUID  string      `json:"map_uuid" format:"uuid"`
	Metadata MapMetadata `json:"metadata"`
}

// SavedMap is a saved map of zones.
type SavedMap struct {
	ID            int64           `json:"id"`
	Name          string          `json:"name"`
	MapTag        string          `json:"map_tag"`
	Order         int64           `json:"order"`
	AOI           OrderedAOI      `json:"aoi"`
	IsRecommended bool            `json:"is_recommended"`
	Response      MapResponse     `json:"response"`
	MapUUID       string          `json:"map_uuid" format:"uuid"`
	CreatedAt     time.Time       `json:"created_at"`
	Company       int64           `json:"company"`
	Geometry      *rest.RawObject `json:"geometry,omitempty" doc:"With ?geometry=true: a GeoJSON FeatureCollection of the zones."`
}

func showMetadata(m zoning.Map) MapMetadata {
	c, about := m.Candidate, m.About
	out := MapMetadata{
		NumberOfZones: len(c.Zones), IsRecommended: c.Recommended, Seed: about.Params.Seed, AlgorithmVersion: about.AlgorithmVersion,
		CellSize: about.CellSize, EPSG: about.EPSG, AreaHa: about.AreaHa, RV: c.RV, NNeeded: c.SamplesNeeded, NWithoutZones: about.SamplesWithoutZones,
		WeakStratification: about.WeakStratification, MinZoneArea: about.MinZoneAreaHa, SpatialWeight: about.Params.SpatialWeight,
		Weights: map[string]float64{}, Confidence: about.Params.Confidence, RelativeError: about.Params.RelativeError, CV: about.Params.CV,
		Rho2: about.Params.Rho2, MinSamplesPerZone: about.Params.MinSamplesPerZone, Method: string(about.Params.Method), PCA: about.Params.PCA,
		Inertia: c.Inertia, Synthetic: about.Synthetic, Layers: []MapLayer{}, Zones: []MapZone{},
		Diagnostics: MapDiagnostics{CalinskiHarabasz: c.Diagnostics.CalinskiHarabasz, Silhouette: c.Diagnostics.Silhouette, DaviesBouldin: c.Diagnostics.DaviesBouldin},
	}
	for name, weight := range about.Params.Weights {
		out.Weights[name] = weight
	}
	if about.Params.Method == zoning.Fuzzy {
		out.Diagnostics.FPI, out.Diagnostics.NCE = &c.Diagnostics.FPI, &c.Diagnostics.NCE
	}
	for _, l := range about.Layers {
		out.Layers = append(out.Layers, MapLayer{l.Name, l.Source, l.Weight, l.ValidShare, l.Mean, l.SD, form.OrNull(l.Dropped)})
	}
	used := about.Used()
	for _, z := range c.Zones {
		shown := MapZone{Zone: z.Number, AreaHa: z.AreaHa, Share: z.Share, Cells: z.Cells, Parts: z.Parts, Means: map[string]float64{}, SDs: map[string]float64{}}
		for i, l := range used {
			shown.Means[l.Name], shown.SDs[l.Name] = z.Means[i], z.SDs[i]
		}
		out.Zones = append(out.Zones, shown)
	}
	return out
}

func showMaps(made soil.MadeMaps) MapsJob {
	out := MapsJob{
		JobID: made.ID, Order: made.OrderID, Status: string(made.Status), Progress: made.Progress(), Candidates: []MapCandidate{}, Reason: form.OrNull(made.Reason),
	}
	for _, m := range made.Candidates {
		name := zoning.DefaultTag(len(m.Candidate.Zones))
		if m.Saved != nil {
			name = m.Saved.Name
		}
		out.Candidates = append(out.Candidates, MapCandidate{m.Candidate.MapUUID, m.Candidate.Recommended, name, showMetadata(m)})
	}
	return out
}

func showSavedMap(m zoning.Map) SavedMap {
	out := SavedMap{
		ID: m.ID, Order: m.OrderID, AOI: OrderedAOI{m.AOI.ID, m.AOI.UUID, m.AOI.Name}, IsRecommended: m.Candidate.Recommended,
		Response: MapResponse{m.Candidate.MapUUID, showMetadata(m)}, MapUUID: m.Candidate.MapUUID, Company: m.CompanyID,
	}
	if m.Saved != nil {
		out.Name, out.MapTag, out.CreatedAt = m.Saved.Name, m.Saved.Tag, m.Saved.At
	}
	return out
}

// withZones adds the outlines of a map.
func withZones(m zoning.Map) SavedMap {
	out := showSavedMap(m)
	features := make([]feature, len(m.Candidate.Zones))
	for i, z := range m.Candidate.Zones {
		features[i] = newFeature(z.Geometry, map[string]any{"zone": z.Number, "area_ha": z.AreaHa, "share": z.Share})
	}
	out.Geometry = collection(features)
	return out
}
