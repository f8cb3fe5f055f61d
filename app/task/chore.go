package task

import (
	"context"
	"log/slog"
	"time"

	"tilth/ports"
)

// Chore is recurring work of the installation. It is one job in the queue, so that only one of many replicas does it.
type Chore struct {
	Kind  string
	Every time.Duration // from the end of one run to the start of the next
	Did   string        // the log message for a run that had something to do
	Level slog.Level    // the level of that message
	// Do does the work, in its own transactions, and returns the number of records handled. A part that was done before it
	// failed, or was killed, stays done.
	Do func(ctx context.Context) (int64, error)
}

// Chores keeps chores in the queue, and does them.
type Chores struct {
	Store ports.Store
	Clock ports.Clock
	Log   *slog.Logger
	All   []Chore
}

// Start puts every chore into the queue, due now; one that is already queued is brought forward.
func (c Chores) Start(ctx context.Context) error {
	return c.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		for _, chore := range c.All {
			if err := tx.Jobs.Enqueue(ctx, ports.Job{Kind: chore.Kind, Key: "all", RunAt: c.Clock.Now()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Run does the chore of a job, and puts the job back for the next run, whether it failed or not.
func (c Chores) Run(ctx context.Context, chore Chore, job ports.Job) error {
	n, err := chore.Do(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.Log.WarnContext(ctx, "a chore failed; it is tried again", "chore", chore.Kind, "error", err)
	case n > 0:
		c.Log.Log(ctx, chore.Level, chore.Did, "records", n)
	}
	return c.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Jobs.Repeat(ctx, job, c.Clock.Now().Add(chore.Every))
	})
}
