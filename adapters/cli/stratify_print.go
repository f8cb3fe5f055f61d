package cli

import (
	"encoding/json"
	"io"
	"slices"

	"tilth/app/soil/offline"
	"tilth/core/fault"
	"tilth/core/geo"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// recommended returns the recommended candidate. Faults: Invalid if there is none.
func recommended(r zoning.Result) (zoning.Candidate, error) {
	i := slices.IndexFunc(r.Candidates, func(c zoning.Candidate) bool { return c.Recommended })
	if i < 0 {
		return zoning.Candidate{}, fault.New(fault.Invalid, "no_zones", r.Reason)
	}
	return r.Candidates[i], nil
}

func writeZonesJSON(w io.Writer, a offline.Answer, labels bool) error {
	chosen, err := recommended(a.Result)
	if err != nil {
		return err
	}
	layers := each(a.Result.Layers, func(l zoning.LayerUse) record {
		return record{
			{"name", l.Name}, {"weight", l.Weight}, {"valid_share", l.ValidShare}, {"mean", l.Mean}, {"sd", l.SD}, {"dropped", optional(l.Dropped)},
		}
	})
	out := record{
		{"zones", len(chosen.Zones)}, {"recommended", len(chosen.Zones)}, {"area_ha", a.Frame.AreaHa}, {"cells", len(a.Frame.Cells)},
		{"cell_size", a.Frame.CellSize}, {"epsg", optional(a.Frame.EPSG)}, {"edge_mask", a.Frame.EdgeMask},
		{"min_zone_area_ha", a.Result.MinZoneAreaHa}, {"seed", a.Result.Params.Seed}, {"seed_origin", originOf(a.Result.Params.Origin)}, {"algorithm_version", a.Result.AlgorithmVersion},
		{"n_without_zones", a.Result.SamplesWithoutZones}, {"weak_stratification", a.Result.WeakStratification}, {"layers", layers},
		{"candidates", each(a.Result.Candidates, func(c zoning.Candidate) record { return candidateOf(a, c, labels) })},
	}
	if a.Plan != nil {
		out = append(out, member{"plan", planOf(*a.Plan)})
	}
	enc := json.NewEncoder(w)
	if !labels { // with the labels of 200,000 cells a line for each number is no help
		enc.SetIndent("", "  ")
	}
	return enc.Encode(out)
}

func candidateOf(a offline.Answer, c zoning.Candidate, labels bool) record {
	out := record{
		{"k", len(c.Zones)}, {"map_uuid", c.MapUUID}, {"is_recommended", c.Recommended}, {"inertia", c.Inertia}, {"rv", c.RV},
		{"n_needed", c.SamplesNeeded}, {"calinski_harabasz", c.Diagnostics.CalinskiHarabasz}, {"silhouette", c.Diagnostics.Silhouette},
		{"davies_bouldin", c.Diagnostics.DaviesBouldin}, {"plan_needs", planNeeds(c.Needs)},
		{"zones", each(c.Zones, func(z zoning.Zone) record { return zoneOf(a.Result, z) })},
	}
	if !labels {
		return out
	}
	cells := make([][3]int, len(c.Labels))
	for i, label := range c.Labels {
		cell := a.Frame.Cells[i]
		cells[i] = [3]int{int(cell.Row) + a.Corner[0], int(cell.Col) + a.Corner[1], int(label)}
	}
	return append(out, member{"labels", cells})
}

// planNeeds returns why a map does not take the default sample plan; null where it does.
func planNeeds(needs *zoning.PlanNeeds) any {
	if needs == nil {
		return nil
	}
	return needs.Message
}

func zoneOf(r zoning.Result, z zoning.Zone) record {
	means, sds := map[string]float64{}, map[string]float64{}
	for _, l := range r.Layers {
		if used := len(means); l.Dropped == "" {
			means[l.Name], sds[l.Name] = z.Means[used], z.SDs[used]
		}
	}
	return record{
		{"zone", z.Number}, {"area_ha", geo.RoundHa(z.AreaHa)}, {"share", z.Share}, {"cells", z.Cells}, {"parts", z.Parts},
		{"means", means}, {"sds", sds},
	}
}

// writeZonesGeoJSON writes the recommended zones, and then the points of their plan, as a FeatureCollection (RFC 7946).
func writeZonesGeoJSON(w io.Writer, a offline.Answer) error {
	chosen, err := recommended(a.Result)
	if err != nil {
		return err
	}
	if a.Frame.EPSG == 0 {
		return fault.Field("epsg", "GeoJSON is in longitude and latitude: give the columns x and y, and the EPSG code of their UTM zone.")
	}
	feature := func(properties record, geometry any) record {
		return record{{"type", "Feature"}, {"properties", properties}, {"geometry", geometry}}
	}
	features := each(chosen.Zones, func(z zoning.Zone) record { return feature(zoneOf(a.Result, z), z.Geometry) })
	if a.Plan != nil {
		place := placeIn(*a.Plan)
		for _, p := range a.Plan.Points {
			features = append(features, feature(place(p), record{{"type", "Point"}, {"coordinates", [2]float64{p.LonLat.X, p.LonLat.Y}}}))
		}
	}
	return json.NewEncoder(w).Encode(record{{"type", "FeatureCollection"}, {"features", features}})
}

func planOf(plan soilplan.Plan) record {
	zone := func(z soilplan.ZonePlan) record {
		return record{
			{"zone", z.Zone}, {"samples", z.Samples}, {"reserves", z.Reserves}, {"weight", z.Weight}, {"eligible_area_ha", geo.RoundHa(z.EligibleHa)},
		}
	}
	place := func(t *soilplan.Terminus) any {
		if t == nil {
			return nil
		}
		return [2]float64{t.LonLat.X, t.LonLat.Y}
	}
	out := record{
		{"plan_uuid", plan.PlanUUID}, {"number_of_samples", plan.Samples}, {"number_of_reserve", plan.Reserves},
		{"number_of_composites", optional(plan.Pooled)},
		{"allocation", plan.Params.Allocation}, {"placement", plan.Params.Placement}, {"zone_offset", plan.Params.ZoneOffset},
		{"min_distance_used", plan.MinDistanceUsed}, {"expected_relative_error", plan.ExpectedRelativeError},
		{"precision_reached", plan.PrecisionReached()}, {"samples_needed", plan.SamplesNeeded},
		{"detectable_change", plan.Detection.Change}, {"sees", plan.Summary()}, {"way_km", plan.WayKm}, {"drive_km", plan.DriveKm},
		{"start", place(plan.Params.Journey.Start)}, {"end", place(plan.Params.Journey.End)},
		{"covered_area_ha", geo.RoundHa(plan.Covered.Ha)}, {"strip_area_ha", geo.RoundHa(plan.Covered.StripHa)}, {"strip_share", plan.Covered.StripShare},
		{"probability_sample", plan.ProbabilitySample}, {"seed", plan.Params.Seed}, {"seed_origin", originOf(plan.Params.Origin)}, {"algorithm_version", plan.AlgorithmVersion},
		{"per_zone", each(plan.PerZone, zone)}, {"points", each(plan.Points, placeIn(plan))},
		{"warnings", each(plan.Concerns, func(c soilplan.Concern) string { return c.Message })},
	}
	if h := plan.Hypercube; h != nil {
		out = append(out, member{"hypercube", record{
			{"layers", h.Layers}, {"objective", h.Objective}, {"random_objective", h.RandomObjective},
			{"strata_with_a_point", h.Held}, {"random_strata_with_a_point", h.RandomHeld},
		}})
	}
	return out
}

func originOf(o seed.Origin) record {
	return record{{"source", o.Source}, {"text", o.Text}}
}

// placeIn returns the function that shows points of a plan.
func placeIn(plan soilplan.Plan) func(p soilplan.Point) record {
	order := plan.FieldOrder()
	return func(p soilplan.Point) record {
		var lon, lat any
		if p.LonLat != nil {
			lon, lat = p.LonLat.X, p.LonLat.Y
		}
		return record{
			{"id", p.ID}, {"zone", p.Zone}, {"role", p.Role}, {"lon", lon}, {"lat", lat}, {"easting", p.At.X}, {"northing", p.At.Y},
			{"field_order", order[p.Field]}, {"walk", p.Walk}, {"composite", optional(p.CompositeID())},
		}
	}
}
