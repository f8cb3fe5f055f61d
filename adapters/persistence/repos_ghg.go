package persistence

import "tilth/ports"

// ghgRepos adds the repositories of this package to a bundle.
func ghgRepos(s *session, r *ports.Repos) {
	r.Assessments, r.AssessmentVersions = assessments{assessmentRecords(s)}, versions{s}
	r.EngineReferences, r.Batches, r.EngineChoices = engineReferences{s}, batches{s}, engineChoices{s}
	r.Verifications, r.Rollups = verifications{s}, rollups{s}
}

// ghgOperatorRepos adds those that work for the operator.
func ghgOperatorRepos(s *session, r *ports.OperatorRepos) {
	r.Assessments, r.EngineChoices = upkeep{s}, engineChoices{s}
}
