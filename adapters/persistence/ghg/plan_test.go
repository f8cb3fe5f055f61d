package ghg

import (
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/footprint"
	"tilth/ports"
	"tilth/tests/plantest"
)

func TestPlansOfAssessments(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"pact clients": {Query: pactClientRecords(s).Query, Filters: pactClientTable.Filters, Private: true},
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

// TestPlansOfFootprints asserts that every criterion of the list of footprints, and what is asked of messages, comes from an index.
func TestPlansOfFootprints(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		us := access.Own(7)
		by := func(f footprint.Filter) *bun.SelectQuery {
			return footprints{s}.selected(us, ports.PublicationQuery{Filter: f})
		}
		return map[string]*bun.SelectQuery{
			"ix_footprint_keys_value":   by(footprint.Filter{ProductIDs: []string{"a"}}),
			"ix_footprints_valid_from":  by(footprint.Filter{ValidAfter: &at}),
			"ix_footprints_valid_until": by(footprint.Filter{ValidBefore: &at}),
			"ix_footprints_active":      by(footprint.Filter{Statuses: []string{"active"}}).OrderExpr("t.id").Limit(20),
			"ix_footprints_assessment":  footprints{s}.selected(us, ports.PublicationQuery{AssessmentID: 7}),
			"ix_pact_messages_due":      pactMessages{s}.pending(us, 7),
			"ix_pact_messages_client":   pactMessages{s}.of(us, 7).OrderExpr("t.id DESC").Limit(20),
		}
	})
}

// TestPlansOfTheDashboard asserts that a dashboard comes from indexes, in their order: its
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
