package farm

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// Same says when a record stands for one that is there already.
type Same[T any] struct {
	// Member is what is reported where a record has no key, or where several records have it.
	Member string
	// Key returns what records that are the same share; empty: it has none.
	Key func(*T) string
	// Find returns the live records that may have the keys of those wanted: their ids by key, in order.
	Find func(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []*T) (map[string][]int64, error)
}

// externally finds records by the keys of another system.
func externally[T any](repo func(ports.Repos) ports.Records[T], key func(*T) string) *Same[T] {
	return &Same[T]{
		Member: "external_id", Key: key,
		Find: func(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []*T) (map[string][]int64, error) {
			return repo(tx).ByExternalID(ctx, scope, keysOf(wanted, key))
		},
	}
}

// keysOf returns the distinct keys of records, in order of appearance; those that are nil have none.
func keysOf[T any](records []*T, key func(*T) string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, r := range records {
		if r == nil || seen[key(r)] {
			continue
		}
		seen[key(r)] = true
		out = append(out, key(r))
	}
	return out
}

// claim refuses external ids that records are about to take where another live record, or another of these, has them. Who
// takes one waits for the others who do, so that none is taken twice. Faults: Conflict (duplicate_external_id).
func (r *Records[T]) claim(ctx context.Context, tx ports.Repos, scope access.Scope, before, after []*T) error {
	taken, err := r.taken(ctx, tx, scope, before, after)
	if err != nil || len(taken) == 0 {
		return err
	}
	return duplicates(r.rules.Access.Name, taken)
}

// taken is an external id that a record wants and another one has.
type taken struct {
	at         int // of the record that wants it
	externalID string
	by         int64 // 0: another of the request
}

func (t taken) message(noun string) string {
	if t.by == 0 {
		return fmt.Sprintf("The external id %q stands twice in the request.", t.externalID)
	}
	return fmt.Sprintf("The external id %q is that of the %s %d.", t.externalID, noun, t.by)
}

func duplicates(noun string, all []taken) error {
	details := make([]any, len(all))
	for i, one := range all {
		details[i] = map[string]any{"external_id": one.externalID, "id": one.by, "index": one.at}
	}
	return fault.Newf(fault.Conflict, "duplicate_external_id", "%s Fix: change that one, or send on_conflict=external_id to update it.", all[0].message(noun)).
		With("external_ids", details)
}

// taken returns the external ids that records are about to take and others have.
func (r *Records[T]) taken(ctx context.Context, tx ports.Repos, scope access.Scope, before, after []*T) ([]taken, error) {
	key := r.rules.external
	if key == nil {
		return nil, nil
	}
	wants := make([]*T, len(after)) // nil: it keeps what it has
	for i, record := range after {
		if record != nil && key(record) != "" && (before[i] == nil || key(before[i]) != key(record)) {
			wants[i] = record
		}
	}
	keys := keysOf(wants, key)
	if len(keys) == 0 {
		return nil, nil
	}
	if err := r.rules.Repo(tx).HoldKeys(ctx, scope); err != nil {
		return nil, err
	}
	held, err := r.rules.Repo(tx).ByExternalID(ctx, scope, keys)
	var out []taken
	mine := map[string]bool{}
	for i, record := range wants {
		if record == nil {
			continue
		}
		id := key(record)
		others := slices.DeleteFunc(held[id], func(other int64) bool { return other == r.rules.Meta(record).ID })
		if held[id] = others; len(others) > 0 {
			out = append(out, taken{i, id, others[0]})
		} else if mine[id] {
			out = append(out, taken{i, id, 0})
		}
		mine[id] = true
	}
	return out, err
}

// reclaim refuses to bring records back whose external ids others have taken since. Faults: those of claim.
func reclaim[T any](ctx context.Context, scope access.Scope, repo ports.Records[T], noun string, back map[int64]T) error {
	var keys []string
	for _, record := range back {
		if id := any(&record).(corerecord.Foreign).Origin().ExternalID; id != "" {
			keys = append(keys, id)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if err := repo.HoldKeys(ctx, scope); err != nil {
		return err
	}
	held, err := repo.ByExternalID(ctx, scope, keys)
	if err != nil {
		return err
	}
	var all []taken
	for _, id := range slices.Sorted(maps.Keys(held)) {
		others := slices.DeleteFunc(held[id], func(other int64) bool { _, mine := back[other]; return mine })
		if len(others) > 0 {
			all = append(all, taken{len(all), id, others[0]})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return duplicates(noun, all)
}
