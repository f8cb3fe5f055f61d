// Package ghg has the routes of greenhouse-gas assessments, one or many at a time, of the dashboard
// made from them, of the verification of their crops, and of the footprints published from them.
package ghg

import (
	"tilth/adapters/http/rest"
	ghgapp "tilth/app/ghg"
	cropcheckapp "tilth/app/ghg/cropcheck"
	evidenceapp "tilth/app/ghg/evidence"
	"tilth/app/ghg/exchange"
)

// Deps are the use cases that these routes offer.
type Deps struct {
	Assessments  *ghgapp.Assessments
	Batches      *ghgapp.Batches
	Dashboard    *ghgapp.Dashboard
	Verification *cropcheckapp.Verification
	Curves       *cropcheckapp.Curves
	Evidence     *evidenceapp.Files
	Publishing   *exchange.Publishing
	Clients      *exchange.Clients
}

// Register adds the routes of assessments.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	registerAssessments(a, d.Assessments, d.Publishing)
	registerManyAssessments(a, d.Batches)
	registerPrefill(a, d.Assessments)
	registerMany(a, d.Assessments)
	registerVerification(a, d.Verification)
	registerCurves(a, d.Curves)
	registerDashboard(a, d.Dashboard)
	registerEvidence(a, d.Evidence)
	registerFootprints(a, d.Publishing)
	registerPACTClients(a, d.Clients)
}
