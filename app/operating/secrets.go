package operating

import (
	"context"

	"tilth/app"
	"tilth/core/audit"
	"tilth/ports"
)

// resealRows is how many rows one transaction seals anew.
const resealRows = 200

// RotateSecrets seals every stored secret with the current key, in small transactions, and
// forgets the keys before it. It returns the id of the key and how many secrets it sealed.
// What an interrupted rotation has done stays done; until the end all keys are needed.
// Faults: Precondition (secret_key_missing); Unavailable where a secret has another key still.
func (o *Operating) RotateSecrets(ctx context.Context) (key string, total int64, err error) {
	// Once more until nothing is left: servers that seal with the key before may run meanwhile.
	for changed := int64(1); changed > 0; total += changed {
		if changed, err = o.resealAll(ctx); err != nil {
			return "", total, err
		}
	}
	key, err = app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (key string, err error) {
		if key, err = tx.Secrets.Retire(ctx); err != nil {
			return key, err
		}
		return key, tx.Trail.Add(ctx, ofInstallation(o.Clock.Now(), audit.Update, "secret_key", key, nil))
	})
	return key, total, err
}

// resealAll goes over all secrets once and returns how many it changed.
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

// UnsealedSecrets counts, up to a limit, the secrets that the current key has not sealed.
func (o *Operating) UnsealedSecrets(ctx context.Context, limit int) (int64, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Secrets.Waiting(ctx, limit)
	})
}
