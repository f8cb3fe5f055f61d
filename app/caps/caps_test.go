package caps_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/caps"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
)

// kept is what companies have, and the number of times it was counted.
type kept struct {
	jobs, hooks map[int64]int64
	counts      int
	now         time.Time
}

func (k *kept) Now() time.Time { return k.now }

func (k *kept) Count(_ context.Context, company int64, of ports.Holding, bound int64, _ time.Time) (int64, error) {
	k.counts++
	if of == ports.HoldWebhooks {
		return min(bound, k.hooks[company]), nil
	}
	return min(bound, k.jobs[company]), nil
}

type store struct {
	ports.Store
	kept *kept
}

func (s store) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return do(ctx, ports.Repos{Holdings: s.kept, Jobs: queue{kept: s.kept}, Webhooks: hooks{kept: s.kept}})
}

type queue struct {
	ports.JobWriter
	kept *kept
}

func (q queue) Enqueue(_ context.Context, job ports.Job) error {
	q.kept.jobs[job.CompanyID]++
	return nil
}

type hooks struct {
	ports.Records[webhook.Webhook]
	kept *kept
}

func (h hooks) Insert(_ context.Context, scope access.Scope, list []*webhook.Webhook) error {
	h.kept.hooks[scope.Company()] += int64(len(list))
	return nil
}

func guarded(bounds caps.Caps) (*kept, func(company int64) error, func(n int) error) {
	k := &kept{jobs: map[int64]int64{}, hooks: map[int64]int64{}, now: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	s := caps.Guard(store{kept: k}, bounds, k)
	enqueue := func(company int64) error {
		return s.Write(context.Background(), func(ctx context.Context, tx ports.Repos) error {
			return tx.Jobs.Enqueue(ctx, ports.Job{CompanyID: company, Kind: "profile"})
		})
	}
	insert := func(n int) error {
		return s.Write(context.Background(), func(ctx context.Context, tx ports.Repos) error {
			return tx.Webhooks.Insert(ctx, access.Own(1), make([]*webhook.Webhook, n))
		})
	}
	return k, enqueue, insert
}

func TestCapsOfJobsAreNeverPassed(t *testing.T) {
	for _, limit := range []int64{1, 7, 63, 64, 1000} {
		k, enqueue, _ := guarded(caps.Caps{Jobs: limit})
		for range limit {
			require.NoError(t, enqueue(1))
		}
		require.True(t, fault.Is(enqueue(1), fault.Conflict), "%d and one", limit)
		require.Equal(t, limit, k.jobs[1])
		require.NoError(t, enqueue(2), "another company is not bounded by it")
		k.jobs[1]--
		require.NoError(t, enqueue(1), "one that is done makes room at once")
	}
}

func TestJobsAreSeldomCountedFarFromTheirCap(t *testing.T) {
	k, enqueue, _ := guarded(caps.Caps{Jobs: 20_000})
	for range 1000 {
		require.NoError(t, enqueue(1))
	}
	require.Equal(t, 1, k.counts)
	k.now = k.now.Add(time.Second)
	k.jobs[1] = 20_000 // queued by other processes
	require.Error(t, enqueue(1), "a count holds for a second")
}

func TestCapsHoldForSets(t *testing.T) {
	k, _, insert := guarded(caps.Caps{Webhooks: 5})
	require.NoError(t, insert(3))
	require.True(t, fault.Is(insert(3), fault.Conflict), "a set that does not fit is refused whole")
	require.NoError(t, insert(2))
	require.EqualValues(t, 5, k.hooks[1])
}
