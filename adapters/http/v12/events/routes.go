// Package events has the routes of the event stream, of webhooks and of their deliveries.
package events

import (
	"tilth/adapters/http/rest"
	"tilth/app/events"
)

// Deps are the use cases that these routes offer.
type Deps struct {
	Feed     *events.Feed
	Webhooks *events.Webhooks
}

// Register adds the routes of events and webhooks.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	registerStream(a, d.Feed)
	registerWebhooks(a, d.Webhooks)
}
