package ogc

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app/features"
	"tilth/app/satellite/mapview"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
)

// STAC (stacspec.org) builds on OGC API - Features: finished maps and profiles are items with links to their files, in one collection per product.

// The paths below the service root.
const (
	stacWord            = "stac"
	stacConformancePath = stacWord + "/conformance"
	stacCollectionsPath = stacWord + "/collections"
	stacSearchPath      = stacWord + "/search"
)

const (
	stacTag     = "Maps and profiles as STAC"
	stacVersion = "1.0.0"
)

// stacBegan is the time at which the first satellite whose scenes are used began to see.
const stacBegan = "2015-06-23T00:00:00Z"

// STACDeps are what the items are made from.
type STACDeps struct {
	Features *features.Features
	Links    mapview.Links
}

// STACCatalog is where clients begin.
type STACCatalog struct {
	Type        string     `json:"type" enum:"Catalog" doc:"The type of the object."`
	Version     string     `json:"stac_version" doc:"Version of the STAC specification."`
	ID          string     `json:"id" doc:"Its name."`
	Title       string     `json:"title" doc:"A title for people."`
	Description string     `json:"description" doc:"A description for people."`
	ConformsTo  []string   `json:"conformsTo" format:"uri" doc:"Conformance classes of the STAC API and of OGC API - Features that are implemented, by their addresses."`
	Links       []STACLink `json:"links" doc:"Links to related resources: the collections that the caller may see are its children."`
}

// STACLink is the address of something else, with the method to request it.
type STACLink struct {
	Href   string      `json:"href" format:"uri" doc:"The address."`
	Rel    string      `json:"rel" doc:"The relation: self, root, next, search, child, data, conformance, service-desc or service-doc."`
	Type   string      `json:"type" doc:"Content type."`
	Title  string      `json:"title" doc:"A title for people."`
	Method string      `json:"method,omitempty" enum:"GET,POST" doc:"The method of the request; left out: GET."`
	Body   *STACSearch `json:"body,omitempty" doc:"The body to send with POST."`
}

// STACCollections are the collections that the caller may see.
type STACCollections struct {
	Collections []STACCollection `json:"collections" doc:"The collections that the caller may see."`
	Links       []Link           `json:"links" doc:"Links to related resources."`
}

// STACCollection has the results of the orders of one product.
type STACCollection struct {
	Type        string     `json:"type" enum:"Collection" doc:"The type of the object."`
	Version     string     `json:"stac_version" doc:"Version of the STAC specification."`
	ID          string     `json:"id" doc:"Its name in addresses."`
	Title       string     `json:"title" doc:"A title for people."`
	Description string     `json:"description" doc:"A description for people."`
	License     string     `json:"license" doc:"proprietary: the data belong to the company."`
	Extent      STACExtent `json:"extent" doc:"The extent of its items in space and time."`
	Links       []Link     `json:"links" doc:"Links to related resources."`
}

// STACExtent is where and when items lie.
type STACExtent struct {
	Spatial  STACSpatial  `json:"spatial" doc:"The box around all fields; the whole world where there are none, or the caller may not see them."`
	Temporal STACTemporal `json:"temporal" doc:"Open-ended: further orders may follow."`
}

// STACSpatial is where items lie.
type STACSpatial struct {
	BBox [][]float64 `json:"bbox" doc:"One box: west, south, east, north in degrees."`
}

// STACTemporal is when items lie.
type STACTemporal struct {
	Interval [][]*string `json:"interval" doc:"One interval, without an end."`
}

// RegisterSTAC adds the routes.
func RegisterSTAC(a *rest.API, d STACDeps) {
	a.DescribeTag(stacTag, "[STAC](https://stacspec.org/) 1.0, read-only: finished maps and profiles of the company as items, for QGIS, pystac and the like, which connect to it by the address `{base_url}stac/`. "+
		"Answers and failures are without the envelope. The links to files work for 24 hours without another credential. An API key is accepted as a header or as `?api_key=`; no link in an answer contains it.")
	a.Speak(rest.Dialect{Word: stacWord, Failure: func(_ bool, _ int, f *fault.Error) any { return Exception{f.Code, described(f)} }})
	r := stacRoutes{routes{a, d.Features}, d.Links}
	all := r.all()
	r.catalog(all)
	r.list(all)
	r.search(all)
	a.ShowBodies(examples)
	for _, p := range all {
		p.register()
	}
}

// stacRoutes is the routes and what they use.
type stacRoutes struct {
	routes
	links mapview.Links
}

// all returns the collections, in the order in which they are listed.
func (r stacRoutes) all() []stacProduct {
	maps := func(slug, title, description string, of credit.Product, show func(features.Finished) stacFiles) stacProduct {
		return stacProduct{r, slug, title, description, "maps/" + slug + "/orders/", r.use.Finished(of), show}
	}
	return []stacProduct{
		{r, "vegetation-index-profile", "Vegetation-index profiles", "The series of a vegetation index in a field and season; one item per profile.", "profiles/vegetation-index-profile/orders/", r.use.Finished(credit.VegetationIndexProfile), profileAssets},
		maps("vegetation-index-map", "Vegetation-index maps", "The pixels of a vegetation index in a field; one item per date. The date of an item is the solar day at the field.", credit.VegetationIndexMap, dateAssets),
		maps("zoning-map", "Zoning maps", "Zones of a field, each uniform over several seasons; one item per map.", credit.ZoningMap, zoneAssets),
		maps("elevation-map", "Elevation maps", "Height, slope, aspect and wetness of a field; one item per map. Its time is that of the order, since height has none.", credit.ElevationMap, layerAssets),
		maps("soil-map", "Soil maps", "What registered rasters say about the soil of a field; one item per map. Its time is that of the order.", credit.SoilMap, layerAssets),
	}
}

func (r stacRoutes) catalog(all []stacProduct) {
	conforms := []string{
		"https://api.stacspec.org/v1.0.0/core", "https://api.stacspec.org/v1.0.0/collections", "https://api.stacspec.org/v1.0.0/ogcapi-features", "https://api.stacspec.org/v1.0.0/item-search",
		"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core", "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
	}
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: stacWord, OperationID: "stac_catalog", Summary: "The landing page", Tag: stacTag, Keys: rest.KeyInQuery,
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[STACCatalog], error) {
		out := STACCatalog{
			"Catalog", stacVersion, "tilth", "Tilth", "Finished maps and profiles of fields.", conforms, []STACLink{
				stacLink(c.Link(stacWord), "self", mediaJSON, "This answer"), stacLink(c.Link(stacWord), "root", mediaJSON, "Start"),
				stacLink(c.Site("/openapi.json"), "service-desc", "application/vnd.oai.openapi+json;version=3.1", "The OpenAPI document"),
				stacLink(c.Site("/docs/api/"), "service-doc", "text/html", "The reference"),
				stacLink(c.Link(stacConformancePath), "conformance", mediaJSON, "The parts of the standards that are implemented"),
				stacLink(c.Link(stacCollectionsPath), "data", mediaJSON, "The collections"),
				{c.Link(stacSearchPath), "search", mediaGeoJSON, "Items of all collections", http.MethodGet, nil},
				{c.Link(stacSearchPath), "search", mediaGeoJSON, "Items of all collections", http.MethodPost, nil},
			},
		}
		err := visible(ctx, c, all, func(p stacProduct) error {
			out.Links = append(out.Links, stacLink(c.Link(p.path()), "child", mediaJSON, p.title))
			return nil
		})
		return rest.Bare[STACCatalog]{Data: out}, err
	})
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: stacConformancePath, OperationID: "stac_conformance", Summary: "The parts of the standards that are implemented", Tag: stacTag, Keys: rest.KeyInQuery,
	}, func(context.Context, *rest.Call, struct{}) (rest.Bare[Conformance], error) {
		return rest.Bare[Conformance]{Data: Conformance{conforms}}, nil
	})
}

func stacLink(href, rel, media, title string) STACLink {
	return STACLink{Href: href, Rel: rel, Type: media, Title: title}
}

func (r stacRoutes) list(all []stacProduct) {
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: stacCollectionsPath, OperationID: "stac_collections", Summary: "List the collections", Tag: stacTag, Keys: rest.KeyInQuery,
		Description: "Lists those whose items the caller may see.",
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[STACCollections], error) {
		out := STACCollections{Collections: []STACCollection{}, Links: []Link{self(c, mediaJSON), {c.Link(stacWord), "root", mediaJSON, "Start"}}}
		err := visible(ctx, c, all, func(p stacProduct) error {
			shown, err := p.describe(ctx, c)
			out.Collections = append(out.Collections, shown)
			return err
		})
		return rest.Bare[STACCollections]{Data: out}, err
	})
}

// visible calls do with each collection that the caller may see.
func visible(ctx context.Context, c *rest.Call, all []stacProduct, do func(stacProduct) error) error {
	for _, p := range all {
		err := p.of.Require(ctx, c.Principal())
		if fault.Is(err, fault.Forbidden) {
			continue
		}
		if err == nil {
			err = do(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// describe describes the collection. The caller must be allowed to see it.
func (p stacProduct) describe(ctx context.Context, c *rest.Call) (out STACCollection, err error) {
	began := stacBegan
	world := geo.Box{MinX: -180, MinY: -90, MaxX: 180, MaxY: 90}
	out = STACCollection{
		"Collection", stacVersion, p.id, p.title, p.description, "proprietary", STACExtent{STACSpatial{[][]float64{corners(world)}}, STACTemporal{[][]*string{{&began, nil}}}}, []Link{
			{c.Link(p.path()), "self", mediaJSON, p.title}, {c.Link(stacWord), "root", mediaJSON, "Start"}, {c.Link(stacWord), "parent", mediaJSON, "Start"},
			{c.Link(p.path() + "/items"), "items", mediaGeoJSON, "The items"},
		},
	}
	box, ok, err := p.use.Extent(ctx, c.Principal())
	if ok && err == nil {
		out.Extent.Spatial.BBox = [][]float64{corners(box)}
	}
	if fault.Is(err, fault.Forbidden) {
		err = nil
	}
	return out, err
}

// stacLinks makes the signed links of an answer, one for each order.
type stacLinks struct {
	issue   mapview.Links
	who     access.Principal
	need    access.Permission
	links   map[string]string
	expires time.Time
}

// lasting is the lifetime of the links to files.
const lasting = 24 * time.Hour

// of returns the link that opens everything below a path.
func (l *stacLinks) of(ctx context.Context, below string) (string, error) {
	if text, ok := l.links[below]; ok {
		return text, nil
	}
	text, expires, err := l.issue.IssueLink(ctx, l.who, below, l.need, lasting)
	l.links[below] = text
	if l.expires.IsZero() || expires.Before(l.expires) {
		l.expires = expires
	}
	return text, err
}
