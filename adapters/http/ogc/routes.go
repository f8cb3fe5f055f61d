// Package ogc implements OGC API - Features, part 1 (docs.ogc.org/is/17-069r4): what a company has on the map, for GIS
// tools such as QGIS. Answers and failures are those of that standard, without the envelope of the rest of the interface.
// Authentication and permissions are as everywhere else.
package ogc

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/app/features"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
)

// The paths below the service root. In links none ends with a slash, because QGIS appends one.
const (
	word            = "ogc"
	conformancePath = word + "/conformance"
	collectionsPath = word + "/collections"
)

const tag = "Maps for GIS (OGC API - Features)"

// The content types of the standard.
const (
	mediaJSON    = "application/json"
	mediaGeoJSON = rest.GeoJSONType
	mediaSchema  = "application/schema+json"
)

// crs84 is longitude and latitude on WGS 84, the only supported coordinate system.
const crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

// Deps are the use cases that these routes offer.
type Deps struct{ Features *features.Features }

// Exception is a failure.
type Exception struct {
	Code        string `json:"code" doc:"A stable word for programs, as the code of failures in the rest of the interface."`
	Description string `json:"description" doc:"For people; its wording may change."`
}

// Link is the address of something else.
type Link struct {
	Href  string `json:"href" format:"uri" doc:"The address."`
	Rel   string `json:"rel" doc:"The relation: self, next, prev, items, collection, alternate, data, conformance, service-desc, service-doc, or an address that names one."`
	Type  string `json:"type" doc:"Content type."`
	Title string `json:"title" doc:"A title for people."`
}

// LandingPage is where clients begin.
type LandingPage struct {
	Title       string `json:"title" doc:"A title for people."`
	Description string `json:"description" doc:"A description for people."`
	Links       []Link `json:"links" doc:"Links to related resources."`
}

// Conformance lists the parts of the standard that are implemented.
type Conformance struct {
	ConformsTo []string `json:"conformsTo" format:"uri" doc:"Conformance classes of the standard, by their addresses."`
}

// Collections are the collections that the caller may see.
type Collections struct {
	Links       []Link       `json:"links" doc:"Links to related resources."`
	Collections []Collection `json:"collections" doc:"The collections that the caller may see."`
}

// Collection describes the features of one kind.
type Collection struct {
	ID          string   `json:"id" doc:"Its name in addresses."`
	Title       string   `json:"title" doc:"A title for people."`
	Description string   `json:"description" doc:"A description for people."`
	Links       []Link   `json:"links" doc:"Links to related resources."`
	Extent      *Extent  `json:"extent,omitempty" doc:"The extent of all features; left out where it is not known."`
	ItemType    string   `json:"itemType" enum:"feature" doc:"The type of its items."`
	CRS         []string `json:"crs" format:"uri" doc:"Coordinate reference systems, by their addresses."`
}

// Extent is where the features lie.
type Extent struct {
	Spatial SpatialExtent `json:"spatial" doc:"The extent in space."`
}

// SpatialExtent is a box around all features.
type SpatialExtent struct {
	BBox [][]float64 `json:"bbox" doc:"One box: west, south, east, north in degrees."`
	CRS  string      `json:"crs" format:"uri" doc:"Coordinate reference systems, by their addresses."`
}

// Register adds the routes.
func Register(a *rest.API, d Deps) {
	a.DescribeTag(tag, "[OGC API - Features](https://ogcapi.ogc.org/features/), part 1 (core and GeoJSON), read-only, for QGIS, GDAL, ArcGIS and the like, "+
		"which connect to it by the address `{base_url}ogc/`. Answers and failures have the form that the standard defines, without the envelope. "+
		"Coordinates are longitude and latitude on WGS 84 (CRS84). An API key is accepted as a header or as `?api_key=`; no link in an answer contains it.")
	a.Speak(rest.Dialect{Word: word, Failure: func(_ bool, _ int, f *fault.Error) any { return Exception{f.Code, described(f)} }})
	r := routes{api: a, use: d.Features}
	r.landing()
	all := r.all()
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: collectionsPath, OperationID: "ogc_collections", Summary: "List the collections", Tag: tag, Keys: rest.KeyInQuery,
		Description: "Lists those whose features the caller may see.",
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[Collections], error) {
		out := Collections{Links: []Link{self(c, mediaJSON), {c.Link(word), "root", mediaJSON, "Start"}}}
		for _, one := range all {
			shown, err := one.describe(ctx, c)
			switch {
			case fault.Is(err, fault.Forbidden):
			case err != nil:
				return rest.Bare[Collections]{}, err
			default:
				out.Collections = append(out.Collections, shown)
			}
		}
		return rest.Bare[Collections]{Data: out}, nil
	})
	for _, one := range all {
		one.register()
	}
}

type routes struct {
	api *rest.API
	use *features.Features
}

func (r routes) landing() {
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: word, OperationID: "ogc_landing", Summary: "The landing page", Tag: tag, Keys: rest.KeyInQuery,
	}, func(_ context.Context, c *rest.Call, _ struct{}) (rest.Bare[LandingPage], error) {
		return rest.Bare[LandingPage]{Data: LandingPage{
			"Tilth", "Farms, fields and what belongs to them, as maps.", []Link{
				self(c, mediaJSON),
				{c.Site("/openapi.json"), "service-desc", "application/vnd.oai.openapi+json;version=3.1", "The OpenAPI document"},
				{c.Site("/docs/api/"), "service-doc", "text/html", "The reference"},
				{c.Link(conformancePath), "conformance", mediaJSON, "The parts of the standard that are implemented"},
				{c.Link(collectionsPath), "data", mediaJSON, "The collections"},
			},
		}}, nil
	})
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: conformancePath, OperationID: "ogc_conformance", Summary: "The parts of the standard that are implemented", Tag: tag, Keys: rest.KeyInQuery,
	}, func(context.Context, *rest.Call, struct{}) (rest.Bare[Conformance], error) {
		return rest.Bare[Conformance]{Data: Conformance{[]string{
			"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
			"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
		}}}, nil
	})
}

// self is the link of an answer to itself.
func self(c *rest.Call, media string) Link {
	return Link{c.Here(func(url.Values) {}), "self", media, "This answer"}
}

// described returns the message of a failure, with the messages of its fields.
func described(f *fault.Error) string {
	out := []string{f.Message}
	messages := f.Fields.Messages()
	for _, field := range slices.Sorted(maps.Keys(messages)) {
		out = append(out, field+": "+strings.Join(messages[field], " "))
	}
	return strings.Join(out, " ")
}

// extentOf returns the box around all fields; nil where none has an outline.
func (r routes) extentOf(ctx context.Context, who access.Principal) (*Extent, error) {
	box, ok, err := r.use.Extent(ctx, who)
	if err != nil || !ok {
		return nil, err
	}
	return &Extent{SpatialExtent{[][]float64{corners(box)}, crs84}}, nil
}

func corners(b geo.Box) []float64 { return []float64{b.MinX, b.MinY, b.MaxX, b.MaxY} }
