package satellite

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// MapOrderWrite is a request for an order of a map.
type MapOrderWrite struct {
	FieldUUID      *string        `json:"field_uuid" required:"false" format:"uuid" doc:"A field with a boundary: of your company, or shared with it by a grant that gives vi-map.create. Either this or field_boundary."`
	FieldBoundary  member.Outline `json:"field_boundary" required:"false" doc:"An outline instead of a field: GeoJSON Polygon or MultiPolygon, longitude first. Outlines with the same content count as one field: the same land is charged once, whatever the order of its corners. No field is created from it."`
	SeasonID       *int64         `json:"season_id" required:"false" minimum:"1" doc:"A season of your company: the map has all of its usable dates. Either this or date."`
	Date           *member.Date   `json:"date" required:"false" doc:"One date: the map shows the usable acquisition nearest to it, at most 5 days away; of two, the earlier one."`
	IndexCode      *string        `json:"index_code" required:"false" doc:"Default NDVI."`
	Mask           *string        `json:"mask" required:"false" doc:"Which pixels count; default standard. As for a profile."`
	Dataset        *string        `json:"dataset" required:"false" doc:"The data set of the imagery archive; default all. As for a profile."`
	OutputDataType *string        `json:"output_data_type" required:"false" enum:"geotiff,png,geojson" doc:"What the map is wanted as. It is stored with the order; every type is available for every map."`
	NoOfClasses    *int64         `json:"no_of_classes" required:"false" minimum:"2" maximum:"9" doc:"How many classes the values are divided into where classes are shown; null: the default number."`
	IsBackground   *bool          `json:"is_background" required:"false" doc:"Default true: the answer comes at once. false: it comes when the map is computed, after at most 30 seconds; a map that takes longer is answered as processing."`
	form.External
}

// MapOrder is an order of a map in a list.
type MapOrder struct {
	OrderID        int64        `json:"order_id" doc:"Id of the order, to retrieve it by."`
	MapUUID        string       `json:"map_uuid" format:"uuid" doc:"The map's uuid, which events and the refusal of a duplicate name it by."`
	Product        string       `json:"product" doc:"What was ordered, as the ledger names it."`
	Status         string       `json:"status" enum:"pending,processing,active,failed" doc:"pending: it is waiting, for the given reason. processing: the map is being made. active: the map is ready. failed: none could be made, and nothing was charged."`
	Reason         *string      `json:"reason" doc:"Why the order is pending or failed."`
	IndexCode      string       `json:"index_code" doc:"Vegetation index of the map, as NDVI."`
	Mask           string       `json:"mask" doc:"The mask that the map is made with, in its canonical form."`
	Dataset        string       `json:"dataset" doc:"The data sets that the map is made from."`
	Field          *int64       `json:"field" doc:"Id of the field; null for an outline that is not a field."`
	FieldUUID      *string      `json:"field_uuid" doc:"Uuid of the field; null for an outline that is not a field."`
	Outline        *string      `json:"outline" doc:"Digest (SHA-256) of the outline that is not a field; null for a field."`
	Season         *int64       `json:"season" doc:"Id of the season; null for a map of one date."`
	Date           *member.Date `json:"date" doc:"The date that was requested; null for a map of a season."`
	StartDate      member.Date  `json:"start_date" doc:"First day of the acquisitions that the map may include."`
	EndDate        member.Date  `json:"end_date" doc:"Last day, inclusive."`
	OutputDataType *string      `json:"output_data_type" doc:"What the map was wanted as; null where the order did not say."`
	NoOfClasses    *int64       `json:"no_of_classes" doc:"The number of classes that the order requested; null: the default number."`
	Company        int64        `json:"company" doc:"Id of the company that ordered and pays."`
	FieldCompany   int64        `json:"field_company" doc:"Id of the company whose field it is: another company where it is shared for orders."`
	CreatedBy      int64        `json:"created_by" doc:"Id of the user who ordered; 0 where that user is gone."`
	CreatedAt      time.Time    `json:"created_at" doc:"When the record was made."`
	UpdatedAt      time.Time    `json:"updated_at" doc:"When the record was last written."`
	LastCheckedAt  *time.Time   `json:"last_checked_at" doc:"When the archive was last searched for the map."`
	Synthetic      bool         `json:"synthetic" doc:"The map comes from a synthetic archive, not from observations."`
	SmallField     bool         `json:"small_field" doc:"Fewer than ten pixels: figures are weighted by exact areas."`
	BoundaryID     *int64       `json:"boundary_id" doc:"The outline of the field that the map covers: the id of one of the field's boundaries."`

	BoundaryOutdated bool         `json:"boundary_outdated" doc:"The field now has a different outline; recompute makes the map again on it, at no charge."`
	NumberOfDates    int          `json:"number_of_dates" doc:"How many dates the map has."`
	FirstDate        *member.Date `json:"first_date" doc:"The first of them."`
	LastDate         *member.Date `json:"last_date" doc:"The last of them."`
	form.External
}

// MapDate is a date of a map.
type MapDate struct {
	Observation
	Bytes int64 `json:"bytes" doc:"Size of the stored file with the pixels."`
}

// Map is an order of a map with its dates.
type Map struct {
	MapOrder
	Method     string      `json:"method" doc:"How the values of its pixels are worked out, the same way for all dates."`
	Refreshing bool        `json:"refreshing" doc:"The archive is being searched again, or files that had expired are being made again: a later retrieve may show more."`
	Dates      []MapDate   `json:"dates" doc:"The usable dates, oldest first, with the figures of the pixels in the field."`
	Rejected   []Rejection `json:"rejected" doc:"The dates that could not be used, and why."`
}

// mapProduct has what differs between the routes of one product of maps and those of the others.
type mapProduct struct {
	code      credit.Product
	slug      string // in addresses
	operation string // prefix of operation ids
	tag       string
	what      string // "a map of zones"
}

var (
	viMap        = mapProduct{credit.VegetationIndexMap, "vegetation-index-map", "vi_map", mapTag, "a map"}
	zoningMap    = mapProduct{credit.ZoningMap, "zoning-map", "zoning_map", zoningTag, "a zoning map"}
	elevationMap = mapProduct{credit.ElevationMap, "elevation-map", "elevation_map", elevationTag, "an elevation map"}
	soilMap      = mapProduct{credit.SoilMap, "soil-map", "soil_map", soilTag, "a soil map"}
)

func (p mapProduct) path() string            { return "maps/" + p.slug + "/orders/" }
func (p mapProduct) access() access.Resource { return satellite.MapAccess(p.code) }

// landed is a body of an order of a map.
type landed interface {
	// request returns what is ordered, without its land, and the land. Faults: Invalid, with all errors.
	request() (req satellite.MapRequest, fieldUUID *string, outline member.Outline, background *bool, err error)
}

// mapRoutes are the routes of the orders of one product of maps: W is their body, O an order in a list, and M a retrieved one.
type mapRoutes[W landed, O, M any] struct {
	mapProduct
	maps    *satellite.Maps
	limits  geo.Limits
	orders  string // what an order is, for the document
	shows   string // what a retrieve does
	filters []rest.Param
	order   func(vegetation.OrderState) O
	whole   func(satellite.Map) M
}

func (m mapRoutes[W, O, M]) register(a *rest.API) {
	m.registerPlace(a)
	m.registerRead(a)
	m.registerRecompute(a)
}

func (m mapRoutes[W, O, M]) registerPlace(a *rest.API) {
	place := rest.Routes{Operation: m.operation + "_order", Tag: m.tag, Noun: "order"}.Route(http.MethodPost, m.path(), m.access().Create.For("create"), "Order "+m.what)
	place.Description = m.orders
	place.Faults = []int{http.StatusPaymentRequired, http.StatusConflict}
	place.Message, place.Body = "Order accepted.", rest.Body[W]()
	rest.Handle(a, place, func(ctx context.Context, c *rest.Call, _ struct{}) (Placed, error) {
		item, err := rest.DecodeDraft(c, *new(W))
		if err != nil {
			return Placed{}, err
		}
		req, wait, err := m.requested(ctx, item)
		if err != nil {
			return Placed{}, err
		}
		order, err := m.maps.Place(ctx, c.Principal(), req, c.Patience(wait))
		return Placed{order.ID, string(order.Status)}, err
	})

	quote := rest.Route{
		Method: http.MethodPost, Path: m.path() + "quote/", OperationID: m.operation + "_order_quote", Summary: "Quote the price of an order of " + m.what,
		Description: "Takes the body of an order, and writes nothing. What is wrong with an order is refused as it would be.",
		Tag:         m.tag, Permission: m.access().Create.For("quote"), Message: "Nothing was ordered.", Body: rest.Body[W](),
	}
	rest.Handle(a, quote, func(ctx context.Context, c *rest.Call, _ struct{}) (Quote, error) {
		item, err := rest.DecodeDraft(c, *new(W))
		if err != nil {
			return Quote{}, err
		}
		req, _, err := m.requested(ctx, item)
		if err != nil {
			return Quote{}, err
		}
		return quoted(m.maps.Quote(ctx, c.Principal(), req))
	})

	many := rest.Route{
		Method: http.MethodPost, Path: m.path() + "batch/", OperationID: m.operation + "_order_batch", Summary: "Order many maps",
		Description: "An array of up to 1,000 orders, each like a single one, placed in one transaction. The answer has an item for each; one that is " +
			"refused does not affect the others. Credit is held in the order of the array. All are placed in the background: `is_background` is ignored.",
		Tag: m.tag, Permission: m.access().Create.For("batch"), Message: "See the verdict of each item.", Body: rest.BulkBody[W](), Query: []rest.Param{previewParam},
	}
	rest.Handle(a, many, func(ctx context.Context, c *rest.Call, in previewed) (PlacedItems, error) {
		one := func(item rest.Item[W]) (satellite.MapRequest, error) {
			req, _, err := m.requested(ctx, item)
			return req, err
		}
		return placeMany(c, in, one, func(reqs []satellite.MapRequest) ([]satellite.Placed, error) {
			return m.maps.PlaceMany(ctx, c.Principal(), m.code, reqs, in.Preview)
		})
	})
}

func (m mapRoutes[W, O, M]) registerRead(a *rest.API) {
	route := rest.Routes{Operation: m.operation + "_order", Tag: m.tag, Noun: "order"}.Route
	list := route(http.MethodGet, m.path(), m.access().View.For("list"), "List orders of maps")
	list.Query = append(append(query.CursorParams(), form.ShareParam), m.filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in form.SharedList) (rest.List[O], error) {
		query := form.QueryOf(in.PageOrAll(), m.filters, in.Values, "index_code")
		return form.List(in.PageOrAll(), m.order)(m.maps.List(ctx, c.Principal(), m.code, in.Share, query))
	})

	retrieve := route(http.MethodGet, m.path()+"{id}/", m.access().View.For("retrieve"), "Retrieve an order with its map")
	retrieve.Description = m.shows
	retrieve.Query = []rest.Param{form.ShareParam}
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in form.SharedByID) (M, error) {
		found, err := m.maps.Retrieve(ctx, c.Principal(), m.code, in.Share, in.ID)
		sayLater(c, found.Order)
		return m.whole(found), err
	})
}

func (m mapRoutes[W, O, M]) registerRecompute(a *rest.API) {
	recompute := rest.Route{
		Method: http.MethodPost, Path: m.path() + "{id}/recompute/", OperationID: m.operation + "_order_recompute",
		Summary: "Make the map again on the field's present outline", Tag: m.tag, Noun: "order",
		Description: "For an active order, such as one whose field was given another outline (`boundary_outdated`). It costs nothing, and is done in the background: until then the map stays as it is. " +
			"An outline of more than 1.1 times the area that was charged is 409 (`boundary_too_different`). If no map can be made with the new outline, the earlier map stays.",
		Permission: m.access().Create.For("recompute"), Message: "The map is being made again.", Faults: []int{http.StatusConflict},
	}
	rest.Handle(a, recompute, func(ctx context.Context, c *rest.Call, in form.ByID) (Placed, error) {
		order, err := m.maps.Recompute(ctx, c.Principal(), m.code, in.ID)
		return Placed{order.ID, string(order.Status)}, err
	})
}

// waitOf returns how long the answer to an order waits.
func waitOf(background *bool) time.Duration {
	if background == nil || *background {
		return 0
	}
	return satellite.MapWait
}

// requested returns the request of an item, and how long its answer waits. Faults: Invalid, with all errors.
func (m mapRoutes[W, O, M]) requested(ctx context.Context, item rest.Item[W]) (satellite.MapRequest, time.Duration, error) {
	req, uuid, outline, background, err := item.Value.request()
	if wrong, ok := fault.As(err); ok {
		item.Errors.MergeNew(wrong.Fields)
	}
	req.Product, req.FieldUUID = m.code, strings.ToLower(form.OrZero(uuid))
	if len(outline.RawObject) > 0 {
		boundary, err := geo.ParseGeoJSON(effort.Of(ctx, 0), outline.RawObject, m.limits)
		wrong, ok := fault.As(err)
		switch {
		case ok && wrong.Kind == fault.Invalid:
			for _, message := range fault.Messages(wrong.Fields[geo.BoundaryField]) {
				item.Errors.Add("field_boundary", message)
			}
		case err != nil:
			return req, 0, err
		default:
			req.Boundary = &boundary
		}
	}
	return req, waitOf(background), item.Errors.Err()
}

func (in MapOrderWrite) request() (satellite.MapRequest, *string, member.Outline, *bool, error) {
	req, err := ofIndex(in.IndexCode, in.Mask, in.Dataset)
	req.SeasonID, req.External = form.OrZero(in.SeasonID), in.External.Record()
	req.Terms = vegetation.MapTerms{Day: form.TimeOf(in.Date), Output: form.OrZero(in.OutputDataType), Classes: int(form.OrZero(in.NoOfClasses))}
	return req, in.FieldUUID, in.FieldBoundary, in.IsBackground, err
}

// ofIndex returns the request of an index; NDVI if none is named.
func ofIndex(index, mask, dataset *string) (satellite.MapRequest, error) {
	choice, err := chosen(index, mask, dataset)
	reading := choice.Of(vegetation.OrderState{Index: string(vegetation.NDVI)})
	return satellite.MapRequest{Index: reading.Index, Mask: reading.Mask, Dataset: reading.Dataset}, err
}

func viMapRoutes(maps *satellite.Maps, limits geo.Limits) mapRoutes[MapOrderWrite, MapOrder, Map] {
	return mapRoutes[MapOrderWrite, MapOrder, Map]{
		mapProduct: viMap, maps: maps, limits: limits, filters: orderFilters("map"), order: showMapOrder, whole: showMap,
		orders: "Orders the pixels of an index in a field: of all usable dates of a season, or of the usable date nearest to a day. " +
			"A date is usable by the rules of profiles, and the mean of its pixels is the value that a profile has.\n\n" +
			"A field is charged once, on its first successful order of a profile or a map, whichever comes first; an outline that is not a field, once for its content. A map without a usable date is never active and never charged.\n\n" +
			"A company has one order for a field or outline, a season or date, and an index. One that is not ready yet is answered as it is; once it is active, a new order is 409 with `details.map_uuid` and `details.order_id`, and costs nothing.",
		shows: "An active map whose season can still bring dates is brought up to date in the background if it was last checked over a day ago, as a profile is, and whenever the profile of its field and season is watched and has something new. " +
			"Files of dates are kept for 90 days and made again, at no charge, when an expired one is requested.",
	}
}

func showMapOrder(s vegetation.OrderState) MapOrder {
	return MapOrder{
		OrderID: s.ID, MapUUID: s.UUID, Product: string(s.Product), Status: string(s.Status), Reason: form.OrNull(s.Reason),
		IndexCode: s.Index, Mask: s.Mask.String(), Dataset: s.Dataset.String(),
		Field: form.If(s.FieldID != 0, s.FieldID), FieldUUID: form.OrNull(s.FieldUUID), Outline: form.OrNull(s.Map.Outline),
		Season: form.If(s.SeasonID != 0, s.SeasonID), Date: form.Pointed(s.Map.Day, member.DateOf), StartDate: member.DateOf(s.StartDate), EndDate: member.DateOf(s.EndDate),
		OutputDataType: form.OrNull(s.Map.Output), NoOfClasses: form.If(s.Map.Classes != 0, int64(s.Map.Classes)),
		Company: s.CompanyID, FieldCompany: s.FieldCompanyID, CreatedBy: s.CreatedBy, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, LastCheckedAt: s.LastCheckedAt,
		Synthetic: s.Synthetic, SmallField: s.SmallField, BoundaryID: form.If(s.BoundaryID != 0, s.BoundaryID), BoundaryOutdated: s.BoundaryOutdated(),
		NumberOfDates: s.Points, FirstDate: form.Pointed(s.FirstDate, member.DateOf), LastDate: form.Pointed(s.LastDate, member.DateOf),
		External: form.ExternalOf(s.External),
	}
}

func showMap(m satellite.Map) Map {
	files := map[time.Time]indexmap.File{}
	for _, f := range m.Files {
		files[f.Day] = f
	}
	return Map{
		MapOrder: showMapOrder(m.Order), Method: m.Order.Reading().Method(), Refreshing: m.Refreshing,
		Dates: form.Each(m.Series.Observations, func(o vegetation.Observation) MapDate {
			return MapDate{showObservation(o, nil), files[o.Date].Bytes}
		}),
		Rejected: form.Each(m.Series.Rejected, showRejection),
	}
}
