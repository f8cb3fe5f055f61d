package operating

import (
	"context"
	"time"

	"tilth/app"
	"tilth/ports"
)

// purgeRows is the number of records that one transaction removes.
const purgeRows = 500

// Retention is the time for which records stay after they have ended.
type Retention struct {
	Sessions    time.Duration // refresh tokens, since they expired
	Invitations time.Duration // since their link expired
	Imports     time.Duration // imports and batches, since they ended
	Messages    time.Duration // events from and to PACT clients
	Jobs        time.Duration // since they failed for good
}

// PurgeOld removes records past their retention, in small transactions, and returns their number.
func (o *Operating) PurgeOld(ctx context.Context, keep Retention) (total int64, err error) {
	now := o.Clock.Now()
	for _, one := range []struct {
		kept  time.Duration
		purge func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error)
	}{
		{keep.Sessions, func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error) {
			return tx.Remains.Sessions(ctx, before, purgeRows)
		}},
		{keep.Invitations, func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error) {
			return tx.Remains.Invitations(ctx, before, purgeRows)
		}},
		{keep.Imports, func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error) {
			return tx.Remains.Imports(ctx, before, purgeRows)
		}},
		{keep.Imports, func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error) {
			return tx.Remains.Batches(ctx, before, purgeRows)
		}},
		{keep.Messages, func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error) {
			return tx.Remains.Messages(ctx, before, purgeRows)
		}},
		{keep.Jobs, func(ctx context.Context, tx ports.OperatorRepos, before time.Time) (int64, error) {
			return tx.Jobs.ForgetFailed(ctx, before, purgeRows)
		}},
	} {
		n, err := app.InPieces(ctx, o.Store, purgeRows, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return one.purge(ctx, tx, now.Add(-one.kept))
		})
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
