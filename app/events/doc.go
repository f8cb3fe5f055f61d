// Package events holds the use cases of committed events: their order in the feed of their company, following
// a feed, and webhooks (the addresses to which a company has its events posted) with their deliveries.
//
// Which events exist is a rule of core/event, and the use cases of other packages publish them in the
// transaction of their change. The HTTP request of a delivery is behind a port.
package events
