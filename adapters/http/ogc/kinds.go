package ogc

import (
	"context"

	"tilth/adapters/http/rest"
	"tilth/app/features"
	"tilth/core/farm"
	"tilth/core/stratification"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
)

// offered is a collection, whatever the type of its features.
type offered interface {
	describe(ctx context.Context, c *rest.Call) (Collection, error)
	register()
}

func whole(name, as, description string) filter {
	return filter{rest.Param{Name: name, Type: rest.Integer, Description: description}, as}
}

func text(name, as, description string, words ...string) filter {
	return filter{rest.Param{Name: name, Type: rest.String, Enum: words, Description: description}, as}
}

// Filters that several collections have.
var (
	byName       = text("name", "", "The name, exactly.")
	byExternalID = text("external_id", "", "The record's key in the system it came from, exactly.")
	byFarm       = whole("farm_id", "farm", "Id of the farm that the feature, or its field, belongs to.")
	byField      = whole("field_id", "field", "Id of the field.")
	bySeason     = whole("season_id", "season", "Id of the season.")
	byAOI        = whole("aoi_id", "aoi", "Id of the area of interest.")
	byZone       = whole("zone", "", "Number of the zone.")
	byOrder      = whole("order_id", "order", "Id of the stratification order.")
)

// all returns the collections, in the order in which they are listed.
func (r routes) all() []offered {
	return append(r.land(), r.soil()...)
}

func (r routes) land() []offered {
	return []offered{
		kind[farm.Farm, farm.Farm, FarmProperties]{
			routes: r, id: "farms", title: "Farms", description: "Farms, where they are located.", record: "farm/",
			filters: []filter{byName, byExternalID, text("country", "", "Country key in snake_case, as spain.")},
			of:      r.use.Farms(), show: farmProperties,
		},
		kind[farm.Field, farm.Field, FieldProperties]{
			routes: r, id: "fields", title: "Fields", description: "Fields, in their boundaries.", record: "field/", extent: true,
			timed:   "the days from active_from to active_to",
			filters: []filter{byName, byExternalID, byFarm, text("uuid", "", "The uuid.")},
			of:      r.use.Fields(), show: fieldProperties,
		},
		kind[farm.Cultivation, features.Cultivation, CultivationProperties]{
			routes: r, id: "cultivations", title: "Cultivations", description: "What grows where and when: cultivations, in the boundaries of their fields. Needs `field.view` too.",
			record: "cultivation/", extent: true, timed: "the days of the season",
			filters: []filter{byFarm, byField, bySeason, whole("crop_id", "crop", "Id of the crop.")},
			of:      r.use.Cultivations(), show: cultivationProperties,
		},
		kind[vegetation.OrderState, features.Profile, ProfileProperties]{
			routes: r, id: "profiles", title: "Vegetation-index profiles", description: "Profile orders with the newest value of each, in the boundaries that their series cover.",
			record: "profiles/vegetation-index-profile/orders/", timed: "the day of the newest value",
			filters: []filter{byFarm, byField, bySeason, text("index_code", "", "The index, as NDVI."), text("status", "", "The state.", "processing", "pending", "active", "failed")},
			of:      r.use.Profiles(), show: profileProperties,
		},
	}
}

func (r routes) soil() []offered {
	return []offered{
		kind[stratification.AOI, stratification.AOI, AOIProperties]{
			routes: r, id: "areas_of_interest", title: "Areas of interest", description: "Areas of interest, as the boundaries of their fields. Needs `field.view` too.",
			record: "soil/aois/", extent: true, filters: []filter{byName, byFarm},
			of: r.use.AOIs(), show: aoiProperties,
		},
		kind[zoning.Map, features.Zone, ZoneProperties]{
			routes: r, id: "zones", title: "Zones", description: "The zones of saved maps. An id consists of the id of the map and the number of the zone.",
			filters: []filter{byFarm, byAOI, byOrder, text("map_tag", "", "Tag of the map.")},
			of:      r.use.Zones(), show: zoneProperties,
		},
		kind[plan.SamplePlan, features.Point, PointProperties]{
			routes: r, id: "sample_points", title: "Sample points", description: "The points of saved sample plans. An id consists of the id of the plan and the place of the point in it.",
			filters: []filter{byFarm, byAOI, byOrder, whole("map_id", "stratification_map", "Id of the saved map."), text("plan_tag", "", "Tag of the plan.")},
			of:      r.use.Points(), show: pointProperties,
		},
		kind[sample.Sample, sample.Sample, SampleProperties]{
			routes: r, id: "samples", title: "Samples", description: "Samples, where they were taken, or else where they are planned.",
			record: "soil/stratification/samples/", timed: "the time of sampling",
			filters: []filter{
				byFarm, byAOI, byZone, whole("plan_id", "plan", "Id of the saved plan."), whole("round", "", "Round of sampling."),
				text("status", "", "The state.", "planned", "collected", "analysed", "missed"), text("label", "", "The label, exactly."), text("point", "", "Id of the point."),
			},
			of: r.use.Samples(), show: sampleProperties,
		},
	}
}
