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
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// OrderWrite is a request for a profile order.
type OrderWrite struct {
	FieldUUID string  `json:"field_uuid" format:"uuid" doc:"A field with a boundary: of your company, or shared with it by a grant that gives vi-profile.create."`
	SeasonID  int64   `json:"season_id" minimum:"1" doc:"A season of your company; its dates are the window."`
	IndexCode *string `json:"index_code" required:"false" doc:"Default NDVI."`
	Mask      *string `json:"mask" required:"false" doc:"Which pixels count; default standard. See the parameter mask of a retrieve."`
	Dataset   *string `json:"dataset" required:"false" doc:"The data set of the imagery archive that the series is made from; default all. See the parameter dataset of a retrieve."`
	form.External
}

// Placed is the answer to an order.
type Placed struct {
	OrderID int64  `json:"order_id" doc:"Id of the order, to retrieve it by."`
	Status  string `json:"status" enum:"pending,processing,active,failed" doc:"processing: the series is being made. See the status of a retrieve."`
}

// ProfileOrder is an order in a list.
type ProfileOrder struct {
	OrderID       int64       `json:"order_id" doc:"Id of the order, to retrieve it by."`
	Status        string      `json:"status" enum:"pending,processing,active,failed" doc:"pending: it is waiting, for the given reason. processing: the series is being made. active: the series is ready. failed: none could be made, and nothing was charged."`
	IndexCode     string      `json:"index_code" doc:"Vegetation index of the order, as NDVI."`
	Mask          string      `json:"mask" doc:"The mask that the series is made with, in its canonical form."`
	Dataset       string      `json:"dataset" doc:"The data sets that the series is made from."`
	Field         int64       `json:"field" doc:"Id of the field of the profile."`
	Season        int64       `json:"season" doc:"Id of the season of the profile."`
	StartDate     member.Date `json:"start_date" doc:"First day of the season."`
	EndDate       member.Date `json:"end_date" doc:"Last day of the season, inclusive."`
	ProfileUUID   string      `json:"profile_uuid" format:"uuid" doc:"The profile's uuid, which events and the refusal of a duplicate name it by."`
	FieldUUID     string      `json:"field_uuid" format:"uuid" doc:"Uuid of the field of the profile."`
	Company       int64       `json:"company" doc:"Id of the company that ordered and pays."`
	FieldCompany  int64       `json:"field_company" doc:"Id of the company whose field it is: another company where it is shared for orders."`
	CreatedBy     int64       `json:"created_by" doc:"Id of the user who ordered; 0 where that user is gone."`
	CreatedAt     time.Time   `json:"created_at" doc:"When the record was made."`
	UpdatedAt     time.Time   `json:"updated_at" doc:"When the record was last written."`
	LastCheckedAt *time.Time  `json:"last_checked_at" doc:"When the archive was last searched for the season."`
	Reason        *string     `json:"reason" doc:"Why the order is pending or failed."`
	Synthetic     bool        `json:"synthetic" doc:"The series comes from a synthetic archive, not from observations."`
	CloudMask     *string     `json:"cloud_mask" enum:"scl,none" doc:"none: the archive has no scene classification, so every pixel with data counted as clear."`
	SmallField    bool        `json:"small_field" doc:"Fewer than ten pixels: weighted by exact areas."`
	BoundaryID    *int64      `json:"boundary_id" doc:"The outline that the series covers: the id of one of the field's boundaries."`
	// BoundaryOutdated and the members after it are additions to the specification.
	BoundaryOutdated bool         `json:"boundary_outdated" doc:"The field now has a different outline; recompute makes the series again on it, at no charge."`
	Points           int          `json:"points" doc:"Accepted dates of the order's own series."`
	FirstDate        *member.Date `json:"first_date" doc:"The first of them."`
	LastDate         *member.Date `json:"last_date" doc:"The last of them."`
	form.External
}

// inapplicable are members of map orders that do not apply to profiles (specification, section 4.3).
var inapplicable = []string{"field_boundary", "output_data_type", "no_of_classes", "is_background"}

const ordersPath = "profiles/vegetation-index-profile/orders/"

func registerProfileOrders(a *rest.API, orders *satellite.Profiles) {
	route := rest.Routes{Operation: "vi_profile_order", Tag: profileTag, Noun: "order"}.Route
	place := route(http.MethodPost, ordersPath, access.ProfileOrders.Create.For("create"), "Order a profile")
	place.Description = "Orders the season's series of a field. A field is charged once, on its first successful order.\n\n" +
		"An order for the same field and season that is not ready yet is answered as it is; once it is active, a new order is 409 with " +
		"`details.profile_uuid` and `details.order_id`, costs nothing, and is best treated as success.\n\n" +
		"A field that another company shares by a grant with `vi-profile.create` is ordered for a season of your own and from your own wallet: a field is charged once for each company that pays. " +
		"The order is yours, and is shown with and without `?share=true`, as long as a grant on the field gives any permission for profiles; after that it is hidden, and an open one fails and what it held is released. The ledger keeps what was paid.\n\n" + indexTable()
	place.Faults = []int{http.StatusPaymentRequired, http.StatusConflict, http.StatusInternalServerError}
	place.Message, place.Body, place.Inapplicable = "Order accepted.", rest.Body[OrderWrite](), inapplicable
	place.Odd = map[string]int{"season_unresolved": http.StatusInternalServerError} // specification, sections 4.3 and 7
	rest.Handle(a, place, func(ctx context.Context, c *rest.Call, _ struct{}) (Placed, error) {
		req, err := decodeOrder(c)
		if err != nil {
			return Placed{}, err
		}
		order, err := orders.Place(ctx, c.Principal(), req)
		return Placed{order.ID, string(order.Status)}, err
	})

	filters := orderFilters("series")
	list := route(http.MethodGet, ordersPath, access.ProfileOrders.View.For("list"), "List profile orders")
	list.Query = append(append(query.CursorParams(), form.ShareParam), filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in form.SharedList) (rest.List[ProfileOrder], error) {
		query := form.QueryOf(in.PageOrAll(), filters, in.Values, "index_code")
		return form.List(in.PageOrAll(), showOrder)(orders.List(ctx, c.Principal(), in.Share, query))
	})

	retrieve := route(http.MethodGet, ordersPath+"{id}/", access.ProfileOrders.View.For("retrieve"), "Retrieve an order with its series")
	retrieve.Description = waitingText
	retrieve.Faults = []int{http.StatusConflict}
	retrieve.Query = []rest.Param{
		form.ShareParam, indexParam, maskParam, datasetParam, outlineParam,
		{Name: "detail", Type: rest.Boolean, Description: "Adds the observations behind the points, and the rejected dates."},
		{Name: "below", Type: rest.Number, Description: "With detail: adds to each observation the share of the field whose index is below this value."},
	}
	retrieve.Query = append(retrieve.Query, seasonParams...)
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in struct {
		profileInput
		seasonInput
		Detail bool     `query:"detail"`
		Below  *float64 `query:"below"`
	}) (Profile, error) {
		found, err := retrieved(ctx, c, orders, in.profileInput)
		if err != nil {
			return Profile{}, err
		}
		out := showProfile(found, in.Detail, in.Below)
		return out, in.showSeason(&out, found.Series)
	})
}

// orderFilters are the filters of lists of orders.
func orderFilters(what string) []rest.Param {
	return form.WithExternalID([]rest.Param{
		{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who ordered."},
		{Name: "index_code", Type: rest.String, Description: "A part of the index code, whatever its case."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "season", Type: rest.Integer, Description: "Id of the season."},
		{Name: "farm", Type: rest.Integer, Description: "Id of the farm of the field."},
		{Name: "boundary_outdated", Type: rest.Boolean, Description: "Whether the field now has a different outline from that of the " + what + "."},
		{Name: "status", Type: rest.String, Enum: form.Strings(vegetation.Statuses), Description: "State of the order."},
	}, form.ListParams("A part of the name of the field, whatever its case.", "start_date")...)
}

// indexTable returns the formulas, as a table in CommonMark.
func indexTable() string {
	var b strings.Builder
	b.WriteString("| index_code | formula, on reflectance 0 to 1 |\n| --- | --- |\n")
	for _, i := range vegetation.Indices() {
		b.WriteString("| " + string(i.Code) + " | " + i.Formula + " |\n")
	}
	return b.String()
}

func showOrder(s vegetation.OrderState) ProfileOrder {
	mask := map[bool]string{true: "none", false: "scl"}[s.NoSCL]
	return ProfileOrder{
		OrderID: s.ID, Status: string(s.Status), IndexCode: s.Index, Mask: s.Mask.String(), Dataset: s.Dataset.String(), Field: s.FieldID, Season: s.SeasonID,
		StartDate: member.DateOf(s.StartDate), EndDate: member.DateOf(s.EndDate), ProfileUUID: s.UUID, FieldUUID: s.FieldUUID,
		Company: s.CompanyID, FieldCompany: s.FieldCompanyID, CreatedBy: s.CreatedBy, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		LastCheckedAt: s.LastCheckedAt, Reason: form.OrNull(s.Reason), Synthetic: s.Synthetic, SmallField: s.SmallField,
		CloudMask:  form.If(s.Status == vegetation.Active, mask),
		BoundaryID: form.If(s.BoundaryID != 0, s.BoundaryID), BoundaryOutdated: s.BoundaryOutdated(),
		Points: s.Points, FirstDate: form.Pointed(s.FirstDate, member.DateOf), LastDate: form.Pointed(s.LastDate, member.DateOf), External: form.ExternalOf(s.External),
	}
}

// decodeOrder reads the body of an order. Faults: those of [rest.Decode].
func decodeOrder(c *rest.Call) (satellite.ProfileRequest, error) {
	item, err := rest.DecodeDraft(c, OrderWrite{})
	if err != nil {
		return satellite.ProfileRequest{}, err
	}
	return requested(item)
}

// requested returns the request of an item. Faults: Invalid, with all errors.
func requested(item rest.Item[OrderWrite]) (satellite.ProfileRequest, error) {
	req, err := item.Value.request()
	if more, ok := fault.As(err); ok {
		item.Errors.MergeNew(more.Fields)
	}
	return req, item.Errors.Err()
}

// request returns what is ordered. Faults: Invalid (index_code, mask, dataset).
func (in OrderWrite) request() (satellite.ProfileRequest, error) {
	choice, err := chosen(in.IndexCode, in.Mask, in.Dataset)
	reading := choice.Of(vegetation.OrderState{Index: string(vegetation.NDVI)})
	return satellite.ProfileRequest{
		FieldUUID: strings.ToLower(in.FieldUUID), SeasonID: in.SeasonID, Index: reading.Index, Mask: reading.Mask, Dataset: reading.Dataset, External: in.External.Record(),
	}, err
}
