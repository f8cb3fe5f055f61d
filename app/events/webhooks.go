package events

import (
	"context"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
)

// rotateSecret is the action of the audit trail for a new secret.
const rotateSecret audit.Action = "rotate_secret"

// Webhooks is the use cases of webhooks.
type Webhooks struct {
	app.Deps
	Sender ports.WebhookSender
}

// List returns the webhooks of the caller's company.
func (w *Webhooks) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[webhook.Webhook], error) {
	return app.ListIn(ctx, w.Deps, app.Ask{Who: who, Need: access.Webhooks.View}, q,
		func(tx ports.Repos) ports.Records[webhook.Webhook] { return tx.Webhooks })
}

// Retrieve returns one webhook. Faults: NotFound.
func (w *Webhooks) Retrieve(ctx context.Context, who access.Principal, id int64) (webhook.Webhook, error) {
	return app.Read(ctx, w.Deps, who, access.Webhooks.View, func(ctx context.Context, tx ports.Repos) (webhook.Webhook, error) {
		return tx.Webhooks.Get(ctx, who.Scope(false), id)
	})
}

// check returns what is wrong with a webhook, its address included.
func (w *Webhooks) check(hook *webhook.Webhook, who access.Principal) error {
	f := hook.Check()
	if _, wrong := f["url"]; !wrong {
		if problem := w.Sender.Check(hook.URL); problem != "" {
			f.Add("url", problem)
		}
	}
	if hook.CompanyID != 0 && hook.CompanyID != who.CompanyID {
		f.Add("company_id", "Records are made for your own company.")
	}
	return f.Err()
}

// Create stores a webhook. The record that it returns contains the secret. Faults: Invalid,
// Conflict (limit_reached).
func (w *Webhooks) Create(ctx context.Context, who access.Principal, hook webhook.Webhook) (webhook.Webhook, error) {
	if err := w.Gate.Require(ctx, who, access.Webhooks.Create); err != nil {
		return hook, err
	}
	if err := w.check(&hook, who); err != nil {
		return hook, err
	}
	secret, err := webhook.NewSecret(w.IDs.Secret())
	if err != nil {
		return hook, err
	}
	scope, now := who.Scope(false), w.Clock.Now()
	hook.Meta = record.Meta{CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: who.UserID, Name: who.Name}}
	hook.Secret = secret
	return app.In(ctx, w.Store.Write, func(ctx context.Context, tx ports.Repos) (made webhook.Webhook, err error) {
		made = hook
		if err := external.Take(ctx, tx.Webhooks, scope, external.Wish{Noun: access.Webhooks.Name, Is: made.External}); err != nil {
			return made, err
		}
		if err := tx.Webhooks.Insert(ctx, scope, []*webhook.Webhook{&made}); err != nil {
			return made, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Create, access.Webhooks.Name, made.ID, audit.Diff(nil, &made))); err != nil {
			return made, err
		}
		return tx.Webhooks.Get(ctx, scope, made.ID)
	})
}

// Update changes a webhook as edit does. Its pending deliveries fail when it is switched off. Faults:
// NotFound, Invalid, and those of edit.
func (w *Webhooks) Update(ctx context.Context, who access.Principal, id int64, edit func(webhook.Webhook) (webhook.Webhook, error)) (webhook.Webhook, error) {
	return w.change(ctx, who, id, audit.Update, func(ctx context.Context, tx ports.Repos, hook *webhook.Webhook) error {
		before := *hook
		after, err := edit(before)
		if err != nil {
			return err
		}
		if err := w.check(&after, who); err != nil {
			return err
		}
		if err := external.Take(ctx, tx.Webhooks, who.Scope(false), external.Wish{Noun: access.Webhooks.Name, ID: id, Was: before.External, Is: after.External}); err != nil {
			return err
		}
		hook.URL, hook.Description, hook.EventTypes, hook.IsActive, hook.External = after.URL, after.Description, after.EventTypes, after.IsActive, after.External
		hook.Switched(before.IsActive)
		if before.IsActive && !hook.IsActive {
			return tx.Deliveries.End(ctx, who.Scope(false), id, "The webhook was switched off.")
		}
		return nil
	})
}

// RotateSecret replaces the secret of a webhook; the old one also signs for a day. Faults: NotFound.
func (w *Webhooks) RotateSecret(ctx context.Context, who access.Principal, id int64) (webhook.Webhook, error) {
	secret, err := webhook.NewSecret(w.IDs.Secret())
	if err != nil {
		return webhook.Webhook{}, err
	}
	return w.change(ctx, who, id, rotateSecret, func(_ context.Context, _ ports.Repos, hook *webhook.Webhook) error {
		hook.Rotate(secret, w.Clock.Now())
		return nil
	})
}

// change writes a webhook under its lock.
func (w *Webhooks) change(ctx context.Context, who access.Principal, id int64, word audit.Action,
	do func(ctx context.Context, tx ports.Repos, hook *webhook.Webhook) error,
) (webhook.Webhook, error) {
	scope, now := who.Scope(false), w.Clock.Now()
	return app.Write(ctx, w.Deps, who, access.Webhooks.Edit, func(ctx context.Context, tx ports.Repos) (out webhook.Webhook, err error) {
		before, err := tx.Webhooks.GetForUpdate(ctx, scope, id)
		if err != nil {
			return out, err
		}
		after := before
		if err := do(ctx, tx, &after); err != nil {
			return out, err
		}
		after.UpdatedAt = record.NextVersion(before.UpdatedAt, now)
		if err := tx.Webhooks.Update(ctx, scope, &after); err != nil {
			return out, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(word, access.Webhooks.Name, id, audit.Diff(&before, &after))); err != nil {
			return out, err
		}
		return tx.Webhooks.Get(ctx, scope, id)
	})
}

// Delete removes a webhook with its secrets for good; its pending deliveries fail. guard may refuse the
// deletion under the lock. Faults: NotFound, and those of guard.
func (w *Webhooks) Delete(ctx context.Context, who access.Principal, id int64, guard func(webhook.Webhook) error) error {
	scope, now := who.Scope(false), w.Clock.Now()
	return app.Do(ctx, w.Deps, who, access.Webhooks.Delete, func(ctx context.Context, tx ports.Repos) error {
		hook, err := tx.Webhooks.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		if err := guard(hook); err != nil {
			return err
		}
		if err := tx.Deliveries.End(ctx, scope, id, "The webhook was deleted."); err != nil {
			return err
		}
		bare := hook
		bare.Secret, bare.PreviousSecret, bare.PreviousUntil, bare.IsActive = "", "", nil, false
		if err := tx.Webhooks.Update(ctx, scope, &bare); err != nil {
			return err
		}
		if _, err := tx.Webhooks.SoftDelete(ctx, scope, []int64{id}, now); err != nil {
			return err
		}
		return tx.Audit.AddCascade(ctx, audit.By(who, now).Of(audit.Delete, access.Webhooks.Name, id, audit.Diff(&hook, nil)))
	})
}
