package satellite

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/vegetation"
)

// Quote is what an order would cost.
type Quote struct {
	Charge         float64 `json:"charge" doc:"Credits that placing the order would hold now: price per hectare times area, rounded up to 0.01. 0 for a field that was already charged or that credit is already held for, and for an order that already exists."`
	Available      float64 `json:"available" doc:"Credits that may be spent. If they are less than the charge, the order would be refused."`
	AlreadyCharged bool    `json:"already_charged" doc:"Whether the field was already charged, which happens once over all satellite products."`
	DuplicateOf    *int64  `json:"duplicate_of" doc:"Id of the open or active order for the same field and season; for a map also for the same date and index."`
	Scenes         *int    `json:"scenes" doc:"Scenes of the imagery archive that cover the field in the season so far or, where it has not begun, in the year before now. With 0 an order would yield no point, and cost nothing. null: the archive did not answer in time."`
}

func registerQuote(a *rest.API, orders *satellite.Profiles) {
	quote := rest.Route{
		Method: http.MethodPost, Path: ordersPath + "quote/", OperationID: "vi_profile_order_quote", Summary: "Quote the price of an order",
		Description: "Takes the body of an order, and writes nothing. What is wrong with an order is refused as it would be.",
		Tag:         profileTag, Permission: access.ProfileOrders.Create.For("quote"), Message: "Nothing was ordered.",
		Body: rest.Body[OrderWrite](), Inapplicable: inapplicable,
		Faults: []int{http.StatusInternalServerError},
		Odd:    map[string]int{"season_unresolved": http.StatusInternalServerError}, // as for an order
	}
	rest.Handle(a, quote, func(ctx context.Context, c *rest.Call, _ struct{}) (Quote, error) {
		req, err := decodeOrder(c)
		if err != nil {
			return Quote{}, err
		}
		return quoted(orders.Quote(ctx, c.Principal(), req))
	})
}

func quoted(q satellite.Quote, err error) (Quote, error) {
	duplicate := form.Pointed(q.Duplicate, func(o vegetation.OrderState) int64 { return o.ID })
	return Quote{q.Charge.Float(), q.Available.Float(), q.AlreadyCharged, duplicate, q.Scenes}, err
}
