package exchange

import (
	"context"
	"iter"
	"strings"

	"tilth/app"
	"tilth/app/account"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/footprint"
	"tilth/core/record"
	"tilth/ports"
)

// rotateSecret is the action of the audit trail for a new secret.
const rotateSecret audit.Action = "rotate_secret"

// Clients is the use cases of the clients that receive footprints.
type Clients struct {
	app.Deps
	Sender ports.WebhookSender
}

// List returns the clients of the caller's company that were not revoked.
func (c *Clients) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[footprint.Client], error) {
	return app.ListIn(ctx, c.Deps, app.Ask{Who: who, Need: access.PACTClients.View}, q,
		func(tx ports.Repos) ports.Records[footprint.Client] { return tx.FootprintClients })
}

// Retrieve returns one client. Faults: NotFound.
func (c *Clients) Retrieve(ctx context.Context, who access.Principal, id int64) (footprint.Client, error) {
	return app.Read(ctx, c.Deps, who, access.PACTClients.View, func(ctx context.Context, tx ports.Repos) (footprint.Client, error) {
		return tx.FootprintClients.Get(ctx, who.Scope(false), id)
	})
}

// check returns what is wrong with a client, its addresses included.
func (c *Clients) check(client *footprint.Client) error {
	f := client.Check()
	for name, address := range map[string]string{"events_url": client.EventsURL, "token_url": client.TokenURL} {
		if _, wrong := f[name]; wrong || address == "" {
			continue
		}
		if problem := c.Sender.Check(address); problem != "" {
			f.Add(name, problem)
		}
	}
	return f.Err()
}

// Create stores a client, and returns the secret of its credential, which is not kept. Faults: Invalid, Conflict
// (limit_reached).
func (c *Clients) Create(ctx context.Context, who access.Principal, client footprint.Client) (footprint.Client, string, error) {
	if err := c.Gate.Require(ctx, who, access.PACTClients.Create); err != nil {
		return client, "", err
	}
	if err := c.check(&client); err != nil {
		return client, "", err
	}
	scope, now, secret := who.Scope(false), c.Clock.Now(), c.IDs.Secret()
	client.Meta = record.Meta{CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: who.UserID, Name: who.Name}}
	client.ClientID, client.SecretHash, client.Generation = "pact_"+strings.ReplaceAll(c.IDs.UUID(), "-", ""), account.HashSecret(secret), 1
	made, err := app.In(ctx, c.Store.Write, func(ctx context.Context, tx ports.Repos) (made footprint.Client, err error) {
		made = client
		if err := external.Take(ctx, tx.FootprintClients, scope, external.Wish{Noun: "PACT client", Is: made.External}); err != nil {
			return made, err
		}
		if err := tx.FootprintClients.Insert(ctx, scope, []*footprint.Client{&made}); err != nil {
			return made, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Create, access.PACTClients.Name, made.ID, audit.Diff(nil, &made))); err != nil {
			return made, err
		}
		return tx.FootprintClients.Get(ctx, scope, made.ID)
	})
	return made, secret, err
}

// Update changes a client as edit does; its credential stays. Faults: NotFound, Invalid, and those of edit.
func (c *Clients) Update(ctx context.Context, who access.Principal, id int64, edit func(footprint.Client) (footprint.Client, error)) (footprint.Client, error) {
	return c.change(ctx, who, id, audit.Update, func(ctx context.Context, tx ports.Repos, client *footprint.Client) error {
		before := *client
		after, err := edit(before)
		if err != nil {
			return err
		}
		if err := c.check(&after); err != nil {
			return err
		}
		if err := external.Take(ctx, tx.FootprintClients, who.Scope(false), external.Wish{Noun: "PACT client", ID: id, Was: before.External, Is: after.External}); err != nil {
			return err
		}
		*client = after
		client.Meta = before.Meta
		if before.EventsURL != "" && client.EventsURL == "" {
			return tx.FootprintMessages.End(ctx, who.Scope(false), id, "The client takes no events any more.")
		}
		return nil
	})
}

// RotateSecret replaces the secret of a client, and returns the new one. The old one and the tokens got with it are worth
// nothing from then on. Faults: NotFound.
func (c *Clients) RotateSecret(ctx context.Context, who access.Principal, id int64) (footprint.Client, string, error) {
	secret := c.IDs.Secret()
	out, err := c.change(ctx, who, id, rotateSecret, func(_ context.Context, _ ports.Repos, client *footprint.Client) error {
		client.SecretHash = account.HashSecret(secret)
		client.Generation++
		return nil
	})
	return out, secret, err
}

// change writes a client under its lock.
func (c *Clients) change(ctx context.Context, who access.Principal, id int64, word audit.Action,
	do func(ctx context.Context, tx ports.Repos, client *footprint.Client) error,
) (footprint.Client, error) {
	scope, now := who.Scope(false), c.Clock.Now()
	return app.Write(ctx, c.Deps, who, access.PACTClients.Edit, func(ctx context.Context, tx ports.Repos) (out footprint.Client, err error) {
		before, err := tx.FootprintClients.GetForUpdate(ctx, scope, id)
		if err != nil {
			return out, err
		}
		after := before
		if err := do(ctx, tx, &after); err != nil {
			return out, err
		}
		after.UpdatedAt = record.NextVersion(before.UpdatedAt, now)
		if err := tx.FootprintClients.Update(ctx, scope, &after); err != nil {
			return out, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(word, access.PACTClients.Name, id, audit.Diff(&before, &after))); err != nil {
			return out, err
		}
		return tx.FootprintClients.Get(ctx, scope, id)
	})
}

// Revoke ends a client for good, from its next request on; what waits to be sent to it fails. guard may refuse under the
// lock. Faults: NotFound, and those of guard.
func (c *Clients) Revoke(ctx context.Context, who access.Principal, id int64, guard func(footprint.Client) error) error {
	scope, now := who.Scope(false), c.Clock.Now()
	return app.Do(ctx, c.Deps, who, access.PACTClients.Delete, func(ctx context.Context, tx ports.Repos) error {
		client, err := tx.FootprintClients.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		if err := guard(client); err != nil {
			return err
		}
		if err := tx.FootprintMessages.End(ctx, scope, id, "The client was revoked."); err != nil {
			return err
		}
		bare := client
		bare.SecretHash, bare.RecipientSecret, bare.Generation = "", "", bare.Generation+1
		if err := tx.FootprintClients.Update(ctx, scope, &bare); err != nil {
			return err
		}
		if _, err := tx.FootprintClients.SoftDelete(ctx, scope, []int64{id}, now); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Revoke, access.PACTClients.Name, id, audit.Diff(&client, nil)))
	})
}

// Messages returns the events from and to a client, newest first. Faults: NotFound.
func (c *Clients) Messages(ctx context.Context, who access.Principal, q ports.MessageQuery) (app.List[footprint.Message], error) {
	return app.ReadList(ctx, c.Deps, app.Ask{Who: who, Need: access.PACTClients.View}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			if _, err := tx.FootprintClients.Get(ctx, scope, q.ClientID); err != nil {
				return 0, err
			}
			return tx.FootprintMessages.Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.MessageQuery) iter.Seq2[footprint.Message, error] {
			return tx.FootprintMessages.Each(ctx, scope, q)
		})
}
