package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// keep runs the operator's work on the queue.
func (w *world) keep(do func(ctx context.Context, jobs ports.JobKeeper) error) error {
	return w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return do(ctx, tx.Jobs) })
}

// keptJobs returns the jobs that a query selects, after checking that their count agrees.
func keptJobs(ctx context.Context, t require.TestingT, jobs ports.JobKeeper, q ports.Query) (out []ports.KeptJob) {
	for j, err := range jobs.Each(ctx, q) {
		require.NoError(t, err)
		out = append(out, j)
	}
	n, err := jobs.Count(ctx, q)
	require.NoError(t, err)
	require.EqualValues(t, len(out), n)
	return out
}

// jobsWith is the query of the jobs with the values of filters, name by name.
func jobsWith(filters ...any) (q ports.Query) {
	for i := 0; i < len(filters); i += 2 {
		q.Filters = append(q.Filters, ports.Filter{Name: filters[i].(string), Value: filters[i+1]})
	}
	return q
}

// listed returns the keys of the jobs that a query selects.
func (w *world) listed(q ports.Query) (keys []string) {
	w.t.Helper()
	require.NoError(w.t, w.keep(func(ctx context.Context, jobs ports.JobKeeper) error {
		for _, j := range keptJobs(ctx, w.t, jobs, q) {
			keys = append(keys, j.Key)
		}
		return nil
	}))
	return keys
}

// testUnreadableJobs asserts that a job with a damaged row stops only itself. PostgreSQL's types do not let that happen.
func testUnreadableJobs(t *testing.T, b Backend) {
	w := newWorld(t, b)
	if !strings.HasPrefix(w.address, "sqlite:") {
		t.Skip("PostgreSQL holds no value of a wrong type")
	}
	now := w.clock.Now()
	for _, spoiled := range []string{"subject = 'x'", "run_at = '1999'"} {
		for _, key := range []string{"1", "2", "3"} {
			w.enqueue(ports.Job{Kind: "k", Key: key, Subject: 1, RunAt: now})
		}
		_, err := raw(t, w.address).Exec("UPDATE jobs SET " + spoiled + " WHERE key = '2'")
		require.NoError(t, err)
		var keys []string
		for _, job := range w.claim(10) {
			keys = append(keys, job.Key)
			w.write(func(tx ports.Repos) error { return tx.Jobs.Finish(w.ctx, job) })
		}
		require.ElementsMatch(t, []string{"1", "3"}, keys, spoiled)
		require.NoError(t, w.keep(func(ctx context.Context, jobs ports.JobKeeper) error {
			kept := keptJobs(ctx, t, jobs, jobsWith("state", "failed"))
			require.Len(t, kept, 1, spoiled)
			require.Equal(t, "2", kept[0].Key)
			require.Contains(t, kept[0].Failed.Reason, "its row cannot be read")
			return jobs.Cancel(ctx, kept[0].ID, now)
		}))
	}
}

// testFailedJobs asserts that a job that has failed for good is kept with its reason, is handed
// out again only on request, and can be cancelled whoever holds it.
func testFailedJobs(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now, company := w.clock.Now(), w.ours.scope.Company()
	job := func(key string) ports.Job {
		return ports.Job{Kind: "k", Key: key, CompanyID: company, Subject: 1, RunAt: now}
	}
	w.enqueue(job("1"), job("2"))
	held := w.claim(1)[0]
	fail := func(j ports.Job) error {
		return w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.Jobs.Fail(ctx, j, ports.FailedJob{At: now, Reason: "no imagery"})
		})
	}
	other := held
	other.Lease = "another"
	lost(t, fail(other))
	require.NoError(t, fail(held))
	require.Equal(t, []string{"1"}, w.listed(jobsWith("state", "failed", "kind", "k", "company", company)))
	require.Equal(t, []string{"2"}, w.listed(jobsWith("state", "waiting")))
	w.clock.move(time.Hour)
	second := w.claim(10)
	require.Len(t, second, 1, "a failed job is not handed out")
	require.Equal(t, []string{"2"}, w.listed(jobsWith("state", "running")))

	require.NoError(t, w.keep(func(ctx context.Context, jobs ports.JobKeeper) error {
		kept, err := jobs.GetForUpdate(ctx, held.ID)
		require.NoError(t, err)
		require.Equal(t, "no imagery", kept.Failed.Reason)
		require.WithinDuration(t, now, kept.Failed.At, time.Microsecond)
		return jobs.Retry(ctx, held.ID, w.clock.Now())
	}))
	retried := w.claim(10)
	require.Len(t, retried, 1)
	require.True(t, retried[0].Retried)
	require.Equal(t, 1, retried[0].Attempt, "the claims are counted anew")
	require.NoError(t, fail(retried[0]))
	w.enqueue(job("1"))
	require.Equal(t, []string{"1"}, w.listed(jobsWith("state", "waiting")), "its record asks for it anew")

	// A running job that is cancelled is lost to its worker, and given up at its next claim.
	require.NoError(t, w.keep(func(ctx context.Context, jobs ports.JobKeeper) error {
		return jobs.Cancel(ctx, second[0].ID, w.clock.Now())
	}))
	lost(t, fail(second[0]))
	for _, j := range w.claim(10) {
		require.Equal(t, j.Key == "2", j.Cancelled)
		require.NoError(t, fail(j))
	}
	require.NoError(t, w.keep(func(ctx context.Context, jobs ports.JobKeeper) error {
		return jobs.Cancel(ctx, second[0].ID, w.clock.Now()) // a failed job is removed
	}))
	require.Equal(t, []string{"1"}, w.listed(jobsWith()))
	err := w.keep(func(ctx context.Context, jobs ports.JobKeeper) error { return jobs.Retry(ctx, second[0].ID, now) })
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.NoError(t, w.keep(func(ctx context.Context, jobs ports.JobKeeper) error {
		n, err := jobs.ForgetFailed(ctx, now.Add(time.Second), 10)
		require.EqualValues(t, 1, n)
		return err
	}))
	require.Empty(t, w.listed(jobsWith()))
}

// testJobTries checks that a job that cannot be queued does not spoil its transaction.
func testJobTries(t *testing.T, b Backend) {
	w := newWorld(t, b)
	w.write(func(tx ports.Repos) error {
		first := w.newAssessment(w.ours)
		require.NoError(t, tx.Assessments.Insert(w.ctx, w.ours.scope, []*assessment.Assessment{&first}))
		require.Error(t, tx.Jobs.TryEnqueue(w.ctx, ports.Job{Kind: "k", Key: "1", CompanyID: 1 << 40, RunAt: w.clock.Now()}), "no such company")
		second := w.newAssessment(w.ours)
		require.NoError(t, tx.Assessments.Insert(w.ctx, w.ours.scope, []*assessment.Assessment{&second}), "the transaction goes on")
		return tx.Jobs.TryEnqueue(w.ctx, ports.Job{Kind: "k", Key: "2", CompanyID: w.ours.scope.Company(), RunAt: w.clock.Now()})
	})
	require.Len(t, w.claim(10), 1)
	w.read(func(tx ports.Repos) error {
		n, err := tx.Assessments.Count(w.ctx, w.ours.scope, ports.Query{})
		require.EqualValues(t, 3, n)
		return err
	})
}
