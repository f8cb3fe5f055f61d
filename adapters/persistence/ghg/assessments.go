package ghg

import (
	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/record"
)

type assessmentRow struct {
	bun.BaseModel `bun:"table:assessments,alias:t"`
	sqlstore.MetaRow
	ExternalID             string
	Source                 string
	ResourceType           assessment.ResourceType
	ResourceID             int64
	FarmID                 *int64
	FieldID                *int64
	AssessmentYear         *int
	GrowingArea            *sqlstore.JSON[map[string]any]
	AverageTemperature     *sqlstore.JSON[map[string]any]
	ClimateRegion          string
	FarmCountry            string
	DataQuality            string
	Declarations           sqlstore.JSON[assessment.Declarations]
	Status                 assessment.Status
	CompletenessPercentage float64
	IsReady                bool
	CompletenessComputedAt *sqlstore.Stamp
	CalculationStatus      assessment.CalculationStatus
	CalculationReason      string
	SubmittedVersion       int
	SubmittedAt            *sqlstore.Stamp
	HasUnsubmittedChanges  bool
}

var assessmentTable = &sqlstore.Table[assessment.Assessment, assessmentRow]{
	Word: "assessment",
	Joins: []string{
		"LEFT JOIN farms AS farm ON farm.id = t.farm_id",
		"LEFT JOIN fields AS field ON field.id = t.field_id",
	},
	Filters: sqlstore.KeyedFilters(map[string]sqlstore.Filter{
		"assessment_year": {Exact: "t.assessment_year"}, "resource_type": {Exact: "t.resource_type"},
		"resource_id": {Exact: "t.resource_id"}, "farm": {Has: "(t.farm_id = ?0 OR t.field_id IN (SELECT f.id FROM fields AS f WHERE f.farm_id = ?0))"}, "status": {Exact: "t.status"}, "is_ready_for_submission": {Exact: "t.is_ready"},
		"climate_region": {Exact: "t.climate_region"}, "farm_country": {Exact: "t.farm_country"},
		"search": { // an assessment has no name of its own
			Folded: "COALESCE(field.name_folded, farm.name_folded)",
			Parts:  []sqlstore.Part{{Table: "fields", Ref: "t.field_id"}, {Table: "farms", Ref: "t.farm_id"}},
		},
	}),
	Orders: map[string]sqlstore.OrderKey{
		"assessment_year":         {Expr: "t.assessment_year", Nullable: true},
		"completeness_percentage": {Expr: "t.completeness_percentage"},
	},
	Shared: sharedAssessment,
	Row:    rowOfAssessment,
	Record: assessmentOfRow,
}

// assessments implements ports.Assessments.
type assessments struct {
	sqlstore.Records[assessment.Assessment, assessmentRow, *assessment.Assessment, *assessmentRow]
}

func assessmentRecords(s *sqlstore.Session) assessments {
	return assessments{sqlstore.NewRecords(s, assessmentTable)}
}

// sharedAssessment returns the condition of the assessments of shared fields and of wholly shared farms: a grant on a field shows no farm.
func sharedAssessment(s *sqlstore.Session, scope access.Scope) sqlstore.Condition {
	const view = access.Slug("assessment.view")
	field := s.OfSharedField("f.id = t.field_id", view, scope)
	farm := s.Granted("h", "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = h.id))", view, scope)
	return sqlstore.When(
		"("+field.SQL+" OR EXISTS (SELECT 1 FROM farms AS h WHERE h.company_id = t.company_id AND h.id = t.farm_id"+
			" AND h.deleted_at IS NULL AND "+farm.SQL+"))",
		append(field.Args, farm.Args...)...)
}

func rowOfAssessment(r *assessment.Assessment) assessmentRow {
	row := assessmentRow{
		MetaRow: sqlstore.MetaRowOf(r.Meta), ExternalID: r.ExternalID, Source: r.Source, ResourceType: r.ResourceType, ResourceID: r.ResourceID, AssessmentYear: r.Year,
		GrowingArea: objectOf(r.GrowingArea), AverageTemperature: objectOf(r.AverageTemperature),
		ClimateRegion: r.ClimateRegion, FarmCountry: r.FarmCountry, DataQuality: r.DataQuality,
		Declarations: sqlstore.JSONOf(r.Declarations), Status: r.Status,
		CompletenessPercentage: r.Completeness, IsReady: r.Ready, CompletenessComputedAt: sqlstore.NullableStamp(r.CompletenessComputedAt),
		CalculationStatus: r.CalculationStatus, CalculationReason: r.CalculationReason,
		SubmittedVersion: r.SubmittedVersion, SubmittedAt: sqlstore.NullableStamp(r.SubmittedAt), HasUnsubmittedChanges: r.HasUnsubmittedChanges,
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
func objectOf(object map[string]any) *sqlstore.JSON[map[string]any] {
	if object == nil {
		return nil
	}
	return new(sqlstore.JSONOf(object))
}

func assessmentOfRow(row *assessmentRow) (assessment.Assessment, error) {
	return assessment.Assessment{
		Meta: row.Meta(), External: record.External{ExternalID: row.ExternalID, Source: row.Source}, ResourceType: row.ResourceType, ResourceID: row.ResourceID, Year: row.AssessmentYear,
		ClimateRegion: row.ClimateRegion, FarmCountry: row.FarmCountry, DataQuality: row.DataQuality,
		Declarations: row.Declarations.V, Status: row.Status,
		Completeness: row.CompletenessPercentage, Ready: row.IsReady, CompletenessComputedAt: row.CompletenessComputedAt.Nullable(),
		CalculationStatus: row.CalculationStatus, CalculationReason: row.CalculationReason,
		SubmittedVersion: row.SubmittedVersion, SubmittedAt: row.SubmittedAt.Nullable(), HasUnsubmittedChanges: row.HasUnsubmittedChanges,
		GrowingArea: sqlstore.ValueOf(row.GrowingArea).V, AverageTemperature: sqlstore.ValueOf(row.AverageTemperature).V,
		DeletedAt: row.DeletedAt.Nullable(),
	}, nil
}
