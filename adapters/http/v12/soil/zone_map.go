package soil

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification/zoning"
)

// MapsWrite requests maps of zones.
type MapsWrite struct {
	Order             int64              `json:"order" minimum:"1" doc:"Id of an active stratification order."`
	MinZones          *int               `json:"min_zones" required:"false" doc:"Fewest zones to try, 2 to 8; default 2."`
	MaxZones          *int               `json:"max_zones" required:"false" doc:"Most zones to try; left out: as many as the area and max_samples have room for."`
	Layers            *[]string          `json:"layers" required:"false" doc:"Names of the order's layers to use; default: all of them."`
	Weights           map[string]float64 `json:"weights" required:"false" doc:"Weights of layers by name, over 0."`
	SpatialWeight     *float64           `json:"spatial_weight" required:"false" doc:"Weight of each coordinate, which makes zones compact; default 0.25."`
	MinZoneArea       *float64           `json:"min_zone_area" required:"false" doc:"Smallest part of a zone in hectares; left out: 2 % of the area, at least 0.25 and at most 2."`
	Confidence        *float64           `json:"confidence" required:"false" doc:"Confidence of the estimate that is planned for; default 0.9."`
	RelativeError     *float64           `json:"relative_error" required:"false" doc:"Half the width of its interval over the mean; default 0.1."`
	CV                *float64           `json:"cv" required:"false" doc:"Coefficient of variation of soil organic carbon; default 0.3."`
	Rho2              *float64           `json:"rho2" required:"false" doc:"Share of its variance that the layers explain; default 0.3, which is a judgement."`
	MinSamplesPerZone *int               `json:"min_samples_per_zone" required:"false" doc:"Fewest samples in a zone; default 3."`
	MaxSamples        *int               `json:"max_samples" required:"false" doc:"Most samples, which bounds the number of zones; default 40."`
	Method            *string            `json:"method" required:"false" doc:"kmeans (default) or fuzzy."`
	Fuzziness         *float64           `json:"fuzziness" required:"false" doc:"Exponent of fuzzy c-means; default 1.3."`
	PCA               *bool              `json:"pca" required:"false" doc:"Cluster on principal components that explain 90 % of the variance."`
	SeedWrite
}

func (w MapsWrite) request() soil.MapRequest {
	p := zoning.DefaultParams()
	p.MinZones, p.MaxZones, p.SpatialWeight = form.Or(w.MinZones, p.MinZones), form.Or(w.MaxZones, p.MaxZones), form.Or(w.SpatialWeight, p.SpatialWeight)
	p.MinZoneAreaHa, p.MinSamplesPerZone = form.Or(w.MinZoneArea, p.MinZoneAreaHa), form.Or(w.MinSamplesPerZone, p.MinSamplesPerZone)
	p.MaxSamples, p.Confidence = form.Or(w.MaxSamples, p.MaxSamples), form.Or(w.Confidence, p.Confidence)
	p.RelativeError, p.CV, p.Rho2 = form.Or(w.RelativeError, p.RelativeError), form.Or(w.CV, p.CV), form.Or(w.Rho2, p.Rho2)
	p.Method, p.Fuzziness = zoning.Method(form.Or(w.Method, string(p.Method))), form.Or(w.Fuzziness, p.Fuzziness)
	p.PCA, p.Weights = form.Or(w.PCA, p.PCA), w.Weights
	return soil.MapRequest{OrderID: w.Order, Params: p, Seed: w.choice(), Layers: form.OrZero(w.Layers)}
}

// MapLayer is a layer as a map uses it.
type MapLayer struct {
	Name       string  `json:"name" doc:"Name of the layer in the order."`
	Source     string  `json:"source" doc:"Where its values come from, in words."`
	Weight     float64 `json:"weight" doc:"Weight of the layer; 0 where it was dropped."`
	ValidShare float64 `json:"valid_share" doc:"Share of the cells with a value, 0 to 1."`
	Mean       float64 `json:"mean" doc:"Mean of what was clustered: missing cells filled in, extremes drawn in."`
	SD         float64 `json:"sd" doc:"Standard deviation of what was clustered, in the unit of the layer."`
	Dropped    *string `json:"dropped" doc:"Why it is not used; null where it is."`
}

// MapZone is a zone of a map.
type MapZone struct {
	Zone   int                `json:"zone" doc:"Number of the zone, from 1."`
	AreaHa float64            `json:"area_ha" doc:"Hectares."`
	Share  float64            `json:"share" doc:"Share of the area; the shares add up to 1."`
	Cells  int                `json:"cells" doc:"Number of cells of the grid in it."`
	Parts  int                `json:"parts" doc:"Number of separate pieces of land that it consists of."`
	Means  map[string]float64 `json:"means" doc:"Mean by layer, in its own unit."`
	SDs    map[string]float64 `json:"sds" doc:"Standard deviation by layer, in its own unit."`
}

// MapDiagnostics describe how well zones separate the layers. They decide nothing.
type MapDiagnostics struct {
	CalinskiHarabasz float64  `json:"calinski_harabasz" doc:"Index of Calinski and Harabasz: the larger, the better the zones are separated."`
	Silhouette       float64  `json:"silhouette" doc:"Mean silhouette, over at most 5,000 cells."`
	DaviesBouldin    float64  `json:"davies_bouldin" doc:"Index of Davies and Bouldin: the smaller, the better the zones are separated."`
	FPI              *float64 `json:"fpi" doc:"Fuzziness performance index; null for k-means."`
	NCE              *float64 `json:"nce" doc:"Normalised classification entropy, over n ln k; null for k-means."`
}

// MapMetadata is what is known about a map.
type MapMetadata struct {
	NumberOfZones      int                `json:"number_of_zones" doc:"Zones of the map."`
	IsRecommended      bool               `json:"is_recommended" doc:"Whether it is the recommended one of its call."`
	Seed               uint64             `json:"seed" doc:"The seed of everything that is random in it."`
	SeedOrigin         *SeedOrigin        `json:"seed_origin" doc:"Where the seed comes from; null for maps from before it was recorded."`
	AlgorithmVersion   string             `json:"algorithm_version" doc:"The version of the algorithm: the same version makes the same result from the same input."`
	CellSize           float64            `json:"cell_size" doc:"Metres."`
	EPSG               int                `json:"epsg" doc:"Code of the UTM zone of the grid."`
	AreaHa             float64            `json:"area_ha" doc:"Hectares."`
	Layers             []MapLayer         `json:"layers" doc:"The layers that were requested."`
	Zones              []MapZone          `json:"zones" doc:"By number."`
	RV                 float64            `json:"rv" doc:"Variance of the layers that is left within the zones, relative to that of the whole area."`
	NNeeded            int                `json:"n_needed" doc:"Samples needed for the requested precision, with the minimum in each zone."`
	NWithoutZones      int                `json:"n_without_zones" doc:"The same number without zones."`
	WeakStratification bool               `json:"weak_stratification" doc:"Whether even the best zones save less than 5 % of the samples."`
	MinZoneArea        float64            `json:"min_zone_area" doc:"Hectares."`
	SpatialWeight      float64            `json:"spatial_weight" doc:"Weight of each coordinate, as requested; 0 ignores the place."`
	Weights            map[string]float64 `json:"weights" doc:"The weights as requested."`
	Confidence         float64            `json:"confidence" doc:"Confidence of the estimate that is planned for."`
	RelativeError      float64            `json:"relative_error" doc:"Half the width of its interval over the mean."`
	CV                 float64            `json:"cv" doc:"Coefficient of variation of soil organic carbon that was assumed."`
	Rho2               float64            `json:"rho2" doc:"Share of its variance that the layers were assumed to explain."`
	MinSamplesPerZone  int                `json:"min_samples_per_zone" doc:"Fewest samples of a zone that the planning assumed."`
	Method             string             `json:"method" enum:"kmeans,fuzzy" doc:"How the cells were clustered: k-means, or fuzzy c-means."`
	PCA                bool               `json:"pca" doc:"Whether they were clustered on principal components that explain 90 % of the variance."`
	Inertia            float64            `json:"inertia" doc:"Sum of the squared distances of the cells from the centres of their clusters, in the space that was clustered."`
	Diagnostics        MapDiagnostics     `json:"diagnostics" doc:"How well the zones separate the layers; they do not affect the choice."`
	Synthetic          bool               `json:"synthetic" doc:"Whether a layer is synthetic: not observed."`
	PlanNeeds          *MapPlanNeeds      `json:"plan_needs" doc:"Why the default sample plan cannot be made on the map; null where it can. A map with needs is recommended only if no map is without them."`
}

// MapPlanNeeds states what a map lacks for the default sample plan.
type MapPlanNeeds struct {
	Message   string `json:"message" doc:"What is missing, for people."`
	MaxOffset *int   `json:"max_offset" doc:"Metres: with this zone_offset the plan can be made; null where an offset alone does not help."`
}

func showNeeds(needs *zoning.PlanNeeds) *MapPlanNeeds {
	if needs == nil {
		return nil
	}
	return &MapPlanNeeds{needs.Message, form.If(needs.MaxOffset >= 0, needs.MaxOffset)}
}

// MapCandidate is a map that can be saved.
type MapCandidate struct {
	MapUUID       string      `json:"map_uuid" format:"uuid" doc:"Uuid of the map of zones."`
	IsRecommended bool        `json:"is_recommended" doc:"Whether it is the recommended one of its call."`
	Name          string      `json:"name" doc:"Its name if it is saved without one."`
	Metadata      MapMetadata `json:"metadata" doc:"Its properties."`
}

// MapsJob is a call that generates maps.
type MapsJob struct {
	JobID      int64          `json:"job_id" doc:"Id of the call, to retrieve it by."`
	Order      int64          `json:"order" doc:"Id of the stratification order."`
	Status     string         `json:"status" enum:"queued,running,done,failed" doc:"queued or running in the background; done; failed: reason says why."`
	Progress   float64        `json:"progress" doc:"0 to 1."`
	Candidates []MapCandidate `json:"candidates" doc:"By ascending number of zones; exactly one is recommended, unless there are none. They are kept for 30 days."`
	Reason     *string        `json:"reason" doc:"Why there is no candidate, or why it failed."`
}

// MapResponse is the part of a saved map that describes the map itself.
type MapResponse struct {
	MapUUID  string      `json:"map_uuid" format:"uuid" doc:"Uuid of the map of zones."`
	Metadata MapMetadata `json:"metadata" doc:"Its properties."`
}

// SavedMap is a saved map of zones.
type SavedMap struct {
	ID            int64       `json:"id" doc:"Id of the saved map."`
	Name          string      `json:"name" doc:"What the map was saved as."`
	MapTag        string      `json:"map_tag" doc:"Short name, unique within the order."`
	Order         int64       `json:"order" doc:"Id of the stratification order."`
	AOI           OrderedAOI  `json:"aoi" doc:"The area of interest."`
	IsRecommended bool        `json:"is_recommended" doc:"Whether it was the recommended one of its call."`
	Response      MapResponse `json:"response" doc:"The map itself."`
	MapUUID       string      `json:"map_uuid" format:"uuid" doc:"Uuid of the map of zones."`
	CreatedAt     time.Time   `json:"created_at" doc:"When it was saved."`
	Company       int64       `json:"company" doc:"Id of the company."`
	form.External
	Geometry *member.Collection `json:"geometry,omitempty" doc:"With ?geometry=true: a GeoJSON FeatureCollection of the zones."`
}

func showMetadata(m zoning.Map) MapMetadata {
	c, about := m.Candidate, m.About
	fuzzy, used := about.Params.Method == zoning.Fuzzy, about.Used()
	return MapMetadata{
		NumberOfZones: len(c.Zones), IsRecommended: c.Recommended, Seed: about.Params.Seed, SeedOrigin: showOrigin(about.Params.Origin), AlgorithmVersion: about.AlgorithmVersion,
		CellSize: about.CellSize, EPSG: about.EPSG, AreaHa: about.AreaHa, RV: c.RV, NNeeded: c.SamplesNeeded, NWithoutZones: about.SamplesWithoutZones,
		WeakStratification: about.WeakStratification, MinZoneArea: about.MinZoneAreaHa, SpatialWeight: about.Params.SpatialWeight,
		Weights: maps.Collect(maps.All(about.Params.Weights)), Confidence: about.Params.Confidence, RelativeError: about.Params.RelativeError, CV: about.Params.CV,
		Rho2: about.Params.Rho2, MinSamplesPerZone: about.Params.MinSamplesPerZone, Method: string(about.Params.Method), PCA: about.Params.PCA,
		Inertia: c.Inertia, Synthetic: about.Synthetic, PlanNeeds: showNeeds(c.Needs),
		Diagnostics: MapDiagnostics{
			c.Diagnostics.CalinskiHarabasz, c.Diagnostics.Silhouette, c.Diagnostics.DaviesBouldin,
			form.If(fuzzy, c.Diagnostics.FPI), form.If(fuzzy, c.Diagnostics.NCE),
		},
		Layers: form.Each(about.Layers, func(l zoning.LayerUse) MapLayer {
			return MapLayer{l.Name, l.Source, l.Weight, l.ValidShare, l.Mean, l.SD, form.OrNull(l.Dropped)}
		}),
		Zones: form.Each(c.Zones, func(z zoning.Zone) MapZone {
			shown := MapZone{z.Number, z.AreaHa, z.Share, z.Cells, z.Parts, map[string]float64{}, map[string]float64{}}
			for i, l := range used {
				shown.Means[l.Name], shown.SDs[l.Name] = z.Means[i], z.SDs[i]
			}
			return shown
		}),
	}
}

func showMaps(made soil.MadeMaps) MapsJob {
	return MapsJob{made.ID, made.OrderID, string(made.Status), made.Progress(), form.Each(made.Candidates, showCandidate), form.OrNull(made.Reason)}
}

func showCandidate(m zoning.Map) MapCandidate {
	name := zoning.DefaultTag(len(m.Candidate.Zones))
	if m.Saved != nil {
		name = m.Saved.Name
	}
	return MapCandidate{m.Candidate.MapUUID, m.Candidate.Recommended, name, showMetadata(m)}
}

// showSavedMap shows a saved map, with its outlines if they are requested.
func showSavedMap(m zoning.Map, outlines bool) SavedMap {
	saved := form.OrZero(m.Saved)
	out := SavedMap{
		ID: m.ID, Name: saved.Name, MapTag: saved.Tag, CreatedAt: saved.At, Order: m.OrderID, AOI: OrderedAOI{m.AOI.ID, m.AOI.UUID, m.AOI.Name}, IsRecommended: m.Candidate.Recommended,
		Response: MapResponse{m.Candidate.MapUUID, showMetadata(m)}, MapUUID: m.Candidate.MapUUID, Company: m.CompanyID, External: form.ExternalOf(saved.External),
	}
	if outlines {
		out.Geometry = collection(form.Each(m.Candidate.Zones, func(z zoning.Zone) feature {
			return feature{"Feature", z.Geometry, map[string]any{"zone": z.Number, "area_ha": z.AreaHa, "share": z.Share}}
		}))
	}
	return out
}

const (
	stratificationPath = aoiBase + "stratification/"
	savedMapsPath      = stratificationPath + "stratification-saved-maps/"
)

// mapPath is the path of a map of zones, or of a plan.
type mapPath struct {
	MapUUID string `path:"map_uuid,uuid"`
}

func registerMaps(a *rest.API, maps *soil.Maps) {
	a.DescribeCodes(map[string]string{
		"order_not_active": "the order's layers are not available; details.status has its status (409)",
		"aoi_changed":      "the area of interest is not the one that was ordered; details.field_uuids name what changed (409)",
		"no_usable_layers": "the order has no layer that zones can be made from; details.dropped says why (400)",
		"frame_too_small":  "the area has too few cells (400)",
		"map_saved":        "the map is already saved under another name or tag (409)",
		"tag_taken":        "another saved map or plan of the order has the tag (409)",
	})
	generate := mapRoute(http.MethodPost, stratificationPath+"maps/generate/", access.StratificationMaps.Create.For("generate"), "Make maps of zones")
	generate.Description = "Divides the area of an order into zones of similar cells, for every number of zones that there is room for, and recommends one. A small area is " +
		"answered with its maps at once; a large one with 202 and a `job_id`. The same parameters, the seed among them, give the same maps under the same `map_uuid`."
	generate.Faults = []int{http.StatusNotFound, http.StatusConflict}
	generate.Also = map[int]string{http.StatusAccepted: "The maps are made in the background; retrieve the job."}
	rest.Handle(a, generate, func(ctx context.Context, c *rest.Call, in rest.JSON[MapsWrite]) (MapsJob, error) {
		made, err := maps.Generate(ctx, c.Principal(), in.Body.request())
		if err == nil && made.Open() {
			c.SetStatus(http.StatusAccepted)
		}
		return showMaps(made), err
	})
	job := mapRoute(http.MethodGet, stratificationPath+"maps/jobs/{id}/", access.StratificationMaps.View.For("retrieve"), "Retrieve the progress of making maps")
	job.OperationID = "stratification_map_job"
	rest.Handle(a, job, form.OnRecord(maps.Job, showMaps))
	save := mapRoute(http.MethodPost, stratificationPath+"maps/{map_uuid}/save/", access.StratificationMaps.Create.For("save"), "Save a map of zones")
	save.Description = "Saved maps do not change. Saving one again under the same name changes nothing; under another it is 409. `external_id` and `source` may be given later, by saving again."
	save.Faults = []int{http.StatusConflict}
	rest.Handle(a, save, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.JSON[MapSave]
	}) (SavedMap, error) {
		saved, err := maps.Save(ctx, c.Principal(), in.MapUUID, saveAs(in.Body.Name, in.Body.MapTag, in.Body.External))
		return showSavedMap(saved, false), err
	})
	savedRoutes[zoning.Map, SavedMap]{
		list:     mapRoute(http.MethodGet, savedMapsPath, access.StratificationMaps.View.For("list"), "List saved maps of zones"),
		retrieve: mapRoute(http.MethodGet, savedMapsPath+"{id}/", access.StratificationMaps.View.For("retrieve"), "Retrieve a saved map of zones"),
		filters: form.WithExternalID([]rest.Param{
			{Name: "order", Type: rest.Integer, Description: "Id of the stratification order."},
			{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."}, farmOfAOI,
			{Name: "map_tag", Type: rest.String, Description: "Tag of the map."},
		}),
		geometry: rest.Param{Name: "geometry", Type: rest.Boolean, Description: "Adds the outlines, as GeoJSON in WGS84."},
		all:      maps.Saved, one: maps.Retrieve, show: showSavedMap,
	}.register(a)
}

// MapSave names a map to save.
type MapSave struct {
	Name   *string `json:"name" required:"false" doc:"Up to 255 characters; left out: the number of zones."`
	MapTag *string `json:"map_tag" required:"false" doc:"1 to 50 of a-z, 0-9, dot, underscore and hyphen, unique within the order; left out: str-k3 for three zones."`
	form.External
}

// saveAs returns the name, tag and origin under which a map or plan is saved.
func saveAs(name, tag *string, of form.External) soil.SaveAs {
	return soil.SaveAs{Name: strings.TrimSpace(form.OrZero(name)), Tag: form.OrZero(tag), External: of.Record()}
}

var mapRoute = rest.Routes{Operation: "stratification_map", Tag: stratificationTag, Noun: "map"}.Route
