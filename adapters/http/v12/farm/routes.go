// Package farm has the routes of farm management: farms, fields with their boundaries, seasons, crops,
// cultivations and fertilizations, and the import and export of outlines. Areas of interest are in soil.
package farm

import (
	"tilth/adapters/http/rest"
	farmapp "tilth/app/farm"
	"tilth/app/farm/outlines"
	"tilth/core/farm"
	"tilth/core/geo"
)

const farmTag = "Farm management"

// Deps are the use cases that these routes offer.
type Deps struct {
	Farms          *farmapp.Records[farm.Farm]
	Fields         *farmapp.Records[farm.Field]
	Seasons        *farmapp.Records[farm.Season]
	Cultivations   *farmapp.Records[farm.Cultivation]
	Fertilizations *farmapp.Records[farm.Fertilization]
	Crops          *farmapp.Crops
	Boundaries     *farmapp.Boundaries
	Reshape        *farmapp.Reshape
	Imports        *outlines.Imports
	Plots          *farmapp.Plots
	Limits         geo.Limits
}

// Register adds the routes of farm management.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	a.DescribeTag(farmTag, "Farms, fields, seasons and cultivations of your company, and the crop catalog that all share.")
	a.DescribeCodes(map[string]string{
		"duplicate_external_id": "another live record of this kind has the external id; details name both (409)",
		"last_cultivation":      "the only cultivation of a field cannot be deleted (400)",
		"not_empty":             "the farm has fields, assessments or shares, and the request deletes it only where it is empty (409)",
		"not_deleted":           "what is to be restored is not deleted (400)",
		"parent_deleted":        "what the record to be restored belongs to is deleted; details name the member (400)",
		"season_in_use":         "cultivations use the season, so it cannot be deleted (400)",
		"objects_unavailable":   "the store of uploaded files cannot be used; try again (503)",
		"export_too_large":      "the fields are too many for one shapefile (400)",
		"orders_open":           "orders for profiles or maps of the fields are not finished yet; details.orders names them (409)",
		"boundary_missing":      "a field has no boundary, details.fields names it; or the field of an order no longer exists or no longer has a boundary, so the series or map cannot be made again (409)",
		"farms_differ":          "fields of several farms cannot be merged (409)",
		"cultivations_differ":   "in some seasons the fields grew different crops; details.seasons names them (409)",
		"field_changed":         "the field was changed while the request was running; details.fields names it (409)",
		"field_replaced":        "other fields now cover the land of this one; details.fields names them (409)",
		"eudr_refused":          "the EU's Information System would refuse some of the fields; details name them (409)",
	})
	registerFarms(a, d.Farms)
	registerFields(a, d.Fields, d.Limits)
	registerBoundaries(a, d.Boundaries)
	registerReshape(a, d.Reshape, d.Limits)
	registerImports(a, d.Imports)
	registerExport(a, d.Imports, d.Plots)
	registerSeasons(a, d.Seasons)
	registerCrops(a, d.Crops)
	registerCultivations(a, d.Cultivations)
	registerFertilizations(a, d.Fertilizations)
}
