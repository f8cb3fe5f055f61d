// Package common stores what serves all products: jobs, the outbox, event feeds, webhooks,
// idempotent requests and the audit trail.
package common

import (
	"context"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.Replays, r.Outbox, r.Jobs, r.Audit, r.Events = replays{s}, outbox{s}, jobs{s}, trail{s}, feeds{s}
	r.Webhooks, r.Deliveries, r.Holdings = webhookRecords(s), deliveries{s}, holdings{s}
	r.Nested = func(ctx context.Context, do func(ctx context.Context) error) error {
		return sqlstore.Clash(s.Nested(ctx, do))
	}
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Outbox, r.Audit, r.Trail, r.Replays, r.Jobs = outbox{s}, trail{s}, operatorTrail{s}, replays{s}, jobKeeper{jobs{s}}
	r.FileMark, r.Partitions = fileMark{s}, partitions{s}
	r.Events, r.Webhooks, r.Secrets, r.Chains, r.Remains, r.Persons = feeds{s}, webhookKeeper{s}, secrets{s}, chains{s}, remains{s}, persons{s}
}
