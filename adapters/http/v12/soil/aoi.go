package soil

import (
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/stratification"
)

// aoiBase is the path of areas of interest, and of all that is made from them.
const aoiBase = "soil/"

const aoiTag = "Areas of interest"

// AOIWrite is the writable form of an area of interest.
type AOIWrite struct {
	form.OfCompany
	Name        string   `json:"name" required:"false" maxLength:"255" doc:"Name of the area; several may have the same."`
	Description string   `json:"description" required:"false" maxLength:"4000" doc:"What is worth knowing about the area, for people; no rule reads it."`
	FieldUUIDs  []string `json:"field_uuids" minItems:"1" maxItems:"500" format:"uuid" doc:"Fields of your company, each with a boundary and within 100 km of the centre of all; each once."`
	form.External
}

// AOIReplace is the body of a PUT of an area of interest. It may also be the answer to a GET, with the fields in aoi_fields.
type AOIReplace struct {
	form.OfCompany
	Name        string     `json:"name" required:"false" maxLength:"255" doc:"Name of the area; several may have the same."`
	Description string     `json:"description" required:"false" maxLength:"4000" doc:"What is worth knowing about the area, for people; no rule reads it."`
	FieldUUIDs  []string   `json:"field_uuids" required:"false" minItems:"1" maxItems:"500" format:"uuid" doc:"Required, unless aoi_fields contains the fields."`
	Fields      []AOIField `json:"aoi_fields" required:"false" maxItems:"500" doc:"The fields as GET returns them; they count where field_uuids is left out."`
	form.External
}

// AOIField is a field of an area of interest.
type AOIField struct {
	FieldUUID string `json:"field_uuid" format:"uuid" doc:"Uuid of the field."`
}

// AOI is an area of interest.
type AOI struct {
	form.Meta
	AOIUUID        string     `json:"aoi_uuid" format:"uuid" doc:"The area's uuid; the service sets it, and it never changes."`
	Name           string     `json:"name" doc:"Name of the area; several may have the same."`
	Description    string     `json:"description" doc:"What is worth knowing about the area, for people; no rule reads it."`
	AOIFields      []AOIField `json:"aoi_fields" doc:"Of the fields covered, those that are not deleted."`
	IsMapRequested bool       `json:"is_map_requested" doc:"Whether a stratification order was ever placed for it."`
	form.External
}

// ListedAOI is an area of interest in a list.
type ListedAOI struct {
	AOI
	SavedPlans int64 `json:"total_saved_sample_plan_maps" doc:"Sample plans of the area that are saved."`
	SavedMaps  int64 `json:"total_saved_stratification_maps" doc:"Maps of zones of the area that are saved."`
}

// AOIPrice is the price of an area of interest in a map type.
type AOIPrice struct {
	MapType      string  `json:"map_type" enum:"STR,SOC" doc:"STR: layers, for zones and plans. SOC: the map of soil organic carbon."`
	TotalPrice   float64 `json:"total_price" doc:"0 once the area was ordered."`
	PricePerUnit float64 `json:"price_per_unit" doc:"Credits per hectare; 0 once the area was ordered."`
	AOIArea      float64 `json:"aoi_area" doc:"Hectares."`
}

// AOIQuote has the prices of an area of interest.
type AOIQuote struct {
	Area    float64    `json:"area" doc:"Hectares of the union of the fields: overlaps count once."`
	Prices  []AOIPrice `json:"prices" doc:"Prices by map type; all 0 once there is an order for the area."`
	Charges []AOIPrice `json:"charges" doc:"What an order placed now is charged for each map type."`
}

func showAOI(a stratification.AOI) AOI {
	fields := form.Each(a.Fields, func(f stratification.AOIField) AOIField { return AOIField{f.UUID} })
	return AOI{form.MetaOf(a.Meta), a.UUID, a.Name, a.Description, fields, a.MapRequested, form.ExternalOf(a.External)}
}

func showListedAOI(a stratification.AOI) ListedAOI {
	return ListedAOI{showAOI(a), a.SavedPlans, a.SavedMaps}
}

func applyAOI(in AOIWrite, onto *stratification.AOI) {
	in.Apply(&onto.Meta)
	onto.Name, onto.Description, onto.External = strings.TrimSpace(in.Name), in.Description, in.External.Record()
	onto.Fields = form.Each(in.FieldUUIDs, func(uuid string) stratification.AOIField { return stratification.AOIField{UUID: strings.ToLower(uuid)} })
}

func replaceAOI(in AOIReplace, onto *stratification.AOI) {
	uuids := in.FieldUUIDs
	if uuids == nil {
		uuids = form.Each(in.Fields, func(f AOIField) string { return f.FieldUUID })
	}
	applyAOI(AOIWrite{in.OfCompany, in.Name, in.Description, uuids, in.External}, onto)
}

func writeOfAOI(a stratification.AOI) AOIWrite {
	return AOIWrite{form.CompanyOf(a.Meta), a.Name, a.Description, a.FieldUUIDs(), form.ExternalOf(a.External)}
}

// drafted is [form.Change] for a use case that checks further.
func drafted[T, W, R any](c *rest.Call, show func(T) R, write func(T) W, apply func(W, *T)) func(current T) (farmapp.Draft[T], error) {
	return func(current T) (farmapp.Draft[T], error) {
		if err := form.CheckIfMatch(c, current, show); err != nil {
			return farmapp.Draft[T]{}, err
		}
		item, err := rest.DecodeDraft(c, write(current))
		if err == nil && !item.Unread {
			apply(item.Value, &current)
		}
		return farmapp.Draft[T]{Record: current, Errors: item.Errors, Unread: item.Unread}, err
	}
}

var aoiRoute = rest.Routes{Base: aoiBase + "aois/", Operation: "aoi", Tag: aoiTag, Noun: "aoi"}.Route

// onAOI returns the handler of a route on one area, whose id in the path is its own or its uuid.
func onAOI[R any](
	aois *soil.AOIs, do func(ctx context.Context, c *rest.Call, id int64) (R, error),
) func(context.Context, *rest.Call, struct{}) (R, error) {
	return func(ctx context.Context, c *rest.Call, _ struct{}) (out R, err error) {
		id, err := aoiID(ctx, c, aois, false)
		if err != nil {
			return out, err
		}
		return do(ctx, c, id)
	}
}

// aoiID returns the id of the area that a path names: the caller's own, or one that is shared with the caller.
func aoiID(ctx context.Context, c *rest.Call, aois *soil.AOIs, shared bool) (int64, error) {
	if uuid, err := c.UUID("id"); err == nil {
		return aois.Resolve(ctx, c.Principal(), shared, c.Permission(), uuid)
	}
	return c.ID("id")
}

func registerAOIs(a *rest.API, aois *soil.AOIs, orders *soil.Orders) {
	a.DescribeTag(aoiTag, "Fields of your company that are divided into zones together. Everything here needs a subscription of your company to stratification, "+
		"which the operator grants; without one it is 403 whatever the role. `{id}` is the area's uuid or its integer id.")
	a.DescribeCodes(map[string]string{
		"subscription_required":   "your company has no active subscription to the service that details name (403)",
		"no_stratification_price": "no price of stratification is configured (404)",
		"aoi_empty":               "no field of the area of interest still exists with a boundary (409)",
		"fields_overlay":          "the boundaries of the fields cannot be put together (400)",
	})
	list := aoiRoute(http.MethodGet, "", access.AOIs.View.For("list"), "List areas of interest")
	filters := append([]rest.Param{
		farmOfAOI,
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."},
	}, form.WithExternalID(form.ListParams("A part of the name, whatever its case.", "name"))...)
	list.Query = append(append(query.CursorParams(), form.ShareParam), filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, q form.SharedList) (rest.List[ListedAOI], error) {
		return form.List(q.PageOrAll(), showListedAOI)(aois.List(ctx, c.Principal(), q.Share, form.QueryOf(q.PageOrAll(), filters, q.Values)))
	})
	registerAOICreate(a, aois)
	retrieve := aoiRoute(http.MethodGet, "{id}/", access.AOIs.View.For("retrieve"), "Retrieve an area of interest")
	retrieve.Query = []rest.Param{form.ShareParam}
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in form.Shared) (out AOI, err error) {
		id, err := aoiID(ctx, c, aois, in.Share)
		if err != nil {
			return out, err
		}
		found, err := aois.Retrieve(ctx, c.Principal(), in.Share, id)
		return showAOI(found), err
	})
	registerAOIWrites(a, aois)
	price := aoiRoute(http.MethodGet, "{id}/price/", access.AOIs.View.For("price"), "Retrieve the price of an area of interest")
	price.Description = "A row for each map type that has a price: STR, the stratification, and SOC, the map of soil organic carbon. " +
		"The prices are 0 once an order for the area is pending, processing or active; `charges` says what an order placed now is charged for each map type, which is 0 once the area was ordered in it. Without any price it is 404."
	price.Faults = []int{http.StatusConflict}
	rest.Handle(a, price, onAOI(aois, func(ctx context.Context, c *rest.Call, id int64) (AOIQuote, error) {
		quote, err := orders.Price(ctx, c.Principal(), id)
		area := hectares(quote.AreaM2)
		show := func(p soil.Price) AOIPrice { return AOIPrice{p.MapType, p.Total.Float(), p.PerHa.Float(), area} }
		return AOIQuote{area, form.Each(quote.Prices, show), form.Each(quote.Charges, show)}, err
	}))
}

// farmOfAOI filters lists of areas of interest, and of what belongs to them, by farm.
var farmOfAOI = rest.Param{Name: "farm", Type: rest.Integer, Description: "Id of a farm; selects areas of interest that cover a field of it."}

// aoiMapping converts between the wire form of an area of interest and its record.
var aoiMapping = form.Mapping[stratification.AOI, AOIWrite, AOI]{
	Apply: func(_ *effort.Budget, in AOIWrite, onto *stratification.AOI) fault.Fields {
		applyAOI(in, onto)
		return nil
	},
	Write: writeOfAOI, Show: showAOI,
}

func registerAOICreate(a *rest.API, aois *soil.AOIs) {
	create := aoiRoute(http.MethodPost, "", access.AOIs.Create.For("create"), "Create one area of interest or many")
	create.Message, create.Body = "Area of interest created.", rest.BulkBody[AOIWrite]()
	create.Query, create.Faults = []rest.Param{rest.OnConflictParam(form.ExternalID, form.SameExternal)}, []int{http.StatusConflict}
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in struct {
		OnConflict string `query:"on_conflict"`
	},
	) (out rest.OneOrMany[AOI], err error) {
		items, bulk, err := rest.DecodeMany[AOIWrite](c)
		if err != nil {
			return out, err
		}
		wanted, err := aoiMapping.Wanted(ctx, c, items)
		if err != nil {
			return out, err
		}
		if out.Bulk = bulk; in.OnConflict != "" {
			out.Records, out.Outcomes, err = aoiMapping.Written(aois.Upsert(ctx, c.Principal(), wanted, bulk))
			return out, err
		}
		drafts := make([]farmapp.Draft[stratification.AOI], len(wanted))
		for i := range wanted {
			drafts[i] = wanted[i].New
		}
		stored, err := aois.Create(ctx, c.Principal(), drafts, bulk)
		out.Records = form.Each(stored, showAOI)
		return out, err
	})
}

func registerAOIWrites(a *rest.API, aois *soil.AOIs) {
	put := aoiRoute(http.MethodPut, "{id}/", access.AOIs.Edit.For("update"), "Replace an area of interest")
	patch := aoiRoute(http.MethodPatch, "{id}/", access.AOIs.Edit.For("partial_update"), "Change an area of interest")
	put.Body, patch.Body = rest.Body[AOIReplace](), rest.Body[AOIWrite]()
	for _, r := range []rest.Route{put, patch} {
		r.Faults, r.Message = []int{http.StatusConflict, http.StatusPreconditionFailed}, "Area of interest updated."
		r.Description = "Orders keep the land as it was when they were placed."
		rest.Handle(a, r, onAOI(aois, func(ctx context.Context, c *rest.Call, id int64) (AOI, error) {
			wanted := drafted(c, showAOI, writeOfAOI, applyAOI)
			if r.Method == http.MethodPut {
				wanted = drafted(c, showAOI, func(stratification.AOI) AOIReplace { return AOIReplace{} }, replaceAOI)
			}
			changed, err := aois.Update(ctx, c.Principal(), id, wanted)
			return showAOI(changed), err
		}))
	}
	remove := aoiRoute(http.MethodDelete, "{id}/", access.AOIs.Delete.For("destroy"), "Delete an area of interest")
	remove.Status, remove.Faults = http.StatusNoContent, []int{http.StatusPreconditionFailed}
	remove.Description = "Its orders, maps and plans are hidden with it. An order that is not finished fails, and its charge is released."
	rest.Handle(a, remove, onAOI(aois, func(ctx context.Context, c *rest.Call, id int64) (rest.NoContent, error) {
		return rest.NoContent{}, aois.Delete(ctx, c.Principal(), id, func(current stratification.AOI) error { return form.CheckIfMatch(c, current, showAOI) })
	}))
	rest.UpdateMany(a, aoiRoute(http.MethodPatch, "", access.AOIs.Edit.For("partial_update_many"), "Change areas of interest"), "areas of interest",
		func(ctx context.Context, c *rest.Call, changes []rest.Changes[AOIWrite]) ([]AOI, []string, error) {
			ids, wanted := aoiMapping.Changes(ctx, c, changes)
			return aoiMapping.Written(aois.UpdateMany(ctx, c.Principal(), ids, wanted))
		})
	rest.DeleteMany(a, aoiRoute(http.MethodDelete, "", access.AOIs.Delete.For("destroy_many"), "Delete areas of interest"), "areas of interest",
		func(ctx context.Context, c *rest.Call, ids []int64) error {
			return aois.DeleteMany(ctx, c.Principal(), ids)
		})
	rest.ListDeleted(a, aoiRoute(http.MethodGet, "deleted/", access.AOIs.Delete.For("list_deleted"), "List deleted areas of interest"),
		func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[ListedAOI], error) {
			found, err := aois.Deleted(ctx, c.Principal(), form.DeletedQuery(q))
			return rest.Map(form.Listing(found), showListedAOI), err
		}, farmOfAOI)
	restore := aoiRoute(http.MethodPost, "{id}/restore/", access.AOIs.Delete.For("restore"), "Restore a deleted area of interest")
	restore.Message, restore.Faults = "Area of interest restored.", []int{http.StatusConflict}
	rest.Handle(a, restore, onAOI(aois, func(ctx context.Context, c *rest.Call, id int64) (AOI, error) {
		found, err := aois.Restore(ctx, c.Principal(), id)
		return showAOI(found), err
	}))
}

// hectares returns whole square metres as hectares with four decimals.
func hectares(m2 int64) float64 { return float64(m2) / 10_000 }
