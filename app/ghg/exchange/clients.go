package exchange

import (
	"context"
	"iter"
	"strings"

	"tilth/app"
	"tilth/app/account"
	"tilth/app/few"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/ports"
)

// rotateSecret is the action of the audit trail for a new secret.
const rotateSecret audit.Action = "rotate_secret"

// Clients holds the use cases of the clients that receive footprints.
type Clients struct {
	app.Deps
	Sender ports.WebhookSender
}

func (c *Clients) records() few.Records[footprint.Client] {
	return few.Records[footprint.Client]{
		Deps: c.Deps, Access: access.PACTClients, Noun: "PACT client", Plural: "PACT clients", Check: c.Check,
		Repo: func(tx ports.Repos) ports.Records[footprint.Client] { return tx.FootprintClients },
	}
}

// List returns the clients of the caller's company that were not revoked.
func (c *Clients) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[footprint.Client], error) {
	return c.records().List(ctx, who, q)
}

// Retrieve returns one client. Faults: NotFound.
func (c *Clients) Retrieve(ctx context.Context, who access.Principal, id int64) (footprint.Client, error) {
	return c.records().Retrieve(ctx, who, id)
}

// Match finds the clients that items with some external ids stand for; see [few.Records.Match].
func (c *Clients) Match(ctx context.Context, who access.Principal, keys []string, change bool) ([]int64, []error, error) {
	return c.records().Match(ctx, who, keys, change)
}

// Check returns what is wrong with a client, its addresses included.
func (c *Clients) Check(_ access.Principal, client *footprint.Client) fault.Fields {
	f := client.Check()
	for name, address := range map[string]string{"events_url": client.EventsURL, "token_url": client.TokenURL} {
		if _, wrong := f[name]; wrong || address == "" {
			continue
		}
		if problem := c.Sender.Check(address); problem != "" {
			f.Add(name, problem)
		}
	}
	return f
}

// Create stores a client, and returns the secret of its credential, which is not kept. Faults: Invalid, Conflict
// (limit_reached, duplicate_external_id).
func (c *Clients) Create(ctx context.Context, who access.Principal, client footprint.Client) (footprint.Client, string, error) {
	secret := c.IDs.Secret()
	made, err := c.records().Create(ctx, who, client, func(client *footprint.Client) error {
		client.ClientID, client.SecretHash, client.Generation = "pact_"+strings.ReplaceAll(c.IDs.UUID(), "-", ""), account.HashSecret(secret), 1
		return nil
	})
	return made, secret, err
}

// Update changes a client as edit does; its credential stays. Faults: NotFound, Invalid, Conflict (duplicate_external_id), and
// those of edit.
func (c *Clients) Update(ctx context.Context, who access.Principal, id int64, edit func(footprint.Client) (footprint.Client, error)) (footprint.Client, error) {
	return c.records().Update(ctx, who, id, edit, func(ctx context.Context, tx ports.Repos, client *footprint.Client, wanted footprint.Client) error {
		before := *client
		*client = wanted
		client.Meta = before.Meta
		if before.EventsURL != "" && client.EventsURL == "" {
			return tx.FootprintMessages.End(ctx, who.Scope(false), id, "The client no longer accepts events.")
		}
		return nil
	})
}

// RotateSecret replaces the secret of a client, and returns the new one. The old secret and the tokens obtained with it
// are void from then on. Faults: NotFound.
func (c *Clients) RotateSecret(ctx context.Context, who access.Principal, id int64) (footprint.Client, string, error) {
	secret := c.IDs.Secret()
	out, err := c.records().Change(ctx, who, id, rotateSecret, func(_ context.Context, _ ports.Repos, client *footprint.Client) error {
		client.SecretHash = account.HashSecret(secret)
		client.Generation++
		return nil
	})
	return out, secret, err
}

// Revoke ends a client for good, from its next request on; messages waiting to be sent to it fail. guard may refuse
// under the lock. Faults: NotFound, and those of guard.
func (c *Clients) Revoke(ctx context.Context, who access.Principal, id int64, guard func(footprint.Client) error) error {
	return c.records().Delete(ctx, who, id, audit.Revoke, func(ctx context.Context, tx ports.Repos, client *footprint.Client) error {
		if err := guard(*client); err != nil {
			return err
		}
		client.SecretHash, client.RecipientSecret, client.Generation = "", "", client.Generation+1
		return tx.FootprintMessages.End(ctx, who.Scope(false), id, "The client was revoked.")
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
