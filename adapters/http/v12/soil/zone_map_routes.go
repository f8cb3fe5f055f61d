package soil

import (
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification/zoning"
)

const (
	stratificationPath = aoiBase + "stratification/"
	savedMapsPath      = stratificationPath + "stratification-saved-maps/"
)

var geometryParam = rest.Param{Name: "geometry", Type: rest.Boolean, Description: "Adds the outlines, as GeoJSON in WGS84."}

// mapPath is the path of a map of zones, or of a plan.
type mapPath struct {
	MapUUID string `path:"map_uuid,uuid"`
}

// geometryByID is the input of a route on one record whose outlines may be asked for.
type geometryByID struct {
	form.ByID
	Geometry bool `query:"geometry"`
}

func registerMaps(a *rest.API, maps *soil.Maps) {
	a.DescribeCodes(map[string]string{
		"order_not_active": "the order's layers are not there; details.status says how it stands (409)",
		"aoi_changed":      "the area of interest is not the one that was ordered; details.field_uuids name what changed (409)",
		"no_usable_layers": "the order has no layer that zones can be made of; details.dropped says why (400)",
		"frame_too_small":  "the area has too few cells (400)",
		"map_saved":        "the map is saved under another name or tag already (409)",
		"tag_taken":        "another saved one of the order has the tag (409)",
	})
	generate := mapRoute(http.MethodPost, stratificationPath+"maps/generate/", access.StratificationMaps.Create.For("generate"), "Make maps of zones")
	generate.Description = "Divides the area of an order into zones of like cells, for every number of zones that there is room for, and recommends one. A small area is " +
		"answered with its maps at once; a large one with 202 and a `job_id`. The same parameters, the seed among them, give the same maps under the same `map_uuid`."
	generate.Faults = []int{http.StatusNotFound, http.StatusConflict}
	generate.Also = map[int]string{http.StatusAccepted: "The maps are made in the background; ask for the job."}
	rest.Handle(a, generate, func(ctx context.Context, c *rest.Call, in rest.JSON[MapsWrite]) (MapsJob, error) {
		made, err := maps.Generate(ctx, c.Principal(), in.Body.request())
		if err == nil && made.Open() {
			c.SetStatus(http.StatusAccepted)
		}
		return showMaps(made), err
	})
	job := mapRoute(http.MethodGet, stratificationPath+"maps/jobs/{id}/", access.StratificationMaps.View.For("retrieve"), "Ask how the making of maps stands")
	job.OperationID = "stratification_map_job"
	rest.Handle(a, job, form.OnRecord(maps.Job, showMaps))
	save := mapRoute(http.MethodPost, stratificationPath+"maps/{map_uuid}/save/", access.StratificationMaps.Create.For("save"), "Save a map of zones")
	save.Description = "Saved maps do not change. Saving one again under the same name is the same; under another it is 409."
	save.Faults = []int{http.StatusConflict}
	rest.Handle(a, save, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.JSON[MapSave]
	}) (SavedMap, error) {
		saved, err := maps.Save(ctx, c.Principal(), in.MapUUID, strings.TrimSpace(form.OrZero(in.Body.Name)), form.OrZero(in.Body.MapTag))
		return showSavedMap(saved), err
	})
	registerSavedMaps(a, maps)
}

// MapSave names a map that is saved.
type MapSave struct {
	Name   *string `json:"name" required:"false" doc:"Up to 255 characters; left out: the number of zones."`
	MapTag *string `json:"map_tag" required:"false" doc:"1 to 50 of a-z, 0-9, dot, underscore and hyphen, unique within the order; left out: str-k3 for three zones."`
}

func registerSavedMaps(a *rest.API, maps *soil.Maps) {
	filters := []rest.Param{
		{Name: "order", Type: rest.Integer, Description: "Id of the stratification order."},
		{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."},
		{Name: "map_tag", Type: rest.String, Description: "Tag of the map."},
	}
	list := mapRoute(http.MethodGet, savedMapsPath, access.StratificationMaps.View.For("list"), "List saved maps of zones")
	list.Query = append(append(rest.PageParams(), filters...), geometryParam)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		Geometry bool `query:"geometry"`
	}) (rest.List[SavedMap], error) {
		query := form.QueryOf(in.PageOrAll(), filters, in.Values)
		return form.List(in.PageOrAll(), shownSavedMap(in.Geometry))(maps.Saved(ctx, c.Principal(), query, in.Geometry))
	})
	retrieve := mapRoute(http.MethodGet, savedMapsPath+"{id}/", access.StratificationMaps.View.For("retrieve"), "Retrieve a saved map of zones")
	retrieve.Query = []rest.Param{geometryParam}
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in geometryByID) (SavedMap, error) {
		found, err := maps.Retrieve(ctx, c.Principal(), in.ID, in.Geometry)
		return shownSavedMap(in.Geometry)(found), err
	})
}

var mapRoute = rest.Routes{Operation: "stratification_map", Tag: stratificationTag, Noun: "map"}.Route

// shownSavedMap returns how a saved map is shown: with its outlines, or without.
func shownSavedMap(geometry bool) func(zoning.Map) SavedMap {
	if geometry {
		return withZones
	}
	return showSavedMap
}
