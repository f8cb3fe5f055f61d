package farm

import (
	"context"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/farm"
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
			in, err := rest.Read[form.SharedList](c)
			if err != nil {
				return rest.Raw{}, err
			}
			found, err := records.List(ctx, c.Principal(), in.Share, form.QueryOf(in.Page(), filters, in.Values))
			if err != nil {
				return rest.Raw{}, err
			}
			return rest.Features(c, in.Page(), rest.Map(form.Listing(found), fieldFeature))
		},
	}
}

// featureOf answers one field as GeoJSON.
func featureOf(records *farmapp.Records[farm.Field]) rest.Alternative {
	return rest.Alternative{
		Media: rest.GeoJSONType, Description: "A Feature.",
		Handle: func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			in, err := rest.Read[form.SharedByID](c)
			if err != nil {
				return rest.Raw{}, err
			}
			record, err := records.Retrieve(ctx, c.Principal(), in.Share, in.ID)
			if err != nil {
				return rest.Raw{}, err
			}
			return rest.OneFeature(fieldFeature(record))
		},
	}
}
