package ogc

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tilth/adapters/http/member"
	"tilth/adapters/http/ogc/parameter"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/app/features"
	"tilth/core/fault"
	"tilth/core/geo"
)

// STACSearch holds the criteria of a search for items.
type STACSearch struct {
	Collections []string        `json:"collections,omitempty" maxItems:"20" doc:"Names of the collections to search; left out: all that the caller may see."`
	IDs         []string        `json:"ids,omitempty" maxItems:"100" doc:"Ids of items: only these, where the other criteria apply to them."`
	BBox        []float64       `json:"bbox,omitempty" minItems:"4" maxItems:"6" doc:"West, south, east, north in degrees: items that share a point with the box. A box whose west is greater than its east crosses the antimeridian. Six numbers include heights, which are ignored."`
	Intersects  member.Geometry `json:"intersects,omitzero" required:"false" doc:"Items that share a point with this geometry, of at most 1,000 positions. Cannot be combined with bbox."`
	Datetime    string          `json:"datetime,omitempty" doc:"A time or a day (RFC 3339), or two separated by a slash, one of which may be ..; it applies to the days of the items."`
	Limit       int64           `json:"limit,omitempty" minimum:"1" doc:"The maximum number of items; fewer where they are large. Default 100; above 10000 it counts as 10000."`
	After       string          `json:"after,omitempty" doc:"Set by the link to the next page: the item after which that page begins."`
}

// STACFound are a page of items of several collections.
type STACFound struct {
	Type     string     `json:"type" enum:"FeatureCollection" doc:"The type of the object."`
	Features []STACItem `json:"features" doc:"In the order of the collections, within each in the order of ids."`
	Links    []STACLink `json:"links" doc:"Links to related resources."`
	Matched  *int64     `json:"numberMatched,omitempty" doc:"Items of all pages; left out where they are not counted, such as dates of maps that fill more than a page, and with bbox, intersects, ids or datetime."`
	Returned int        `json:"numberReturned" doc:"Items on this page."`
}

// The parameters of a search in addition to those of a page, and their limits.
const (
	collectionsParam = "collections"
	idsParam         = "ids"
	sought           = geo.SoughtField
	maxNamed         = 100
	maxSought        = 1_000
)

func (r stacRoutes) search(all []stacProduct) {
	const told = "Items of all collections that the caller may see, one collection after the other. `next` among the links leads to the next page; it remains valid."
	get := rest.Route{
		Method: http.MethodGet, Path: stacSearchPath, OperationID: "stac_search", Summary: "Search the items of all collections", Description: told, Tag: stacTag,
		Keys: rest.KeyInQuery, BareAs: mediaGeoJSON, Query: []rest.Param{
			{Name: collectionsParam, Type: rest.Texts, Description: "Names of the collections to search, separated by commas."},
			{Name: idsParam, Type: rest.Texts, Description: "Ids of items, separated by commas: only these, where the other criteria apply to them. At most 100."},
			{Name: sought, Type: rest.String, Description: "A geometry as GeoJSON, of at most 1,000 positions: items that share a point with it. Cannot be combined with `bbox`."},
		},
	}
	for _, p := range pageParams("the days of the items") {
		if p.Name != beforeParam {
			get.Query = append(get.Query, p)
		}
	}
	post := get
	post.Method, post.OperationID, post.Summary, post.Query, post.Reading = http.MethodPost, "stac_search_by_body", "Search the items of all collections, with a body", nil, true
	rest.Handle(r.api, get, func(ctx context.Context, c *rest.Call, given rest.Values) (rest.Bare[STACFound], error) {
		s, q, err := searchGiven(given.All())
		if err != nil {
			return rest.Bare[STACFound]{}, err
		}
		found, next, err := r.find(ctx, c, all, s, q)
		found.Links = append(found.Links, stacLink(c.Here(func(url.Values) {}), "self", mediaGeoJSON, "This answer"))
		if next != "" {
			at := c.Here(func(query url.Values) { query.Set(afterParam, next) })
			found.Links = append(found.Links, STACLink{at, "next", mediaGeoJSON, "The next page", http.MethodGet, nil})
		}
		return rest.Bare[STACFound]{Data: found}, err
	})
	rest.Handle(r.api, post, func(ctx context.Context, c *rest.Call, in rest.JSON[STACSearch]) (rest.Bare[STACFound], error) {
		q, err := in.Body.query()
		if err != nil {
			return rest.Bare[STACFound]{}, err
		}
		found, next, err := r.find(ctx, c, all, in.Body, q)
		if next != "" {
			again := in.Body
			again.After = next
			found.Links = append(found.Links, STACLink{c.Link(stacSearchPath), "next", mediaGeoJSON, "The next page", http.MethodPost, &again})
		}
		return rest.Bare[STACFound]{Data: found}, err
	})
}

// searchGiven reads a search from the parameters of an address. Faults: Invalid.
func searchGiven(given map[string]any) (s STACSearch, q features.Query, err error) {
	s.Collections, s.IDs = listed(given, collectionsParam), listed(given, idsParam)
	s.After, _ = given[afterParam].(string)
	if text, ok := given[sought].(string); ok {
		s.Intersects.RawObject = member.RawObject(text)
	}
	rest := map[string]any{}
	for _, name := range []string{limitParam, bboxParam, timeParam} {
		if value, ok := given[name]; ok {
			rest[name] = value
		}
	}
	if q, err = queryOf(rest, nil); err != nil {
		return s, q, err
	}
	return s, q, s.narrow(&q, fault.Fields{})
}

// listed returns the values of a parameter with several. A value with a comma is the whole text, and is left out.
func listed(given map[string]any, param string) []string {
	values, _ := given[param].([]string)
	return slices.DeleteFunc(slices.Clone(values), func(one string) bool { return strings.Contains(one, ",") })
}

// query reads a search from a body. Faults: Invalid.
func (s STACSearch) query() (q features.Query, err error) {
	errs := fault.Fields{}
	q.Limit = int(min(cmp.Or(s.Limit, query.DefaultLimit), query.MaxLimit))
	if s.BBox != nil {
		q.Boxes = parameter.BoxesOf(s.BBox)
		errs.AddIf(q.Boxes == nil, bboxParam, noBox)
	}
	if s.Datetime != "" {
		q.Span = parameter.ParseSpan(s.Datetime)
		errs.AddIf(q.Span == nil, timeParam, noSpan)
	}
	return q, s.narrow(&q, errs)
}

// narrow adds the criteria to a query that both kinds of search have.
func (s STACSearch) narrow(q *features.Query, errs fault.Fields) (err error) {
	errs.AddIf(len(s.IDs) > maxNamed, idsParam, "Give at most %d at a time; there are %d.", maxNamed, len(s.IDs))
	if raw := s.Intersects.RawObject; len(raw) > 0 {
		if q.Sought, err = geo.ParseSought(raw, maxSought); err != nil {
			f, _ := fault.As(err)
			errs.MergeNew(f.Fields)
		}
		errs.AddIf(q.Boxes != nil, sought, "Cannot be combined with bbox.")
	}
	return errs.Err()
}

// find returns a page of the items found, and the value of after for the next page; empty: there is none.
func (r stacRoutes) find(ctx context.Context, c *rest.Call, all []stacProduct, s STACSearch, q features.Query) (out STACFound, next string, err error) {
	out = STACFound{Type: "FeatureCollection", Features: []STACItem{}, Links: []STACLink{stacLink(c.Link(stacWord), "root", mediaJSON, "Start")}}
	chosen, err := s.chosen(ctx, c, all)
	if err != nil {
		return out, "", err
	}
	if s.IDs == nil {
		if out.Matched, err = matched(ctx, c, chosen, q); err != nil {
			return out, "", err
		}
	}
	if chosen, q.After, err = s.behind(chosen); err != nil {
		return out, "", err
	}
	limit, last := q.Limit, ""
	for _, p := range chosen {
		if q.IDs = p.named(s.IDs); s.IDs != nil && q.IDs == nil {
			continue
		}
		q.Limit = max(1, limit-len(out.Features)) // at least 1, to find out whether anything follows a full page
		page, err := p.of.Page(ctx, c.Principal(), q)
		if err != nil {
			return out, "", err
		}
		q.After = nil
		if len(page.Features) == 0 {
			continue
		}
		if len(out.Features) == limit {
			return out, last, nil
		}
		shown, err := p.shown(ctx, c, page.Features)
		if err != nil {
			return out, "", err
		}
		out.Features = append(out.Features, shown...)
		out.Returned = len(out.Features)
		last = p.id + "/" + parameter.TextOf(page.Features[len(page.Features)-1].ID)
		if page.Next != nil {
			return out, last, nil
		}
	}
	if s.After == "" { // this page has all
		out.Matched = new(int64(out.Returned))
	}
	return out, "", nil
}

// matched returns the number of items in some collections; nil: those of one are not counted.
func matched(ctx context.Context, c *rest.Call, chosen []stacProduct, q features.Query) (*int64, error) {
	var sum int64
	for _, p := range chosen {
		n, err := p.of.Count(ctx, c.Principal(), q)
		if err != nil || n == nil {
			return nil, err
		}
		sum += *n
	}
	return &sum, nil
}

// chosen returns the collections that are searched. Faults: Invalid.
func (s STACSearch) chosen(ctx context.Context, c *rest.Call, all []stacProduct) (out []stacProduct, err error) {
	if len(s.Collections) == 0 {
		err = visible(ctx, c, all, func(p stacProduct) error {
			out = append(out, p)
			return nil
		})
		return out, err
	}
	for _, p := range all {
		if slices.Contains(s.Collections, p.id) {
			out = append(out, p)
		}
	}
	for _, id := range s.Collections {
		if !slices.ContainsFunc(out, func(p stacProduct) bool { return p.id == id }) {
			return nil, fault.Field(collectionsParam, fmt.Sprintf("There is no collection %.60q. `stac/collections` lists them.", id))
		}
	}
	return out, nil
}

// behind returns the collections from that of the item that the page begins after, and the id of this item. Faults: Invalid.
func (s STACSearch) behind(chosen []stacProduct) (rest []stacProduct, after *features.ID, err error) {
	if s.After == "" {
		return chosen, nil, nil
	}
	collection, item, _ := strings.Cut(s.After, "/")
	at := slices.IndexFunc(chosen, func(p stacProduct) bool { return p.id == collection })
	id, ok := parameter.ParseID(item)
	if at < 0 || !ok {
		return nil, nil, fault.Field(afterParam, "Use the link to the next page unchanged.")
	}
	return chosen[at:], &id, nil
}

// named returns those of the ids that have the form of the collection's ids.
func (p stacProduct) named(ids []string) (out []features.ID) {
	for _, text := range ids {
		if id, ok := p.parseID(text); ok {
			out = append(out, id)
		}
	}
	return out
}
