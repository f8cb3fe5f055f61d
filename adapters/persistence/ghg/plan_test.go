package ghg

import (
	"testing"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/tests/plantest"
)

func TestPlansOfAssessments(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"assessments": {
				Query: assessmentRecords(s).Query, Filters: assessmentTable.Filters, Orders: assessmentTable.Orders,
				Indexes: map[string]string{
					"assessment_year": "ix_assessments_year", "resource_id": "ix_assessments_resource_id",
					"status": "ix_assessments_status", "is_ready_for_submission": "ix_assessments_ready",
				},
			},
		}
	})
}

// TestPlansOfTheDashboard asserts that a dashboard comes out of indexes, in their order: its
// time does not grow with the number of assessments.
func TestPlansOfTheDashboard(t *testing.T) {
	year := 2024
	plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		us := access.Own(7)
		return map[string]*bun.SelectQuery{
			"USING PRIMARY KEY (company_id=?)":           rollups{s}.summed(us),
			"ix_assessment_contributions_verified ":      rollups{s}.verified(us, nil, 100),
			"ix_assessment_contributions_verified_year ": rollups{s}.verified(us, &year, 100),
		}
	})
}
