// Package ghg is the routes of greenhouse-gas assessments, one or many at a time, the
// dashboard made of them, and the verification of their crops.
package v12

import (
	"tilth/adapters/http/rest"
	ghgapp "tilth/app/ghg"
)

// GHGDeps is the use cases that these routes offer.
type GHGDeps struct {
	Assessing *ghgapp.Assessments
	Bulk      *ghgapp.Batches
	Overview  *ghgapp.Dashboard
	Verifying *ghgapp.Verification
}

// RegisterGHG adds the routes of assessments.
func RegisterGHG(a *rest.API, d GHGDeps) {
	registerAssessments(a, d.Assessing)
	registerManyAssessments(a, d.Bulk)
	registerPrefill(a, d.Assessing)
	registerVerification(a, d.Verifying)
	registerDashboard(a, d.Overview)
}
