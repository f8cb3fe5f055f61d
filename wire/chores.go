package wire

import (
	"context"
	"log/slog"
	"time"
)

// How often a process does the chores that are no jobs.
const (
	sweepEvery  = time.Minute      // fail stratification orders whose preparation takes too long
	pruneEvery  = 10 * time.Minute // remove old events and deliveries
	forgetEvery = time.Hour        // remove answers that are no longer replayed, and jobs that failed long ago
)

// every does a chore at once and then from time to time, and logs how many records it did.
func every[N int | int64](
	ctx context.Context, log *slog.Logger, level slog.Level, pause time.Duration, did string, chore func(context.Context) (N, error),
) error {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		if n, err := chore(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "a chore failed; it is tried again", "chore", did, "error", err)
		} else if n > 0 {
			log.Log(ctx, level, did, "records", n)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// sweep fails stratification orders that take too long.
func (r *Running) sweep(ctx context.Context) error {
	return every(ctx, r.log, slog.LevelWarn, sweepEvery, "stratification orders took too long and have failed", r.parts.Strata.Sweep)
}

// prune removes old events and deliveries.
func (r *Running) prune(ctx context.Context) error {
	return every(ctx, r.log, slog.LevelInfo, pruneEvery, "old events pruned", r.parts.Sequencer.Prune)
}

// forget removes answers that are no longer replayed.
func (r *Running) forget(ctx context.Context) error {
	return every(ctx, r.log, slog.LevelInfo, forgetEvery, "kept answers purged", r.parts.Once.Purge)
}

// forgetJobs removes jobs that failed long ago.
func (r *Running) forgetJobs(ctx context.Context) error {
	return every(ctx, r.log, slog.LevelInfo, forgetEvery, "failed jobs forgotten", r.parts.Operating.ForgetFailedJobs)
}
