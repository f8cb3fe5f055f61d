package ogc

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"tilth/adapters/http/member"
	"tilth/adapters/http/ogc/parameter"
	"tilth/adapters/http/rest"
	"tilth/app/features"
	"tilth/core/fault"
)

// Items are a page of features.
type Items[P any] struct {
	Type     string       `json:"type" enum:"FeatureCollection" doc:"The type of the object."`
	Links    []Link       `json:"links" doc:"Links to related resources."`
	Matched  *int64       `json:"numberMatched,omitempty" doc:"Features of all pages; left out where they are not counted: for zones and points of plans, and with bbox."`
	Returned int          `json:"numberReturned" doc:"Features on this page."`
	Features []Feature[P] `json:"features" doc:"In the order of ids."`
}

// Feature is a feature of a page.
type Feature[P any] struct {
	Type       string          `json:"type" enum:"Feature" doc:"The type of the object."`
	ID         member.Value    `json:"id" doc:"A number; for zones and points of plans a text."`
	Geometry   member.Geometry `json:"geometry" doc:"The geometry; null: not known."`
	Properties P               `json:"properties" doc:"Its properties."`
}

// Item is one feature.
type Item[P any] struct {
	Type       string          `json:"type" enum:"Feature" doc:"The type of the object."`
	ID         member.Value    `json:"id" doc:"A number; for zones and points of plans a text."`
	Geometry   member.Geometry `json:"geometry" doc:"The geometry; null: not known."`
	Properties P               `json:"properties" doc:"Its properties."`
	Links      []Link          `json:"links" doc:"Links to related resources."`
}

// kind is a kind of feature. R is its record, T what is known about each, and P the properties that show it.
type kind[R, T, P any] struct {
	routes
	id, title, description string
	timed                  string // the time that datetime filters by; empty: it filters nothing
	extent                 bool   // the features lie within that of the fields
	record                 string // path of the records in the rest of the interface; empty: they have none of their own
	filters                []filter
	of                     *features.Collection[R, T]
	show                   func(T) P
}

// filter is a property that features can be filtered by.
type filter struct {
	rest.Param
	as string // its name in the use case; empty: the same
}

// The parameters of a page.
const (
	limitParam  = "limit"
	bboxParam   = "bbox"
	timeParam   = "datetime"
	afterParam  = "after"
	beforeParam = "before"
)

func (k kind[R, T, P]) path() string { return collectionsPath + "/" + k.id }

func (k kind[R, T, P]) route(below, operation, action, summary string) rest.Route {
	return rest.Route{
		Method: http.MethodGet, Path: k.path() + below, OperationID: "ogc_" + k.id + "_" + operation, Summary: summary, Tag: tag,
		Keys: rest.KeyInQuery, Permission: k.of.Need().For(action), Noun: "feature",
	}
}

func (k kind[R, T, P]) register() {
	rest.Handle(k.api, k.route("", "collection", "retrieve", "Describe the collection "+k.id),
		func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[Collection], error) {
			shown, err := k.describe(ctx, c)
			return rest.Bare[Collection]{Data: shown}, err
		})
	queryables := k.route("/queryables", "queryables", "retrieve", "The filters of "+k.id)
	queryables.BareAs = mediaSchema
	rest.Handle(k.api, queryables, func(_ context.Context, c *rest.Call, _ struct{}) (rest.Bare[Queryables], error) {
		return rest.Bare[Queryables]{Data: k.queryables(c)}, nil
	})
	items := k.route("/items", "items", "list", "Features of "+k.id)
	items.BareAs, items.Description, items.Query = mediaGeoJSON, k.description+" In the order of ids. `next` and `prev` among the links lead to the neighbouring pages; they remain valid.", k.params()
	rest.Handle(k.api, items, k.items)
	item := k.route("/items/{featureId}", "item", "retrieve", "A feature of "+k.id)
	item.BareAs = mediaGeoJSON
	rest.Handle(k.api, item, func(ctx context.Context, c *rest.Call, in struct {
		ID string `path:"featureId"`
	}) (rest.Bare[Item[P]], error) {
		id, ok := parameter.ParseID(in.ID)
		if !ok {
			return rest.Bare[Item[P]]{}, fault.Missing("feature")
		}
		found, err := k.of.Get(ctx, c.Principal(), id)
		if err != nil {
			return rest.Bare[Item[P]]{}, err
		}
		f := k.feature(found)
		links := []Link{self(c, mediaGeoJSON), {c.Link(k.path()), "collection", mediaJSON, k.title}}
		if k.record != "" {
			links = append(links, Link{c.Link(k.record + strconv.FormatInt(id.Record, 10) + "/"), "alternate", mediaJSON, "The record"})
		}
		return rest.Bare[Item[P]]{Data: Item[P]{f.Type, f.ID, f.Geometry, f.Properties, links}}, nil
	})
}

func (k kind[R, T, P]) describe(ctx context.Context, c *rest.Call) (out Collection, err error) {
	if err := k.of.Require(ctx, c.Principal()); err != nil {
		return out, err
	}
	out = Collection{
		ID: k.id, Title: k.title, Description: k.description, ItemType: "feature", CRS: []string{crs84}, Links: []Link{
			{c.Link(k.path()), "self", mediaJSON, k.title},
			{c.Link(k.path() + "/items"), "items", mediaGeoJSON, "The features"},
			{c.Link(k.path() + "/queryables"), "http://www.opengis.net/def/rel/ogc/1.0/queryables", mediaSchema, "The filters of the features"},
		},
	}
	if k.extent {
		out.Extent, err = k.extentOf(ctx, c.Principal())
	}
	return out, err
}

func (k kind[R, T, P]) params() []rest.Param {
	out := pageParams(k.timed)
	for _, f := range k.filters {
		out = append(out, f.Param)
	}
	return out
}

// pageParams returns the parameters of a page of features. timed is the time that datetime filters by; empty: it filters nothing.
func pageParams(timed string) []rest.Param {
	when := "It applies to " + timed + ". What has none matches."
	if timed == "" {
		when = "These features have no time, so all match."
	}
	return []rest.Param{
		{Name: limitParam, Type: rest.Limit, Description: "The maximum number of features; fewer where they are large. Default 100; above 10000 it counts as 10000."},
		{Name: bboxParam, Type: rest.Box, Description: "West, south, east, north in degrees: features that share a point with the box, and those without a geometry. " +
			"A box whose west is greater than its east crosses the antimeridian. Six numbers include heights, which are ignored."},
		{Name: timeParam, Type: rest.String, Description: "A time or a day (RFC 3339), or two separated by a slash, one of which may be `..`. " + when},
		{Name: afterParam, Type: rest.String, Description: "Set by the link to the next page: the feature after which that page begins."},
		{Name: beforeParam, Type: rest.String, Description: "Set by the link to the previous page: the feature before which that page ends."},
	}
}

func (k kind[R, T, P]) items(ctx context.Context, c *rest.Call, given rest.Values) (rest.Bare[Items[P]], error) {
	q, err := queryOf(given.All(), k.filters)
	if err != nil {
		return rest.Bare[Items[P]]{}, err
	}
	page, err := k.of.Page(ctx, c.Principal(), q)
	if err != nil {
		return rest.Bare[Items[P]]{}, err
	}
	out := Items[P]{
		Type: "FeatureCollection", Matched: page.Matched, Returned: len(page.Features),
		Links: []Link{self(c, mediaGeoJSON), {c.Link(k.path()), "collection", mediaJSON, k.title}},
	}
	out.Links = append(out.Links, beside(c, "next", afterParam, page.Next)...)
	out.Links = append(out.Links, beside(c, "prev", beforeParam, page.Previous)...)
	for _, f := range page.Features {
		out.Features = append(out.Features, k.feature(f))
	}
	return rest.Bare[Items[P]]{Data: out}, nil
}

func (k kind[R, T, P]) feature(f features.Feature[T]) Feature[P] {
	return Feature[P]{"Feature", shownID(f.ID), geometryOf(f.Outline, f.Place), k.show(f.Of)}
}

// beside returns the link to the page before or after that of a request; none if there is no such page.
func beside(c *rest.Call, rel, param string, id *features.ID) []Link {
	if id == nil {
		return nil
	}
	return []Link{{c.Here(func(query url.Values) {
		query.Del(afterParam)
		query.Del(beforeParam)
		query.Set(param, parameter.TextOf(*id))
	}), rel, mediaGeoJSON, "The neighbouring page"}}
}

// shownID returns an id as features show it: a number, or a text if it has a part.
func shownID(id features.ID) member.Value {
	if id.Part == 0 {
		return member.Value{V: id.Record}
	}
	return member.Value{V: parameter.TextOf(id)}
}
