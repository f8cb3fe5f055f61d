package events

import (
	"context"

	"tilth/app"
	"tilth/app/few"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
)

// rotateSecret is the action of the audit trail for a new secret.
const rotateSecret audit.Action = "rotate_secret"

// Webhooks holds the use cases of webhooks.
type Webhooks struct {
	app.Deps
	Sender ports.WebhookSender
}

func (w *Webhooks) records() few.Records[webhook.Webhook] {
	return few.Records[webhook.Webhook]{
		Deps: w.Deps, Access: access.Webhooks, Noun: access.Webhooks.Name, Plural: "webhooks", Check: w.Check,
		Repo: func(tx ports.Repos) ports.Records[webhook.Webhook] { return tx.Webhooks },
	}
}

// List returns the webhooks of the caller's company.
func (w *Webhooks) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[webhook.Webhook], error) {
	return w.records().List(ctx, who, q)
}

// Retrieve returns one webhook. Faults: NotFound.
func (w *Webhooks) Retrieve(ctx context.Context, who access.Principal, id int64) (webhook.Webhook, error) {
	return w.records().Retrieve(ctx, who, id)
}

// Match finds the webhooks that items with some external ids stand for; see [few.Records.Match].
func (w *Webhooks) Match(ctx context.Context, who access.Principal, keys []string, change bool) ([]int64, []error, error) {
	return w.records().Match(ctx, who, keys, change)
}

// Check returns what is wrong with a webhook, its address included.
func (w *Webhooks) Check(who access.Principal, hook *webhook.Webhook) fault.Fields {
	f := hook.Check()
	if _, wrong := f["url"]; !wrong {
		if problem := w.Sender.Check(hook.URL); problem != "" {
			f.Add("url", problem)
		}
	}
	if hook.CompanyID != 0 && hook.CompanyID != who.CompanyID {
		f.Add("company_id", "Records can only be created for your own company.")
	}
	return f
}

// Create stores a webhook. The record that it returns contains the secret. Faults: Invalid,
// Conflict (limit_reached, duplicate_external_id).
func (w *Webhooks) Create(ctx context.Context, who access.Principal, hook webhook.Webhook) (webhook.Webhook, error) {
	return w.records().Create(ctx, who, hook, func(hook *webhook.Webhook) (err error) {
		hook.Secret, err = webhook.NewSecret(w.IDs.Secret())
		return err
	})
}

// Update changes a webhook as edit does. Its pending deliveries fail when it is switched off. Faults:
// NotFound, Invalid, Conflict (duplicate_external_id), and those of edit.
func (w *Webhooks) Update(ctx context.Context, who access.Principal, id int64, edit func(webhook.Webhook) (webhook.Webhook, error)) (webhook.Webhook, error) {
	return w.records().Update(ctx, who, id, edit, func(ctx context.Context, tx ports.Repos, hook *webhook.Webhook, wanted webhook.Webhook) error {
		active := hook.IsActive
		hook.URL, hook.Description, hook.EventTypes, hook.IsActive, hook.External = wanted.URL, wanted.Description, wanted.EventTypes, wanted.IsActive, wanted.External
		hook.Switched(active)
		if active && !hook.IsActive {
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
	return w.records().Change(ctx, who, id, rotateSecret, func(_ context.Context, _ ports.Repos, hook *webhook.Webhook) error {
		hook.Rotate(secret, w.Clock.Now())
		return nil
	})
}

// Delete removes a webhook with its secrets for good; its pending deliveries fail. guard may refuse the
// deletion under the lock. Faults: NotFound, and those of guard.
func (w *Webhooks) Delete(ctx context.Context, who access.Principal, id int64, guard func(webhook.Webhook) error) error {
	return w.records().Delete(ctx, who, id, audit.Delete, func(ctx context.Context, tx ports.Repos, hook *webhook.Webhook) error {
		if err := guard(*hook); err != nil {
			return err
		}
		hook.Secret, hook.PreviousSecret, hook.PreviousUntil, hook.IsActive = "", "", nil, false
		return tx.Deliveries.End(ctx, who.Scope(false), id, "The webhook was deleted.")
	})
}
