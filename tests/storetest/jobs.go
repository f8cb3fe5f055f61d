package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

const lease = 15 * time.Second

func (w *world) enqueue(jobs ...ports.Job) {
	w.t.Helper()
	w.write(func(tx ports.Repos) error {
		for _, j := range jobs {
			if err := tx.Jobs.Enqueue(w.ctx, j); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *world) claim(limit int) []ports.Job {
	w.t.Helper()
	jobs, err := w.Queue().Claim(w.ctx, w.clock.Now(), lease, limit)
	require.NoError(w.t, err)
	return jobs
}

func lost(t *testing.T, err error) {
	t.Helper()
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "lease_lost", known.Code)
	require.Equal(t, fault.Conflict, known.Kind)
}

func testJobs(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now := w.clock.Now()
	company := w.ours.scope.Company()
	first := ports.Job{Kind: "k", Key: "1", CompanyID: company, Subject: 11, RunAt: now.Add(time.Minute)}
	later := ports.Job{Kind: "k", Key: "2", Subject: 12, RunAt: now.Add(time.Hour)}
	waits := func(kind, key string, want bool) {
		t.Helper()
		w.read(func(tx ports.Repos) error {
			got, err := tx.Jobs.Waits(w.ctx, kind, key)
			require.Equal(t, want, got)
			return err
		})
	}
	waits("k", "1", false)
	w.enqueue(first, later)
	waits("k", "1", true)
	waits("other", "1", false)
	waits("k", "3", false)
	require.Empty(t, w.claim(10), "nothing is due yet")

	sooner, postponed := first, later
	sooner.RunAt, postponed.RunAt = now, now.Add(2*time.Hour)
	w.enqueue(sooner, postponed)
	got := w.claim(10)
	require.Len(t, got, 1, "the same key is one job, at the earlier time")
	job := got[0]
	require.Positive(t, job.ID)
	require.NotEmpty(t, job.Lease)
	require.Equal(t, ports.Job{ID: job.ID, Kind: "k", Key: "1", CompanyID: company, Subject: 11, RunAt: kept(now), Attempt: 1, Lease: job.Lease}, job)
	require.Empty(t, w.claim(10), "a held job is not handed out")
	waits("k", "1", true)
	w.enqueue(sooner)
	require.Empty(t, w.claim(10), "nor by being asked for again")

	w.write(func(tx ports.Repos) error { return tx.Jobs.Hold(w.ctx, job) })
	taken := job
	taken.Lease = "another's"
	lost(t, w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Jobs.Hold(ctx, taken) }))
	require.NoError(t, w.Queue().Renew(w.ctx, job, now.Add(2*lease)))
	w.clock.move(lease + time.Second)
	require.Empty(t, w.claim(10), "a renewed lease holds")
	w.clock.move(lease)
	stolen := w.claim(10)
	require.Len(t, stolen, 1, "a lease that ended is handed out again")
	require.Equal(t, 2, stolen[0].Attempt)
	require.NotEqual(t, job.Lease, stolen[0].Lease)

	// The first worker returns late: nothing of what it did is stored.
	lost(t, w.Queue().Renew(w.ctx, job, now.Add(time.Hour)))
	lost(t, w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		f := farmResource.make(w, w.ours, 0)
		require.NoError(t, tx.Farms.Insert(ctx, w.ours.scope, []*farm.Farm{&f}))
		return tx.Jobs.Finish(ctx, job)
	}))
	lost(t, w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Jobs.Postpone(ctx, job, now) }))
	require.NoError(t, w.Queue().Return(w.ctx, job, now))
	require.Empty(t, w.claim(10), "the second worker still has it")
	w.read(func(tx ports.Repos) error {
		n, err := tx.Farms.Count(w.ctx, w.ours.scope, ports.Query{})
		require.EqualValues(t, 1, n)
		return err
	})

	job, at := stolen[0], w.clock.Now().Add(30*time.Second)
	w.write(func(tx ports.Repos) error { return tx.Jobs.Postpone(w.ctx, job, at) })
	require.Empty(t, w.claim(10))
	w.clock.move(30 * time.Second)
	job = w.claim(10)[0]
	require.Equal(t, 3, job.Attempt)
	require.NoError(t, w.Queue().Return(w.ctx, job, w.clock.Now().Add(time.Second)))
	require.Empty(t, w.claim(10), "it is given back for later")
	w.clock.move(time.Second)
	job = w.claim(10)[0]
	require.Equal(t, 3, job.Attempt, "a claim that was given back does not count")
	w.write(func(tx ports.Repos) error { return tx.Jobs.Repeat(w.ctx, job, at) })
	lost(t, w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Jobs.Repeat(ctx, job, at) }))
	job = w.claim(10)[0]
	require.Equal(t, 1, job.Attempt, "its claims count anew")
	w.write(func(tx ports.Repos) error { return tx.Jobs.Finish(w.ctx, job) })
	waits("k", "1", false)
	lost(t, w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Jobs.Finish(ctx, job) }))
	w.enqueue(sooner)
	require.Len(t, w.claim(10), 1, "after the end the key is free")
}

// testJobRaces lets workers of two replicas claim at once: every job goes to one of them.
func testJobRaces(t *testing.T, b Backend) {
	w := newWorld(t, b)
	const n = 40
	for i := range n {
		w.enqueue(ports.Job{Kind: "k", Key: string(rune('A' + i)), Subject: int64(i), RunAt: w.clock.Now().Add(-time.Duration(i) * time.Second)})
	}
	few := w.claim(3)
	require.Equal(t, []int64{n - 1, n - 2, n - 3}, []int64{few[0].Subject, few[1].Subject, few[2].Subject}, "what is due longest comes first")
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	claimed := make([][]ports.Job, 8)
	for _, err := range together(len(claimed), func(i int) error {
		for {
			jobs, err := replicas[i%2].Queue().Claim(w.ctx, w.clock.Now(), lease, 2)
			if err != nil || len(jobs) == 0 {
				return err
			}
			claimed[i] = append(claimed[i], jobs...)
		}
	}) {
		require.NoError(t, err)
	}
	seen := map[int64]bool{few[0].ID: true, few[1].ID: true, few[2].ID: true}
	for _, jobs := range claimed {
		for _, j := range jobs {
			require.False(t, seen[j.ID], "a job was handed out twice")
			seen[j.ID] = true
		}
	}
	require.Len(t, seen, n)
}
