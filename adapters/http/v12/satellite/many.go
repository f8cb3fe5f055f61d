package satellite

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// PlacedItem is the outcome of one order of a batch.
type PlacedItem struct {
	Index   int     `json:"index" doc:"Place in the array, from 0."`
	Verdict string  `json:"verdict" enum:"create,skip,fail" doc:"create: placed. skip: the order already exists, and nothing is held for it. fail: refused, and nothing of it is stored."`
	OrderID *int64  `json:"order_id" doc:"Id of the order that was placed or already exists; null where it was refused or only previewed."`
	Charge  float64 `json:"charge" doc:"Credits that placing it holds; 0 for a field that was already charged or that credit is already held for."`
	Code    *string `json:"code" doc:"With skip: order_open, duplicate_profile or duplicate_map; with fail: the code of the error that a single order would be answered with."`
	Message *string `json:"message" doc:"The code in words, for people; null with create."`

	Errors map[string][]string `json:"errors" doc:"By member, as for a single order; why it is refused."`
}

// PlacedItems are the outcomes of the orders of a batch.
type PlacedItems struct {
	Preview bool         `json:"preview" doc:"Nothing was placed."`
	Charge  float64      `json:"charge" doc:"Credits that placing all of them holds."`
	Items   []PlacedItem `json:"items" doc:"One for each order, in the order of the array."`
}

// previewed is the parameter of a batch that only states what it would cost.
type previewed struct {
	Preview bool `query:"preview"`
}

var previewParam = rest.Param{Name: "preview", Type: rest.Boolean, Description: "With true: judges every order and says what all of them would cost, in the order of the array, and places none."}

func registerMany(a *rest.API, orders *satellite.Profiles, files *satellite.ProfileFiles) {
	place := rest.Route{
		Method: http.MethodPost, Path: ordersPath + "batch/", OperationID: "vi_profile_order_batch", Summary: "Order many profiles",
		Description: "An array of up to 1,000 orders, each like a single one, placed in one transaction. The answer has an item for each; one that is " +
			"refused does not affect the others. Credit is held in the order of the array.",
		Tag: profileTag, Permission: access.ProfileOrders.Create.For("batch"), Message: "See the verdict of each item.",
		Body: rest.BulkBody[OrderWrite](), Inapplicable: inapplicable, Query: []rest.Param{previewParam},
	}
	rest.Handle(a, place, func(ctx context.Context, c *rest.Call, in previewed) (PlacedItems, error) {
		return placeMany(c, in, requested, func(reqs []satellite.ProfileRequest) ([]satellite.Placed, error) {
			return orders.PlaceMany(ctx, c.Principal(), reqs, in.Preview)
		})
	})

	filters := []rest.Param{
		{Name: "season", Type: rest.Integer, Description: "Id of the season."},
		{Name: "farm", Type: rest.Integer, Description: "Id of the farm of the field."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		{Name: "boundary_outdated", Type: rest.Boolean, Description: "Whether the field now has a different outline from that of the series."},
	}
	formats := []string{ports.JSONL, ports.CSV, ports.XLSX, ports.GeoJSON}
	series := rest.Route{
		Method: http.MethodGet, Path: "profiles/vegetation-index-profile/series/", OperationID: "vi_profile_series",
		Summary: "The series of many orders as one file", Tag: profileTag, Permission: access.ProfileOrders.View.For("series"),
		Description: "The accepted dates of all active orders that the filters select, however many there are: JSON lines (one order per line), CSV or a workbook (one date " +
			"per line) or GeoJSON (one feature per order, on the outline that its series covers, with one property per date).",
		Query: append([]rest.Param{
			form.FormatParam(formats...), form.ShareParam,
			{Name: "index_code", Type: rest.String, Description: "The stored series of this index, of the orders that have one; its case does not matter. Default: each order's own."},
			{Name: "mask", Type: rest.String, Description: "The stored series with this mask, in the same way."},
			{Name: "dataset", Type: rest.String, Description: "The stored series of this data set, in the same way: " + datasetText},
		}, filters...),
		Media: form.Media(formats...),
	}
	rest.Handle(a, series, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.Shared
		readingInput
		form.Formatted
	}) (rest.Raw, error) {
		choice, err := in.choice()
		if err != nil {
			return rest.Raw{}, err
		}
		format := in.Among(c, formats...)
		write, err := files.SeriesOfMany(ctx, c.Principal(), in.Share, form.QueryOf(form.Whole, filters, in.Values), choice, format)
		return form.Download("series", format, write), err
	})
}

// placeMany places the well-formed orders of a body, and reports the others beside them.
func placeMany[W, R any](c *rest.Call, in previewed, requested func(rest.Item[W]) (R, error), place func([]R) ([]satellite.Placed, error)) (out PlacedItems, err error) {
	items, bulk, err := rest.DecodeMany[W](c)
	if err != nil {
		return out, err
	}
	if !bulk {
		return out, fault.Field(fault.NonField, "Send an array of orders.")
	}
	out.Preview, out.Items = in.Preview, make([]PlacedItem, len(items))
	var reqs []R
	var at []int // the index in the array, of each request
	for i, item := range items {
		req, err := requested(item)
		wrong, ok := fault.As(err)
		if err != nil && !ok {
			return out, err
		}
		if ok {
			out.Items[i] = itemOf(i, satellite.Placed{Verdict: batch.Fail, Code: wrong.Code, Message: wrong.Message, Errors: wrong.Fields})
			continue
		}
		reqs, at = append(reqs, req), append(at, i)
	}
	placed, err := place(reqs)
	var sum credit.Amount
	for n, p := range placed {
		out.Items[at[n]] = itemOf(at[n], p)
		sum += p.Charge
	}
	out.Charge = sum.Float()
	return out, err
}

func itemOf(at int, p satellite.Placed) PlacedItem {
	return PlacedItem{
		Index: at, Verdict: string(p.Verdict), OrderID: form.If(p.OrderID != 0, p.OrderID), Charge: p.Charge.Float(),
		Code: form.OrNull(p.Code), Message: form.OrNull(p.Message), Errors: p.Errors.Messages(),
	}
}
