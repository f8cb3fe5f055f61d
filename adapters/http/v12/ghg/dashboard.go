package ghg

import (
	"context"
	"net/http"
	"strconv"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/verification"
)

// Dashboard is the summary of a company's assessments.
type Dashboard struct {
	Summary      DashboardSummary            `json:"summary" doc:"How many assessments there are, and their progress."`
	Carbon       DashboardCarbon             `json:"carbon" doc:"Figures of the last submission of each assessment; what has been entered since does not count."`
	Verification DashboardVerification       `json:"verification" doc:"What satellites say about the declared crops."`
	Sections     map[string]DashboardSection `json:"sections" doc:"By key, with the general part as general; every section is included."`
	Charts       DashboardCharts             `json:"charts" doc:"The same figures as labels with values."`
	TopIssues    []DashboardIssue            `json:"top_issues" doc:"The most frequent first, then by section and field."`
}

// DashboardSummary counts the live assessments.
type DashboardSummary struct {
	TotalAssessments        int64            `json:"total_assessments" doc:"Assessments that are not deleted."`
	DraftCount              int64            `json:"draft_count" doc:"Assessments that were never submitted."`
	SubmittedCount          int64            `json:"submitted_count" doc:"Assessments that were submitted."`
	ReadyForSubmissionCount int64            `json:"ready_for_submission_count" doc:"Assessments that are ready to be submitted, as it was last worked out."`
	TotalArea               float64          `json:"total_area" doc:"Sum of the growing areas, ha: a field that is assessed in two years counts twice."`
	AverageCompletion       float64          `json:"average_completion" doc:"Per cent."`
	LatestAssessmentYear    int              `json:"latest_assessment_year" doc:"The latest year; 0: no assessment states one."`
	StatusDistribution      map[string]int64 `json:"status_distribution" doc:"Assessments by status: draft, submitted."`
}

// DashboardCarbon sums the submitted versions.
type DashboardCarbon struct {
	Emissions      float64 `json:"emissions" doc:"Sum of the emissions, tCO2e."`
	Removals       float64 `json:"removals" doc:"Sum of the removals, tCO2e."`
	Balance        float64 `json:"balance" doc:"emissions - removals"`
	EmissionsPerHa float64 `json:"emissions_per_ha" doc:"Total emissions by total area, tCO2e/ha; 0 where there is no area."`
	RemovalsPerHa  float64 `json:"removals_per_ha" doc:"Removals by area, tCO2e/ha; 0 where there is no area."`
	EmissionsPerT  float64 `json:"emissions_per_t" doc:"Emissions allocated to the main products, per tonne of them."`
	NetIntensityHa float64 `json:"net_intensity_per_ha" doc:"Emissions less removals by area, tCO2e/ha; 0 where there is no area."`
	Unit           string  `json:"unit" enum:"tCO2e" doc:"Unit of emissions, removals and balance."`
}

// DashboardVerification counts the submitted assessments by their crop verification.
type DashboardVerification struct {
	Verified                      int64                `json:"verified_crop_assessments_count" doc:"Assessments whose declared crop was verified."`
	Failed                        int64                `json:"failed_crop_assessments_count" doc:"Assessments whose declared crop failed the check."`
	Processing                    int64                `json:"processing_crop_assessments_count" doc:"Assessments whose check is under way."`
	Pending                       int64                `json:"pending_crop_assessments_count" doc:"Assessments whose check is waiting, or about which nothing can be said."`
	VerifiedCropRate              float64              `json:"verified_crop_rate" doc:"verified / (verified + failed), per cent; 0 without a verdict."`
	AverageVerificationConfidence float64              `json:"average_verification_confidence" doc:"Mean confidence of the verdicts, 0 to 1."`
	VerifiedCropTypes             []VerifiedCropType   `json:"verified_crop_types" doc:"Verified assessments by declared crop."`
	VerifiedAssessments           []VerifiedAssessment `json:"verified_assessments" doc:"The newest verdicts first, up to verified_limit; the counts cover all."`
	StatusDistribution            map[string]int64     `json:"status_distribution" doc:"Assessments by verification status: verified, failed, processing, pending."`
}

// VerifiedCropType is a crop type with its number of verified assessments.
type VerifiedCropType struct {
	CropType string `json:"crop_type" doc:"Key of the crop."`
	Count    int64  `json:"count" doc:"Verified assessments of it."`
}

// VerifiedAssessment is an assessment whose crop was verified.
type VerifiedAssessment struct {
	AssessmentID    int64   `json:"assessment_id" doc:"Id of the assessment."`
	AssessmentYear  *int    `json:"assessment_year" doc:"Year of the harvest; null: not entered."`
	CropTypeKey     string  `json:"crop_type_key" doc:"The declared crop."`
	ConfidenceScore float64 `json:"confidence_score" doc:"0 to 1: how probable it is that the verdict is right."`
	Status          string  `json:"status" enum:"verified" doc:"The verdict, in this list always the same."`
}

// DashboardSection is one section over the assessments that require it.
type DashboardSection struct {
	Status             string           `json:"status" enum:"complete,in_progress,not_started" doc:"complete if all are, not_started if none has been started."`
	Completion         float64          `json:"completion" doc:"Mean, per cent."`
	Assessments        int64            `json:"assessments" doc:"Assessments to which the section applies."`
	StatusCounts       map[string]int64 `json:"status_counts" doc:"Assessments by status of the section: complete, in_progress, not_started."`
	MissingFieldsCount int64            `json:"missing_fields_count" doc:"Required fields that are empty or invalid, over all assessments."`
}

// DashboardCharts are the figures in the form for charts.
type DashboardCharts struct {
	EmissionsByModel               Chart      `json:"emissions_by_model" doc:"tCO2e, the largest first, zeros left out."`
	RemovalsBySource               Chart      `json:"removals_by_source" doc:"tCO2e, the largest first, zeros left out."`
	StatusDistribution             Chart      `json:"status_distribution" doc:"Assessments by status."`
	VerificationStatusDistribution Chart      `json:"verification_status_distribution" doc:"Assessments by verification status."`
	VerifiedCropTypes              Chart      `json:"verified_crop_types" doc:"Verified assessments by declared crop."`
	CompletionBySection            Chart      `json:"completion_by_section" doc:"Per cent, in the order of the form."`
	YearlyTrend                    TrendChart `json:"yearly_trend" doc:"All years with an assessment, ascending, whatever assessment_year says; years between them are not filled in."`
}

// Chart is a list of labels with a value each.
type Chart struct {
	Labels []string  `json:"labels" doc:"What each value stands for."`
	Values []float64 `json:"values" doc:"One for each label, in their order."`
}

// TrendChart is a list of years with their figures.
type TrendChart struct {
	Labels     []string  `json:"labels" doc:"The years, as text."`
	Completion []float64 `json:"completion" doc:"Mean, per cent, of all assessments of the year."`
	Emissions  []float64 `json:"emissions" doc:"tCO2e, of those submitted."`
	Removals   []float64 `json:"removals" doc:"tCO2e, of those submitted."`
	Balance    []float64 `json:"balance" doc:"emissions - removals, tCO2e."`
}

// DashboardIssue is a required field that assessments lack.
type DashboardIssue struct {
	Field   string `json:"field" doc:"The field without indices: fertilizers[].rate"`
	Label   string `json:"label" doc:"Name of the field for people."`
	Message string `json:"message" doc:"What to enter."`
	Section string `json:"section" doc:"Key of the section that it belongs to."`
	Count   int64  `json:"count" doc:"Assessments that lack it."`
}

const defaultVerified = 100

func registerDashboard(a *rest.API, use *ghgapp.Dashboard) {
	a.DescribeCodes(map[string]string{"company_required": "the request concerns a company, and the operator named none with X-Company (400)"})
	route := rest.Route{
		Method: http.MethodGet, Path: assessmentsPath + "sustainability-dashboard/", OperationID: "assessment_sustainability_dashboard",
		Summary: "The sustainability dashboard of your company", Tag: "Assessments", Noun: "assessment",
		Permission: access.Assessments.View.For("sustainability_dashboard"),
		Description: "Sums over the live assessments of your company. Counts, completion and issues cover all of them; carbon figures are those of the versions " +
			"submitted last, so that an edit shows only once it is submitted. The sums change in the transaction of each write.",
		Query: []rest.Param{
			{Name: "assessment_year", Type: rest.Integer, Description: "Narrows all but the yearly trend to one year."},
			{Name: "verified_limit", Type: rest.Integer, Description: "How many verified assessments to list, 0 to 1,000; default 100."},
		},
		Inapplicable: []string{"assessment_id"}, // specification, section 4.2: no such filter exists
	}
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in struct {
		Year  *int64 `query:"assessment_year"`
		Limit *int64 `query:"verified_limit"`
	}) (Dashboard, error) {
		year := form.Pointed(in.Year, func(year int64) int { return int(year) })
		found, err := use.Dashboard(ctx, c.Principal(), year, form.Or(in.Limit, defaultVerified))
		return showDashboard(found), err
	})
}

func showDashboard(f ghgapp.DashboardFigures) Dashboard {
	d := Dashboard{
		Summary: DashboardSummary{
			TotalAssessments: f.Summary.Total, DraftCount: f.Summary.Drafts, SubmittedCount: f.Summary.Submitted, ReadyForSubmissionCount: f.Summary.Ready,
			TotalArea: f.Summary.AreaHa, AverageCompletion: f.Summary.Completion, LatestAssessmentYear: f.Summary.LatestYear,
			StatusDistribution: map[string]int64{string(assessment.Draft): f.Summary.Drafts, string(assessment.Submitted): f.Summary.Submitted},
		},
		Carbon: DashboardCarbon{
			Emissions: f.Carbon.Emissions, Removals: f.Carbon.Removals, Balance: f.Carbon.Balance,
			EmissionsPerHa: f.Carbon.EmissionsPerHa, RemovalsPerHa: f.Carbon.RemovalsPerHa, EmissionsPerT: f.Carbon.EmissionsPerT,
			NetIntensityHa: f.Carbon.NetPerHa, Unit: "tCO2e",
		},
		Verification: showVerifications(f), Sections: map[string]DashboardSection{}, Charts: chartsOf(f.Dashboard),
		TopIssues: form.Each(f.Issues, func(i assessment.Issue) DashboardIssue {
			return DashboardIssue{i.Field, i.Label, i.Message, i.Section, i.Count}
		}),
	}
	for _, s := range f.Sections {
		d.Sections[s.Key] = DashboardSection{string(s.Status), s.Completion, s.Assessments, counted(s.ByStatus), s.Missing}
	}
	return d
}

func counted[K ~string](counts map[K]int64) map[string]int64 {
	out := make(map[string]int64, len(counts))
	for of, n := range counts {
		out[string(of)] = n
	}
	return out
}

func showVerifications(f ghgapp.DashboardFigures) DashboardVerification {
	v := f.Verification
	return DashboardVerification{
		Verified: v.ByStatus[verification.Verified], Failed: v.ByStatus[verification.Failed],
		Processing: v.ByStatus[verification.Processing], Pending: v.ByStatus[verification.Pending],
		VerifiedCropRate: v.Rate, AverageVerificationConfidence: v.AverageConfidence,
		VerifiedCropTypes: form.Each(v.CropTypes, func(c dashboard.CropCount) VerifiedCropType { return VerifiedCropType(c) }),
		VerifiedAssessments: form.Each(f.Verified, func(a dashboard.Verified) VerifiedAssessment {
			return VerifiedAssessment{a.AssessmentID, a.Year, a.CropType, a.Confidence, string(verification.Verified)}
		}),
		StatusDistribution: counted(v.ByStatus),
	}
}

func chartsOf(d dashboard.Dashboard) DashboardCharts {
	point := func(p dashboard.Part) (string, float64) { return p.Label, p.Value }
	years := func(figure func(y dashboard.Year) float64) []float64 { return form.Each(d.Trend, figure) }
	return DashboardCharts{
		EmissionsByModel: chartOf(d.Carbon.EmissionsByModel, point),
		RemovalsBySource: chartOf(d.Carbon.RemovalsBySource, point),
		StatusDistribution: Chart{
			[]string{string(assessment.Draft), string(assessment.Submitted)}, []float64{float64(d.Summary.Drafts), float64(d.Summary.Submitted)},
		},
		VerificationStatusDistribution: chartOf(dashboard.Statuses, func(s verification.Status) (string, float64) {
			return string(s), float64(d.Verification.ByStatus[s])
		}),
		VerifiedCropTypes:   chartOf(d.Verification.CropTypes, func(c dashboard.CropCount) (string, float64) { return c.CropType, float64(c.Count) }),
		CompletionBySection: chartOf(d.Sections, func(s dashboard.Section) (string, float64) { return s.Key, s.Completion }),
		YearlyTrend: TrendChart{
			Labels:     form.Each(d.Trend, func(y dashboard.Year) string { return strconv.Itoa(y.Year) }),
			Completion: years(func(y dashboard.Year) float64 { return y.Completion }),
			Emissions:  years(func(y dashboard.Year) float64 { return y.Emissions }),
			Removals:   years(func(y dashboard.Year) float64 { return y.Removals }),
			Balance:    years(func(y dashboard.Year) float64 { return y.Balance }),
		},
	}
}

func chartOf[T any](all []T, point func(T) (label string, value float64)) Chart {
	c := Chart{[]string{}, []float64{}}
	for _, one := range all {
		label, value := point(one)
		c.Labels, c.Values = append(c.Labels, label), append(c.Values, value)
	}
	return c
}
