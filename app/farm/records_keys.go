package farm

import (
	"context"

	"tilth/app/external"
	"tilth/core/access"
	"tilth/ports"
)

// Same defines when a record stands for an existing one.
type Same[T any] struct {
	// Member is the member reported if a record has no key, or if several records have it.
	Member string
	// Key returns what records that are the same share; it is empty if the record has none.
	Key func(*T) string
	// Find returns the live records that may have the keys of the wanted ones: their ids by key, in order.
	Find func(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []*T) (map[string][]int64, error)
}

// externally finds records by the keys of another system.
func externally[T any](repo func(ports.Repos) ports.Records[T]) *Same[T] {
	return &Same[T]{
		Member: external.Member, Key: external.Key[T],
		Find: func(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []*T) (map[string][]int64, error) {
			return repo(tx).ByExternalID(ctx, scope, external.Distinct(wanted, external.Key[T]))
		},
	}
}

// claim refuses external ids that others have. Faults: Conflict (duplicate_external_id).
func (r *Records[T]) claim(ctx context.Context, tx ports.Repos, scope access.Scope, before, after []*T) error {
	return external.Claim(ctx, r.rules.Repo(tx), scope, r.rules.Access.Name, before, after)
}
