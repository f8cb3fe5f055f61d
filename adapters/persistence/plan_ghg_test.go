package persistence

import (
	"testing"

	"github.com/uptrace/bun"

	"tilth/core/access"
)

func TestPlansOfAssessments(t *testing.T) {
	assertListPlans(t, func(s *session) map[string]plannedList {
		return map[string]plannedList{
			"assessments": {
				Query: assessmentRecords(s).query, Filters: assessmentTable.filters, Orders: assessmentTable.orders,
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
	assertQueryPlans(t, func(s *session) map[string]*bun.SelectQuery {
		us := access.Own(7)
		return map[string]*bun.SelectQuery{
			"USING PRIMARY KEY (company_id=?)":           rollups{s}.summed(us),
			"ix_assessment_contributions_verified ":      rollups{s}.verified(us, nil, 100),
			"ix_assessment_contributions_verified_year ": rollups{s}.verified(us, &year, 100),
		}
	})
}
