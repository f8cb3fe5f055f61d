package ghg

import (
	"context"
	"encoding/json"
	"fmt"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/core/ghg/baseyear"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// baseRead is the stored material for a comparison with the base year.
type baseRead struct {
	out     baseyear.Report
	version ports.AssessmentVersion // of the base year
	choice  ports.EngineChoice
}

// BaseYear compares the last submitted report of an assessment (the live one if none was submitted) with the version of its
// farm's base year for the same land and crop, and reports whether the base year is to be recalculated. Faults: those of
// Report.
func (a *Assessments) BaseYear(ctx context.Context, who access.Principal, shared bool, id int64) (baseyear.Report, error) {
	if err := a.MayView(ctx, who); err != nil {
		return baseyear.Report{}, err
	}
	scope := who.Scope(shared)
	var live bool
	read, err := app.In(ctx, a.Store.Read, func(ctx context.Context, tx ports.Repos) (out baseRead, err error) {
		whole, err := readWhole(ctx, tx, scope, id)
		if err != nil {
			return out, err
		}
		live = whole.SubmittedVersion == 0
		return a.baseOf(ctx, tx, whole)
	})
	if err != nil || read.out.State != baseyear.Compared {
		return read.out, err
	}
	current, err := a.report(ctx, scope, id, ReportRequest{Live: live})
	if err != nil {
		return baseyear.Report{}, err
	}
	return a.againstBase(ctx, read, current.Report)
}

// baseOf finds the base year of a farm and its newest version for the same land and crop.
func (a *Assessments) baseOf(ctx context.Context, tx ports.Repos, whole Whole) (out baseRead, err error) {
	out.out.State = baseyear.NotStated
	scope := access.Own(whole.CompanyID) // perhaps only the assessment is shared
	farmID := whole.ResourceID
	if whole.ResourceType == assessment.OfField {
		fields, err := tx.Fields.GetMany(ctx, scope, []int64{whole.ResourceID})
		if err != nil {
			return out, err
		}
		farmID = fields[whole.ResourceID].Farm.ID
	}
	farms, err := tx.Farms.GetMany(ctx, scope, []int64{farmID})
	if err != nil || farms[farmID].BaseYear == nil {
		return out, err
	}
	base := farms[farmID].BaseYear
	out.out.State = baseyear.NoVersion
	out.out.BaseYear = &baseyear.Rule{Year: base.Year, ThresholdPct: base.ThresholdPct, Policy: base.Policy}
	byResource, err := tx.Assessments.OfYear(ctx, scope, whole.ResourceType, base.Year, []int64{whole.ResourceID})
	if err != nil {
		return out, err
	}
	versions, err := tx.Assessments.NewestVersions(ctx, scope, byResource[whole.ResourceID])
	if err != nil {
		return out, err
	}
	var crop any
	for _, row := range whole.Sheet["crop"] {
		crop = row.Values["crop_type"]
	}
	for _, id := range byResource[whole.ResourceID] {
		if v, submitted := versions[id]; submitted && subjectOf(v).Crop == crop {
			out.out.State, out.out.AssessmentID, out.out.ResultVersion = baseyear.Compared, &id, &v.Number
		}
	}
	if out.out.State != baseyear.Compared {
		return out, nil
	}
	if out.version, err = tx.AssessmentVersions.Get(ctx, scope, *out.out.AssessmentID, *out.out.ResultVersion); err != nil {
		return out, err
	}
	out.choice, err = tx.EngineChoices.Get(ctx, scope)
	return out, err
}

// againstBase calculates the content of the base year by today's methods, and compares.
func (a *Assessments) againstBase(ctx context.Context, read baseRead, current report.Report) (baseyear.Report, error) {
	was, err := reportOf(read.version)
	if err != nil {
		return baseyear.Report{}, err
	}
	again := preparedCalculation{choice: read.choice}
	if err := json.Unmarshal(read.version.Snapshot, &again.input); err != nil {
		return baseyear.Report{}, fmt.Errorf("the snapshot of version %d of assessment %d: %w", read.version.Number, read.version.AssessmentID, err)
	}
	result, _, err := a.run(ctx, again)
	if fault.Is(err, fault.Invalid) {
		return baseyear.Report{}, refused(CodeNotCalculable, "The base year cannot be calculated with today's methods", findingsOf(err), nil)
	}
	if err != nil {
		return baseyear.Report{}, err
	}
	judged := baseyear.Judge(*read.out.BaseYear, was, report.New(result, report.About{}))
	compared := report.Compare(was, current)
	read.out.Recalculation, read.out.Comparison = &judged, &compared
	return read.out, nil
}
