package memory

import (
	"context"
	"maps"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// replays are the answered requests under idempotency keys.
type replays struct{ byKey map[replayKey]ports.Replay }

type replayKey struct {
	company int64
	key     string
}

func (w *World) addReplays() {
	r := &replays{map[replayKey]ports.Replay{}}
	w.saves = append(w.saves, func() func() {
		byKey := maps.Clone(r.byKey)
		return func() { r.byKey = byKey }
	})
	w.repos.Replays, w.operator.Replays = r, r
}

func (r *replays) Get(_ context.Context, scope access.Scope, key string) (ports.Replay, bool, error) {
	one, ok := r.byKey[replayKey{scope.Company(), key}]
	return one, ok, nil
}

func (r *replays) Put(_ context.Context, scope access.Scope, one ports.Replay, expired time.Time) error {
	at := replayKey{scope.Company(), one.Key}
	if known, ok := r.byKey[at]; ok && known.AnsweredAt.After(expired) {
		return fault.New(fault.Unavailable, ports.CodeAnswered, "Another request of this Idempotency-Key was answered.")
	}
	r.byKey[at] = one
	return nil
}

func (r *replays) Purge(_ context.Context, before time.Time, limit int) (n int64, err error) {
	maps.DeleteFunc(r.byKey, func(_ replayKey, one ports.Replay) bool {
		old := one.AnsweredAt.Before(before) && n < int64(limit)
		if old {
			n++
		}
		return old
	})
	return n, nil
}
