package ghg

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/ghg/exchange"
	"tilth/core/access"
	"tilth/core/footprint"
	"tilth/ports"
)

// PACTClientWrite is the writable form of a client.
type PACTClientWrite struct {
	form.OfCompany
	Name            string  `json:"name" minLength:"1" maxLength:"255" doc:"Who receives the footprints."`
	EventsURL       string  `json:"events_url" required:"false" maxLength:"2048" doc:"Where the recipient's own system accepts events: a public https address, such as https://api.example.com/3/events. Left out: none are sent, and the client's requests by event are refused."`
	TokenURL        string  `json:"token_url" required:"false" maxLength:"2048" doc:"Where the recipient's own system issues access tokens (client credentials). Left out: events are sent without a token."`
	RecipientID     string  `json:"recipient_client_id" required:"false" maxLength:"255" doc:"The client id by which that system knows us; together with token_url."`
	RecipientSecret *string `json:"recipient_client_secret" required:"false" maxLength:"5000" doc:"The secret that goes with it. It is never shown; left out, it stays."`
	form.External
}

// PACTClient is a client in answers: without secrets.
type PACTClient struct {
	form.Meta
	Name               string `json:"name" doc:"Who receives the footprints."`
	ClientID           string `json:"client_id" doc:"The public part of its credential."`
	EventsURL          string `json:"events_url" doc:"Where the recipient's own system accepts events; empty: none are sent."`
	TokenURL           string `json:"token_url" doc:"Where the recipient's own system issues access tokens; empty: events are sent without a token."`
	RecipientID        string `json:"recipient_client_id" doc:"The client id by which that system knows us."`
	HasRecipientSecret bool   `json:"has_recipient_client_secret" doc:"Whether a secret is stored that goes with it."`
	form.External
}

// NewPACTClient is a client with its secret, which is shown only once.
type NewPACTClient struct {
	PACTClient
	Secret string `json:"client_secret" doc:"The secret of its credential. It is shown this once; only a hash of it is kept; empty for a client that already existed."`
}

// PACTMessage is an event from or to a client.
type PACTMessage struct {
	ID         int64      `json:"id" doc:"Id of the message."`
	CreatedAt  time.Time  `json:"created_at" doc:"When the record was made."`
	Direction  string     `json:"direction" enum:"in,out" doc:"in: from the client. out: to it."`
	EventType  string     `json:"event_type" doc:"Type of the event."`
	EventID    string     `json:"event_id" doc:"The event's id; together with source it identifies the event."`
	Source     string     `json:"source" doc:"Who sends it, as an address or a path of the sender."`
	State      string     `json:"state" enum:"received,pending,delivered,failed" doc:"received: it came from the client. pending: it is, or will be, tried. delivered: the recipient's system accepted it. failed: it is no longer tried."`
	Attempt    int        `json:"attempt" doc:"Tries so far."`
	At         *time.Time `json:"at" doc:"The latest try; null before the first."`
	StatusCode *int       `json:"status_code" doc:"Status of the latest try; null where there was no answer."`
	Error      *string    `json:"error" doc:"Why the latest try did not succeed."`
	NextTryAt  *time.Time `json:"next_try_at" doc:"When it is tried next, while it is pending."`
	Body       string     `json:"body" doc:"The event, as JSON."`
}

func showPACTClient(c footprint.Client) PACTClient {
	return PACTClient{form.MetaOf(c.Meta), c.Name, c.ClientID, c.EventsURL, c.TokenURL, c.RecipientID, c.RecipientSecret != "", form.ExternalOf(c.External)}
}

func showPACTMessage(m footprint.Message) PACTMessage {
	d := m.Delivery
	return PACTMessage{
		m.ID, m.CreatedAt, map[bool]string{true: "in", false: "out"}[m.Incoming], m.EventType, m.EventID, m.Source, string(d.State), d.Attempt, d.At,
		form.OrNull(d.StatusCode), form.OrNull(d.Error), d.NextTry, m.Body,
	}
}

func applyPACTClient(in PACTClientWrite, onto *footprint.Client) {
	in.Apply(&onto.Meta)
	onto.External = in.External.Record()
	onto.Name, onto.EventsURL, onto.TokenURL, onto.RecipientID = in.Name, strings.TrimSpace(in.EventsURL), strings.TrimSpace(in.TokenURL), in.RecipientID
	switch {
	case in.TokenURL == "":
		onto.RecipientSecret = ""
	case in.RecipientSecret != nil:
		onto.RecipientSecret = *in.RecipientSecret
	}
}

func writeOfPACTClient(c footprint.Client) PACTClientWrite {
	return PACTClientWrite{form.CompanyOf(c.Meta), c.Name, c.EventsURL, c.TokenURL, c.RecipientID, form.OrNull(c.RecipientSecret), form.ExternalOf(c.External)}
}

// pactClientEdits returns how clients are changed, many in the same way as one, and shown.
func pactClientEdits[R any](use *exchange.Clients, show func(footprint.Client) R) form.Edits[footprint.Client, PACTClientWrite, R] {
	return form.Edits[footprint.Client, PACTClientWrite, R]{
		Together: use.Together, Update: use.Update, Check: use.Check, Write: writeOfPACTClient, Apply: applyPACTClient, Show: show,
	}
}

var pactClientRoute = rest.Routes{Base: "pact-client/", Operation: "pact_client", Tag: footprintTag, Noun: "PACT client"}.Route

func registerPACTClients(a *rest.API, use *exchange.Clients) {
	filters := form.WithExternalID([]rest.Param{
		{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."},
		query.OrderingParam("id", "created_at", "updated_at"),
	})
	list := pactClientRoute(http.MethodGet, "", access.PACTClients.View.For("list"), "List PACT clients")
	form.HandleList(a, list, filters, use.List, showPACTClient)
	rest.Handle(a, pactClientRoute(http.MethodGet, "{id}/", access.PACTClients.View.For("retrieve"), "Retrieve a PACT client"), form.OnRecord(use.Retrieve, showPACTClient))
	create := pactClientRoute(http.MethodPost, "", access.PACTClients.Create.For("create"), "Create one PACT client or many")
	create.Description = "A credential for the system of a data recipient. Every client sees everything that the company has published."
	create.Message, create.Secret = "PACT client created. Its secret is shown this once.", true
	form.CreateEach(a, create, form.Makes[footprint.Client, PACTClientWrite, NewPACTClient]{
		Edits: pactClientEdits(use, func(c footprint.Client) NewPACTClient { return NewPACTClient{PACTClient: showPACTClient(c)} }), Match: use.Match,
		Create: func(ctx context.Context, who access.Principal, wanted footprint.Client) (NewPACTClient, error) {
			made, secret, err := use.Create(ctx, who, wanted)
			return NewPACTClient{showPACTClient(made), secret}, err
		},
	})
	rotate := pactClientRoute(http.MethodPost, "{id}/rotate-secret/", access.PACTClients.Edit.For("rotate_secret"), "Give a PACT client a new secret")
	rotate.Description = "The old one ends at once, together with the access tokens that were obtained with it."
	rotate.Message, rotate.Secret = "The secret is new. It is shown this once.", true
	rest.Handle(a, rotate, func(ctx context.Context, c *rest.Call, in form.ByID) (NewPACTClient, error) {
		c.SetHeader("Cache-Control", "no-store")
		changed, secret, err := use.RotateSecret(ctx, c.Principal(), in.ID)
		return NewPACTClient{showPACTClient(changed), secret}, err
	})
	rest.Register(a, rest.Resource[PACTClientWrite, PACTClient]{
		Path: "pact-client/", Noun: "pact_client", Plural: "PACT clients", Access: access.PACTClients, Tag: footprintTag, Faults: []int{http.StatusConflict},
		Update: func(ctx context.Context, c *rest.Call, id int64) (PACTClient, error) {
			changed, err := use.Update(ctx, c.Principal(), id, form.Change(c, showPACTClient, writeOfPACTClient, applyPACTClient))
			return showPACTClient(changed), err
		},
		Delete: func(ctx context.Context, c *rest.Call, id int64) error {
			return use.Revoke(ctx, c.Principal(), id, func(current footprint.Client) error { return form.CheckIfMatch(c, current, showPACTClient) })
		},
	})
	form.UpdateEach(a, pactClientRoute(http.MethodPatch, "", access.PACTClients.Edit.For("partial_update_many"), "Change PACT clients"), "PACT clients", pactClientEdits(use, showPACTClient))
	form.DeleteEach(a, pactClientRoute(http.MethodDelete, "", access.PACTClients.Delete.For("destroy_many"), "Revoke PACT clients"), "PACT clients", use.Together, form.Unasked(use.Revoke))
	messages := pactClientRoute(http.MethodGet, "{id}/messages/", access.PACTClients.View.For("messages"), "List the events from and to a PACT client, newest first")
	messages.Query = query.CursorParams()
	rest.Handle(a, messages, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.List[PACTMessage], error) {
		// A client that does not exist is reported before errors in the query.
		if _, err := use.Retrieve(ctx, c.Principal(), in.ID); err != nil {
			return rest.List[PACTMessage]{}, err
		}
		query, err := rest.Read[rest.Values](c)
		if err != nil {
			return rest.List[PACTMessage]{}, err
		}
		page := query.PageOrAll()
		return form.List(page, showPACTMessage)(use.Messages(ctx, c.Principal(), ports.MessageQuery{ClientID: in.ID, Limit: page.Limit(), Offset: page.Offset(), From: form.From(page)}))
	})
}
