// Package satellite has the routes of vegetation-index profiles and maps, and of the wallet and its statement.
package satellite

import (
	"tilth/adapters/http/rest"
	"tilth/app/satellite"
	"tilth/app/satellite/mapview"
	"tilth/core/geo"
)

const (
	profileTag = "Vegetation-index profiles"
	mapTag     = "Vegetation-index maps"
	walletTag  = "Wallet"

	zoningTag    = "Zoning maps"
	elevationTag = "Elevation maps"
	soilTag      = "Soil maps"
)

// Deps are the use cases that these routes offer.
type Deps struct {
	Orders *satellite.Profiles
	Files  *satellite.ProfileFiles
	Maps   *satellite.Maps
	Views  *mapview.Views
	Limits geo.Limits // of outlines that are not fields
}

// Register adds the routes of profiles and of the wallet that pays for them.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	a.DescribeTag(profileTag, "The season-long series of a vegetation index for a field, from Sentinel-2.")
	a.DescribeTag(mapTag, "The pixels of a vegetation index in a field, date by date, from Sentinel-2.")
	a.DescribeTag(walletTag, "What orders cost: holds, captures and releases in a double-entry ledger.")
	a.DescribeCodes(map[string]string{
		"boundary_too_different": "the field is now over 1.1 times the area that was charged; details hold charged_area_ha and area_ha (409)",
		"boundary_missing":       "a field has no boundary, details.fields names it; or the field of an order no longer exists or no longer has a boundary, so the series or map cannot be made again (409)",
		"season_unresolved":      "the season of an order is not a season of your company (500, as the interface specifies)",
		"duplicate_profile":      "an active profile exists; details hold profile_uuid and order_id; nothing was charged (409)",
		"duplicate_map":          "an active map exists; details hold map_uuid and order_id; nothing was charged (409)",
		"order_state":            "the state of an order forbids it (409)",
		"order_open":             "an order of a batch already exists and is waiting for its series or map; nothing is held for it",
		"insufficient_credit":    "details hold required and available (402)",
	})
	registerProfileOrders(a, d.Orders)
	registerProfileFiles(a, d.Files)
	registerComparison(a, d.Orders)
	registerMonitor(a, d.Orders)
	registerMonitors(a, d.Orders)
	registerQuote(a, d.Orders)
	registerRecompute(a, d.Orders)
	registerMany(a, d.Orders, d.Files)
	registerMaps(a, d)
	registerWallet(a, d.Orders, d.Files)
}

// registerMaps adds the routes of all products of maps.
func registerMaps(a *rest.API, d Deps) {
	describeSheets(a)
	viMapRoutes(d.Maps, d.Limits).register(a)
	dates := mapSheets{viMap, d.Views}
	dates.register(a)
	dates.registerClasses(a)

	a.DescribeTag(zoningTag, "Zones of a field, each uniform over several seasons, from Sentinel-2.")
	zoningMapRoutes(d.Maps, d.Limits).register(a)
	zones := mapSheets{zoningMap, d.Views}
	zones.register(a)
	zones.registerZones(a)
	registerElevationMaps(a, d)
	registerSoilMaps(a, d)
}
