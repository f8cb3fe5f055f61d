package ghg

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	cropcheckapp "tilth/app/ghg/cropcheck"
	"tilth/core/access"
	"tilth/core/cropcheck"
	"tilth/core/verification"
)

// Verification is the check of a declared crop against what satellites saw of its season.
type Verification struct {
	AssessmentID int64               `json:"assessment_id" doc:"Id of the assessment."`
	Status       *string             `json:"status" enum:"pending,processing,verified,failed" doc:"null: the assessment was never submitted. pending: it is waiting, or nothing can be said; reason says which."`
	Reason       *string             `json:"reason" doc:"A stable word, such as nearest, other_nearer, beyond_cap, unsure, too_few_points, gap, no_curve, no_curve_of_place, no_cultivation, several_cultivations or source_unavailable; null while it is processing."`
	Message      *string             `json:"message" doc:"The reason for people, with what the curves apply to."`
	Confidence   *float64            `json:"confidence" doc:"0 to 1: how probable it is that the verdict is right; null without a verdict."`
	Resembles    *string             `json:"resembles" doc:"The curve class that the series resembles: the nearest whose cap it lies within; none: it lies beyond the cap of every class. With several fields, that of the failed one with the highest confidence. null: not known."`
	CropTypeKey  *string             `json:"crop_type_key" doc:"The declared crop."`
	Version      *int                `json:"version" doc:"Number of the submitted version that is verified."`
	NextTryAt    *time.Time          `json:"next_try_at" doc:"When the imagery source is tried again; null unless it is unavailable."`
	DecidedAt    *time.Time          `json:"decided_at" doc:"When the check ended, with a verdict or without."`
	Model        *string             `json:"model" doc:"Version of the comparison."`
	Evidence     []VerificationField `json:"evidence" doc:"One entry per field; empty until the check has ended."`
}

// VerificationField is the check of one field.
type VerificationField struct {
	FieldID       int64                `json:"field_id" doc:"Id of the field."`
	FieldName     string               `json:"field_name" doc:"Name of the field, as it was at the check."`
	CultivationID *int64               `json:"cultivation_id" doc:"The one cultivation that fits the year and the crop; null where none does, or several do."`
	SeasonID      *int64               `json:"season_id" doc:"Season of the cultivation; null where there is none."`
	SeasonName    *string              `json:"season_name" doc:"Name of the season, as it was at the check; null where there is none."`
	CropName      *string              `json:"crop_name" doc:"Name of the crop in the catalog."`
	Verdict       string               `json:"verdict" enum:"verified,failed,pending" doc:"verified: the season resembles the declared crop. failed: it does not. pending: nothing can be said, for the reason given."`
	Reason        string               `json:"reason" doc:"A stable word, such as nearest, other_nearer or gap."`
	Message       string               `json:"message" doc:"The reason for people."`
	Confidence    *float64             `json:"confidence" doc:"0 to 1: how probable it is that the verdict is right; null without a verdict."`
	Resembles     *string              `json:"resembles" doc:"A curve class, or none: the series lies beyond the cap of every class. null: not known."`
	Declared      []string             `json:"declared" doc:"Curve classes of the crop; any of them verifies it."`
	Ranking       []VerificationRanked `json:"ranking" doc:"The nearest curve first."`
	Curves        *VerificationCurves  `json:"curves" doc:"The reference curves; null: there are none for this place."`
	Series        *VerificationSeries  `json:"series" doc:"The series that was compared; null: none was."`
}

// VerificationRanked is a curve class and how far the series is from it.
type VerificationRanked struct {
	Class       string   `json:"class" doc:"The curve class."`
	Distance    float64  `json:"distance" doc:"How far the series is from the curve: the distance of time-weighted dynamic time warping, without unit."`
	Shape       float64  `json:"shape" doc:"The distance after the means of series and curve are subtracted."`
	MaxDistance *float64 `json:"max_distance" doc:"The cap: how far labelled series of the class are. null: the curve has none."`
	MaxShape    *float64 `json:"max_shape" doc:"The cap of shape; null: the curve has none."`
	Within      bool     `json:"within" doc:"Whether it is within the cap; true where there is none."`
}

// VerificationCurves are the reference curves that were used.
type VerificationCurves struct {
	Region  string `json:"region" doc:"Where they apply, as the key of a region; own: the company's own."`
	Version string `json:"version" doc:"Version of the curves; for own curves their id."`
	Scope   string `json:"scope" doc:"What they were made from, and apply to. No claim is made beyond that."`
}

// VerificationSeries is what was seen of a field.
type VerificationSeries struct {
	StartDate  member.Date        `json:"start_date" doc:"First day of the season."`
	EndDate    member.Date        `json:"end_date" doc:"Last day of the season, inclusive."`
	OrderID    *int64             `json:"order_id" doc:"The ordered profile that it comes from; null: computed for the check, at no charge."`
	Indices    []string           `json:"indices" doc:"NDVI, or NDVI and EVI: what the curves contain."`
	Accepted   int                `json:"accepted" doc:"Dates that count."`
	Rejected   int                `json:"rejected" doc:"Dates that were lost to clouds and gaps."`
	MinNDVI    *float64           `json:"min_ndvi" doc:"Smallest NDVI of the dates; null without any."`
	MaxNDVI    *float64           `json:"max_ndvi" doc:"Largest NDVI of the dates; null without any."`
	Synthetic  bool               `json:"synthetic" doc:"Whether made-up imagery was used."`
	ComputedAt time.Time          `json:"computed_at" doc:"When the series was made."`
	Dates      []VerificationDate `json:"dates" doc:"Dates that count, oldest first."`
}

// VerificationDate is one date that counts.
type VerificationDate struct {
	Date     member.Date `json:"date" doc:"Day of the observation, in solar time at the field."`
	NDVI     float64     `json:"ndvi" doc:"Mean NDVI over the valid pixels."`
	EVI      *float64    `json:"evi" doc:"Mean EVI over the valid pixels; null where the series has none."`
	Coverage float64     `json:"coverage" doc:"Valid pixels / pixels in the field."`
}

func registerVerification(a *rest.API, use *cropcheckapp.Verification) {
	a.DescribeCodes(map[string]string{"not_submitted": "only what is submitted can be verified (400)"})
	show := assessmentRoute(http.MethodGet, "{id}/verification/", access.Assessments.View.For("verification"), "The crop verification of an assessment")
	show.Description = "A submission starts it in the background: the season's vegetation index is compared with reference curves of the region. It costs no credit " +
		"and does not prevent any submission. Where nothing can be said it stays pending, with the reason."
	show.Query = []rest.Param{form.ShareParam}
	rest.Handle(a, show, func(ctx context.Context, c *rest.Call, in form.SharedByID) (Verification, error) {
		record, begun, err := use.Verification(ctx, c.Principal(), in.Share, in.ID)
		if err != nil || !begun {
			return Verification{AssessmentID: in.ID, Evidence: []VerificationField{}}, err
		}
		return showVerification(record), nil
	})
	restart := assessmentRoute(http.MethodPost, "{id}/verification/", access.Assessments.Edit.For("restart_verification"), "Start the crop verification again")
	restart.Description = "After imagery, boundaries or cultivations have changed. One that is under way starts again. An assessment that was never submitted is 400 (`not_submitted`)."
	restart.Message, restart.Faults = "Verification started.", []int{http.StatusBadRequest}
	rest.Handle(a, restart, form.OnRecord(use.Restart, showVerification))
}

func showVerification(r verification.Record) Verification {
	evidence := r.Evidence
	if r.DecidedAt == nil { // what is kept from an earlier run is no evidence for this one
		evidence = verification.Evidence{}
	}
	return Verification{
		r.AssessmentID, form.OrNull(string(r.Status)), form.OrNull(string(r.Reason)), form.OrNull(r.Text), form.If(r.Status.Verdict(), r.Confidence),
		form.OrNull(r.Resembles()), form.OrNull(r.CropType), &r.Version, r.NextTryAt, r.DecidedAt, form.OrNull(evidence.Model), form.Each(evidence.Fields, showVerificationField),
	}
}

func showVerificationField(f verification.Field) VerificationField {
	return VerificationField{
		FieldID: f.FieldID, FieldName: f.FieldName, CultivationID: form.OrNull(f.CultivationID), SeasonID: form.OrNull(f.SeasonID),
		SeasonName: form.OrNull(f.SeasonName), CropName: form.OrNull(f.CropName), Verdict: string(f.Verdict), Reason: string(f.Reason), Message: f.Text,
		Confidence: form.If(f.Verdict.Verdict(), f.Confidence), Resembles: form.OrNull(f.Resembles), Declared: append([]string{}, f.Declared...),
		Ranking: form.Each(f.Ranking, showVerificationRanked),
		Curves:  form.If(f.Region != "", VerificationCurves{f.Region, f.CurvesVersion, f.Scope}), Series: form.Pointed(f.Series, showVerificationSeries),
	}
}

func showVerificationRanked(r cropcheck.Ranked) VerificationRanked {
	out := VerificationRanked{Class: r.Class, Distance: r.Distance, Shape: r.Shape, Within: r.Within()}
	if r.Cap != nil {
		out.MaxDistance, out.MaxShape = &r.Cap.Distance, &r.Cap.Shape
	}
	return out
}

func showVerificationSeries(s verification.Series) VerificationSeries {
	out := VerificationSeries{
		StartDate: member.DateOf(s.From), EndDate: member.DateOf(s.To), OrderID: form.OrNull(s.OrderID), Indices: []string{"NDVI"},
		Accepted: len(s.Dates), Rejected: s.Rejected, Synthetic: s.Synthetic, ComputedAt: s.ComputedAt,
		Dates: form.Each(s.Dates, func(d cropcheck.Observation) VerificationDate {
			return VerificationDate{member.DateOf(d.Date), d.NDVI, form.If(s.HasEVI, d.EVI), d.Coverage}
		}),
	}
	if s.HasEVI {
		out.Indices = append(out.Indices, "EVI")
	}
	if len(s.Dates) > 0 {
		byNDVI := func(a, b cropcheck.Observation) int { return cmp.Compare(a.NDVI, b.NDVI) }
		out.MinNDVI, out.MaxNDVI = new(slices.MinFunc(s.Dates, byNDVI).NDVI), new(slices.MaxFunc(s.Dates, byNDVI).NDVI)
	}
	return out
}
