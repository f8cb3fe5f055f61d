package wire

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/adapters/persistence/sqlstore"
	"tilth/app/account"
	"tilth/app/operating"
	"tilth/app/task"
	"tilth/core/monitoring"
)

// How often the chores are done.
const (
	chainGap    = time.Second / 2
	foldEvery   = time.Hour // where nothing reports that rows were committed
	foldGap     = 10 * time.Second
	sweepEvery  = time.Minute
	pruneEvery  = 10 * time.Minute
	forgetEvery = time.Hour
	shareEvery  = 5 * time.Second // where nobody asks
	shareGap    = time.Second
	backupLook  = time.Minute // whether it is time for a backup
)

// every does a chore at once and then from time to time, and logs how many records it did.
func every[N int | int64](
	ctx context.Context, log *slog.Logger, level slog.Level, rhythm messaging.Rhythm, did string, chore func(context.Context) (N, error),
) error {
	for {
		looked := time.Now()
		if n, err := chore(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "a chore failed; it is tried again", "chore", did, "error", err)
		} else if n > 0 {
			log.Log(ctx, level, did, "records", n)
		}
		if !rhythm.Wait(ctx, looked) {
			return nil
		}
	}
}

// chain chains committed rows.
func (r *Running) chain(ctx context.Context) error {
	return every(ctx, r.log, slog.LevelDebug, messaging.Rhythm{Latest: r.db.LookEvery(), Woken: r.db.Wakes(sqlstore.RowsWait), Gap: chainGap}, "rows were chained", r.parts.Chains.Run)
}

// chainPatience is how long a shutdown chains what was committed last. What is left waits in the
// database for the next start.
const chainPatience = 5 * time.Second

func (r *Running) chainRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), chainPatience)
	defer cancel()
	if _, err := r.parts.Chains.Run(ctx); err != nil {
		r.log.WarnContext(ctx, "not every row was chained; the next start continues", "error", err)
	}
}

// backUp backs up on the schedule of the configuration.
func (r *Running) backUp(ctx context.Context) (int64, error) {
	files, err := newArchive(r.cfg, r.db)
	if err != nil {
		return 0, err
	}
	return backupSchedule(r.cfg).Run(ctx, files)
}

// fold adds to sums and to the index of names what writers have left for later.
func (r *Running) fold(ctx context.Context) (int64, error) {
	sums, err := r.db.FoldSums(ctx)
	if err != nil {
		return sums, err
	}
	names, err := r.db.FoldSearch(ctx)
	return sums + names, err
}

// shareRates shares with other servers how often callers ask.
func (r *Running) shareRates(ctx context.Context) error {
	rhythm := messaging.Rhythm{Latest: shareEvery, Woken: r.http.RatesAsked(), Gap: shareGap}
	return every(ctx, r.log, slog.LevelDebug, rhythm, "shared with other servers how often callers ask", r.http.ShareRates)
}

// tidy does the chores of a worker process: those that somebody wakes, and those of the machine that it runs on.
func (r *Running) tidy(ctx context.Context, group *errgroup.Group) {
	group.Go(func() error {
		rhythm := messaging.Rhythm{Latest: foldEvery, Woken: r.db.Wakes(sqlstore.RowsWait), Gap: foldGap}
		return every(ctx, r.log, slog.LevelDebug, rhythm, "sums of lists were added up, and names put into their index", r.fold)
	})
	if r.cfg.BackupDir != "" {
		group.Go(func() error {
			return every(ctx, r.log, slog.LevelInfo, messaging.Rhythm{Latest: backupLook}, "backup made", r.backUp)
		})
	}
}

// newChores returns the chores for which one process is enough, whichever it is.
func (r *Running) newChores() task.Chores {
	p := r.parts
	return task.Chores{Store: r.db, Clock: identity.Clock{}, Log: r.log, All: []task.Chore{
		{Kind: "assessment_sweep", Every: sweepEvery, Did: "the completeness of assessments was requested again", Level: slog.LevelInfo, Do: p.Assessing.Sweep},
		{Kind: "stratification_sweep", Every: sweepEvery, Did: "stratification orders took too long and have failed", Level: slog.LevelWarn, Do: p.Strata.Sweep},
		{Kind: "stratification_forget", Every: forgetEvery, Did: "maps and plans that nobody saved were removed", Do: p.Maps.Forget},
		{Kind: "vi_profile_watch", Every: monitoring.SweepEvery, Did: "refreshes of watched profiles were queued, and letters about alerts written", Level: slog.LevelDebug, Do: func(ctx context.Context) (int64, error) {
			queued, err := p.Interface.Satellite.Orders.LookForDue(ctx)
			if err != nil {
				return queued, err
			}
			mail := account.AlertMail{Store: r.db, Clock: identity.Clock{}, Posted: r.cfg.SMTPURL != ""}
			written, err := mail.Run(ctx) // not a chore of its own, as the partitions below
			return queued + written, err
		}},
		{Kind: "map_forget", Every: forgetEvery, Did: "files of maps that had expired were removed", Do: p.Interface.Satellite.Maps.Forget},
		{Kind: "event_prune", Every: pruneEvery, Did: "old events pruned", Do: func(ctx context.Context) (int64, error) {
			// Not a chore of its own: a release that does not know a kind of job would take it, and fail.
			if n, err := r.db.Partition(ctx, identity.Clock{}.Now()); err != nil {
				return 0, err
			} else if n > 0 {
				r.log.InfoContext(ctx, "partitions were made", "partitions", n)
			}
			return p.Sequencer.Prune(ctx, r.cfg.KeepEvents, r.cfg.KeepDeliveries)
		}},
		{Kind: "answer_purge", Every: forgetEvery, Did: "kept answers purged", Do: p.Once.Purge},
		{Kind: "evidence_sweep", Every: forgetEvery, Did: "files of evidence cleared away", Do: p.Evidence.Sweep},
		{Kind: "company_export_sweep", Every: forgetEvery, Did: "old exports of companies were removed", Do: p.Exports.Sweep},
		{Kind: "company_import_sweep", Every: forgetEvery, Did: "imports of companies that were killed were cleared away", Do: p.Mover.Sweep},
		{Kind: "photo_sweep", Every: forgetEvery, Did: "photos of samples cleared away", Do: p.Photos.Sweep},
		{Kind: "record_purge", Every: forgetEvery, Did: "old records purged", Do: func(ctx context.Context) (int64, error) {
			return p.Operating.PurgeOld(ctx, operating.Retention{
				Sessions: r.cfg.KeepSessions, Invitations: r.cfg.KeepInvitations, Imports: r.cfg.KeepImports, Messages: r.cfg.KeepPACTMessages, Jobs: r.cfg.KeepJobs,
			})
		}},
		{Kind: "audit_purge", Every: forgetEvery, Did: "old entries of the audit trail purged", Do: func(ctx context.Context) (int64, error) {
			return p.Chains.Purge(ctx, r.log, r.cfg.KeepAudit)
		}},
	}}
}
