package exchange

import (
	"context"
	"crypto/subtle"
	"fmt"
	"strings"
	"time"

	"tilth/app"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/webhook"
	"tilth/ports"
)

// TokenTTL is the time for which an access token of a client is valid.
const TokenTTL = time.Hour

// audience is the audience of clients' tokens: they open nothing else, and no other token opens footprints.
const audience = "tilth-pact"

// Limits on what a client is given and may leave.
const (
	MaxPage    = 100 // footprints of a page of a list
	maxAnswer  = 100 // footprints in the answer to a request
	maxWaiting = 100 // messages waiting to be sent to a client, before further requests are refused
)

// Caller is a client that was authenticated.
type Caller struct{ ClientID, CompanyID int64 }

func (c Caller) scope() access.Scope { return access.Own(c.CompanyID) }

// Recipients holds the use cases of clients: what they may request of the footprints of one company.
type Recipients struct {
	Store  ports.Store
	Tokens ports.ClientTokens
	Clock  ports.Clock
	IDs    ports.IDs
}

// EventsPath is the path of events below the service root.
const EventsPath = "pact/3/events"

// CodeBadClient is the code for a credential that matches no client.
const CodeBadClient = "invalid_client"

var badClient = fault.New(fault.Unauthenticated, CodeBadClient, "There is no client with this id and this secret.")

// Token returns an access token for a credential. Faults: Unauthenticated (invalid_client), the same for an unknown id and
// a wrong secret.
func (r *Recipients) Token(ctx context.Context, clientID, secret string) (string, error) {
	client, err := app.In(ctx, r.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (footprint.Client, error) {
		return tx.FootprintClients.ByClientID(ctx, clientID)
	})
	if fault.Is(err, fault.NotFound) {
		return "", badClient
	}
	if err != nil {
		return "", err
	}
	if subtle.ConstantTimeCompare([]byte(account.HashSecret(secret)), []byte(client.SecretHash)) != 1 {
		return "", badClient
	}
	return r.Tokens.IssueFor(ctx, audience, fmt.Sprintf("%d:%d", client.ID, client.Generation), r.Clock.Now(), TokenTTL)
}

// Authenticate returns the client of an access token. Faults: Unauthenticated (token_expired, token_invalid), also where
// the client was revoked or has a new secret.
func (r *Recipients) Authenticate(ctx context.Context, bearer string) (Caller, error) {
	invalid := fault.New(fault.Unauthenticated, "token_invalid", "The access token is not valid.")
	subject, err := r.Tokens.VerifyFor(ctx, audience, bearer, r.Clock.Now())
	if err != nil {
		return Caller{}, err
	}
	var id int64
	var generation int
	if n, err := fmt.Sscanf(subject, "%d:%d", &id, &generation); err != nil || n != 2 {
		return Caller{}, invalid
	}
	client, err := app.In(ctx, r.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (footprint.Client, error) {
		return tx.FootprintClients.ByID(ctx, id)
	})
	if fault.Is(err, fault.NotFound) || err == nil && client.Generation != generation {
		return Caller{}, invalid
	}
	return Caller{client.ID, client.CompanyID}, err
}

// Page is a page of a list of footprints.
type Page struct {
	Footprints []footprint.Document
	// Next is the id of the footprint that the next page comes after; empty: this is the last page.
	Next string
}

// List returns footprints of the client's company: up to limit, after a given one unless after is empty. Faults: Invalid
// (after names no footprint).
func (r *Recipients) List(ctx context.Context, who Caller, filter footprint.Filter, after string, limit int) (Page, error) {
	return app.In(ctx, r.Store.Read, func(ctx context.Context, tx ports.Repos) (out Page, err error) {
		out.Footprints = []footprint.Document{}
		if limit == 0 {
			return out, nil
		}
		limit = min(limit, MaxPage)
		q := ports.PublicationQuery{Filter: filter, Limit: int64(limit) + 1}
		if after != "" {
			place, err := tx.Footprints.ByUUID(ctx, who.scope(), after)
			if fault.Is(err, fault.NotFound) {
				return out, fault.New(fault.Invalid, "bad_request", "after: there is no such footprint; follow the link of the previous page.")
			}
			if err != nil {
				return out, err
			}
			q.After = place.ID
		}
		for p, err := range tx.Footprints.Each(ctx, who.scope(), q) {
			if err != nil {
				return out, err
			}
			if len(out.Footprints) == limit {
				out.Next = out.Footprints[limit-1].ID
				break
			}
			out.Footprints = append(out.Footprints, p.Shown())
		}
		return out, nil
	})
}

// Get returns one footprint of the client's company. Faults: NotFound.
func (r *Recipients) Get(ctx context.Context, who Caller, id string) (footprint.Document, error) {
	found, err := app.In(ctx, r.Store.Read, func(ctx context.Context, tx ports.Repos) (footprint.Publication, error) {
		return tx.Footprints.ByUUID(ctx, who.scope(), strings.ToLower(id))
	})
	return found.Shown(), err
}

// Receive accepts an event from a client. A request is answered by an event to the address in the client's record, never
// to one that the event names; without that address it is refused. An event that was received before is accepted, and
// does nothing. Faults: Invalid, Limit (too_many_requests).
func (r *Recipients) Receive(ctx context.Context, who Caller, source string, body []byte) error {
	received, err := footprint.ReadEvent(body)
	if err != nil {
		return err
	}
	now := r.Clock.Now()
	return r.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		client, err := tx.FootprintClients.GetForUpdate(ctx, who.scope(), who.ClientID)
		if err != nil {
			return err
		}
		if known, err := tx.FootprintMessages.Known(ctx, who.scope(), client.ID, received.Source, received.ID); err != nil || known {
			return err
		}
		answers := received.Type == footprint.RequestCreated
		if answers && client.EventsURL == "" {
			return fault.New(fault.Invalid, "bad_request", "The record of your client names no address for answers. Fix: ask the company to enter its events_url, or read the list of footprints.")
		}
		if answers {
			waiting, err := tx.FootprintMessages.Pending(ctx, who.scope(), client.ID, maxWaiting)
			if err != nil {
				return err
			}
			if waiting >= maxWaiting {
				return fault.Newf(fault.Limit, "too_many_requests", "%d events wait to be sent to your system already; wait until they are delivered.", waiting).
					With("retry_after", int((10 * time.Minute).Seconds()))
			}
		}
		message := footprint.Message{
			ClientID: client.ID, Incoming: true, Source: received.Source, EventID: received.ID, EventType: received.Type, Body: string(body),
			CreatedAt: now, Delivery: webhook.Delivery{State: footprint.Taken},
		}
		if err := tx.FootprintMessages.Insert(ctx, who.scope(), &message); err != nil {
			return err
		}
		if !answers {
			return nil
		}
		answer, err := r.answer(ctx, tx, who, received, now)
		if err != nil {
			return err
		}
		answer.source = source
		return send(ctx, tx, &client, answer)
	})
}

// answer returns the event that answers a request: with the footprints that it asks for, or the reason why there are none.
func (r *Recipients) answer(ctx context.Context, tx ports.Repos, who Caller, request footprint.Received, now time.Time) (announcement, error) {
	var found []footprint.Document
	for p, err := range tx.Footprints.Each(ctx, who.scope(), ports.PublicationQuery{Filter: request.Wanted, Limit: maxAnswer + 1}) {
		if err != nil {
			return announcement{}, err
		}
		found = append(found, p.Shown())
	}
	rejected := func(code, message string) announcement {
		return announcement{kind: footprint.RequestRejected, at: now, ids: r.IDs, data: footprint.Rejected{
			RequestEventID: request.ID, Error: footprint.Problem{Code: code, Message: message},
		}}
	}
	switch {
	case len(found) == 0:
		return rejected(footprint.NotFound, "No published footprint meets the criteria."), nil
	case len(found) > maxAnswer:
		return rejected(footprint.BadRequest, fmt.Sprintf("More than %d footprints meet the criteria. Narrow them, or read the list.", maxAnswer)), nil
	}
	return announcement{kind: footprint.RequestFulfilled, at: now, ids: r.IDs, data: footprint.Fulfilled{RequestEventID: request.ID, Footprints: found}}, nil
}
