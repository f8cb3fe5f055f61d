package events

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/transfer"
	"tilth/adapters/http/v12/form"
	"tilth/app/events"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
)

const streamRetry = 3 * time.Second

// eventKinds lists the types of events for the document.
func eventKinds() string {
	var b strings.Builder
	for _, k := range event.Kinds() {
		payload, _ := json.Marshal(k.Payload) // a struct of the core always encodes
		fmt.Fprintf(&b, "\n- `%s`: %s Its data, for example %s", k.Type, k.Meaning, "`"+string(payload)+"`")
	}
	return b.String()
}

func registerStream(a *rest.API, f *events.Feed) {
	a.DescribeTag("Events", "What happens in your company, reported as it happens: as a stream, or posted to your webhooks. "+
		"Every event is a CloudEvent (CloudEvents 1.0, JSON) with the extensions `companyid` and `sequence`, its place in your company's feed; "+
		"places are numbered without gaps. Types:\n"+eventKinds()+
		"\n\nDelivery is at least once: an `id` that you have seen already is the same event again.")
	a.DescribeCodes(map[string]string{
		"too_many_streams": "too many event streams of your company are open (429)",
	})
	route := rest.Route{
		Method: http.MethodGet, Path: "events/", OperationID: "event_list", Summary: "Follow the events of your company",
		Tag: "Events", Permission: access.Events.View.For("list"), Media: []string{rest.EventStreamMedia},
		Description: "Server-sent events (`text/event-stream`): `id` is the place in the feed, `event` the type, `data` the CloudEvent on one line. " +
			"The stream begins with events from now on. A reader that comes back with the last `id` it saw, in the header `Last-Event-ID` or as " +
			"`last_event_id`, receives what it missed of the last 24 hours, each event once and in order. Where some of that is no longer kept, the first event " +
			"is `reset`, and the oldest that is kept follows: read the records themselves to catch up. An id that was never issued is 400.\n\n" +
			"A block with an `id` alone, without data, moves the place past events of other types. A comment is sent every 15 seconds when nothing else is. " +
			"The stream ends when the access token expires, when the user may no longer listen, and when the server stops: come back with the last `id`.",
		Query: []rest.Param{
			{Name: "last_event_id", Type: rest.String, Description: "The last `id` that was seen, where the header `Last-Event-ID` cannot be sent; the header takes precedence."},
			{Name: "type", Type: rest.String, Description: "Types of events, separated by commas: " + form.CodeList(event.Types()) + "; left out: all."},
		},
	}
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in streamInput) (rest.EventStream, error) {
		after, types, err := in.start(c.LastEventID())
		if err != nil {
			return rest.EventStream{}, err
		}
		stream, err := f.Follow(ctx, c.Principal(), after, types)
		if err != nil {
			return rest.EventStream{}, err
		}
		return rest.EventStream{
			Run: func(ctx context.Context, out *transfer.Events, beat time.Duration) error {
				return follow(ctx, stream, out, beat)
			},
			Close: stream.Close,
		}, nil
	})
}

type streamInput struct {
	LastEventID string `query:"last_event_id"`
	Types       string `query:"type"`
}

// start returns the position at which a stream begins, and its types. The id in the header takes precedence.
func (in streamInput) start(header string) (after *int64, types []string, err error) {
	errs := fault.Fields{}
	if given := cmp.Or(header, in.LastEventID); given != "" {
		position, ok := event.ParsePosition(given)
		if !ok {
			errs.Add("last_event_id", "This is not the id of an event of this stream.")
		}
		after = &position
	}
	for _, typ := range strings.FieldsFunc(in.Types, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !event.Known(typ) {
			errs.Addf("type", "There are no events of this type; the types are: %s.", strings.Join(event.Types(), ", "))
			break
		}
		types = append(types, typ)
	}
	return after, types, errs.Err()
}

// follow writes a stream until its context ends. It first sends the reader its position, so that a
// reader that is cut off before the first event misses nothing either.
func follow(ctx context.Context, stream *events.Stream, out *transfer.Events, beat time.Duration) error {
	if err := out.Retry(streamRetry); err != nil {
		return err
	}
	sent := int64(-1)
	for {
		if at := stream.Position(); at != sent {
			sent = at
			if err := out.Send(transfer.Event{ID: event.FormatPosition(at)}); err != nil {
				return err
			}
		}
		batch, err := stream.Next(ctx, beat)
		if err != nil {
			return err
		}
		if sent, err = write(out, batch, sent); err != nil {
			return err
		}
	}
}

// write writes a batch, and returns the position that the reader then knows.
func write(out *transfer.Events, batch events.Batch, sent int64) (int64, error) {
	if batch.Reset {
		data, err := json.Marshal(map[string]string{"message": "Some events are no longer kept; what follows begins with the oldest that is kept."})
		if err != nil {
			return sent, err
		}
		sent = batch.Floor
		if err := out.Send(transfer.Event{ID: event.FormatPosition(sent), Type: "reset", Data: data}); err != nil {
			return sent, err
		}
	}
	for position, e := range batch.Each() {
		data, err := json.Marshal(e)
		if err != nil {
			return sent, err
		}
		if err := out.Send(transfer.Event{ID: event.FormatPosition(position), Type: e.Type, Data: data}); err != nil {
			return sent, err
		}
		sent = position
	}
	if !batch.Reset && len(batch.Events) == 0 {
		return sent, out.Comment("nothing new")
	}
	return sent, nil
}
