package task

import (
	"context"
	"log/slog"
	"time"

	"tilth/ports"
)

// Chore is work of the installation that comes again and again. It is one job in the queue, so that of many replicas one does it.
type Chore struct {
	Kind  string
	Every time.Duration // from the end of one time to the next
	Did   string        // what the log says of a time that had something to do
	Level slog.Level    // how loud
	// Do does what is there to do, in transactions of its own, and returns how many records it did. A part that was done before
	// it failed, or was killed, stays done.
	Do func(ctx context.Context) (int64, error)
}

// Chores keeps chores in the queue, and does them.
type Chores struct {
	Store ports.Store
	Clock ports.Clock
	Log   *slog.Logger
	All   []Chore
}

// Start puts every chore into the queue, to be done now; one that is there already is done sooner.
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

// Run does the chore of a job, and puts the job back for the next time, whether it failed or not.
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
