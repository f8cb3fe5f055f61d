package v12

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
)

// fieldProperties is a field as the properties of a Feature, whose geometry is the boundary.
type fieldProperties struct {
	Field
	Boundary *struct{} `json:"boundary,omitempty"` // hides that of the field
}

func fieldFeature(r farm.Field) rest.Feature[fieldProperties] {
	shown := showField(r)
	return rest.Feature[fieldProperties]{ID: r.ID, BBox: shown.BBox, Geometry: shown.Boundary, Properties: fieldProperties{Field: shown}}
}

// featuresOf answers the list of fields as GeoJSON.
func featuresOf(records *farmapp.Records[farm.Field], filters []rest.Param) rest.Alternative {
	return rest.Alternative{
		Media: rest.GeoJSONType, Description: "A FeatureCollection of the page; `Link` and `X-Total-Count` say where it stands in the list.",
		Handle: func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			q, err := c.Query()
			if err != nil {
				return rest.Raw{}, err
			}
			found, err := records.List(ctx, c.Principal(), q.Bool("share"), queryOf(q.Page(), filters, q))
			if err != nil {
				return rest.Raw{}, err
			}
			return rest.Features(c, q.Page(), rest.Map(listed(found), fieldFeature))
		},
	}
}

// featureOf answers one field as GeoJSON.
func featureOf(records *farmapp.Records[farm.Field]) rest.Alternative {
	return rest.Alternative{
		Media: rest.GeoJSONType, Description: "A Feature.",
		Handle: func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			q, err := c.Query()
			if err != nil {
				return rest.Raw{}, err
			}
			id, err := c.ID("id")
			if err != nil {
				return rest.Raw{}, err
			}
			record, err := records.Retrieve(ctx, c.Principal(), q.Bool("share"), id)
			if err != nil {
				return rest.Raw{}, err
			}
			return rest.OneFeature(fieldFeature(record))
		},
	}
}

// BoundaryVersion is a boundary that a field has, or has had.
type BoundaryVersion struct {
	ID        int64          `json:"id"`
	Boundary  rest.RawObject `json:"boundary" doc:"GeoJSON MultiPolygon."`
	AreaHa    float64        `json:"area_ha"`
	ValidFrom time.Time      `json:"valid_from"`
	ValidTo   *time.Time     `json:"valid_to" doc:"null: it is in force."`
	ChangedBy *Ref           `json:"changed_by"`
}

func registerBoundaries(a *rest.API, boundaries *farmapp.Boundaries) {
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "field/{id}/boundaries/", OperationID: "field_boundaries",
		Summary: "List the boundaries that a field has had", Tag: "Farm management", Noun: "field",
		Description: "Newest first. A change of the boundary begins a version; taking the boundary away ends the last.",
		Permission:  access.Fields.View.For("boundaries"),
		Query: append(rest.PageParams(), rest.Param{Name: "share", Type: rest.Boolean,
			Description: "With true: of a field that another company shares."}),
	}, nil, func(ctx context.Context, c *rest.Call) (rest.Paginated[BoundaryVersion], error) {
		var none rest.Paginated[BoundaryVersion]
		q, err := c.Query()
		if err != nil {
			return none, err
		}
		id, err := c.ID("id")
		if err != nil {
			return none, err
		}
		found, err := boundaries.List(ctx, c.Principal(), q.Bool("share"), id, pageOf(q.Page(), nil))
		if err != nil {
			return none, err
		}
		return rest.Paginate(q.Page(), rest.Map(listed(found), showBoundary))
	})
}

func showBoundary(v farm.BoundaryVersion) BoundaryVersion {
	out := BoundaryVersion{
		ID: v.ID, Boundary: geometryJSON(v.Boundary), AreaHa: geo.RoundHa(float64(v.AreaM2) / 10_000),
		ValidFrom: v.ValidFrom, ValidTo: v.ValidTo,
	}
	if v.ChangedBy != nil {
		by := refOf(*v.ChangedBy)
		out.ChangedBy = &by
	}
	return out
}
