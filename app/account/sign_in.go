package account

import (
	"context"
	"net/netip"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Lifetimes of tokens.
const (
	AccessTTL  = 15 * time.Minute
	RefreshTTL = 30 * 24 * time.Hour
)

// Identity holds the use cases of signing in.
type Identity struct {
	Store     ports.Store
	Passwords ports.Passwords
	Tokens    ports.Tokens
	Signed    ports.ClientTokens // for signed links
	Clock     ports.Clock
	IDs       ports.IDs
	Issuers   Issuers
}

// TokenPair is the result of a sign-in.
type TokenPair struct {
	Access    string
	Refresh   string
	ExpiresIn time.Duration // of the access token
}

var wrongCredentials = fault.New(fault.Unauthenticated, "invalid_credentials", "No active account has this e-mail and password.")

// SignIn exchanges an e-mail and a password for tokens; client is the address the caller comes from. Faults:
// Unauthenticated (invalid_credentials), the same for an unknown e-mail, a wrong password and a disabled
// user; builtin_issuer_off where tokens come from elsewhere; Limit (too_many_attempts) after too many wrong
// passwords, whether the account exists or not.
func (i *Identity) SignIn(ctx context.Context, email, password string, client netip.Addr) (TokenPair, error) {
	userID, secret, now, err := i.begin(ctx, email, password, client, HashSecret)
	if err != nil {
		return TokenPair{}, err
	}
	return i.pair(ctx, userID, secret, now)
}

// begin authenticates a user and stores a new secret for them by its hash. Faults: those of SignIn.
func (i *Identity) begin(ctx context.Context, email, password string, client netip.Addr, hash func(string) string) (userID int64, secret string, now time.Time, err error) {
	if err := i.builtIn(); err != nil {
		return 0, "", now, err
	}
	try := tryOf(email, client)
	user, err := i.prove(ctx, try, password, wrongCredentials, func(ctx context.Context, tx ports.OperatorRepos) (ports.User, error) {
		user, err := tx.Accounts.UserByEmail(ctx, email)
		if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
			return ports.User{}, nil // its empty hash takes as long to check as a real one
		}
		return user, err
	})
	if err != nil {
		return 0, "", now, err
	}
	now, secret = i.Clock.Now(), i.IDs.Secret()
	family := i.IDs.UUID()
	return user.ID, secret, now, i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := i.succeeded(ctx, tx, try); err != nil {
			return err
		}
		return addRefresh(ctx, tx, hash(secret), family, user.ID, now)
	})
}

func addRefresh(ctx context.Context, tx ports.OperatorRepos, hash, family string, userID int64, now time.Time) error {
	return tx.Accounts.AddRefresh(ctx, ports.RefreshToken{Hash: hash, Family: family, UserID: userID, ExpiresAt: now.Add(RefreshTTL)})
}

func (i *Identity) pair(ctx context.Context, userID int64, secret string, now time.Time) (TokenPair, error) {
	token, err := i.Tokens.Issue(ctx, userID, now, AccessTTL)
	return TokenPair{Access: token, Refresh: secret, ExpiresIn: AccessTTL}, err
}

var badRefresh = fault.New(fault.Unauthenticated, "refresh_invalid", "The refresh token is no longer valid; sign in again.")

// Refresh exchanges a refresh token for a new pair of its family. A token that was already used is stolen
// or lost: its whole family ends. Faults: Unauthenticated (refresh_invalid, builtin_issuer_off).
func (i *Identity) Refresh(ctx context.Context, secret string) (TokenPair, error) {
	if err := i.builtIn(); err != nil {
		return TokenPair{}, err
	}
	now, next := i.Clock.Now(), i.IDs.Secret()
	var token ports.RefreshToken
	reused := false
	err := i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		reused = false
		token, err = tx.Accounts.Refresh(ctx, HashSecret(secret))
		if fault.Is(err, fault.NotFound) {
			return badRefresh
		}
		if err != nil {
			return err
		}
		if token.UsedAt != nil {
			reused = true // the end of the family must be committed
			return tx.Accounts.RevokeFamily(ctx, token.Family, now)
		}
		if token.RevokedAt != nil || !now.Before(token.ExpiresAt) {
			return badRefresh
		}
		user, _, err := tx.Accounts.Caller(ctx, token.UserID)
		if err != nil {
			return err
		}
		if user.Disabled {
			return badRefresh
		}
		if err := tx.Accounts.UseRefresh(ctx, token.Hash, now); err != nil {
			return err
		}
		return addRefresh(ctx, tx, HashSecret(next), token.Family, token.UserID, now)
	})
	if err != nil {
		return TokenPair{}, err
	}
	if reused {
		return TokenPair{}, badRefresh
	}
	return i.pair(ctx, token.UserID, next, now)
}

// Revoke ends the family of a refresh token. An unknown token is no error: the caller wants it gone, and it is.
func (i *Identity) Revoke(ctx context.Context, secret string) error {
	return i.end(ctx, HashSecret(secret))
}

// end ends the family of a secret by its hash.
func (i *Identity) end(ctx context.Context, hash string) error {
	now := i.Clock.Now()
	return i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		token, err := tx.Accounts.Refresh(ctx, hash)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.Accounts.RevokeFamily(ctx, token.Family, now)
	})
}

// Authenticate returns the caller behind an access token, with the policy version of
// its company at this moment. Faults: Unauthenticated (token_invalid, token_expired,
// user_disabled; of an external issuer also email_unverified, user_unknown,
// user_bound_otherwise), Unavailable (issuer_unavailable).
func (i *Identity) Authenticate(ctx context.Context, bearer string) (access.Principal, error) {
	if external := i.Issuers.External; external != nil && external.Issued(bearer) {
		return i.vouched(ctx, bearer)
	}
	if i.Issuers.BuiltInOff {
		return access.Principal{}, badToken()
	}
	id, err := i.Tokens.Verify(ctx, bearer, i.Clock.Now())
	if err != nil {
		return access.Principal{}, err
	}
	return app.In(ports.Loosely(ctx), i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (who access.Principal, err error) {
		user, version, err := tx.Accounts.Caller(ctx, id)
		if fault.Is(err, fault.NotFound) {
			return who, badToken()
		}
		if err != nil {
			return who, err
		}
		return callerOf(user, version)
	})
}
