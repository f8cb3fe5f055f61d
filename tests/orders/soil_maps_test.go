package orders

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/permission"
	"tilth/app"
	"tilth/app/soil"
	"tilth/core/stratification/zoning"
	"tilth/ports"
	"tilth/tests/rig"
)

// The maps of few cells are made within the request; the job that was queued as a second chance
// finds them finished. A run that kills its workers is given up, and made for the operator.
func TestTheRunOfMaps(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		placed, err := w.place(e)
		require.NoError(t, err)
		require.Equal(t, 1, w.work())
		maps := &soil.Maps{Deps: app.Deps{
			Store: w.db, Gate: app.NewGate(permission.New(w.db), w.db, w.clock), Clock: w.clock, IDs: identity.Random{},
		}, Log: slog.New(slog.DiscardHandler)}
		claim := func() (job ports.Job) {
			t.Helper()
			w.clock.move(2 * time.Minute)
			jobs, err := w.db.QueueOf(soil.MapJob).Claim(t.Context(), w.clock.Now(), time.Minute, 1)
			require.NoError(t, err)
			require.Len(t, jobs, 1)
			return jobs[0]
		}
		made, err := maps.Generate(t.Context(), e.who, soil.MapRequest{OrderID: placed.ID, Params: zoning.DefaultParams()})
		require.NoError(t, err)
		require.Equal(t, zoning.RunDone, made.Status)
		require.NotEmpty(t, made.Candidates)
		job := claim()
		require.NotEmpty(t, w.events(e))
		require.NoError(t, maps.Run(t.Context(), job))
		require.Empty(t, w.events(e), "it was done")

		require.NoError(t, w.db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
			run := made.Run
			run.Status, run.Maps = zoning.RunQueued, nil
			if err := tx.StratificationRuns.Update(ctx, e.scope, run); err != nil {
				return err
			}
			job.RunAt = w.clock.Now()
			return tx.Jobs.Enqueue(ctx, job)
		}))
		job = claim()
		job.Attempt = 6
		require.NoError(t, maps.Run(t.Context(), job))
		failed, err := maps.Job(t.Context(), e.who, made.ID)
		require.NoError(t, err)
		require.Equal(t, zoning.RunFailed, failed.Status)
		require.Contains(t, failed.Reason, "interrupted")

		_, err = w.op.RetryJob(t.Context(), job.ID)
		require.NoError(t, err)
		require.NoError(t, maps.Run(t.Context(), claim()))
		again, err := maps.Job(t.Context(), e.who, made.ID)
		require.NoError(t, err)
		require.Equal(t, zoning.RunDone, again.Status)
		require.Empty(t, again.Reason)
		require.Equal(t, len(made.Candidates), len(again.Candidates))
	})
}
