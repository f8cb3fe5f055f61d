// Package ghg is the routes of greenhouse-gas assessments, one or many at a time, the
// dashboard made of them, and the verification of their crops.
package ghg

import (
	"tilth/adapters/http/rest"
	ghgapp "tilth/app/ghg"
	evidenceapp "tilth/app/ghg/evidence"
)

// Deps is the use cases that these routes offer.
type Deps struct {
	Assessments  *ghgapp.Assessments
	Batches      *ghgapp.Batches
	Dashboard    *ghgapp.Dashboard
	Verification *ghgapp.Verification
	Curves       *ghgapp.CropCurves
	Evidence     *evidenceapp.Files
}

// Register adds the routes of assessments.
func Register(a *rest.API, d Deps) {
	registerAssessments(a, d.Assessments)
	registerManyAssessments(a, d.Batches)
	registerPrefill(a, d.Assessments)
	registerMany(a, d.Assessments)
	registerVerification(a, d.Verification)
	registerCurves(a, d.Curves)
	registerDashboard(a, d.Dashboard)
	registerEvidence(a, d.Evidence)
}
