// Package soil has the routes of soil sampling: areas of interest, stratification orders, maps of
// zones, sample plans and samples, with their files.
package soil

import (
	"tilth/adapters/http/rest"
	"tilth/app/soil"
)

// Deps are the use cases that these routes offer.
type Deps struct {
	AOIs    *soil.AOIs
	Orders  *soil.Orders
	Maps    *soil.Maps
	Plans   *soil.Plans
	Samples *soil.Samples
	Results *soil.SampleFiles
	Files   *soil.MapFiles
	Made    *soil.Generated
	Links   *soil.Links
}

// Register adds the routes of soil sampling.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	registerAOIs(a, d.AOIs, d.Orders)
	registerStratificationOrders(a, d.Orders)
	registerMaps(a, d.Maps)
	registerPlans(a, d.Plans)
	registerPlanSaves(a, d.Plans)
	registerStratificationFiles(a, d.Files)
	registerGenerated(a, d.Made)
	registerCarbon(a, d.Orders, d.Files)
	registerSamples(a, d.Samples)
	registerSampleRecords(a, d.Samples)
	registerSampleFiles(a, d.Results)
	registerLinks(a, d.Links)
}
