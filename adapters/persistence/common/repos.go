// Package common stores what serves all products: jobs, the outbox, event feeds, webhooks,
// idempotent requests and the audit trail.
package common

import (
	"context"
	"errors"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.Replays, r.Outbox, r.Jobs, r.Audit, r.Events = replays{s}, outbox{s}, jobs{s}, trail{s}, feeds{s}
	r.Webhooks, r.Deliveries, r.Holdings = webhookRecords(s), deliveries{s}, holdings{s}
	r.Nested = nested(s)
}

// nested implements ports.Repos: a savepoint keeps a failure from ending the transaction, as PostgreSQL otherwise would.
func nested(s *sqlstore.Session) func(ctx context.Context, do func(ctx context.Context) error) error {
	run := func(ctx context.Context, statement string) error { return sqlstore.Run(ctx, s.NewRaw(statement)) }
	return func(ctx context.Context, do func(ctx context.Context) error) error {
		if err := run(ctx, "SAVEPOINT nested"); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			back := run(ctx, "ROLLBACK TO SAVEPOINT nested")
			if back == nil {
				back = run(ctx, "RELEASE SAVEPOINT nested")
			}
			if back != nil {
				return errors.Join(err, back)
			}
			return sqlstore.Clash(err)
		}
		return run(ctx, "RELEASE SAVEPOINT nested")
	}
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Outbox, r.Audit, r.Trail, r.Replays, r.Jobs = outbox{s}, trail{s}, operatorTrail{s}, replays{s}, jobKeeper{jobs{s}}
	r.FileMark, r.Partitions = fileMark{s}, partitions{s}
	r.Events, r.Webhooks, r.Secrets, r.Chains, r.Remains, r.Persons = feeds{s}, webhookKeeper{s}, secrets{s}, chains{s}, remains{s}, persons{s}
}
