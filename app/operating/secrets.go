package operating

import (
	"context"

	"tilth/app"
	"tilth/core/audit"
	"tilth/core/webhook"
	"tilth/ports"
)

// resealRows is the number of rows that one transaction reseals.
const resealRows = 200

// RotateSecrets seals every stored secret with the current key, in small transactions, and forgets
// the earlier keys. It returns the id of the key and the number of secrets sealed. The work of an
// interrupted rotation stays done; until the end all keys are needed. Faults: Precondition
// (secret_key_missing); Unavailable where a secret still has another key.
func (o *Operating) RotateSecrets(ctx context.Context) (key string, total int64, err error) {
	// Repeated until nothing is left: servers that still seal with the earlier key may be running.
	for changed := int64(1); changed > 0; total += changed {
		if changed, err = o.resealAll(ctx); err != nil {
			return "", total, err
		}
	}
	key, err = app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (key string, err error) {
		if key, err = tx.Secrets.Retire(ctx); err != nil {
			return key, err
		}
		return key, tx.Trail.Add(ctx, o.ofInstallation(o.Clock.Now(), audit.Update, "secret_key", key, nil))
	})
	return key, total, err
}

// resealAll goes over all secrets once and returns the number it changed.
func (o *Operating) resealAll(ctx context.Context) (total int64, err error) {
	for place := new(ports.SecretPlace); place != nil; {
		var changed int64
		var next *ports.SecretPlace
		err = o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
			changed, next, err = tx.Secrets.Reseal(ctx, *place, resealRows)
			return err
		})
		if err != nil {
			return total, err
		}
		total, place = total+changed, next
	}
	return total, nil
}

// UnsealedSecrets counts, up to a limit, the secrets that are not sealed with the current key.
func (o *Operating) UnsealedSecrets(ctx context.Context, limit int) (int64, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Secrets.Waiting(ctx, limit)
	})
}

// LostSecrets counts the secrets whose keys are not configured.
func (o *Operating) LostSecrets(ctx context.Context) (ports.LostSecrets, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.LostSecrets, error) {
		return tx.Secrets.Lost(ctx)
	})
}

// Replacements for secrets that are lost.
const (
	secretLost = "Its secret was lost with the installation's key. Fix: rotate the secret, give it to the receiver, switch the webhook on."
	answerLost = `{"status":"error","code":"answer_lost","message":"The request was carried out, but its answer is lost. Fix: read the record.","details":{}}`
)

// ResetSecrets discards the secrets whose keys are not configured, in small transactions, and
// recreates what can be recreated: keys are replaced, webhooks are switched off under a new secret,
// and a request whose answer is lost is still not carried out twice. It returns what was lost. It
// may be interrupted and run again.
func (o *Operating) ResetSecrets(ctx context.Context) (lost ports.LostSecrets, err error) {
	if lost, err = o.LostSecrets(ctx); err != nil {
		return lost, err
	}
	for place := new(ports.SecretPlace); place != nil; {
		var next *ports.SecretPlace
		if err := o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
			next, err = o.discard(ctx, tx, *place)
			return err
		}); err != nil {
			return lost, err
		}
		place = next
	}
	err = o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		keys, err := tx.Secrets.Forget(ctx)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := tx.Trail.Add(ctx, o.ofInstallation(o.Clock.Now(), audit.Delete, "secret_key", key, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return lost, err
	}
	return lost, o.EnsureSigningKey(ctx)
}

func (o *Operating) discard(ctx context.Context, tx ports.OperatorRepos, place ports.SecretPlace) (*ports.SecretPlace, error) {
	now := o.Clock.Now()
	out, next, err := tx.Secrets.Discard(ctx, place, resealRows, ports.SecretRemedies{
		At: now, DisabledReason: secretLost, WebhookSecret: func() (string, error) { return webhook.NewSecret(o.IDs.Secret()) },
		Answer: ports.Answer{Status: 409, Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(answerLost)},
	})
	if err != nil {
		return nil, err
	}
	for _, hook := range out.Webhooks {
		entry := audit.Entry{CompanyID: hook.CompanyID, At: now, Operator: true, Action: "rotate_secret", Resource: "webhook", RecordID: hook.ID}
		if err := tx.Audit.Add(ctx, entry); err != nil {
			return nil, err
		}
	}
	return next, nil
}
