// Package ghg stores assessments with their sections, versions and batches, crop verifications,
// engine choices, the sums of the dashboard, and published footprints with their recipients.
package ghg

import (
	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.Assessments, r.AssessmentVersions = assessmentRecords(s), versions{s}
	r.EngineReferences, r.Batches, r.EngineChoices = engineReferences{s}, batches{s}, engineChoices{s}
	r.Verifications, r.Rollups, r.Evidence = verifications{s}, rollups{s}, fileRecords(s)
	r.Footprints, r.FootprintClients, r.FootprintMessages = footprints{s}, pactClientRecords(s), pactMessages{s}
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Assessments, r.EngineChoices, r.Evidence = upkeep{s}, engineChoices{s}, common.FileKeeper{S: s, Table: "assessment_evidence", Held: fileHeld}
	r.FootprintClients = pactClientRecords(s)
}
