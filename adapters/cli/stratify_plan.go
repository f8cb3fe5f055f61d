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

// The JSON of a plan.
type (
	planJSON struct {
		PlanUUID              string         `json:"plan_uuid"`
		NumberOfSamples       int            `json:"number_of_samples"`
		NumberOfReserve       int            `json:"number_of_reserve"`
		Allocation            string         `json:"allocation"`
		Placement             string         `json:"placement"`
		ZoneOffset            int            `json:"zone_offset"`
		MinDistanceUsed       float64        `json:"min_distance_used"`
		ExpectedRelativeError float64        `json:"expected_relative_error"`
		ProbabilitySample     bool           `json:"probability_sample"`
		Seed                  uint64         `json:"seed"`
		AlgorithmVersion      string         `json:"algorithm_version"`
		PerZone               []planZoneJSON `json:"per_zone"`
		Points                []placeJSON    `json:"points"`
		Warnings              []string       `json:"warnings"`
	}
	planZoneJSON struct {
		Zone       int     `json:"zone"`
		Samples    int     `json:"samples"`
		Reserves   int     `json:"reserves"`
		Weight     float64 `json:"weight"`
		EligibleHa float64 `json:"eligible_area_ha"`
	}
	placeJSON struct {
		ID       string   `json:"id"`
		Zone     int      `json:"zone"`
		Role     string   `json:"role"`
		Lon      *float64 `json:"lon"`
		Lat      *float64 `json:"lat"`
		Easting  float64  `json:"easting"`
		Northing float64  `json:"northing"`
	}
)

func showPlan(plan *soilplan.Plan) *planJSON {
	if plan == nil {
		return nil
	}
	out := &planJSON{
		PlanUUID: plan.PlanUUID, NumberOfSamples: plan.Samples, NumberOfReserve: plan.Reserves,
		Allocation: string(plan.Params.Allocation), Placement: string(plan.Params.Placement),
		ZoneOffset: plan.Params.ZoneOffset, MinDistanceUsed: plan.MinDistanceUsed,
		ExpectedRelativeError: plan.ExpectedRelativeError, ProbabilitySample: plan.ProbabilitySample,
		Seed: plan.Params.Seed, AlgorithmVersion: plan.AlgorithmVersion, Warnings: []string{},
	}
	for _, z := range plan.PerZone {
		out.PerZone = append(out.PerZone, planZoneJSON{z.Zone, z.Samples, z.Reserves, z.Weight, geo.RoundHa(z.EligibleHa)})
	}
	for _, p := range plan.Points {
		out.Points = append(out.Points, showPoint(p))
	}
	for _, c := range plan.Concerns {
		out.Warnings = append(out.Warnings, c.Message)
	}
	return out
}

func showPoint(p soilplan.Point) placeJSON {
	out := placeJSON{ID: p.ID, Zone: p.Zone, Role: string(p.Role), Easting: p.At.X, Northing: p.At.Y}
	if p.LonLat != nil {
		out.Lon, out.Lat = &p.LonLat.X, &p.LonLat.Y
	}
	return out
}
