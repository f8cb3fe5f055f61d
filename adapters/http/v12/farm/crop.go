package farm

import (
	"context"
	"maps"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/farm"
)

// Crop is an entry of the shared catalog. Its codes are text.
type Crop struct {
	ID             int64             `json:"id" doc:"Id of the crop; the same for all companies."`
	CreatedAt      time.Time         `json:"created_at" doc:"When the record was made."`
	UpdatedAt      time.Time         `json:"updated_at" doc:"When the record was last written."`
	Name           string            `json:"name" doc:"English."`
	Slug           string            `json:"slug" doc:"Stable key of the crop, as reference curves name it."`
	ScientificName string            `json:"scientific_name" doc:"Latin name; empty where there is no single one."`
	ICCGroup       string            `json:"icc_group" doc:"Group of FAO's Indicative Crop Classification 1.1."`
	ICCCode        string            `json:"icc_code" doc:"Code of FAO's Indicative Crop Classification 1.1, as text: 1.10 is not 1.1."`
	Lifecycle      *string           `json:"lifecycle" enum:"annual,biennial,perennial" doc:"Life cycle as cultivated, not the botanical one."`
	Family         string            `json:"family" doc:"Botanical family; empty where there is no single one."`
	IsNFixing      bool              `json:"is_n_fixing" doc:"Whether it fixes nitrogen from the air."`
	IsFlooded      bool              `json:"is_flooded" doc:"Whether it grows in flooded fields, as paddy rice."`
	IsGrassland    bool              `json:"is_grassland" doc:"Whether it is grassland."`
	IsCover        bool              `json:"is_cover" doc:"Whether it is a cover crop."`
	Names          map[string]string `json:"names" doc:"Names by language code."`
	IsActive       bool              `json:"is_active" doc:"Whether new cultivations may use it."`
}

func registerCrops(a *rest.API, crops *farmapp.Crops) {
	show := func(c farm.Crop) Crop {
		names := map[string]string{"en": c.Name}
		maps.Copy(names, c.Names)
		return Crop{
			c.ID, c.CreatedAt, c.UpdatedAt, c.Name, c.Slug, c.ScientificName, c.ICCGroup, c.ICCCode, form.OrNull(c.Lifecycle), c.Family,
			c.IsNFixing, c.IsFlooded, c.IsGrassland, c.IsCover, names, c.IsActive,
		}
	}
	filters := form.ListParams("A part of the name, in any language of the catalog, or of the scientific name.", "name")
	rest.Register(a, rest.Resource[struct{}, Crop]{
		Path: "crop/", Noun: "crop", Plural: "crops", Access: access.Resource{ReadOnly: access.Crops}, Tag: farmTag,
		Description: "The crop catalog that all companies share; only the operator changes it.",
		Filters:     filters, Keys: rest.KeyInQuery,
		List: func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[Crop], error) {
			found, err := crops.List(ctx, c.Principal(), form.QueryOf(q.Page, filters, q.Values))
			return rest.Map(form.Listing(found), show), err
		},
		Retrieve: func(ctx context.Context, c *rest.Call, id int64, _ bool) (Crop, error) {
			crop, err := crops.Retrieve(ctx, c.Principal(), id)
			return show(crop), err
		},
	})
}
