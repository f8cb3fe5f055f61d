package soil

import (
	"context"
	"encoding/json"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app"
	"tilth/core/access"
	"tilth/ports"
)

// savedRoutes list and retrieve what was saved from orders: maps of zones, or sample plans.
type savedRoutes[T, R any] struct {
	list, retrieve rest.Route
	filters        []rest.Param
	geometry       rest.Param
	all            func(ctx context.Context, who access.Principal, shared bool, q ports.Query, geometry bool) (app.List[T], error)
	one            func(ctx context.Context, who access.Principal, shared bool, id int64, geometry bool) (T, error)
	show           func(record T, geometry bool) R
}

func (s savedRoutes[T, R]) register(a *rest.API) {
	s.list.Query = append(append(append(query.CursorParams(), form.ShareParam), s.filters...), s.geometry)
	rest.Handle(a, s.list, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedList
		Geometry bool `query:"geometry"`
	}) (rest.List[R], error) {
		query := form.QueryOf(in.PageOrAll(), s.filters, in.Values)
		show := func(record T) R { return s.show(record, in.Geometry) }
		return form.List(in.PageOrAll(), show)(s.all(ctx, c.Principal(), in.Share, query, in.Geometry))
	})
	s.retrieve.Query = []rest.Param{form.ShareParam, s.geometry}
	rest.Handle(a, s.retrieve, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		Geometry bool `query:"geometry"`
	}) (R, error) {
		found, err := s.one(ctx, c.Principal(), in.Share, in.ID, in.Geometry)
		return s.show(found, in.Geometry), err
	})
}

type feature struct {
	Type       string         `json:"type"`
	Geometry   any            `json:"geometry"`
	Properties map[string]any `json:"properties"`
}

// collection returns features as a GeoJSON FeatureCollection (RFC 7946).
func collection(features []feature) *member.Collection {
	raw, err := json.Marshal(struct {
		Type     string    `json:"type"`
		Features []feature `json:"features"`
	}{"FeatureCollection", append([]feature{}, features...)})
	return form.If(err == nil, member.Collection{RawObject: raw}) // finite coordinates always marshal
}
