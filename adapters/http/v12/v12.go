// Package v12 is version 1.2 of the interface: the routes of every product. A product's
// package holds a file a resource, each with its wire form, the mapping to and from the
// core's records, and its routes. Nothing here decides: rules are the core's and the use
// cases'.
package v12

import "tilth/adapters/http/rest"

// Deps is what the interface offers.
type Deps struct {
	Account   AccountDeps
	Farm      FarmDeps
	Satellite SatelliteDeps
	GHG       GHGDeps
	Soil      SoilDeps
	Events    EventsDeps
}

// Register adds every route of the version.
func Register(a *rest.API, d Deps) {
	a.DescribeCodes(map[string]string{"database_unavailable": "the database does not answer; try again (503)"})
	RegisterAccount(a, d.Account)
	RegisterFarm(a, d.Farm)
	RegisterSatellite(a, d.Satellite)
	RegisterGHG(a, d.GHG)
	RegisterSoil(a, d.Soil)
	RegisterEvents(a, d.Events)
	a.OrderTags("Signing in", "Farm management", "Vegetation-index profiles", "Wallet", "Sharing", "API keys", "Audit trail", "Users and roles",
		"Events", "Webhooks", "Assessments", "Areas of interest", "Stratification")
}
