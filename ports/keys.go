package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
)

// KeyWriter stores API keys.
type KeyWriter interface {
	// Insert stores a key of the scope's company and fills in its id.
	Insert(ctx context.Context, scope access.Scope, key *access.APIKey) error
}

// APIKeys are the API keys of a company's users. Revoked ones are not found.
type APIKeys interface {
	KeyWriter
	// Count counts the keys.
	Count(ctx context.Context, scope access.Scope) (int64, error)
	// Each streams the keys in order of id.
	Each(ctx context.Context, scope access.Scope, q Query) iter.Seq2[access.APIKey, error]
	// Get returns one key. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, id int64) (access.APIKey, error)
	// Revoke ends a key for good. Faults: NotFound.
	Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error
}

// KeyRing finds the key behind a credential, before it is known whose it is.
type KeyRing interface {
	KeyWriter
	// ByHash returns a key by the hash of its text, revoked and expired ones too. Faults: NotFound.
	ByHash(ctx context.Context, hash string) (access.APIKey, error)
}

// ExternalIssuer verifies the access tokens of an identity provider outside.
type ExternalIssuer interface {
	// Issued reports whether a token says that it is of this issuer. Nothing is verified.
	Issued(token string) bool
	// Verify returns the e-mail address that a token vouches for. Faults: Unauthenticated
	// (token_expired, token_invalid, email_unverified), Unavailable (issuer_unavailable).
	Verify(ctx context.Context, token string) (email string, err error)
}
