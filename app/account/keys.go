package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Keys holds the use cases of API keys.
type Keys struct{ app.Deps }

// KeyRequest describes a requested key.
type KeyRequest struct {
	Name      string
	Slugs     []string // patterns; none: everything the user may do
	ExpiresAt *time.Time
	record.External
}

// HashSecret returns the stored form of a secret: an API key, a refresh token or the token of a
// one-time link. Secrets are 256 random bits, which nobody guesses, so a fast hash is enough.
func HashSecret(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// MintKey makes a key for a user and returns the record, and the text that is shown only this once.
func MintKey(ids ports.IDs, holder access.Named, companyID int64, in KeyRequest, now time.Time) (key access.APIKey, text string, err error) {
	const recognised = 8 // characters
	prefix := "tilth_" + ids.Secret()[:recognised]
	text = prefix + "." + ids.Secret()
	key = access.APIKey{
		CompanyID: companyID, User: holder, Name: in.Name, Prefix: prefix, Hash: HashSecret(text),
		Slugs: in.Slugs, ExpiresAt: in.ExpiresAt, CreatedAt: now, External: in.External,
	}
	return key, text, key.Check(now).Err()
}

// Create makes a key that acts as the caller, and returns its text, which is not kept. Faults: Invalid (also
// operator_key: an operator has none, because a key belongs to a company).
func (k *Keys) Create(ctx context.Context, who access.Principal, in KeyRequest) (key access.APIKey, text string, err error) {
	if err := k.Gate.Require(ctx, who, access.APIKeys.Create); err != nil {
		return key, "", err
	}
	if who.Operator {
		return key, "", fault.New(fault.Invalid, "operator_key", "An operator has no API keys: a key acts as a user of a company.")
	}
	now := k.Clock.Now()
	key, text, err = MintKey(k.IDs, access.Named{ID: who.UserID, Name: who.Name}, who.CompanyID, in, now)
	if err != nil {
		return key, "", err
	}
	err = k.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if err := external.Take(ctx, tx.Keys, who.Scope(false), external.Wish{Noun: "API key", Is: key.External}); err != nil {
			return err
		}
		if err := tx.Keys.Insert(ctx, who.Scope(false), &key); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Create, access.APIKeys.Name, key.ID, audit.Diff(nil, &key)))
	})
	return key, text, err
}

// List returns the keys of the caller's company that were not revoked.
func (k *Keys) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[access.APIKey], error) {
	return app.ListIn(ctx, k.Deps, app.Ask{Who: who, Need: access.APIKeys.View}, q, func(tx ports.Repos) ports.APIKeys { return tx.Keys })
}

// Retrieve returns one key. Faults: NotFound.
func (k *Keys) Retrieve(ctx context.Context, who access.Principal, id int64) (access.APIKey, error) {
	return app.Read(ctx, k.Deps, who, access.APIKeys.View, func(ctx context.Context, tx ports.Repos) (access.APIKey, error) {
		return tx.Keys.Get(ctx, who.Scope(false), id)
	})
}

// Revoke ends a key for good, from the next request on. Faults: NotFound.
func (k *Keys) Revoke(ctx context.Context, who access.Principal, id int64) error {
	scope, now := who.Scope(false), k.Clock.Now()
	return app.Do(ctx, k.Deps, who, access.APIKeys.Delete, func(ctx context.Context, tx ports.Repos) error {
		key, err := tx.Keys.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		if err := tx.Keys.Revoke(ctx, scope, id, now); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Revoke, access.APIKeys.Name, id, audit.Diff(&key, nil)))
	})
}
