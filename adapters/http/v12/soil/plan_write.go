package soil

import (
	"strconv"
	"strings"

	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/stratification/plan"
)

// PilotZone has the results of the pilot samples of a zone.
type PilotZone struct {
	N    int     `json:"n" required:"false" doc:"Number of pilot samples."`
	Mean float64 `json:"mean" doc:"Mean of the pilot samples, in their unit."`
	SD   float64 `json:"sd" doc:"Standard deviation of the pilot samples, in their unit."`
}

// PlanChange states which change a second round at the same points should detect.
type PlanChange struct {
	Detectable  *float64 `json:"detectable_change" required:"false" doc:"Sets the number of samples: the change in the mean stock that has to be detected, t C/ha (in the unit of the pilot samples, where there are any). Left out: the answer says which change is detected."`
	Power       *float64 `json:"power" required:"false" doc:"Probability that it is detected; default 0.8."`
	Years       *float64 `json:"years" required:"false" doc:"Years between the rounds; default 5."`
	SD          *float64 `json:"sd_of_change" required:"false" doc:"Standard deviation of the changes at points. Left out: S √(2 (1 − correlation)), S being that of the zone."`
	Correlation *float64 `json:"correlation" required:"false" doc:"Correlation of the two rounds at the same points; default 0.8."`
	MeanStock   *float64 `json:"mean_stock" required:"false" doc:"Expected stock, t C/ha; default 60; not used with pilot samples or sd_of_change."`
}

func (w PlanChange) choices() plan.Monitoring {
	d := plan.DefaultMonitoring()
	return plan.Monitoring{
		Change: form.Or(w.Detectable, d.Change), Power: form.Or(w.Power, d.Power), Years: form.Or(w.Years, d.Years),
		SD: form.Or(w.SD, d.SD), Correlation: form.Or(w.Correlation, d.Correlation), Mean: form.Or(w.MeanStock, d.Mean),
	}
}

// PlanCosts are the costs of a round of sampling.
type PlanCosts struct {
	PerPoint     float64 `json:"per_point" required:"false" doc:"Cost of taking the soil at a point."`
	PerComposite float64 `json:"per_composite" required:"false" doc:"Cost of analysing one composite."`
	PerKm        float64 `json:"per_km" required:"false" doc:"Cost of the way along the points."`
	PerField     float64 `json:"per_field" required:"false" doc:"Cost of visiting a field, such as arriving and setting up."`
	Composites   int     `json:"composites_per_point" required:"false" doc:"Composites of a point, such as one for each depth; default 1."`
	Budget       float64 `json:"budget" required:"false" doc:"Sets the number of samples: as many as it pays for, with an estimate of the way that includes the drives between fields (way_estimated_km). The plan's cost is based on its actual way; a warning (over_budget) says so if that is more."`
}

// PlanDetection is the smallest change that a plan is expected to detect.
type PlanDetection struct {
	Change     float64 `json:"detectable_change" doc:"Change in the mean between two rounds at the same points; t C/ha, or in the unit of the pilot samples."`
	PerYear    float64 `json:"per_year" doc:"detectable_change per year."`
	Years      float64 `json:"years" doc:"Years between the rounds."`
	Power      float64 `json:"power" doc:"Probability that the change is detected."`
	Confidence float64 `json:"confidence" doc:"Confidence of the test."`
	SD         float64 `json:"sd_of_change" doc:"Assumed standard deviation of the changes at points, over all zones."`
	Summary    string  `json:"summary" example:"20 points see 1.1 t C/ha in 5 years at 80 %" doc:"The same in a sentence."`
}

// PlanWrite requests a sample plan.
type PlanWrite struct {
	MapUUID           string               `json:"map_uuid" format:"uuid" doc:"Uuid of a map of zones, saved or a candidate."`
	NumberOfSamples   *int                 `json:"number_of_samples" required:"false" doc:"Left out, and without ha_per_sample: as many as the precision requires."`
	HaPerSample       *float64             `json:"ha_per_sample" required:"false" doc:"Hectares that one sample represents."`
	Confidence        *float64             `json:"confidence" required:"false" doc:"Confidence of the estimate; default 0.9."`
	RelativeError     *float64             `json:"relative_error" required:"false" doc:"Half the width of the confidence interval over the mean; default 0.1."`
	CV                *float64             `json:"cv" required:"false" doc:"Coefficient of variation of soil organic carbon; default 0.3; not used with pilot samples."`
	Rho2              *float64             `json:"rho2" required:"false" doc:"Share of its variance that the layers explain; default 0.3; not used with pilot samples."`
	MinSamplesPerZone *int                 `json:"min_samples_per_zone" required:"false" doc:"At least 2; default 3."`
	MinPerField       *int                 `json:"min_samples_per_field" required:"false" doc:"2 to 100 for every field; default: none. A field whose share might be fewer is sampled as a stratum of its own, numbered after the zones. Possible with the allocations proportional, neyman and equal."`
	CompositesPerZone *int                 `json:"composites_per_zone" required:"false" doc:"Pools the samples of every zone into this many composites for the laboratory, 2 to 100 and at most min_samples_per_zone; left out: every sample is analysed."`
	Stages            *PlanStagesWrite     `json:"stages" required:"false" doc:"Draws the plan in two stages: fields with replacement, each with a chance in proportion to its area, and at each draw points at random in the field. Zones are not strata of such a plan. It is sent instead of number_of_samples, ha_per_sample and what concerns zones (allocation, per_zone, cost, pilot, min_samples_per_zone, min_samples_per_field, edge stratum), with the placement stratified_random."`
	Change            *PlanChange          `json:"change" required:"false" doc:"Which change a second round at the same points should detect."`
	Costs             *PlanCosts           `json:"costs" required:"false" doc:"Costs of a round of sampling, in your currency."`
	Allocation        *string              `json:"allocation" required:"false" doc:"proportional (default), neyman (default with pilot samples), cost, equal or per_zone."`
	PerZone           map[string]int       `json:"per_zone" required:"false" doc:"Samples by zone number, for the allocation per_zone."`
	Cost              map[string]float64   `json:"cost" required:"false" doc:"Cost of a sample by zone number, for the allocation cost."`
	ZoneOffset        *int                 `json:"zone_offset" required:"false" doc:"Distance in metres that points keep from the edges of zones and fields, 0 to 100; default 10."`
	Edge              *string              `json:"edge" required:"false" doc:"What is done with the strip nearer to edges than zone_offset: exclude (default), or stratum: it is sampled as a stratum of its own, numbered after the zones."`
	MinDistance       *float64             `json:"min_distance" required:"false" doc:"Metres between points, across zones; default: two cells."`
	Placement         *string              `json:"placement" required:"false" doc:"stratified_random (default), spatially_balanced, or two that are not probability samples: coverage, or latin_hypercube, whose points represent the layers."`
	Layers            []string             `json:"layers" required:"false" maxItems:"20" doc:"For latin_hypercube: names of layers of the order that the points represent; default: those of the map."`
	ReserveShare      *float64             `json:"reserve_share" required:"false" doc:"Reserve points, as a share of the samples of a zone; default 0.2."`
	Pilot             map[string]PilotZone `json:"pilot" required:"false" doc:"Pilot samples by zone number: of every zone, or of none."`
	Start             *PlanPosition        `json:"start" required:"false" doc:"Where the crew comes from, at most 300 km from the fields: the way begins with the field nearest to it, and way_km and cost include the drive. The points are the same from everywhere; their order and numbers are not."`
	End               *PlanPosition        `json:"end" required:"false" doc:"Where the crew goes afterwards, such as back to the start; it requires start."`
	ExistingPoints    []PlanPosition       `json:"existing_points" required:"false" maxItems:"10000" doc:"Points that the new ones keep their distance from."`
	LegacyPoints      []PlanPosition       `json:"legacy_points" required:"false" maxItems:"1000" doc:"Points of earlier samples that are kept as points of the plan (role legacy) and sampled in addition to number_of_samples; new ones keep their distance from them. The plan does not draw them: they are not part of estimates."`
	LegacyPlan        *string              `json:"legacy_plan" required:"false" format:"uuid" doc:"map_uuid of an earlier plan whose samples and legacy points are kept likewise."`
	SeedWrite
}

// request returns what is requested; the rules refuse invalid zone numbers.
func (w PlanWrite) request() soil.PlanRequest {
	p := plan.DefaultParams()
	p.Samples, p.HaPerSample = form.Or(w.NumberOfSamples, p.Samples), form.Or(w.HaPerSample, p.HaPerSample)
	p.Precision.Confidence, p.Precision.RelativeError = form.Or(w.Confidence, p.Precision.Confidence), form.Or(w.RelativeError, p.Precision.RelativeError)
	p.CV, p.Rho2, p.MinSamplesPerZone = form.Or(w.CV, p.CV), form.Or(w.Rho2, p.Rho2), form.Or(w.MinSamplesPerZone, p.MinSamplesPerZone)
	p.Stages = w.Stages.choices()
	p.MinSamplesPerField = form.Or(w.MinPerField, p.MinSamplesPerField)
	p.Monitoring, p.Costs = form.OrZero(w.Change).choices(), plan.Costs(form.OrZero(w.Costs))
	p.ZoneOffset, p.MinDistance = form.Or(w.ZoneOffset, p.ZoneOffset), form.Or(w.MinDistance, p.MinDistance)
	p.ReserveShare = form.Or(w.ReserveShare, p.ReserveShare)
	p.Allocation = plan.Allocation(form.Or(w.Allocation, string(p.Allocation)))
	p.Edge = plan.Edge(form.Or(w.Edge, string(p.Edge)))
	p.Placement = plan.Placement(form.Or(w.Placement, string(p.Placement)))
	p.Layers, p.CompositesPerZone = w.Layers, form.Or(w.CompositesPerZone, p.CompositesPerZone)
	p.PerZone, p.Cost = byZone(w.PerZone), byZone(w.Cost)
	for zone, pilot := range byZone(w.Pilot) {
		if p.Pilot == nil {
			p.Pilot = map[int]plan.Pilot{}
		}
		p.Pilot[zone] = plan.Pilot(pilot)
	}
	return soil.PlanRequest{
		MapUUID: strings.ToLower(w.MapUUID), Params: p, Seed: w.choice(), Existing: form.Each(w.ExistingPoints, PlanPosition.at),
		Start: w.Start.place(), End: w.End.place(),
		Legacy: form.Each(w.LegacyPoints, PlanPosition.at), LegacyPlan: strings.ToLower(form.OrZero(w.LegacyPlan)),
	}
}

// byZone reads zone numbers; an invalid one becomes zone 0, which no map has.
func byZone[T any](given map[string]T) map[int]T {
	if given == nil {
		return nil
	}
	out := make(map[int]T, len(given))
	for zone, v := range given {
		n, err := strconv.ParseUint(zone, 10, 10)
		if err != nil {
			n = 0
		}
		out[int(n)] = v
	}
	return out
}
