package farm

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
)

// BoundaryVersion is a boundary that a field has, or has had.
type BoundaryVersion struct {
	ID        int64          `json:"id"`
	Boundary  rest.RawObject `json:"boundary" doc:"GeoJSON MultiPolygon."`
	AreaHa    float64        `json:"area_ha"`
	ValidFrom time.Time      `json:"valid_from"`
	ValidTo   *time.Time     `json:"valid_to" doc:"null: it is in force."`
	ChangedBy *form.Ref      `json:"changed_by"`
}

func registerBoundaries(a *rest.API, boundaries *farmapp.Boundaries) {
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "field/{id}/boundaries/", OperationID: "field_boundaries",
		Summary: "List the boundaries that a field has had", Tag: farmTag, Noun: "field",
		Description: "Newest first. A change of the boundary begins a version; taking the boundary away ends the last.",
		Permission:  access.Fields.View.For("boundaries"),
		Query: append(rest.PageParams(), rest.Param{Name: "share", Type: rest.Boolean,
			Description: "With true: of a field that another company shares."}),
	}, func(ctx context.Context, c *rest.Call, in struct {
		form.Shared
		rest.Values
		form.ByID
	}) (rest.Paginated[BoundaryVersion], error) {
		found, err := boundaries.List(ctx, c.Principal(), in.Share, in.ID, form.PageOf(in.Page(), nil))
		if err != nil {
			return rest.Paginated[BoundaryVersion]{}, err
		}
		return rest.Paginate(in.Page(), rest.Map(form.Listing(found), showBoundary))
	})
}

func showBoundary(v farm.BoundaryVersion) BoundaryVersion {
	return BoundaryVersion{
		v.ID, geometryJSON(v.Boundary), geo.RoundHa(float64(v.AreaM2) / 10_000), v.ValidFrom, v.ValidTo, form.Pointed(v.ChangedBy, form.RefOf),
	}
}
