// Package external keeps the keys that records have in other systems unique: within a company, at most one live record
// of a kind has a given external id. It knows no kind of record; which record a key stands for is up to the use cases.
package external

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

// Member is the interface's name for the key of a record.
const Member = "external_id"

// carrier is a record that can have an external id.
type carrier interface {
	corerecord.Foreign
	Base() *corerecord.Meta
}

// Carried reports whether the records of a kind can have external ids.
func Carried[T any]() bool {
	_, ok := any(new(T)).(carrier)
	return ok
}

// Key returns the external id of a record; it is empty if the record has none.
func Key[T any](r *T) string {
	if of, ok := any(r).(corerecord.Foreign); ok {
		return of.Origin().ExternalID
	}
	return ""
}

func idOf[T any](r *T) int64 { return any(r).(carrier).Base().ID }

// Claim refuses external ids that records are about to take if another live record, or another of these, has them. A
// caller that takes one waits for others that do, so that none is taken twice. In before, a new record is nil. Faults:
// Conflict (duplicate_external_id).
func Claim[T any](ctx context.Context, repo ports.Keyed, scope access.Scope, noun string, before, after []*T) error {
	taken, err := Find(ctx, repo, scope, before, after)
	if err != nil || len(taken) == 0 {
		return err
	}
	return duplicates(noun, taken, fixOrMatch)
}

// Taken is an external id that one record wants and another has.
type Taken struct {
	At         int // the index of the record that wants it
	ExternalID string
	By         int64 // 0: another record of the request
}

// Message explains the clash to whoever sent the record.
func (t Taken) Message(noun string) string {
	if t.By == 0 {
		return fmt.Sprintf("The external id %q occurs twice in the request.", t.ExternalID)
	}
	return fmt.Sprintf("The external id %q belongs to the %s %d.", t.ExternalID, noun, t.By)
}

// Ways to resolve a taken external id: for records that a request can match by it, and for others.
const (
	fixOrMatch = "change that one, or send on_conflict=external_id to update it"
	fix        = "give another, or change that one"
)

// Wish is the origin of a record that is about to be written.
type Wish struct {
	Noun    string
	ID      int64               // 0: it is new
	Was, Is corerecord.External // without Was, the key is taken anew
}

// Take refuses an external id that one record is about to take where another live record has it, as Claim does.
// Faults: Conflict (duplicate_external_id).
func Take(ctx context.Context, repo ports.Keyed, scope access.Scope, wish Wish) error {
	key := wish.Is.ExternalID
	if key == "" || key == wish.Was.ExternalID {
		return nil
	}
	if err := repo.HoldKeys(ctx, scope); err != nil {
		return err
	}
	held, err := repo.ByExternalID(ctx, scope, []string{key})
	if err != nil {
		return err
	}
	for _, by := range held[key] {
		if by != wish.ID {
			return duplicates(wish.Noun, []Taken{{0, key, by}}, fix)
		}
	}
	return nil
}

func duplicates(noun string, all []Taken, fix string) error {
	details := make([]any, len(all))
	for i, one := range all {
		details[i] = map[string]any{Member: one.ExternalID, "id": one.By, "index": one.At}
	}
	return fault.Newf(fault.Conflict, "duplicate_external_id", "%s Fix: %s.", all[0].Message(noun), fix).
		With("external_ids", details)
}

// Find returns the external ids that records are about to take and others have. A nil record takes none.
func Find[T any](ctx context.Context, repo ports.Keyed, scope access.Scope, before, after []*T) ([]Taken, error) {
	wants := make([]*T, len(after)) // nil: the record keeps its key
	for i, record := range after {
		if record != nil && Key(record) != "" && (before[i] == nil || Key(before[i]) != Key(record)) {
			wants[i] = record
		}
	}
	keys := Distinct(wants, Key[T])
	if len(keys) == 0 {
		return nil, nil
	}
	if err := repo.HoldKeys(ctx, scope); err != nil {
		return nil, err
	}
	held, err := repo.ByExternalID(ctx, scope, keys)
	var out []Taken
	mine := map[string]bool{}
	for i, record := range wants {
		if record == nil {
			continue
		}
		key := Key(record)
		others := slices.DeleteFunc(held[key], func(other int64) bool { return before[i] != nil && other == idOf(record) })
		if held[key] = others; len(others) > 0 {
			out = append(out, Taken{i, key, others[0]})
		} else if mine[key] {
			out = append(out, Taken{i, key, 0})
		}
		mine[key] = true
	}
	return out, err
}

// Reclaim refuses to restore records whose external ids others have taken meanwhile. Faults: those of Claim.
func Reclaim[T any](ctx context.Context, repo ports.Keyed, scope access.Scope, noun string, back map[int64]T) error {
	var keys []string
	for _, record := range back {
		if key := Key(&record); key != "" {
			keys = append(keys, key)
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
	var all []Taken
	for _, key := range slices.Sorted(maps.Keys(held)) {
		others := slices.DeleteFunc(held[key], func(other int64) bool { _, mine := back[other]; return mine })
		if len(others) > 0 {
			all = append(all, Taken{len(all), key, others[0]})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return duplicates(noun, all, fixOrMatch)
}

// Chosen selects records of a list: by their ids, or by their keys in another system. A nil member narrows nothing.
type Chosen struct {
	IDs  []int64
	Keys []string
}

// Among returns the records that are chosen.
func Among[T any](all []T, chosen Chosen, id func(T) int64) []T {
	return slices.DeleteFunc(slices.Clone(all), func(r T) bool {
		key := Key(&r)
		return chosen.Keys != nil && (key == "" || !slices.Contains(chosen.Keys, key)) || chosen.IDs != nil && !slices.Contains(chosen.IDs, id(r))
	})
}

// Distinct returns the distinct keys of records, in order of appearance; a nil record has none.
func Distinct[T any](records []*T, key func(*T) string) []string {
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
