package satellite

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
)

func registerRecompute(a *rest.API, orders *satellite.Profiles) {
	recompute := rest.Route{
		Method: http.MethodPost, Path: ordersPath + "{id}/recompute/", OperationID: "vi_profile_order_recompute",
		Summary: "Make the series again on the field's present outline", Tag: profileTag, Noun: "order",
		Description: "For an active order whose field was given another outline (`boundary_outdated`). It costs nothing, as a field is charged " +
			"once, and is done in the background: until then the order shows the earlier series, with `refreshing`. That one stays readable " +
			"with `?boundary_id=`. An outline of more than 1.1 times the area that was charged is 409 (`boundary_too_different`): make it a new " +
			"field. Where no date of the new outline is accepted, the earlier series stays in use.",
		Permission: access.ProfileOrders.Create.For("recompute"), Message: "The series is being made again.", Faults: []int{http.StatusConflict},
	}
	rest.Handle(a, recompute, func(ctx context.Context, c *rest.Call, in form.ByID) (Placed, error) {
		order, err := orders.Recompute(ctx, c.Principal(), in.ID)
		return Placed{order.ID, string(order.Status)}, err
	})
}
