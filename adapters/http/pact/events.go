package pact

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/core/footprint"
)

// Event is an event of a client (CloudEvents 1.0, structured).
type Event struct {
	Type        string         `json:"type" doc:"One of the four of version 3."`
	SpecVersion string         `json:"specversion" enum:"1.0" doc:"Version of CloudEvents."`
	ID          string         `json:"id" doc:"Together with source it identifies the event; one that was received before has no effect."`
	Source      string         `json:"source" doc:"Who sends it, as an address or a path of the sender."`
	Time        time.Time      `json:"time" doc:"When it happened, as the sender says."`
	Data        map[string]any `json:"data" doc:"The content of the type, as the PACT specification defines it."`
}

// maxEvent bounds the body of an event, in bytes.
const maxEvent = 1 << 20

func (r routes) registerEvents() {
	rest.Handle(r.api, rest.Route{
		Method: http.MethodPost, Path: eventsPath, OperationID: "pact_event", Summary: "Receive an event", Tag: tag,
		Description: "`" + footprint.RequestCreated + "` asks for footprints: it is answered by an event with them, or with the reason why there are none, sent to the address that the company " +
			"has recorded for the client, never to one that the event names. The other types are kept for the company to see.",
		Body: rest.Body[Event]().As("application/cloudevents+json"), MaxBody: maxEvent, Message: "The event was received.",
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Nothing, error) {
		text, err := c.Text()
		if err != nil {
			return rest.Nothing{}, err
		}
		return rest.Nothing{}, r.use.Receive(ctx, callerOf(c), c.Link(eventsPath), text)
	})
}
