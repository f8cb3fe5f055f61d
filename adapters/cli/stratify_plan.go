package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"tilth/core/geo"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// planFlags are the choices of a sample plan.
type planFlags struct {
	samples, offset int
	placement       string
	cv, rho2        float64
}

// register adds the flags.
func (f *planFlags) register(flags *pflag.FlagSet) {
	zones, plan := zoning.DefaultParams(), soilplan.DefaultParams()
	var placements []string
	for _, p := range soilplan.Placements {
		placements = append(placements, string(p))
	}
	flags.Float64Var(&f.cv, "cv", zones.CV, "coefficient of variation expected of what is sampled")
	flags.Float64Var(&f.rho2, "rho2", zones.Rho2, "share of its variance that the layers can explain, 0 to 1")
	flags.IntVar(&f.samples, "samples", 0, "make a sample plan of that many points (0: what the precision needs)")
	flags.IntVar(&f.offset, "offset", plan.ZoneOffset, "make a sample plan whose points keep that many metres from the edges of zones and fields")
	flags.StringVar(&f.placement, "placement", string(plan.Placement), "make a sample plan placed by "+strings.Join(placements, ", "))
}

// params returns the parameters of the requested plan; nil if none is requested.
func (f planFlags) params(set *pflag.FlagSet) *soilplan.Params {
	if !set.Changed("samples") && !set.Changed("offset") && !set.Changed("placement") {
		return nil
	}
	p := soilplan.DefaultParams()
	p.Samples, p.ZoneOffset, p.Placement = f.samples, f.offset, soilplan.Placement(f.placement)
	return &p
}

// planOf returns the JSON of a plan.
func planOf(plan soilplan.Plan) record {
	zone := func(z soilplan.ZonePlan) record {
		return record{
			{"zone", z.Zone}, {"samples", z.Samples}, {"reserves", z.Reserves}, {"weight", z.Weight}, {"eligible_area_ha", geo.RoundHa(z.EligibleHa)},
		}
	}
	return record{
		{"plan_uuid", plan.PlanUUID}, {"number_of_samples", plan.Samples}, {"number_of_reserve", plan.Reserves},
		{"allocation", plan.Params.Allocation}, {"placement", plan.Params.Placement}, {"zone_offset", plan.Params.ZoneOffset},
		{"min_distance_used", plan.MinDistanceUsed}, {"expected_relative_error", plan.ExpectedRelativeError},
		{"probability_sample", plan.ProbabilitySample}, {"seed", plan.Params.Seed}, {"algorithm_version", plan.AlgorithmVersion},
		{"per_zone", each(plan.PerZone, zone)}, {"points", each(plan.Points, placeOf)},
		{"warnings", each(plan.Concerns, func(c soilplan.Concern) string { return c.Message })},
	}
}

func placeOf(p soilplan.Point) record {
	var lon, lat any
	if p.LonLat != nil {
		lon, lat = p.LonLat.X, p.LonLat.Y
	}
	return record{
		{"id", p.ID}, {"zone", p.Zone}, {"role", p.Role}, {"lon", lon}, {"lat", lat}, {"easting", p.At.X}, {"northing", p.At.Y},
	}
}
