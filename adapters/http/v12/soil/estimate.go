package soil

import (
	"context"
	"net/http"
	"slices"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
)

// EstimatedFigure is an estimate. Figures that the design does not yield are null.
type EstimatedFigure struct {
	Mean *float64 `json:"mean" doc:"The estimate; null where there is none."`
	SE   *float64 `json:"standard_error" doc:"Standard error in the unit of the mean; null where there is none."`
	Low  *float64 `json:"low" doc:"Lower end of the confidence interval."`
	High *float64 `json:"high" doc:"Upper end of the confidence interval."`
	DF   *float64 `json:"degrees_of_freedom" doc:"Degrees of freedom of the interval; null where there is none."`
}

// EstimatedZone is the estimate of a zone.
type EstimatedZone struct {
	Zone       int      `json:"zone" doc:"Number of the stratum; those of draws of fields come after the zones."`
	Draw       *int     `json:"draw" doc:"For a plan in two stages: number of the draw of a field; null for zones."`
	Field      *int     `json:"field" doc:"For a draw: number, from 1, of its field in the order's fields."`
	N          int      `json:"n" doc:"Points with a value."`
	Weight     float64  `json:"weight" doc:"Share of the area; for a draw its share of the draws with values."`
	SD         *float64 `json:"sd" doc:"Standard deviation between points."`
	Paired     bool     `json:"paired" doc:"For a change: whether it is estimated from the same points in both rounds, at least two."`
	Pairs      int      `json:"pairs" doc:"For a change that is paired: points in both rounds; with composites, the number of these."`
	Composites *int     `json:"composites" doc:"Composites with a value; null where every sample is analysed."`
	EstimatedFigure
}

// EstimatedDomain is the estimate of a field or farm.
type EstimatedDomain struct {
	UUID   *string          `json:"field_uuid" format:"uuid" doc:"Uuid of the field; null for a farm."`
	Farm   *int64           `json:"farm" doc:"Id of the farm; null for a field."`
	Name   string           `json:"name" doc:"Name of the field or farm."`
	AreaHa float64          `json:"area_ha" doc:"Hectares."`
	N      int              `json:"n" doc:"Points with a value."`
	Total  *EstimatedFigure `json:"total" doc:"Total in t C; only for stocks."`
	Reason *string          `json:"reason" doc:"Why there is no standard error, or no mean, such as too few points; null where there is one."`
	EstimatedFigure
}

// EstimatedValue is the estimate of a quantity, by zone and for the area.
type EstimatedValue struct {
	Unit            string            `json:"unit" doc:"Unit of means, deviations and intervals."`
	N               int               `json:"n" doc:"Points with a value."`
	Zones           []EstimatedZone   `json:"zones" doc:"The strata; for a plan in two stages the draws."`
	AOI             EstimatedFigure   `json:"aoi" doc:"Mean of the area of interest."`
	Total           *EstimatedFigure  `json:"total" doc:"Total of the area of interest, in t C; only for stocks."`
	Fields          []EstimatedDomain `json:"fields" doc:"Estimates for the fields, from the points that lie in them: a ratio estimate for domains of a stratified sample (Cochran 1977, 5A.14); for a plan in two stages the mean of the points of a field that was drawn. Empty for changes."`
	Farms           []EstimatedDomain `json:"farms" doc:"Likewise for the fields of each farm."`
	SatterthwaiteDF *float64          `json:"satterthwaite_df" doc:"The degrees of freedom of aoi."`
	RelativeError   *float64          `json:"relative_error" doc:"The relative error that was reached: half the interval's width over the mean."`
	Needed          *int              `json:"samples_needed" doc:"Samples needed for the relative error of the plan, given the deviations found."`
	Reasons         []string          `json:"reasons" doc:"Why the design gives no standard error; empty where there is one."`
	Notes           []string          `json:"notes" doc:"What should be noted."`
}

// UnusedPoint is a point that an estimate leaves out.
type UnusedPoint struct {
	Point  string `json:"point" doc:"Id of the point in its plan."`
	Reason string `json:"reason" doc:"Why it does not count, for people."`
}

// EstimateReport is what the samples show between two depths.
type EstimateReport struct {
	DepthFrom      float64         `json:"depth_from_cm" doc:"Upper end of the depth interval, cm below the surface."`
	DepthTo        float64         `json:"depth_to_cm" doc:"Lower end of the depth interval, cm below the surface."`
	SOC            EstimatedValue  `json:"soc" doc:"Soil organic carbon, % of the mass of fine soil."`
	Stock          *EstimatedValue `json:"stock" doc:"Stock of soil organic carbon, t C/ha; null where no point has a bulk density."`
	Equivalent     *EstimatedValue `json:"equivalent_stock" doc:"Stock in the reference mass of fine soil from the surface; null where no point has two depth intervals and the mass."`
	EquivalentMass *float64        `json:"equivalent_mass_t_per_ha" doc:"The reference mass of fine soil, t/ha; null where there is no equivalent stock."`
	MassBasis      *string         `json:"equivalent_mass_basis" enum:"given,first_round" doc:"first_round: the smallest plausible mass (not below Tukey's lower fence) of the first round of the zones, to depth_to."`
	WithoutSOC     []UnusedPoint   `json:"points_without_soc" doc:"Points that do not count for soc."`
	WithoutStock   []UnusedPoint   `json:"points_without_stock" doc:"Points that do not count for stock."`
	WithoutMass    []UnusedPoint   `json:"points_without_equivalent_stock" doc:"Points that do not count for equivalent_stock."`
	Notes          []string        `json:"notes" doc:"What should be noted."`
}

// EstimateChange is the change since an earlier round.
type EstimateChange struct {
	Since      string `json:"since" format:"uuid" doc:"Plan of the earlier round."`
	SinceRound int64  `json:"since_round" doc:"Round of the earlier plan, from 1."`
	EstimateReport
}

// PlanEstimate is the estimate of a plan's samples.
type PlanEstimate struct {
	MapUUID           string        `json:"map_uuid" format:"uuid" doc:"Uuid of the plan."`
	Round             int64         `json:"round" doc:"Round of sampling, from 1."`
	Confidence        float64       `json:"confidence" doc:"Confidence of the intervals."`
	AreaHa            float64       `json:"area_ha" doc:"Hectares of the area of interest."`
	Placement         string        `json:"placement" enum:"stratified_random,spatially_balanced,coverage,latin_hypercube" doc:"How the points of the plan were placed."`
	ProbabilitySample bool          `json:"probability_sample" doc:"Whether every covered place had the same chance in its zone, so that the standard errors hold by the design."`
	Coverage          *PlanCoverage `json:"coverage" doc:"Null for plans that were made before it was computed."`
	EstimateReport
	Change *EstimateChange `json:"change" doc:"This round minus the earlier one, where compare names one."`
}

var estimateParams = []rest.Param{
	{Name: "depth_from", Type: rest.Number, Description: "cm; default: the shallowest that was analysed."},
	{Name: "depth_to", Type: rest.Number, Description: "cm; default: the deepest that was analysed."},
	{Name: "confidence", Type: rest.Number, Description: "0.5 to 0.999; default 0.9."},
	{Name: "round", Type: rest.Integer, Description: "Round of sampling; default 1."},
	{Name: "reference_mass", Type: rest.Number, Description: "Mass of fine soil for the equivalent stock, t/ha; default: that of the first round."},
}

func registerEstimate(a *rest.API, s *soil.Samples) {
	r := sampleRoute(http.MethodGet, plansPath+"{map_uuid}/estimate/", access.Samples.View.For("estimate"), "Estimate soil organic carbon from a plan's samples")
	r.Noun = "plan"
	r.Faults = []int{http.StatusConflict}
	r.Description = "By zone and for the area of interest: mean, standard error and confidence interval of soil organic carbon (%) and of its stock " +
		"(t C/ha = soc % × bulk density × depth in cm × (1 − coarse fragments)), according to the design of the plan: stratified random sampling (Cochran 1977, chapter 5), with Satterthwaite's degrees of freedom. " +
		"Where the design gives no standard error, `reasons` says why. With `compare`, the change since an earlier round of the same map of zones: " +
		"at the points of both rounds, combined with that between the other points where points were replaced. " +
		"For a plan in two stages the mean is that of its draws of fields, with the variance between them and one degree of freedom fewer than draws (Hansen and Hurwitz 1943); `zones` are its draws. " +
		"`fields` and `farms` are estimates for domains: from the points that lie in them, wherever the plan put them; with fewer than two, `reason` says so."
	r.Query = append(slices.Clone(estimateParams),
		rest.Param{Name: "compare", Type: rest.UUID, Description: "map_uuid of the plan of the earlier round; it may be the same plan."},
		rest.Param{Name: "compare_round", Type: rest.Integer, Description: "Round of the earlier plan; default 1."},
	)
	rest.Handle(a, r, func(ctx context.Context, c *rest.Call, in estimateInput) (PlanEstimate, error) {
		req := in.request()
		found, err := s.Estimate(ctx, c.Principal(), req)
		return showEstimate(found, req), err
	})
}

// registerEstimateFile registers the estimate as a file.
func registerEstimateFile(a *rest.API, s *soil.SampleFiles) {
	r := sampleRoute(http.MethodGet, plansPath+"{map_uuid}/estimate/export/", access.Samples.View.For("estimate"), "Export an estimate as a file")
	r.OperationID, r.Noun, r.Faults = "soil_sample_estimate_export", "plan", []int{http.StatusConflict}
	r.Description = "The estimate as CSV or a workbook: a row for the area of interest and for each zone, field and farm, for each quantity, with n, mean, standard error, interval, total, and the reason where there is no standard error."
	r.Query, r.Media = append(slices.Clone(estimateParams), form.FormatParam(form.Tables...)), form.Media(form.Tables...)
	rest.Handle(a, r, func(ctx context.Context, c *rest.Call, in struct {
		estimateBasis
		form.Formatted
	}) (rest.Raw, error) {
		format := in.Among(c, form.Tables...)
		write, err := s.Estimate(ctx, c.Principal(), format, in.request())
		return form.Download("estimate", format, write), err
	})
}

// estimateBasis states what is estimated, and from which samples.
type estimateBasis struct {
	mapPath
	DepthFrom  *float64 `query:"depth_from"`
	DepthTo    *float64 `query:"depth_to"`
	Confidence *float64 `query:"confidence"`
	Round      *int64   `query:"round"`
	Reference  *float64 `query:"reference_mass"`
}

func (in estimateBasis) request() soil.EstimateRequest {
	return soil.EstimateRequest{
		Plan: in.MapUUID, Round: form.Or(in.Round, 1), FromCm: in.DepthFrom, ToCm: in.DepthTo,
		Confidence: form.Or(in.Confidence, zoning.DefaultParams().Confidence), ReferenceMass: in.Reference,
	}
}

type estimateInput struct {
	estimateBasis
	Compare      string `query:"compare"`
	CompareRound *int64 `query:"compare_round"`
}

func (in estimateInput) request() soil.EstimateRequest {
	req := in.estimateBasis.request()
	req.Compare, req.CompareRound = in.Compare, form.Or(in.CompareRound, 1)
	return req
}

func showEstimate(e soil.Estimated, req soil.EstimateRequest) PlanEstimate {
	p := e.Plan.Plan
	out := PlanEstimate{
		MapUUID: p.PlanUUID, Round: e.Round, Confidence: req.Confidence, AreaHa: e.Report.SOC.AreaHa,
		Placement: string(p.Params.Placement), ProbabilitySample: p.ProbabilitySample, Coverage: showCoverage(p), EstimateReport: showReport(e.Report),
	}
	if e.Change != nil {
		out.Change = &EstimateChange{e.Earlier.Plan.PlanUUID, req.CompareRound, showReport(*e.Change)}
	}
	return out
}

func showReport(r sample.Report) EstimateReport {
	stock := func(e sample.Estimate) EstimatedValue { return showValue(e, "t C/ha", e.Total) }
	unused := func(p sample.Unusable) UnusedPoint { return UnusedPoint{p.Point, p.Reason} }
	return EstimateReport{
		DepthFrom: r.FromCm, DepthTo: r.ToCm, SOC: showValue(r.SOC, "%", nil), Stock: form.Pointed(r.Stock, stock),
		Equivalent: form.Pointed(r.Equivalent, stock), EquivalentMass: form.If(r.EquivalentMass > 0, r.EquivalentMass), MassBasis: form.OrNull(string(r.EquivalentBasis)),
		WithoutSOC: form.Each(r.WithoutSOC, unused), WithoutStock: form.Each(r.WithoutStock, unused), WithoutMass: form.Each(r.WithoutEquivalent, unused), Notes: append([]string{}, r.Notes...),
	}
}

func showValue(e sample.Estimate, unit string, total *sample.Figure) EstimatedValue {
	zone := func(z sample.ZoneEstimate) EstimatedZone {
		return EstimatedZone{z.Zone, form.If(z.Draw > 0, z.Draw), form.If(z.Field > 0, z.Field), z.N, z.Weight, z.SD, z.Paired, z.Pairs, form.If(z.Pooled, z.Units), form.OrZero(form.Pointed(z.Figure, showFigure))}
	}
	domain := func(d sample.Domain) EstimatedDomain {
		out := EstimatedDomain{UUID: form.OrNull(d.UUID), Farm: form.If(d.ID > 0, d.ID), Name: d.Name, AreaHa: geo.RoundHa(d.AreaHa), N: d.N, Reason: form.OrNull(d.Reason), EstimatedFigure: form.OrZero(form.Pointed(d.Figure, showFigure))}
		if total != nil {
			out.Total = form.Pointed(d.Total, showFigure)
		}
		return out
	}
	var df *float64
	if e.Mean != nil && e.Mean.Spread != nil {
		df = &e.Mean.Spread.DF
	}
	return EstimatedValue{
		Unit: unit, N: e.N, Zones: form.Each(e.Zones, zone), AOI: form.OrZero(form.Pointed(e.Mean, showFigure)), Total: form.Pointed(total, showFigure),
		Fields: form.Each(e.Fields, domain), Farms: form.Each(e.Farms, domain),
		SatterthwaiteDF: df, RelativeError: e.RelativeError, Needed: form.If(e.Needed > 0, e.Needed),
		Reasons: append([]string{}, e.Reasons...), Notes: append([]string{}, e.Notes...),
	}
}

func showFigure(f sample.Figure) EstimatedFigure {
	out := EstimatedFigure{Mean: &f.Mean}
	if s := f.Spread; s != nil {
		out.SE, out.Low, out.High, out.DF = &s.SE, &s.Low, &s.High, &s.DF
	}
	return out
}
