package ports

import "context"

// SecretPlace is where a walk over all stored secrets stands; the zero value is its start.
type SecretPlace struct {
	Table int
	Key   []string // of the row that was last
}

// SecretKeeper seals the secrets of the whole installation anew: signing keys, secrets of
// webhooks, kept answers.
type SecretKeeper interface {
	// Reseal seals the secrets of up to limit rows behind a place with the current key, where
	// another sealed them or none. It returns how many it changed, and the next place; nil
	// behind the last row. Faults: Precondition (secret_key_missing) where no key is configured;
	// Unavailable (secret_key_missing) for a secret whose key is not.
	Reseal(ctx context.Context, after SecretPlace, limit int) (changed int64, next *SecretPlace, err error)
	// Waiting counts, up to a limit, the secrets that the current key has not sealed.
	Waiting(ctx context.Context, limit int) (int64, error)
	// Retire forgets the keys that seal nothing any more, all but the current one, and returns its id.
	Retire(ctx context.Context) (current string, err error)
}
