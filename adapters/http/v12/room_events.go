// Package events is the routes of the event stream, of webhooks and of their deliveries.
package v12

import (
	"tilth/adapters/http/rest"
	"tilth/app/events"
)

// EventsDeps is the use cases that these routes offer.
type EventsDeps struct {
	Feed     *events.Feed
	Webhooks *events.Webhooks
}

// RegisterEvents adds the routes of events and webhooks.
func RegisterEvents(a *rest.API, d EventsDeps) {
	registerStream(a, d.Feed)
	registerWebhooks(a, d.Webhooks)
}
