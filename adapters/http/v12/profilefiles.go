package v12

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/vegetation"
	"tilth/ports"
)

// mediaCSV is the content type of tables.
const mediaCSV = "text/csv; charset=utf-8"

// indexParam asks for the series of an index.
var indexParam = rest.Param{Name: "index_code", Type: rest.String, Description: "The series of this index instead of the one that was ordered; whatever its case."}

// waitingText says how a series of another index is answered.
var waitingText = "`?index_code=` gives the series of another index for the same order, at no charge. It is computed once, when it is first asked for; " +
	"the request waits for it up to " + strconv.Itoa(int(satellite.IndexWait.Seconds())) + " seconds, or as long as a `Prefer: wait=` header says, if that is less. " +
	"One that is not ready by then is answered with the status `processing`, an empty profile and `Retry-After`; one that cannot be computed with `failed` and the " +
	"reason: it may be asked for again a day later. An order that is not active is answered with its own status and an empty profile."

// retryLater is how many seconds a caller waits who asks again for a series being computed.
const retryLater = 5

// indexGiven gives the index that is asked for; the zero Index where none is.
// Faults: Invalid (index_code).
func indexGiven(q rest.Values) (vegetation.Index, error) {
	code, ok := q.String(indexParam.Name)
	if !ok {
		return vegetation.Index{}, nil
	}
	return vegetation.ParseIndex(code)
}

// waitGiven gives how long a caller would wait (RFC 7240, section 4.3), at most as long as
// anybody does.
func waitGiven(c *rest.Call) time.Duration {
	for preference := range strings.SplitSeq(c.Header("Prefer"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
		if seconds, err := strconv.ParseUint(value, 10, 16); err == nil && strings.EqualFold(name, "wait") {
			return min(satellite.IndexWait, time.Duration(seconds)*time.Second)
		}
	}
	return satellite.IndexWait
}

// retrieved gives an order with the series that is asked for, its own or that of an index.
func retrieved(ctx context.Context, c *rest.Call, orders *satellite.Profiles, q rest.Values, id int64) (satellite.Profile, error) {
	index, err := indexGiven(q)
	if err != nil {
		return satellite.Profile{}, err
	}
	if index.IsZero() {
		return orders.Retrieve(ctx, c.Principal(), q.Bool(shareParam.Name), id)
	}
	found, err := orders.RetrieveIndex(ctx, c.Principal(), q.Bool(shareParam.Name), id, index, waitGiven(c))
	sayLater(c, found.Order)
	return found, err
}

// sayLater tells the caller of a series that is being computed when to ask again.
func sayLater(c *rest.Call, order vegetation.OrderState) {
	if order.Status == vegetation.Processing {
		c.SetHeader("Retry-After", strconv.Itoa(retryLater))
	}
}

func showSmoothed(s vegetation.Series) *[]ProfilePoint {
	out := []ProfilePoint{}
	for _, run := range s.Smoothed() {
		for _, p := range run {
			out = append(out, ProfilePoint{rest.DateOf(p.Date), p.Value})
		}
	}
	return &out
}

// Quote is what an order would cost.
type Quote struct {
	Charge         float64 `json:"charge" doc:"Credits that placing the order would hold now: price per hectare times area, rounded up to 0.01. 0 for a field that was charged or is held for already, and for an order that is there."`
	Available      float64 `json:"available" doc:"Credits that may be spent. Where they are less than the charge, the order would be refused."`
	AlreadyCharged bool    `json:"already_charged" doc:"The field was charged before; that is once, over all satellite products."`
	DuplicateOf    *int64  `json:"duplicate_of" doc:"Id of the open or active order of the same field and season."`
}

func registerQuote(a *rest.API, orders *satellite.Profiles) {
	quote := rest.Route{
		Method: http.MethodPost, Path: ordersPath + "quote/", OperationID: "vi_profile_order_quote", Summary: "What an order would cost",
		Description: "Takes the body of an order, and writes nothing. What is wrong with an order is refused as it would be.",
		Tag:         "Vegetation-index profiles", Permission: access.ProfileOrders.Create.For("quote"), Message: "Nothing was ordered.",
		Faults: []int{http.StatusInternalServerError},
		Odd:    map[string]int{"season_unresolved": http.StatusInternalServerError}, // as of an order
	}
	rest.Handle(a, quote, rest.Body[OrderWrite](), func(ctx context.Context, c *rest.Call) (Quote, error) {
		req, err := orderRequest(c)
		if err != nil {
			return Quote{}, err
		}
		q, err := orders.Quote(ctx, c.Principal(), req)
		out := Quote{Charge: q.Charge.Float(), Available: q.Available.Float(), AlreadyCharged: q.AlreadyCharged}
		if q.Duplicate != nil {
			out.DuplicateOf = &q.Duplicate.ID
		}
		return out, err
	})
}

// orderRequest reads the body of an order.
func orderRequest(c *rest.Call) (satellite.ProfileRequest, error) {
	in, err := rest.Decode[OrderWrite](c)
	if err != nil {
		return satellite.ProfileRequest{}, err
	}
	req := satellite.ProfileRequest{FieldUUID: strings.ToLower(in.FieldUUID), SeasonID: in.SeasonID, Index: vegetation.NDVI}
	if in.IndexCode != nil {
		index, err := vegetation.ParseIndex(*in.IndexCode)
		if err != nil {
			return req, err
		}
		req.Index = index.Code
	}
	return req, nil
}

// profileFiles are the files of a profile.
var profileFiles = []struct{ name, format, media, summary, description string }{
	{"chart.svg", ports.SVG, "image/svg+xml", "The profile as a picture, SVG", chartText},
	{"chart.png", ports.PNG, "image/png", "The profile as a picture, PNG", chartText},
	{"export.csv", satellite.CSV, mediaCSV, "The profile as a table, CSV", "A line a date, accepted and rejected ones in one order: " +
		"date, value, status, reason, coverage, n_valid, n_polygon, median, std, min, max, p10, p90, items (separated by spaces). " +
		"A rejected date has its reason, and neither a value nor statistics."},
}

// chartPolicy lets a browser that opens a drawing use the styles in it, and nothing else.
const chartPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

const chartText = "The accepted dates as points, the smoothed line, the rejected dates as ticks on the axis, the season shaded. " +
	"Where there is no accepted date, the picture says why."

func registerProfileFiles(a *rest.API, files *satellite.ProfileFiles) {
	for _, kind := range profileFiles {
		media, _, _ := strings.Cut(kind.media, ";")
		route := rest.Route{
			Method: http.MethodGet, Path: ordersPath + "{id}/" + kind.name, OperationID: "vi_profile_order_" + strings.ReplaceAll(kind.name, ".", "_"),
			Summary: kind.summary, Description: kind.description + "\n\n" + waitingText, Tag: "Vegetation-index profiles", Noun: "order",
			Permission: access.ProfileOrders.View.For("retrieve"), Query: []rest.Param{shareParam, indexParam}, Media: []string{media},
		}
		rest.Handle(a, route, nil, func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
			q, err := c.Query()
			if err != nil {
				return rest.Raw{}, err
			}
			id, err := c.ID("id")
			if err != nil {
				return rest.Raw{}, err
			}
			index, err := indexGiven(q)
			if err != nil {
				return rest.Raw{}, err
			}
			file, err := files.File(ctx, c.Principal(), q.Bool(shareParam.Name), id, index, kind.format, waitGiven(c))
			sayLater(c, file.Order)
			out := rest.Raw{ContentType: kind.media, Write: file.Write}
			if kind.format == ports.SVG {
				c.SetHeader("Content-Security-Policy", chartPolicy)
			}
			if kind.format == satellite.CSV {
				out.Filename = fmt.Sprintf("profile-%d-%s.csv", id, strings.ToLower(file.Order.Index))
			}
			return out, err
		})
	}
}
