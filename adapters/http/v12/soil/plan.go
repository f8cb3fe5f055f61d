package soil

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// PlanPosition is a place in degrees.
type PlanPosition struct {
	Lon float64 `json:"lon" minimum:"-180" maximum:"180" doc:"Longitude, degrees (WGS 84)."`
	Lat float64 `json:"lat" minimum:"-90" maximum:"90" doc:"Latitude, degrees (WGS 84)."`
}

func (p PlanPosition) at() geo.Position { return geo.Position{X: p.Lon, Y: p.Lat} }

func (p *PlanPosition) place() *geo.Position {
	if p == nil {
		return nil
	}
	at := p.at()
	return &at
}

func showTerminus(t *plan.Terminus) *PlanPosition {
	if t == nil {
		return nil
	}
	return &PlanPosition{Lon: t.LonLat.X, Lat: t.LonLat.Y}
}

// PlanPoint is a point of a plan.
type PlanPoint struct {
	ID        string   `json:"id" doc:"Id of the point in its plan; labels and samples name it."`
	Zone      int      `json:"zone" doc:"Number of the stratum: a zone, or after the zones the strip along edges, a field, or a draw of a field."`
	Role      string   `json:"role" enum:"sample,reserve,legacy" doc:"legacy: kept from before, not drawn; not part of estimates."`
	Order     int      `json:"field_order" doc:"Place of the field on the way through all fields, from 1; fields that only have reserves come last."`
	Walk      int      `json:"walk" doc:"Place in the walk through the samples of the field, or through its reserves, from 1."`
	Field     string   `json:"field_uuid" format:"uuid" doc:"Uuid of the field that it lies in."`
	Lon       *float64 `json:"lon" doc:"Longitude, degrees (WGS 84)."`
	Lat       *float64 `json:"lat" doc:"Latitude, degrees (WGS 84)."`
	Easting   float64  `json:"easting" doc:"Metres east, in the UTM zone of the order's grid."`
	Northing  float64  `json:"northing" doc:"Metres north, in the UTM zone of the order's grid."`
	Edge      float64  `json:"distance_to_edge" doc:"Metres to the nearest edge of a zone or field."`
	ByHand    bool     `json:"by_hand" doc:"Moved or added by somebody, not drawn."`
	Composite *string  `json:"composite" doc:"Id of the composite that the soil goes to, as Z2-C1; null for reserves, for legacy points, and where every sample is analysed."`
}

// PlanZone summarises a plan for a zone.
type PlanZone struct {
	Zone       int     `json:"zone" doc:"Number of the stratum: a zone, or after the zones the strip along edges, a field, or a draw of a field."`
	Samples    int     `json:"samples" doc:"Number of samples in it."`
	Reserves   int     `json:"reserves" doc:"Number of reserve points in it."`
	Weight     float64 `json:"weight" doc:"Share of the area."`
	SD         float64 `json:"sd" doc:"Standard deviation that was assumed, in the unit of the pilot samples or relative to the mean."`
	EligibleHa float64 `json:"eligible_area_ha" doc:"Area in which points may lie, hectares."`
	StripHa    float64 `json:"strip_area_ha" doc:"Area nearer to an edge than zone_offset, hectares: not sampled."`
	Edge       bool    `json:"edge" doc:"Whether it is the strip along the edges of all zones, as a stratum of its own."`
	Field      *int    `json:"field" doc:"Number, from 1, in the order's fields, of a field that is a stratum of its own because of its minimum of samples, or was drawn; its points name it. Null for zones."`
	Draw       *int    `json:"draw" doc:"For a plan in two stages: number, from 1, of the draw of the field, as in the ids of its points (D3-01). Null for zones, which are not strata of such a plan."`
}

// PlanCoverage is the land that the points of a plan may lie on.
type PlanCoverage struct {
	Ha         float64 `json:"covered_area_ha" doc:"Land that the sample represents by the design, hectares."`
	StripHa    float64 `json:"strip_area_ha" doc:"Land nearer to the edge of a zone or field than zone_offset, hectares: not sampled, and taken to be like the rest of its zone."`
	StripShare float64 `json:"strip_share" doc:"Share of the area."`
	ExistingHa float64 `json:"existing_area_ha" doc:"Land nearer to an existing point than min_distance_used, hectares: not sampled either."`
	Crowding   float64 `json:"crowding" doc:"The largest n π d² over the covered land of a zone, for n samples at least d = min_distance_used apart. No two places nearer than d are drawn together; places near the edges of the covered land are drawn up to 6 % more often at 0.7, less below."`
	Statement  *string `json:"statement" doc:"The same in a sentence; null where points may lie anywhere."`
}

func showCoverage(p plan.Plan) *PlanCoverage {
	c := p.Covered
	return form.If(c.Ha > 0, PlanCoverage{c.Ha, c.StripHa, c.StripShare, c.ExistingHa, c.Crowding, form.OrNull(p.Statement())})
}

// PlanMetadata is what is known about a plan.
type PlanMetadata struct {
	NumberOfSamples       int            `json:"number_of_samples" doc:"Samples, without reserve and legacy points."`
	NumberOfReserve       int            `json:"number_of_reserve" doc:"Reserve points, each in place of a sample that cannot be taken."`
	NumberOfLegacy        int            `json:"number_of_legacy" doc:"Points that are kept from before, in addition to the samples."`
	NumberOfZones         int            `json:"number_of_zones" doc:"Zones of its map."`
	CompositesPerZone     *int           `json:"composites_per_zone" doc:"As requested; null: every sample is analysed."`
	NumberOfComposites    *int           `json:"number_of_composites" doc:"Number of composites of all zones; null where every sample is analysed."`
	MinSamplesPerField    *int           `json:"min_samples_per_field" doc:"As requested; null where none was."`
	Stages                *PlanStages    `json:"stages" doc:"Null for plans that are not drawn in two stages."`
	ZoneOffset            int            `json:"zone_offset" doc:"Metres, as requested."`
	Edge                  string         `json:"edge" enum:"exclude,stratum" doc:"What is done with the strip nearer to edges than zone_offset: left out, or a stratum of its own."`
	ZoneOffsetAchieved    float64        `json:"zone_offset_achieved" doc:"Distance in metres of the sample that is nearest to an edge."`
	Allocation            string         `json:"allocation" enum:"proportional,neyman,cost,equal,per_zone" doc:"How the samples were shared among the zones."`
	Variances             string         `json:"variances" enum:"pilot,assumed" doc:"Where the standard deviations come from."`
	Placement             string         `json:"placement" enum:"stratified_random,spatially_balanced,coverage,latin_hypercube" doc:"How the points were placed."`
	Hypercube             *PlanHypercube `json:"hypercube" doc:"How the points of a latin_hypercube represent the layers; null for other placements, and for plans changed by hand."`
	MinDistanceUsed       float64        `json:"min_distance_used" doc:"Metres; less than requested where there was no room."`
	ExpectedRelativeError float64        `json:"expected_relative_error" doc:"Half the width of the expected interval of the mean, over the mean, by the quantile of the estimate."`
	TargetRelativeError   float64        `json:"target_relative_error" doc:"Half the width of the interval over the mean, as requested."`
	PrecisionReached      bool           `json:"precision_reached" doc:"Whether the expected relative error is within the target; always true where the target set the number of samples."`
	SamplesNeeded         *int           `json:"samples_needed" doc:"Samples needed for the target; null for plans that were made before it was computed."`
	Change                *PlanDetection `json:"change" doc:"What a second round detects; null for plans that were made before it was computed."`
	WayKm                 float64        `json:"way_km" doc:"Along the samples in their order: straight lines within fields, and drive_km."`
	WayEstimateKm         *float64       `json:"way_estimated_km" doc:"The estimate that was used for a budget before the points were known; null without a budget. cost is based on way_km."`
	Start                 *PlanPosition  `json:"start" doc:"Where the way comes from; null: it begins at the first point."`
	End                   *PlanPosition  `json:"end" doc:"Where the way goes to; null: it ends at the last point."`
	DriveKm               float64        `json:"drive_km" doc:"The part of way_km between fields, and from the start and to the end: 1.3 times the straight lines."`
	Cost                  *float64       `json:"cost" doc:"Cost of a round; null without costs."`
	PerZone               []PlanZone     `json:"per_zone" doc:"The strata, by number."`
	Seed                  uint64         `json:"seed" doc:"The seed of everything that is random in it."`
	SeedOrigin            *SeedOrigin    `json:"seed_origin" doc:"Where the seed comes from; null for plans from before it was recorded."`
	ProbabilitySample     bool           `json:"probability_sample" doc:"Whether every covered place had the same chance in its zone, except for what crowding says; false for an even coverage, a Latin hypercube, and points moved or added by hand."`
	Coverage              *PlanCoverage  `json:"coverage" doc:"Null for plans that were made before it was computed."`
	AlgorithmVersion      string         `json:"algorithm_version" doc:"The version of the algorithm: the same version makes the same result from the same input."`
}

// PlanHypercube states how well points represent layers.
type PlanHypercube struct {
	Layers          []string `json:"layers" doc:"Names of the layers that the points represent."`
	Objective       float64  `json:"objective" doc:"The objective of Minasny and McBratney (2006): points too many or too few in the quantile strata of the layers, in shares of classes, and differences of correlations; 0 is the best."`
	RandomObjective float64  `json:"random_objective" doc:"Mean objective of 20 stratified random draws of as many points in each zone."`
	Held            float64  `json:"strata_with_a_point" doc:"Share of the quantile strata (as many of each layer as there are points) that contain a point."`
	RandomHeld      float64  `json:"random_strata_with_a_point" doc:"The same share for these draws."`
}

// PlanWarning is something that whoever accepts a plan should know.
type PlanWarning struct {
	Code    string  `json:"code" doc:"A stable word for programs."`
	Zone    int     `json:"zone" doc:"Number of the stratum concerned; 0 where none is."`
	Point   *string `json:"point" doc:"Id of the point concerned; null where it is the zone."`
	Message string  `json:"message" doc:"What should be noted, for people."`
}

// Plan is a plan with its points.
type Plan struct {
	MapUUID   string        `json:"map_uuid" format:"uuid" doc:"Uuid of the plan."`
	Order     int64         `json:"order" doc:"Id of the stratification order."`
	ZonesUUID string        `json:"stratification_map_uuid" format:"uuid" doc:"Uuid of the map of zones."`
	IsCustom  bool          `json:"is_custom" doc:"Whether it was changed by hand."`
	BasedOn   *string       `json:"based_on" doc:"The plan that a custom one was made from."`
	Saved     bool          `json:"saved" doc:"Whether it is saved; others are kept for 30 days."`
	Metadata  PlanMetadata  `json:"metadata" doc:"Its properties."`
	Points    []PlanPoint   `json:"points" doc:"Its points, including reserves and legacy points."`
	Warnings  []PlanWarning `json:"warnings" doc:"What anybody who accepts it should know."`
}

// PlanResponse is the part of a saved plan that describes the plan itself.
type PlanResponse struct {
	MapUUID  string       `json:"map_uuid" format:"uuid" doc:"Uuid of the plan."`
	Metadata PlanMetadata `json:"metadata" doc:"Its properties."`
}

// SavedPlan is a saved sample plan.
type SavedPlan struct {
	ID            int64         `json:"id" doc:"Id of the saved plan."`
	Name          string        `json:"name" doc:"What the plan was saved as."`
	PlanTag       string        `json:"plan_tag" doc:"Short name, unique within the order."`
	Order         int64         `json:"order" doc:"Id of the stratification order."`
	AOI           OrderedAOI    `json:"aoi" doc:"The area of interest."`
	IsRecommended bool          `json:"is_recommended" doc:"Whether its map was recommended."`
	IsCustom      bool          `json:"is_custom" doc:"Whether it was changed by hand."`
	BasedOn       *string       `json:"based_on" doc:"The plan that a custom one was made from; null for others."`
	Response      PlanResponse  `json:"response" doc:"The plan itself."`
	MapUUID       string        `json:"map_uuid" format:"uuid" doc:"Uuid of the plan."`
	Zones         SavedMap      `json:"stratification_map" doc:"The map of zones that it is drawn on."`
	Warnings      []PlanWarning `json:"warnings" doc:"What anybody who accepts it should know."`
	CreatedAt     time.Time     `json:"created_at" doc:"When it was saved."`
	Company       int64         `json:"company" doc:"Id of the company."`
	form.External
	Geometry *member.Collection `json:"geometry,omitempty" doc:"With ?geometry=true: a GeoJSON FeatureCollection of the points."`
}

func showPlanMetadata(p plan.Plan) PlanMetadata {
	return PlanMetadata{
		NumberOfSamples: p.Samples, NumberOfReserve: p.Reserves, NumberOfLegacy: p.Legacy, NumberOfZones: p.Zones(), Edge: cmp.Or(string(p.Params.Edge), string(plan.ExcludeEdge)), ZoneOffset: p.Params.ZoneOffset, MinSamplesPerField: form.If(p.Params.MinSamplesPerField > 0, p.Params.MinSamplesPerField),
		ZoneOffsetAchieved: p.ZoneOffsetAchieved, Allocation: string(p.Params.Allocation), Placement: string(p.Params.Placement),
		MinDistanceUsed: p.MinDistanceUsed, ExpectedRelativeError: p.ExpectedRelativeError,
		TargetRelativeError: p.Params.Precision.RelativeError, PrecisionReached: p.PrecisionReached(), SamplesNeeded: form.If(p.SamplesNeeded > 0, p.SamplesNeeded), Seed: p.Params.Seed, SeedOrigin: showOrigin(p.Params.Origin),
		Change: showDetection(p), WayKm: p.WayKm, DriveKm: p.DriveKm, WayEstimateKm: form.If(p.WayEstimateKm > 0, p.WayEstimateKm),
		Start: showTerminus(p.Params.Journey.Start), End: showTerminus(p.Params.Journey.End), Cost: form.If(p.Params.Costs != (plan.Costs{}), p.Cost),
		CompositesPerZone: form.OrNull(p.Params.CompositesPerZone), NumberOfComposites: form.If(p.Params.CompositesPerZone > 0, p.Pooled),
		Stages:            showStages(p),
		Variances:         map[bool]string{true: "pilot", false: "assumed"}[p.FromPilot],
		ProbabilitySample: p.ProbabilitySample, Hypercube: (*PlanHypercube)(p.Hypercube), Coverage: showCoverage(p), AlgorithmVersion: p.AlgorithmVersion,
		PerZone: form.Each(p.PerZone, func(z plan.ZonePlan) PlanZone {
			return PlanZone{z.Zone, z.Samples, z.Reserves, z.Weight, z.SD, z.EligibleHa, z.StripHa, z.Edge, form.If(z.Field > 0, z.Field), form.If(z.Draw > 0, z.Draw)}
		}),
	}
}

func showDetection(p plan.Plan) *PlanDetection {
	m := p.Params.Monitoring
	d := PlanDetection{p.Detection.Change, p.Detection.PerYear, m.Years, m.Power, p.Params.Precision.Confidence, p.Detection.SD, p.Summary()}
	return form.If(m.Power > 0, d)
}

func showWarning(c plan.Concern) PlanWarning {
	return PlanWarning{c.Code, c.Zone, form.OrNull(c.Point), c.Message}
}

// showPlan shows a plan; fields are the uuids of its order's fields.
func showPlan(record plan.SamplePlan, fields []string) Plan {
	p, order := record.Plan, record.Plan.FieldOrder()
	return Plan{
		MapUUID: p.PlanUUID, Order: record.OrderID, ZonesUUID: record.Map.Candidate.MapUUID, IsCustom: p.IsCustom, BasedOn: form.OrNull(p.BasedOn),
		Saved: record.Saved != nil, Metadata: showPlanMetadata(p), Warnings: form.Each(p.Concerns, showWarning),
		Points: form.Each(p.Points, func(point plan.Point) PlanPoint {
			field := ""
			if point.Field >= 0 && point.Field < len(fields) {
				field = fields[point.Field]
			}
			lon, lat := lonLat(point.LonLat)
			return PlanPoint{
				point.ID, point.Zone, string(point.Role), order[point.Field], point.Walk, field, lon, lat, point.At.X, point.At.Y, point.Edge, point.ByHand, form.OrNull(point.CompositeID()),
			}
		}),
	}
}

// showSavedPlan shows a saved plan, with its points if they are requested.
func showSavedPlan(record plan.SamplePlan, points bool) SavedPlan {
	p, saved := record.Plan, form.OrZero(record.Saved)
	out := SavedPlan{
		ID: record.ID, Name: saved.Name, PlanTag: saved.Tag, CreatedAt: saved.At, Order: record.OrderID, AOI: OrderedAOI{record.AOI.ID, record.AOI.UUID, record.AOI.Name},
		IsRecommended: record.Map.Candidate.Recommended, IsCustom: p.IsCustom, BasedOn: form.OrNull(p.BasedOn),
		Response: PlanResponse{p.PlanUUID, showPlanMetadata(p)}, MapUUID: p.PlanUUID, Zones: showSavedMap(record.Map, false),
		Warnings: form.Each(p.Concerns, showWarning), Company: record.CompanyID, External: form.ExternalOf(saved.External),
	}
	if !points {
		return out
	}
	var features []feature
	order := p.FieldOrder()
	for _, p := range p.Points {
		if p.LonLat == nil {
			continue
		}
		point := map[string]any{"type": "Point", "coordinates": [2]float64{p.LonLat.X, p.LonLat.Y}}
		features = append(features, feature{"Feature", point, map[string]any{"id": p.ID, "zone": p.Zone, "role": p.Role, "field_order": order[p.Field], "walk": p.Walk}})
	}
	out.Geometry = collection(features)
	return out
}

const (
	plansPath      = stratificationPath + "sample-plan/"
	savedPlansPath = plansPath + "sample-plan-saved-maps/"
)

// PlanOperation is one change of a plan by hand.
type PlanOperation struct {
	Operation string   `json:"op" enum:"move,add,delete,swap" doc:"move a point, add one, delete one, or swap a sample with a reserve."`
	Point     *string  `json:"point" required:"false" doc:"Id of the point that is moved or deleted, or of the sample that is swapped."`
	With      *string  `json:"with" required:"false" doc:"For a swap: id of the reserve."`
	Role      *string  `json:"role" required:"false" enum:"sample,reserve" doc:"For an added point; default sample."`
	Lon       *float64 `json:"lon" required:"false" minimum:"-180" maximum:"180" doc:"For a point that is moved or added."`
	Lat       *float64 `json:"lat" required:"false" minimum:"-90" maximum:"90" doc:"For a point that is moved or added."`
}

// ListedPoint is a point of a list that replaces all points.
type ListedPoint struct {
	ID   *string `json:"id" required:"false" doc:"Left out: a new point."`
	Role *string `json:"role" required:"false" enum:"sample,reserve,legacy" doc:"Left out: unchanged; for a new point sample."`
	PlanPosition
}

// PlanEdit changes a plan by hand.
type PlanEdit struct {
	Operations []PlanOperation `json:"operations" required:"false" maxItems:"1000" doc:"Changes, carried out in this order."`
	Points     []ListedPoint   `json:"points" required:"false" maxItems:"10000" doc:"Or the whole list: points that are left out are deleted."`
}

func (e PlanEdit) edit() soil.PlanEdit {
	out := soil.PlanEdit{Operations: form.Each(e.Operations, func(o PlanOperation) plan.Operation {
		return plan.Operation{
			Change: plan.Change(o.Operation), Point: form.OrZero(o.Point), With: form.OrZero(o.With), Role: plan.Role(form.OrZero(o.Role)),
			At: geo.Position{X: degrees(o.Lon), Y: degrees(o.Lat)},
		}
	})}
	if e.Points != nil {
		out.Points = form.Each(e.Points, func(p ListedPoint) plan.Listed {
			return plan.Listed{ID: form.OrZero(p.ID), Role: plan.Role(form.OrZero(p.Role)), At: p.at()}
		})
	}
	return out
}

// degrees returns a coordinate. For a missing one it returns a value that is not a coordinate, which is refused where one is needed.
func degrees(v *float64) float64 { return form.Or(v, 1e9) }

// PlanSave names a plan to save.
type PlanSave struct {
	Name    *string `json:"name" required:"false" doc:"Up to 255 characters; left out: the numbers of samples and zones."`
	PlanTag *string `json:"plan_tag" required:"false" doc:"1 to 50 of a-z, 0-9, dot, underscore and hyphen, unique within the order; left out: for example k3-n24-prop for 24 samples in three zones, allocated proportionally."`
	form.External
}

var planRoute = rest.Routes{Operation: "sample_plan", Tag: stratificationTag, Noun: "plan"}.Route

// showMade shows a plan that was made, with the fields that its points lie in.
func showMade(ctx context.Context, c *rest.Call, plans *soil.Plans, made plan.SamplePlan, err error) (Plan, error) {
	if err != nil {
		return Plan{}, err
	}
	fields, err := plans.Fields(ctx, c.Principal(), made)
	return showPlan(made, fields), err
}

func registerPlans(a *rest.API, plans *soil.Plans) {
	a.DescribeCodes(map[string]string{
		"not_enough_room": "the points do not fit; details say by zone how much room there is (400)",
		"plan_saved":      "the plan is already saved under another name or tag (409)",
	})
	generate := planRoute(http.MethodPost, plansPath+"generate/", access.SamplePlans.Create.For("generate"), "Make a sample plan")
	generate.Description = "Says how many samples a map of zones needs, how many in each zone, and where. The same parameters, the seed among them, give the same plan."
	generate.Faults = []int{http.StatusNotFound}
	rest.Handle(a, generate, func(ctx context.Context, c *rest.Call, in rest.JSON[PlanWrite]) (Plan, error) {
		made, err := plans.Generate(ctx, c.Principal(), in.Body.request())
		return showMade(ctx, c, plans, made, err)
	})
	customise := planRoute(http.MethodPost, plansPath+"{map_uuid}/customise/", access.SamplePlans.Create.For("customise"), "Change a sample plan by hand")
	customise.Description = "Returns a new plan; the one it is based on stays. Points near an edge or each other are accepted with a warning; a plan whose points were moved or " +
		"added by hand is no longer a probability sample; after a swap with a reserve it still is."
	rest.Handle(a, customise, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.JSON[PlanEdit]
	}) (Plan, error) {
		made, err := plans.Customise(ctx, c.Principal(), in.MapUUID, in.Body.edit())
		return showMade(ctx, c, plans, made, err)
	})
	registerPlanPoints(a, plans)
	save := planRoute(http.MethodPost, plansPath+"{map_uuid}/save/", access.SamplePlans.Create.For("save"), "Save a sample plan")
	save.Description = "Also saves its map of zones, if that was not saved. Saved plans do not change, except for `external_id` and `source`, which may be given later by saving again."
	save.Faults = []int{http.StatusConflict}
	rest.Handle(a, save, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.JSON[PlanSave]
	}) (SavedPlan, error) {
		saved, err := plans.Save(ctx, c.Principal(), in.MapUUID, saveAs(in.Body.Name, in.Body.PlanTag, in.Body.External))
		return showSavedPlan(saved, false), err
	})
	savedRoutes[plan.SamplePlan, SavedPlan]{
		list:     planRoute(http.MethodGet, savedPlansPath, access.SamplePlans.View.For("list"), "List saved sample plans"),
		retrieve: planRoute(http.MethodGet, savedPlansPath+"{id}/", access.SamplePlans.View.For("retrieve"), "Retrieve a saved sample plan"),
		filters: form.WithExternalID([]rest.Param{
			{Name: "order", Type: rest.Integer, Description: "Id of the stratification order."},
			{Name: "stratification_map", Type: rest.Integer, Description: "Id of the saved map of zones."},
			{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."}, farmOfAOI,
			{Name: "map_tag", Type: rest.String, Description: "Tag of the map of zones."},
			{Name: "plan_tag", Type: rest.String, Description: "Tag of the plan."},
		}),
		geometry: rest.Param{Name: "geometry", Type: rest.Boolean, Description: "Adds the points, as GeoJSON in WGS84."},
		all:      plans.Saved, one: plans.Retrieve, show: showSavedPlan,
	}.register(a)
}
