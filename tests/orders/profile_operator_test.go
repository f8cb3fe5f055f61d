package orders

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// failed returns the jobs that failed for good.
func (w *world) failed() []ports.KeptJob {
	w.t.Helper()
	return w.jobs("state", "failed")
}

// jobs returns the jobs with a value of a filter.
func (w *world) jobs(filter, value string) (out []ports.KeptJob) {
	w.t.Helper()
	list, err := w.op.Jobs(w.t.Context(), ports.Query{Filters: []ports.Filter{{Name: filter, Value: value}}})
	require.NoError(w.t, err)
	for job, err := range list.Each {
		require.NoError(w.t, err)
		out = append(out, job)
	}
	return out
}

// An order that failed for good leaves its job with the reason. The operator retries it: the
// order is computed, and its field is charged once.
func TestTheOperatorRetriesAFailedOrder(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order, err := w.place(e, 0, 0)
		require.NoError(t, err)
		w.computer.answer = func(vegetation.IndexCode) (vegetation.Series, error) {
			return vegetation.Series{}, fault.New(fault.NotFound, "gone", "The archive has no band B08.")
		}
		w.work()
		jobs := w.failed()
		require.Len(t, jobs, 1)
		require.Equal(t, "The archive has no band B08.", jobs[0].Failed.Reason)

		w.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) { return dates(index, 3), nil }
		_, err = w.op.RetryJob(t.Context(), jobs[0].ID)
		require.NoError(t, err)
		w.work()
		require.Empty(t, w.failed())
		found, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, vegetation.Active, found.Order.Status)
		wallet, err := w.orders.Wallet(t.Context(), e.who)
		require.NoError(t, err)
		require.Zero(t, wallet.Held)
		require.Less(t, wallet.Balance, credit.Amount(100_00))
		_, err = w.op.RetryJob(t.Context(), jobs[0].ID)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	})
}

// A retry that cannot be paid, or whose field is deleted, reports this and charges nothing.
func TestARetryThatCannotBe(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order, err := w.place(e, 0, 0)
		require.NoError(t, err)
		w.computer.answer = func(vegetation.IndexCode) (vegetation.Series, error) {
			return vegetation.Series{}, fault.New(fault.NotFound, "gone", "Gone.")
		}
		w.work()
		w.write(func(tx ports.Repos) error {
			_, err := tx.Fields.SoftDelete(t.Context(), e.scope, []int64{e.fields[0].ID}, w.clock.Now())
			return err
		})
		_, err = w.op.RetryJob(t.Context(), w.failed()[0].ID)
		require.NoError(t, err)
		w.work()
		require.Contains(t, w.failed()[0].Failed.Reason, "It cannot be resumed: No field")
		found, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, vegetation.Failed, found.Order.Status)
	})
}

// The operator cancels the job of an open order: the order fails and its hold is released.
func TestTheOperatorCancelsAnOrder(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order, err := w.place(e, 0, 0)
		require.NoError(t, err)
		jobs := w.jobs("kind", "vi_profile")
		require.Len(t, jobs, 1)
		_, err = w.op.CancelJob(t.Context(), jobs[0].ID)
		require.NoError(t, err)
		w.work()
		found, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, vegetation.Failed, found.Order.Status)
		require.Equal(t, "The operator cancelled it.", found.Order.Reason)
		wallet, err := w.orders.Wallet(t.Context(), e.who)
		require.NoError(t, err)
		require.Zero(t, wallet.Held)
		require.Empty(t, w.failed())
	})
}
