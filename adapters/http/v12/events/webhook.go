package events

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/events"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/webhook"
	"tilth/ports"
)

// WebhookWrite is the writable form of a webhook.
type WebhookWrite struct {
	form.OfCompany
	URL         string    `json:"url" minLength:"1" maxLength:"2048" doc:"Where events are posted to: a public https address. It must not contain a user or password; redirects are not followed."`
	Description string    `json:"description" required:"false" maxLength:"1000" doc:"What the webhook is for."`
	EventTypes  *[]string `json:"event_types" required:"false" maxItems:"50" doc:"Types of the events that are sent; left out or empty: all, including those added later."`
	IsActive    *bool     `json:"is_active" required:"false" doc:"Whether events are sent; default true. When it is switched off, waiting deliveries fail; when it is switched on, disabled_reason is cleared."`
	form.External
}

// LastDelivery is the latest try to deliver anything to a webhook.
type LastDelivery struct {
	At         time.Time `json:"at" doc:"When it was tried."`
	State      string    `json:"state" enum:"delivered,failed" doc:"delivered: the address answered with a status from 200 to 299; otherwise failed."`
	StatusCode *int      `json:"status_code" doc:"Null where there was no answer."`
}

// Webhook is a webhook in answers: without its secret.
type Webhook struct {
	form.Meta
	URL            string        `json:"url" doc:"Where events are posted to."`
	Description    string        `json:"description" doc:"What the webhook is for."`
	EventTypes     []string      `json:"event_types" doc:"Empty: all types."`
	IsActive       bool          `json:"is_active" doc:"Whether events are sent."`
	DisabledReason *string       `json:"disabled_reason" doc:"Why it was switched off automatically: the address answered 410, or every delivery failed for five days."`
	LastDelivery   *LastDelivery `json:"last_delivery" doc:"The latest try to deliver anything; null before the first."`
	OldSecretUntil *time.Time    `json:"old_secret_until" doc:"The time until which the previous secret also signs; null where there is none."`
	form.External
}

// NewWebhook is a webhook with its secret, which is shown only once.
type NewWebhook struct {
	Webhook
	Secret string `json:"secret" doc:"The secret that deliveries are signed with, whsec_ and base64. It is shown this once; empty for a webhook that already existed."`
}

func showWebhook(w webhook.Webhook) Webhook {
	last := form.Pointed(w.Last, func(try webhook.Last) LastDelivery {
		state := map[bool]webhook.State{true: webhook.Delivered, false: webhook.Failed}[try.Delivered]
		return LastDelivery{try.At, string(state), form.OrNull(try.StatusCode)}
	})
	return Webhook{
		form.MetaOf(w.Meta), w.URL, w.Description, append([]string{}, w.EventTypes...), w.IsActive, form.OrNull(w.DisabledReason), last, w.PreviousUntil,
		form.ExternalOf(w.External),
	}
}

func showNewWebhook(w webhook.Webhook) NewWebhook { return NewWebhook{showWebhook(w), w.Secret} }

func applyWebhook(in WebhookWrite, onto *webhook.Webhook) {
	in.Apply(&onto.Meta)
	onto.External = in.External.Record()
	onto.URL, onto.Description = strings.TrimSpace(in.URL), in.Description
	onto.EventTypes, onto.IsActive = form.OrZero(in.EventTypes), in.IsActive == nil || *in.IsActive
}

func writeOfWebhook(w webhook.Webhook) WebhookWrite {
	types, active := append([]string{}, w.EventTypes...), w.IsActive
	return WebhookWrite{form.CompanyOf(w.Meta), w.URL, w.Description, &types, &active, form.ExternalOf(w.External)}
}

var webhookRoute = rest.Routes{Base: "webhook/", Operation: "webhook", Tag: "Webhooks", Noun: "webhook"}.Route

func registerWebhooks(a *rest.API, w *events.Webhooks) {
	a.DescribeTag("Webhooks", "Addresses of your own to which the events of your company are posted, as CloudEvents (`application/cloudevents+json`), signed as "+
		"[Standard Webhooks](https://www.standardwebhooks.com/) specifies: `webhook-id` is the id of the event, `webhook-timestamp` the time of the try, `webhook-signature` "+
		"`v1,` and the base64 HMAC-SHA256 of id.timestamp.body; while an old secret is still valid there are two of them.\n\n"+
		"An answer of 2xx within 10 seconds is a success. Anything else is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h and 8 h, "+
		"for 24 hours in all; `Retry-After` with 429 and 503 is respected, up to an hour. 410 switches the webhook off, and so do five days without a success. "+
		"Delivery is at least once, and in order as long as tries succeed. Types: "+form.CodeList(event.Types())+".")
	a.DescribeCodes(map[string]string{
		"webhook_inactive": "the webhook is switched off (409)",
	})
	filters := form.WithExternalID([]rest.Param{
		{Name: "is_active", Type: rest.Boolean, Description: "Whether events are sent."},
		{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."},
		query.OrderingParam("id", "created_at", "updated_at"),
	})
	list := webhookRoute(http.MethodGet, "", access.Webhooks.View.For("list"), "List webhooks")
	form.HandleList(a, list, filters, w.List, showWebhook)
	rest.Handle(a, webhookRoute(http.MethodGet, "{id}/", access.Webhooks.View.For("retrieve"), "Retrieve a webhook"),
		form.OnRecord(w.Retrieve, showWebhook))
	create := webhookRoute(http.MethodPost, "", access.Webhooks.Create.For("create"), "Create a webhook or many")
	create.Message, create.Secret = "Webhook created. Its secret is shown this once.", true
	form.CreateEach(a, create, form.Makes[webhook.Webhook, WebhookWrite, NewWebhook]{
		Edits: webhookEdits(w, func(w webhook.Webhook) NewWebhook { return NewWebhook{Webhook: showWebhook(w)} }), Match: w.Match,
		Create: func(ctx context.Context, who access.Principal, wanted webhook.Webhook) (NewWebhook, error) {
			hook, err := w.Create(ctx, who, wanted)
			return showNewWebhook(hook), err
		},
	})
	rotate := webhookRoute(http.MethodPost, "{id}/rotate-secret/", access.Webhooks.Edit.For("rotate_secret"), "Give a webhook a new secret")
	rotate.Description = "Deliveries are signed with the old secret as well for 24 hours, so that receivers can change over in their own time."
	rotate.Message, rotate.Secret = "The secret is new. It is shown this once.", true
	rest.Handle(a, rotate, func(ctx context.Context, c *rest.Call, in form.ByID) (NewWebhook, error) {
		c.SetHeader("Cache-Control", "no-store")
		hook, err := w.RotateSecret(ctx, c.Principal(), in.ID)
		return showNewWebhook(hook), err
	})
	registerWebhookWrites(a, w)
	form.UpdateEach(a, webhookRoute(http.MethodPatch, "", access.Webhooks.Edit.For("partial_update_many"), "Change webhooks"), "webhooks", webhookEdits(w, showWebhook))
	form.DeleteEach(a, webhookRoute(http.MethodDelete, "", access.Webhooks.Delete.For("destroy_many"), "Delete webhooks"), "webhooks", w.Together, form.Unasked(w.Delete))
	registerDeliveries(a, w)
}

// webhookEdits returns how webhooks are changed, many in the same way as one, and shown.
func webhookEdits[R any](w *events.Webhooks, show func(webhook.Webhook) R) form.Edits[webhook.Webhook, WebhookWrite, R] {
	return form.Edits[webhook.Webhook, WebhookWrite, R]{
		Together: w.Together, Update: w.Update, Check: w.Check, Write: writeOfWebhook, Apply: applyWebhook, Show: show,
	}
}

// registerWebhookWrites adds PUT, PATCH and DELETE, as every resource has them.
func registerWebhookWrites(a *rest.API, w *events.Webhooks) {
	rest.Register(a, rest.Resource[WebhookWrite, Webhook]{
		Path: "webhook/", Noun: "webhook", Plural: "webhooks", Access: access.Webhooks, Tag: "Webhooks", Faults: []int{http.StatusConflict},
		Update: func(ctx context.Context, c *rest.Call, id int64) (Webhook, error) {
			hook, err := w.Update(ctx, c.Principal(), id, form.Change(c, showWebhook, writeOfWebhook, applyWebhook))
			return showWebhook(hook), err
		},
		Delete: func(ctx context.Context, c *rest.Call, id int64) error {
			return w.Delete(ctx, c.Principal(), id, func(current webhook.Webhook) error { return form.CheckIfMatch(c, current, showWebhook) })
		},
	})
}

// WebhookDelivery is the delivery of one event to a webhook, with its latest try.
type WebhookDelivery struct {
	ID         int64      `json:"id" doc:"Id of the delivery."`
	CreatedAt  time.Time  `json:"created_at" doc:"When the event was queued for the webhook."`
	EventID    string     `json:"event_id" format:"uuid" doc:"The webhook-id of every try."`
	EventType  string     `json:"event_type" doc:"Type of the event."`
	State      string     `json:"state" enum:"pending,delivered,failed" doc:"pending: it is, or will be, tried. delivered: the address answered with a status from 200 to 299. failed: it is no longer tried."`
	Attempt    int        `json:"attempt" doc:"Tries so far."`
	At         *time.Time `json:"at" doc:"The latest try; null before the first."`
	StatusCode *int       `json:"status_code" doc:"Status of the latest try; null where there was no answer."`
	Error      *string    `json:"error" doc:"Why the latest try did not succeed."`
	Answer     *string    `json:"answer" doc:"The first 1024 bytes of the answer to the latest try."`
	DurationMS float64    `json:"duration_ms" doc:"Length of the latest try, in milliseconds."`
	NextTryAt  *time.Time `json:"next_try_at" doc:"When it is tried next, while it is pending."`
}

func showDelivery(d webhook.Delivery) WebhookDelivery {
	return WebhookDelivery{
		ID: d.ID, CreatedAt: d.CreatedAt, EventID: d.EventID, EventType: d.EventType, State: string(d.State), Attempt: d.Attempt, At: d.At,
		StatusCode: form.OrNull(d.StatusCode), Error: form.OrNull(d.Error), Answer: form.OrNull(d.Answer),
		DurationMS: float64(d.Duration.Microseconds()) / 1000, NextTryAt: d.NextTry,
	}
}

func registerDeliveries(a *rest.API, w *events.Webhooks) {
	list := webhookRoute(http.MethodGet, "{id}/deliveries/", access.Webhooks.View.For("deliveries"), "List the deliveries of a webhook, newest first")
	list.Description = "A delivery stays in the list for seven days."
	list.Query = append(query.CursorParams(),
		rest.Param{Name: "state", Type: rest.String, Enum: form.Strings(webhook.States), Description: "State of the delivery."})
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.List[WebhookDelivery], error) {
		// A webhook that does not exist is reported before errors in the query.
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
			WebhookID: in.ID, State: webhook.State(query.State), Limit: page.Limit(), Offset: page.Offset(), From: form.From(page),
		}))
	})

	test := webhookRoute(http.MethodPost, "{id}/test/", access.Webhooks.Edit.For("test"), "Send a test event to a webhook")
	test.Description = "Sends an event of the type `webhook_test` now, once, and answers with the outcome, after at most 10 seconds. The webhook may be switched off."
	test.Message = "The test event was sent; data states the outcome."
	rest.Handle(a, test, form.OnRecord(w.Test, showDelivery))

	retry := webhookRoute(http.MethodPost, "{id}/deliveries/{delivery_id}/retry/", access.Webhooks.Edit.For("retry"), "Send a delivery again")
	retry.Description = "Starts another 24 hours of tries at once, whatever the outcome of the earlier ones."
	retry.Message, retry.Faults = "The delivery is sent again.", []int{http.StatusConflict}
	rest.Handle(a, retry, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		DeliveryID int64 `path:"delivery_id"`
	}) (WebhookDelivery, error) {
		d, err := w.Retry(ctx, c.Principal(), in.ID, in.DeliveryID)
		return showDelivery(d), err
	})
}
