package events

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/events"
	"tilth/core/access"
	"tilth/core/webhook"
	"tilth/ports"
)

// WebhookDelivery is one event on its way to a webhook, with its latest try.
type WebhookDelivery struct {
	ID         int64      `json:"id"`
	CreatedAt  time.Time  `json:"created_at"`
	EventID    string     `json:"event_id" format:"uuid" doc:"The webhook-id of every try."`
	EventType  string     `json:"event_type"`
	State      string     `json:"state" enum:"pending,delivered,failed"`
	Attempt    int        `json:"attempt" doc:"Tries so far."`
	At         *time.Time `json:"at" doc:"The latest try; null before the first."`
	StatusCode *int       `json:"status_code" doc:"Of the latest try; null where there was no answer."`
	Error      *string    `json:"error" doc:"Why the latest try was no success."`
	Answer     *string    `json:"answer" doc:"The first 1024 bytes of the answer to the latest try."`
	DurationMS float64    `json:"duration_ms" doc:"Length of the latest try, in milliseconds."`
	NextTryAt  *time.Time `json:"next_try_at" doc:"While it is pending."`
}

func showDelivery(d webhook.Delivery) WebhookDelivery {
	return WebhookDelivery{
		ID: d.ID, CreatedAt: d.CreatedAt, EventID: d.EventID, EventType: d.EventType, State: string(d.State), Attempt: d.Attempt, At: d.At,
		StatusCode: form.OrNull(d.StatusCode), Error: form.OrNull(d.Error), Answer: form.OrNull(d.Answer),
		DurationMS: float64(d.Duration.Microseconds()) / 1000, NextTryAt: d.NextTry,
	}
}

func registerDeliveries(a *rest.API, w *events.Webhooks) {
	list := webhookRoute(http.MethodGet, "{id}/deliveries/", access.Webhooks.View.For("deliveries"), "List what was sent to a webhook, newest first")
	list.Description = "A delivery stays in the list for seven days."
	list.Query = append(rest.PageParams(),
		rest.Param{Name: "state", Type: rest.String, Enum: form.Strings(webhook.States), Description: "State of the delivery."})
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.List[WebhookDelivery], error) {
		// That there is such a webhook comes before what is wrong with the query.
		if _, err := w.Retrieve(ctx, c.Principal(), in.ID); err != nil {
			return rest.List[WebhookDelivery]{}, err
		}
		query, err := rest.Read[struct {
			rest.Values
			State string `query:"state"`
		}](c)
		if err != nil {
			return rest.List[WebhookDelivery]{}, err
		}
		page := query.PageOrAll()
		return form.List(page, showDelivery)(w.Deliveries(ctx, c.Principal(), ports.DeliveryQuery{
			WebhookID: in.ID, State: webhook.State(query.State), Limit: page.Limit(), Offset: page.Offset(),
		}))
	})

	test := webhookRoute(http.MethodPost, "{id}/test/", access.Webhooks.Edit.For("test"), "Send a test event to a webhook")
	test.Description = "Sends an event of the type `webhook_test` now, once, and answers with what came of it, after at most 10 seconds. The webhook may be switched off."
	test.Message = "The test event was sent; data say what came of it."
	rest.Handle(a, test, form.OnRecord(w.Test, showDelivery))

	retry := webhookRoute(http.MethodPost, "{id}/deliveries/{delivery_id}/retry/", access.Webhooks.Edit.For("retry"), "Send a delivery again")
	retry.Description = "Begins another 24 hours of tries at once, whatever came of those before."
	retry.Message, retry.Faults = "The delivery is sent again.", []int{http.StatusConflict}
	rest.Handle(a, retry, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		DeliveryID int64 `path:"delivery_id"`
	}) (WebhookDelivery, error) {
		d, err := w.Retry(ctx, c.Principal(), in.ID, in.DeliveryID)
		return showDelivery(d), err
	})
}
