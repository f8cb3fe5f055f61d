package v12

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/vegetation"
)

// OrderWrite is a profile order as it is placed.
type OrderWrite struct {
	FieldUUID string  `json:"field_uuid" format:"uuid" doc:"A field of your company, with a boundary."`
	SeasonID  int64   `json:"season_id" minimum:"1" doc:"A season of your company; its dates are the window."`
	IndexCode *string `json:"index_code" required:"false" doc:"Default NDVI."`
}

// Placed is the answer to an order.
type Placed struct {
	OrderID int64  `json:"order_id"`
	Status  string `json:"status" enum:"pending,processing,active,failed"`
}

// ProfileOrder is an order as it stands in a list.
type ProfileOrder struct {
	OrderID       int64      `json:"order_id"`
	Status        string     `json:"status" enum:"pending,processing,active,failed"`
	IndexCode     string     `json:"index_code"`
	Field         int64      `json:"field"`
	Season        int64      `json:"season"`
	StartDate     rest.Date  `json:"start_date"`
	EndDate       rest.Date  `json:"end_date"`
	ProfileUUID   string     `json:"profile_uuid" format:"uuid"`
	FieldUUID     string     `json:"field_uuid" format:"uuid"`
	Company       int64      `json:"company"`
	CreatedBy     int64      `json:"created_by"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
	LastCheckedAt *time.Time `json:"last_checked_at" doc:"When the archive was last searched for the season."`
	Reason        *string    `json:"reason" doc:"Why the order is pending or failed."`
	Synthetic     bool       `json:"synthetic" doc:"The series comes from a synthetic archive, not from observations."`
	CloudMask     *string    `json:"cloud_mask" enum:"scl,none" doc:"none: the archive has no scene classification, so every pixel with data counted as clear."`
	SmallField    bool       `json:"small_field" doc:"Fewer than ten pixels: weighted by exact areas."`
}

// ProfilePoint is a point of a profile.
type ProfilePoint struct {
	Date  rest.Date `json:"date"`
	Value float64   `json:"value" doc:"Arithmetic mean of the index over the valid pixels."`
}

// Observation is what stands behind a point.
type Observation struct {
	Date     rest.Date `json:"date"`
	Value    float64   `json:"value"`
	Coverage float64   `json:"coverage" doc:"Valid pixels / pixels in the field."`
	NValid   int       `json:"n_valid"`
	NPolygon int       `json:"n_polygon"`
	Median   float64   `json:"median"`
	Std      float64   `json:"std" doc:"Population standard deviation."`
	Min      float64   `json:"min"`
	Max      float64   `json:"max"`
	P10      float64   `json:"p10"`
	P90      float64   `json:"p90"`
	Items    []string  `json:"items" doc:"Ids of the scenes."`
	Offsets  []Offset  `json:"offsets" doc:"Of each scene, in the order of items: what was added to its digital numbers, and what decided it."`
}

// Offset is what turned the digital numbers of a scene into reflectance.
type Offset struct {
	Item   string  `json:"item" doc:"Id of the scene."`
	Offset float64 `json:"offset" doc:"Reflectance = digital number * scale + offset."`
	Basis  string  `json:"basis" enum:"item,baseline,pixels,flag" doc:"What decided it: the catalog's item, ESA's rule by processing baseline, the pixels, or the item's flag."`
}

// Rejection is a date that is not in the profile.
type Rejection struct {
	Date     rest.Date `json:"date"`
	Reason   string    `json:"reason" enum:"cloud,nodata,partial,error,too_few"`
	Coverage float64   `json:"coverage"`
	NValid   int       `json:"n_valid"`
	NPolygon int       `json:"n_polygon"`
	Items    []string  `json:"items"`
	Note     *string   `json:"note" doc:"With the reason error: what could not be read."`
}

// Profile is an order with its series.
type Profile struct {
	ProfileOrder
	Refreshing   bool            `json:"refreshing" doc:"The archive is being searched again, as it is for a season that can still bring something and was last checked over a day ago: a later retrieve may show more."`
	Profile      []ProfilePoint  `json:"profile"`
	Smoothed     *[]ProfilePoint `json:"smoothed,omitempty" doc:"With ?smoothed=true: a value a day, from the first accepted date to the last, without gaps of more than 45 days."`
	Observations *[]Observation  `json:"observations,omitempty" doc:"With ?detail=true."`
	Rejected     *[]Rejection    `json:"rejected,omitempty" doc:"With ?detail=true."`
}

const ordersPath = "profiles/vegetation-index-profile/orders/"

func registerProfileOrders(a *rest.API, orders *satellite.Profiles) {
	route := rest.Routes{Operation: "vi_profile_order", Tag: "Vegetation-index profiles", Noun: "order"}.Route
	place := route(http.MethodPost, ordersPath, access.ProfileOrders.Create.For("create"), "Order a profile")
	place.Description = "Orders the season's series of a field. A field is charged once, on its first successful order.\n\n" +
		"An order of the same field and season that is not ready yet is answered as it is; once it is active, a new order is 409 with " +
		"`details.profile_uuid` and `details.order_id`, costs nothing, and is best taken as success.\n\n" + indexTable()
	place.Faults = []int{http.StatusPaymentRequired, http.StatusConflict, http.StatusInternalServerError}
	place.Message = "Order accepted."
	place.Odd = map[string]int{"season_unresolved": http.StatusInternalServerError} // specification, sections 4.3 and 7
	rest.Handle(a, place, rest.Body[OrderWrite](), func(ctx context.Context, c *rest.Call) (Placed, error) {
		req, err := orderRequest(c)
		if err != nil {
			return Placed{}, err
		}
		order, err := orders.Place(ctx, c.Principal(), req)
		return Placed{order.ID, string(order.Status)}, err
	})

	filters := append([]rest.Param{
		{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who ordered."},
		{Name: "index_code", Type: rest.String, Description: "A part of the index code, whatever its case."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "season", Type: rest.Integer, Description: "Id of the season."},
		{Name: "status", Type: rest.String, Enum: statuses(), Description: "State of the order."},
	}, listExtras("A part of the name of the field, whatever its case.", "start_date")...)
	list := route(http.MethodGet, ordersPath, access.ProfileOrders.View.For("list"), "List profile orders")
	list.Query = append(append(rest.PageParams(), shareParam), filters...)
	rest.Handle(a, list, nil, func(ctx context.Context, c *rest.Call) (rest.List[ProfileOrder], error) {
		q, err := c.Query()
		if err != nil {
			return rest.List[ProfileOrder]{}, err
		}
		found, err := orders.List(ctx, c.Principal(), q.Bool(shareParam.Name), queryOf(q.PageOrAll(), filters, q, "index_code"))
		if err != nil {
			return rest.List[ProfileOrder]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(listed(found), showOrder))
	})

	retrieve := route(http.MethodGet, ordersPath+"{id}/", access.ProfileOrders.View.For("retrieve"), "Retrieve an order with its series")
	retrieve.Description = waitingText
	retrieve.Query = []rest.Param{
		shareParam, indexParam,
		{Name: "detail", Type: rest.Boolean, Description: "Adds the observations behind the points, and the rejected dates."},
		{Name: "smoothed", Type: rest.Boolean, Description: "Adds the smoothed profile: Whittaker's smoother, second differences, weighted with the coverage."},
	}
	rest.Handle(a, retrieve, nil, func(ctx context.Context, c *rest.Call) (Profile, error) {
		q, err := c.Query()
		if err != nil {
			return Profile{}, err
		}
		id, err := c.ID("id")
		if err != nil {
			return Profile{}, err
		}
		found, err := retrieved(ctx, c, orders, q, id)
		out := showProfile(found, q.Bool("detail"))
		if q.Bool("smoothed") {
			out.Smoothed = showSmoothed(found.Series)
		}
		return out, err
	})
}

func statuses() []string {
	var out []string
	for _, s := range vegetation.Statuses {
		out = append(out, string(s))
	}
	return out
}

// indexTable is the formulas, as a table in CommonMark.
func indexTable() string {
	var b strings.Builder
	b.WriteString("| index_code | formula, on reflectance 0 to 1 |\n| --- | --- |\n")
	for _, i := range vegetation.Indices() {
		b.WriteString("| " + string(i.Code) + " | " + i.Formula + " |\n")
	}
	return b.String()
}

func showOrder(s vegetation.OrderState) ProfileOrder {
	out := ProfileOrder{
		OrderID: s.ID, Status: string(s.Status), IndexCode: s.Index, Field: s.FieldID, Season: s.SeasonID,
		StartDate: rest.DateOf(s.StartDate), EndDate: rest.DateOf(s.EndDate), ProfileUUID: s.UUID, FieldUUID: s.FieldUUID,
		Company: s.CompanyID, CreatedBy: s.CreatedBy, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		LastCheckedAt: s.LastCheckedAt, Reason: word(s.Reason), Synthetic: s.Synthetic, SmallField: s.SmallField,
	}
	if s.Status == vegetation.Active {
		mask := "scl"
		if s.NoSCL {
			mask = "none"
		}
		out.CloudMask = &mask
	}
	return out
}

func showProfile(p satellite.Profile, detail bool) Profile {
	out := Profile{ProfileOrder: showOrder(p.Order), Refreshing: p.Refreshing, Profile: []ProfilePoint{}}
	for _, o := range p.Series.Observations {
		out.Profile = append(out.Profile, ProfilePoint{rest.DateOf(o.Date), o.Value})
	}
	if !detail {
		return out
	}
	observations, rejected := []Observation{}, []Rejection{}
	for _, o := range p.Series.Observations {
		observations = append(observations, Observation{
			rest.DateOf(o.Date), o.Value, o.Coverage, o.NValid, o.NPolygon, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, o.Items, showOffsets(o.Offsets),
		})
	}
	for _, r := range p.Series.Rejected {
		rejected = append(rejected, Rejection{rest.DateOf(r.Date), string(r.Reason), r.Coverage, r.NValid, r.NPolygon, r.Items, word(r.Note)})
	}
	out.Observations, out.Rejected = &observations, &rejected
	return out
}

func showOffsets(offsets []vegetation.AppliedOffset) []Offset {
	out := make([]Offset, len(offsets))
	for i, o := range offsets {
		out[i] = Offset{o.Item, o.Offset, string(o.Basis)}
	}
	return out
}
