package plans_test

import (
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/footprint"
	"tilth/ports"
)

// footprintQueries are the queries of footprints.
type footprintQueries interface {
	Selected(scope access.Scope, q ports.PublicationQuery) *bun.SelectQuery
}

// messageQueries are the queries of the events from and to clients.
type messageQueries interface {
	OfClient(scope access.Scope, clientID int64) *bun.SelectQuery
	Unsent(scope access.Scope, clientID int64) *bun.SelectQuery
}

// rollupQueries are the queries of the dashboard.
type rollupQueries interface {
	Summed(scope access.Scope) *bun.SelectQuery
	VerifiedCrops(scope access.Scope, year *int, limit int) *bun.SelectQuery
}

func TestPlansOfAssessments(t *testing.T) {
	assertLists(t, func(r ports.Repos) map[string]list {
		return map[string]list{
			"pact clients": {of: r.FootprintClients, private: true},
			"assessments": {
				of: r.Assessments, ordered: true,
				indexes: map[string]string{
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
	assertQueries(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		us, footprints, messages := access.Own(7), r.Footprints.(footprintQueries), r.FootprintMessages.(messageQueries)
		by := func(f footprint.Filter) *bun.SelectQuery {
			return footprints.Selected(us, ports.PublicationQuery{Filter: f})
		}
		return map[string]*bun.SelectQuery{
			"ix_footprint_keys_value":   by(footprint.Filter{ProductIDs: []string{"a"}}),
			"ix_footprints_valid_from":  by(footprint.Filter{ValidAfter: &at}),
			"ix_footprints_valid_until": by(footprint.Filter{ValidBefore: &at}),
			"ix_footprints_active":      by(footprint.Filter{Statuses: []string{"active"}}).OrderExpr("t.id").Limit(20),
			"ix_footprints_assessment":  footprints.Selected(us, ports.PublicationQuery{AssessmentID: 7}),
			"ix_pact_messages_due":      messages.Unsent(us, 7),
			"ix_pact_messages_client":   messages.OfClient(us, 7).OrderExpr("t.id DESC").Limit(20),
		}
	})
}

// TestPlansOfTheDashboard asserts that a dashboard comes from indexes, in their order: its
// time does not grow with the number of assessments.
func TestPlansOfTheDashboard(t *testing.T) {
	year := 2024
	assertQueries(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		us, rollups := access.Own(7), r.Rollups.(rollupQueries)
		return map[string]*bun.SelectQuery{
			"USING PRIMARY KEY (company_id=?)":           rollups.Summed(us),
			"ix_assessment_contributions_verified ":      rollups.VerifiedCrops(us, nil, 100),
			"ix_assessment_contributions_verified_year ": rollups.VerifiedCrops(us, &year, 100),
		}
	})
}
