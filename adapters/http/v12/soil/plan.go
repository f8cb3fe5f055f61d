package soil

import (
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// PlanPosition is a place in degrees.
type PlanPosition struct {
	Lon float64 `json:"lon" minimum:"-180" maximum:"180"`
	Lat float64 `json:"lat" minimum:"-90" maximum:"90"`
}

func (p PlanPosition) at() geo.Position { return geo.Position{X: p.Lon, Y: p.Lat} }

// PilotZone is what pilot samples of a zone gave.
type PilotZone struct {
	N    int     `json:"n" required:"false" doc:"How many they were."`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// PlanWrite asks for a sample plan.
type PlanWrite struct {
	MapUUID           string               `json:"map_uuid" format:"uuid" doc:"Of a map of zones, saved or a candidate."`
	NumberOfSamples   *int                 `json:"number_of_samples" required:"false" doc:"Left out, and without ha_per_sample: what the precision needs."`
	HaPerSample       *float64             `json:"ha_per_sample" required:"false" doc:"Hectares a sample stands for."`
	Confidence        *float64             `json:"confidence" required:"false" doc:"0.9 where left out."`
	RelativeError     *float64             `json:"relative_error" required:"false" doc:"0.1 where left out."`
	CV                *float64             `json:"cv" required:"false" doc:"0.3 where left out; of no use with pilot samples."`
	Rho2              *float64             `json:"rho2" required:"false" doc:"0.3 where left out; of no use with pilot samples."`
	MinSamplesPerZone *int                 `json:"min_samples_per_zone" required:"false" doc:"3 where left out, at least 2."`
	Allocation        *string              `json:"allocation" required:"false" doc:"proportional (where left out), neyman (where left out with pilot samples), cost, equal or per_zone."`
	PerZone           map[string]int       `json:"per_zone" required:"false" doc:"Samples by zone number, for the allocation per_zone."`
	Cost              map[string]float64   `json:"cost" required:"false" doc:"Cost of a sample by zone number, for the allocation cost."`
	ZoneOffset        *int                 `json:"zone_offset" required:"false" doc:"Metres that points keep from the edges of zones and fields, 0 to 100; 10 where left out."`
	MinDistance       *float64             `json:"min_distance" required:"false" doc:"Metres between points, across zones; two cells where left out."`
	Placement         *string              `json:"placement" required:"false" doc:"stratified_random (where left out), spatially_balanced, or coverage, which is no probability sample."`
	ReserveShare      *float64             `json:"reserve_share" required:"false" doc:"Reserve points, as a share of the samples of a zone; 0.2 where left out."`
	Pilot             map[string]PilotZone `json:"pilot" required:"false" doc:"Pilot samples by zone number: of every zone, or of none."`
	ExistingPoints    []PlanPosition       `json:"existing_points" required:"false" maxItems:"10000" doc:"Points that the new ones keep their distance from."`
	Seed              *int64               `json:"seed" required:"false" minimum:"0" maximum:"9007199254740991" doc:"Left out, it follows from the map and the parameters."`
}

// request returns what is asked for; zone numbers that are none are refused by the rules.
func (w PlanWrite) request() soil.PlanRequest {
	p := plan.DefaultParams()
	put(&p.Samples, w.NumberOfSamples)
	put(&p.HaPerSample, w.HaPerSample)
	put(&p.Precision.Confidence, w.Confidence)
	put(&p.Precision.RelativeError, w.RelativeError)
	put(&p.CV, w.CV)
	put(&p.Rho2, w.Rho2)
	put(&p.MinSamplesPerZone, w.MinSamplesPerZone)
	put(&p.ZoneOffset, w.ZoneOffset)
	put(&p.MinDistance, w.MinDistance)
	put(&p.ReserveShare, w.ReserveShare)
	if w.Allocation != nil {
		p.Allocation = plan.Allocation(*w.Allocation)
	}
	if w.Placement != nil {
		p.Placement = plan.Placement(*w.Placement)
	}
	p.PerZone, p.Cost = byZone(w.PerZone), byZone(w.Cost)
	for zone, pilot := range byZone(w.Pilot) {
		if p.Pilot == nil {
			p.Pilot = map[int]plan.Pilot{}
		}
		p.Pilot[zone] = plan.Pilot{N: pilot.N, Mean: pilot.Mean, SD: pilot.SD}
	}
	req := soil.PlanRequest{MapUUID: w.MapUUID, Params: p, Seeded: w.Seed != nil}
	if w.Seed != nil {
		req.Params.Seed = uint64(*w.Seed)
	}
	for _, at := range w.ExistingPoints {
		req.Existing = append(req.Existing, at.at())
	}
	return req
}

// byZone reads zone numbers; what is none becomes zone 0, which no map has.
func byZone[T any](given map[string]T) map[int]T {
	if given == nil {
		return nil
	}
	out := make(map[int]T, len(given))
	for zone, v := range given {
		n := 0
		for _, digit := range zone {
			if digit < '0' || digit > '9' || n > 100 {
				n = 0
				break
			}
			n = 10*n + int(digit-'0')
		}
		out[n] = v
	}
	return out
}

// PlanPoint is a point of a plan.
type PlanPoint struct {
	ID       string   `json:"id"`
	Zone     int      `json:"zone"`
	Role     string   `json:"role" enum:"sample,reserve"`
	Walk     int      `json:"walk" doc:"Place in the walk through the field, from 1."`
	Field    string   `json:"field_uuid" format:"uuid"`
	Lon      *float64 `json:"lon"`
	Lat      *float64 `json:"lat"`
	Easting  float64  `json:"easting"`
	Northing float64  `json:"northing"`
	Edge     float64  `json:"distance_to_edge" doc:"Metres to the nearest edge of a zone or field."`
	ByHand   bool     `json:"by_hand" doc:"Moved or added by somebody, not drawn."`
}

// PlanZone sums up a plan for a zone.
type PlanZone struct {
	Zone       int     `json:"zone"`
	Samples    int     `json:"samples"`
	Reserves   int     `json:"reserves"`
	Weight     float64 `json:"weight" doc:"Share of the area."`
	SD         float64 `json:"sd" doc:"Standard deviation that was assumed, in the unit of the pilot samples or relative to the mean."`
	EligibleHa float64 `json:"eligible_area_ha" doc:"Where points may lie."`
}

// PlanMetadata is what is known of a plan.
type PlanMetadata struct {
	NumberOfSamples       int        `json:"number_of_samples"`
	NumberOfReserve       int        `json:"number_of_reserve"`
	NumberOfZones         int        `json:"number_of_zones"`
	ZoneOffset            int        `json:"zone_offset" doc:"Metres, as asked for."`
	ZoneOffsetAchieved    float64    `json:"zone_offset_achieved" doc:"Metres of the sample that is nearest to an edge."`
	Allocation            string     `json:"allocation" enum:"proportional,neyman,cost,equal,per_zone"`
	Variances             string     `json:"variances" enum:"pilot,assumed" doc:"Where the standard deviations come from."`
	Placement             string     `json:"placement" enum:"stratified_random,spatially_balanced,coverage"`
	MinDistanceUsed       float64    `json:"min_distance_used" doc:"Metres; less than asked for where there was no room."`
	ExpectedRelativeError float64    `json:"expected_relative_error"`
	PerZone               []PlanZone `json:"per_zone"`
	Seed                  uint64     `json:"seed"`
	ProbabilitySample     bool       `json:"probability_sample"`
	AlgorithmVersion      string     `json:"algorithm_version"`
}

// PlanWarning is something that somebody should know who accepts a plan.
type PlanWarning struct {
	Code    string  `json:"code"`
	Zone    int     `json:"zone"`
	Point   *string `json:"point" doc:"Null where the zone is meant."`
	Message string  `json:"message"`
}

// Plan is a plan with its points.
type Plan struct {
	MapUUID   string        `json:"map_uuid" format:"uuid" doc:"Of the plan."`
	Order     int64         `json:"order"`
	ZonesUUID string        `json:"stratification_map_uuid" format:"uuid" doc:"Of the map of zones."`
	IsCustom  bool          `json:"is_custom"`
	BasedOn   *string       `json:"based_on" doc:"The plan that a custom one was made from."`
	Saved     bool          `json:"saved"`
	Metadata  PlanMetadata  `json:"metadata"`
	Points    []PlanPoint   `json:"points"`
	Warnings  []PlanWarning `json:"warnings"`
}

// PlanResponse is the part of a saved plan that describes the plan itself.
type PlanResponse struct {
	MapUUID  string       `json:"map_uuid" format:"uuid"`
	Metadata PlanMetadata `json:"metadata"`
}

// SavedPlan is a saved sample plan.
type SavedPlan struct {
	ID            int64           `json:"id"`
	Name          string          `json:"name"`
	PlanTag       string          `json:"plan_tag"`
	Order         int64           `json:"order"`
	AOI           OrderedAOI      `json:"aoi"`
	IsRecommended bool            `json:"is_recommended" doc:"Whether its map was recommended."`
	IsCustom      bool            `json:"is_custom"`
	BasedOn       *string         `json:"based_on"`
	Response      PlanResponse    `json:"response"`
	MapUUID       string          `json:"map_uuid" format:"uuid"`
	Zones         SavedMap        `json:"stratification_map"`
	Warnings      []PlanWarning   `json:"warnings"`
	CreatedAt     time.Time       `json:"created_at"`
	Company       int64           `json:"company"`
	Geometry      *rest.RawObject `json:"geometry,omitempty" doc:"With ?geometry=true: a GeoJSON FeatureCollection of the points."`
}

func showPlanMetadata(p plan.Plan) PlanMetadata {
	out := PlanMetadata{
		NumberOfSamples: p.Samples, NumberOfReserve: p.Reserves, NumberOfZones: len(p.PerZone), ZoneOffset: p.Params.ZoneOffset,
		ZoneOffsetAchieved: p.ZoneOffsetAchieved, Allocation: string(p.Params.Allocation), Variances: "assumed", Placement: string(p.Params.Placement),
		MinDistanceUsed: p.MinDistanceUsed, ExpectedRelativeError: p.ExpectedRelativeError, PerZone: []PlanZone{}, Seed: p.Params.Seed,
		ProbabilitySample: p.ProbabilitySample, AlgorithmVersion: p.AlgorithmVersion,
	}
	if p.FromPilot {
		out.Variances = "pilot"
	}
	for _, z := range p.PerZone {
		out.PerZone = append(out.PerZone, PlanZone{z.Zone, z.Samples, z.Reserves, z.Weight, z.SD, z.EligibleHa})
	}
	return out
}

func showWarnings(p plan.Plan) []PlanWarning {
	out := []PlanWarning{}
	for _, c := range p.Concerns {
		out = append(out, PlanWarning{c.Code, c.Zone, form.OrNull(c.Point), c.Message})
	}
	return out
}

// showPlan shows a plan; fields are the uuids of its order's fields.
func showPlan(record plan.SamplePlan, fields []string) Plan {
	p := record.Plan
	out := Plan{
		MapUUID: p.PlanUUID, Order: record.OrderID, ZonesUUID: record.Map.Candidate.MapUUID, IsCustom: p.IsCustom, BasedOn: form.OrNull(p.BasedOn),
		Saved: record.Saved != nil, Metadata: showPlanMetadata(p), Points: []PlanPoint{}, Warnings: showWarnings(p),
	}
	for _, point := range p.Points {
		shown := PlanPoint{
			ID: point.ID, Zone: point.Zone, Role: string(point.Role), Walk: point.Walk, Easting: point.At.X, Northing: point.At.Y,
			Edge: point.Edge, ByHand: point.ByHand,
		}
		if point.Field >= 0 && point.Field < len(fields) {
			shown.Field = fields[point.Field]
		}
		if point.LonLat != nil {
			shown.Lon, shown.Lat = &point.LonLat.X, &point.LonLat.Y
		}
		out.Points = append(out.Points, shown)
	}
	return out
}

func showSavedPlan(record plan.SamplePlan) SavedPlan {
	p := record.Plan
	out := SavedPlan{
		ID: record.ID, Order: record.OrderID, AOI: OrderedAOI{record.AOI.ID, record.AOI.UUID, record.AOI.Name},
		IsRecommended: record.Map.Candidate.Recommended, IsCustom: p.IsCustom, BasedOn: form.OrNull(p.BasedOn),
		Response: PlanResponse{p.PlanUUID, showPlanMetadata(p)}, MapUUID: p.PlanUUID, Zones: showSavedMap(record.Map),
		Warnings: showWarnings(p), Company: record.CompanyID,
	}
	if record.Saved != nil {
		out.Name, out.PlanTag, out.CreatedAt = record.Saved.Name, record.Saved.Tag, record.Saved.At
	}
	return out
}

// withPoints adds the points of a plan.
func withPoints(record plan.SamplePlan) SavedPlan {
	out := showSavedPlan(record)
	var features []feature
	for _, p := range record.Plan.Points {
		if p.LonLat == nil {
			continue
		}
		point := map[string]any{"type": "Point", "coordinates": [2]float64{p.LonLat.X, p.LonLat.Y}}
		features = append(features, newFeature(point, map[string]any{"id": p.ID, "zone": p.Zone, "role": p.Role, "walk": p.Walk}))
	}
	out.Geometry = collection(features)
	return out
}
