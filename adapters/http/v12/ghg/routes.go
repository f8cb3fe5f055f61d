// Package ghg is the routes of greenhouse-gas assessments, one or many at a time, the
// dashboard made of them, and the verification of their crops.
package ghg

import (
	"tilth/adapters/http/rest"
	ghgapp "tilth/app/ghg"
)

// Deps is the use cases that these routes offer.
type Deps struct {
	Assessing *ghgapp.Assessments
	Bulk      *ghgapp.Batches
	Overview  *ghgapp.Dashboard
	Verifying *ghgapp.Verification
}

// Register adds the routes of assessments.
func Register(a *rest.API, d Deps) {
	registerAssessments(a, d.Assessing)
	registerManyAssessments(a, d.Bulk)
	registerPrefill(a, d.Assessing)
	registerVerification(a, d.Verifying)
	registerDashboard(a, d.Overview)
}
