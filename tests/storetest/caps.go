package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/caps"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
)

// Concurrent callers together get no more than the cap.
func testCaps(t *testing.T, b Backend) {
	const allowed, asked = 3, 20
	w := newWorld(t, b)
	store := caps.Guard(w, caps.Caps{APIKeys: allowed, Invitations: allowed, Webhooks: allowed, Jobs: allowed}, w.clock)
	now := w.clock.Now()
	for name, insert := range map[string]func(ctx context.Context, tx ports.Repos, of estate, n int) error{
		"api_keys": func(ctx context.Context, tx ports.Repos, of estate, n int) error {
			key := access.APIKey{User: access.Named{ID: of.user.ID}, Name: "k", Prefix: fmt.Sprint(n), Hash: fmt.Sprint(of.name, n), CreatedAt: now}
			return tx.Keys.Insert(ctx, of.scope, &key)
		},
		"invitations": func(ctx context.Context, tx ports.Repos, of estate, n int) error {
			in := ports.Invitation{Email: fmt.Sprintf("n%d@example.org", n), CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
			return tx.Invitations.Insert(ctx, of.scope, &in, fmt.Sprint("of ", of.name, n))
		},
		"webhooks": func(ctx context.Context, tx ports.Repos, of estate, n int) error {
			hook := webhook.Webhook{Meta: w.meta(of), URL: fmt.Sprintf("https://example.org/%d", n), EventTypes: []string{}, IsActive: true}
			return tx.Webhooks.Insert(ctx, of.scope, []*webhook.Webhook{&hook})
		},
		"pending_jobs": func(ctx context.Context, tx ports.Repos, of estate, n int) error {
			return tx.Jobs.Enqueue(ctx, ports.Job{Kind: "k", Key: fmt.Sprint(of.name, n), CompanyID: of.scope.Company(), RunAt: now})
		},
	} {
		t.Run(name, func(t *testing.T) {
			add := func(of estate, n int) error {
				return store.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return insert(ctx, tx, of, n) })
			}
			var got atomic.Int64
			var all sync.WaitGroup
			for n := range asked {
				all.Go(func() {
					err := add(w.ours, n)
					if err == nil {
						got.Add(1)
						return
					}
					f, ok := fault.As(err)
					if !ok || f.Kind != fault.Conflict || f.Code != "limit_reached" || f.Details["of"] != name {
						t.Errorf("%v", err)
					}
				})
			}
			all.Wait()
			require.EqualValues(t, allowed, got.Load())
			require.NoError(t, add(w.theirs, 1), "another company has its own")
		})
	}
}
