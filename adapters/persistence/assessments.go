package persistence

import (
	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/assessment"
)

type assessmentRow struct {
	bun.BaseModel `bun:"table:assessments,alias:t"`
	MetaRow
	ResourceType           assessment.ResourceType
	ResourceID             int64
	FarmID                 *int64
	FieldID                *int64
	AssessmentYear         *int
	GrowingArea            *document[map[string]any]
	AverageTemperature     *document[map[string]any]
	ClimateRegion          string
	FarmCountry            string
	DataQuality            string
	Declarations           document[assessment.Declarations]
	Status                 assessment.Status
	CompletenessPercentage float64
	IsReady                bool
	CompletenessComputedAt *stamp
	CalculationStatus      assessment.CalculationStatus
	CalculationReason      string
	SubmittedVersion       int
	SubmittedAt            *stamp
	HasUnsubmittedChanges  bool
}

var assessmentTable = &table[assessment.Assessment, assessmentRow]{
	word: "assessment",
	joins: []string{
		"LEFT JOIN farms AS farm ON farm.id = t.farm_id",
		"LEFT JOIN fields AS field ON field.id = t.field_id",
	},
	filters: commonFilters(map[string]filter{
		"assessment_year": {exact: "t.assessment_year"}, "resource_type": {exact: "t.resource_type"},
		"resource_id": {exact: "t.resource_id"}, "status": {exact: "t.status"}, "is_ready_for_submission": {exact: "t.is_ready"},
		"climate_region": {exact: "t.climate_region"}, "farm_country": {exact: "t.farm_country"},
		"search": {folded: "COALESCE(field.name_folded, farm.name_folded)"}, // an assessment has no name of its own
	}),
	orders: map[string]orderKey{
		"assessment_year":         {expr: "t.assessment_year", nullable: true},
		"completeness_percentage": {expr: "t.completeness_percentage"},
	},
	shared: sharedAssessment,
	row:    rowOfAssessment,
	record: assessmentOfRow,
}

type assessmentRepo = records[assessment.Assessment, assessmentRow, *assessment.Assessment, *assessmentRow]

func assessmentRecords(s *session) assessmentRepo { return recordsOf(s, assessmentTable) }

// sharedAssessment is the assessments of shared fields, and of farms that are shared whole:
// a grant on a field shows nothing of its farm.
func sharedAssessment(s *session, scope access.Scope) condition {
	const view = access.Slug("assessment.view")
	field := s.ofSharedField("f.id = t.field_id", view, scope)
	farm := s.granted("h", "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = h.id))", view, scope)
	return when(
		"("+field.sql+" OR EXISTS (SELECT 1 FROM farms AS h WHERE h.company_id = t.company_id AND h.id = t.farm_id"+
			" AND h.deleted_at IS NULL AND "+farm.sql+"))",
		append(field.args, farm.args...)...)
}

func rowOfAssessment(r *assessment.Assessment) assessmentRow {
	row := assessmentRow{
		MetaRow: metaRowOf(r.Meta), ResourceType: r.ResourceType, ResourceID: r.ResourceID, AssessmentYear: r.Year,
		GrowingArea: objectOf(r.GrowingArea), AverageTemperature: objectOf(r.AverageTemperature),
		ClimateRegion: r.ClimateRegion, FarmCountry: r.FarmCountry, DataQuality: r.DataQuality,
		Declarations: documentWith(r.Declarations), Status: r.Status,
		CompletenessPercentage: r.Completeness, IsReady: r.Ready, CompletenessComputedAt: stampOf(r.CompletenessComputedAt),
		CalculationStatus: r.CalculationStatus, CalculationReason: r.CalculationReason,
		SubmittedVersion: r.SubmittedVersion, SubmittedAt: stampOf(r.SubmittedAt), HasUnsubmittedChanges: r.HasUnsubmittedChanges,
	}
	if row.Declarations.V == nil {
		row.Declarations.V = assessment.Declarations{}
	}
	if r.ResourceType == assessment.OfField {
		row.FieldID = &row.ResourceID
	} else {
		row.FarmID = &row.ResourceID
	}
	return row
}

// objectOf returns the column of an object that may be missing.
func objectOf(object map[string]any) *document[map[string]any] {
	if object == nil {
		return nil
	}
	return new(documentWith(object))
}

func assessmentOfRow(row *assessmentRow) (assessment.Assessment, error) {
	r := assessment.Assessment{
		Meta: row.meta(), ResourceType: row.ResourceType, ResourceID: row.ResourceID, Year: row.AssessmentYear,
		ClimateRegion: row.ClimateRegion, FarmCountry: row.FarmCountry, DataQuality: row.DataQuality,
		Declarations: row.Declarations.V, Status: row.Status,
		Completeness: row.CompletenessPercentage, Ready: row.IsReady, CompletenessComputedAt: row.CompletenessComputedAt.timeOf(),
		CalculationStatus: row.CalculationStatus, CalculationReason: row.CalculationReason,
		SubmittedVersion: row.SubmittedVersion, SubmittedAt: row.SubmittedAt.timeOf(), HasUnsubmittedChanges: row.HasUnsubmittedChanges,
		DeletedAt: row.DeletedAt.timeOf(),
	}
	if row.GrowingArea != nil {
		r.GrowingArea = row.GrowingArea.V
	}
	if row.AverageTemperature != nil {
		r.AverageTemperature = row.AverageTemperature.V
	}
	return r, nil
}
