// Package caps limits how many of certain records a company may have: each of them costs all
// companies something for as long as it exists.
package caps

import (
	"context"
	"slices"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/webhook"
	"tilth/ports"
)

// Caps are the limits of one company.
type Caps struct {
	APIKeys     int64 // not revoked
	Invitations int64 // open
	Webhooks    int64
	PACTClients int64    // not revoked
	Jobs        int64    // unfinished, except those that maintain the program's own figures
	OneEach     []string // kinds of jobs of which a company has one at a time: they are always accepted
}

// Guard returns the same store, whose write transactions refuse (Conflict, limit_reached) whatever exceeds a cap.
// Concurrent callers cannot exceed it together: counting takes a lock on the company that lasts until the transaction
// ends. Jobs are counted once a second while a company is far from their cap, see [spare]. The operator, who has no
// company, is not limited.
func Guard(store ports.Store, bounds Caps, clock ports.Clock) ports.Store {
	return guarded{store, bounds, clock, &spare{}}
}

type guarded struct {
	ports.Store
	bounds Caps
	clock  ports.Clock
	spare  *spare
}

// Write implements ports.Store.
func (g guarded) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return g.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		room := func(ctx context.Context, company int64, b bound, more int) error {
			n, err := tx.Holdings.Count(ctx, company, b.of, b.cap, g.clock.Now())
			if err == nil && n+int64(more) > b.cap {
				err = b.reached()
			}
			return err
		}
		pending := func(ctx context.Context, company int64, b bound, _ int) error {
			now := g.clock.Now()
			if g.spare.take(company, now) {
				return nil
			}
			n, err := tx.Holdings.Count(ctx, company, b.of, b.cap, now)
			if err == nil && n >= b.cap {
				return b.reached()
			}
			g.spare.counted(company, b.cap, n, now)
			return err
		}
		tx.Keys = keys{tx.Keys, room, bound{ports.HoldAPIKeys, g.bounds.APIKeys, "API keys", "TILTH_MAX_API_KEYS", "revoke one"}}
		tx.Invitations = invitations{tx.Invitations, room, bound{ports.HoldInvitations, g.bounds.Invitations, "open invitations", "TILTH_MAX_INVITATIONS", "revoke one"}}
		tx.Webhooks = records[webhook.Webhook]{tx.Webhooks, room, bound{ports.HoldWebhooks, g.bounds.Webhooks, "webhooks", "TILTH_MAX_WEBHOOKS", "delete one"}}
		tx.FootprintClients = records[footprint.Client]{tx.FootprintClients, room, bound{ports.HoldPACTClients, g.bounds.PACTClients, "PACT clients", "TILTH_MAX_PACT_CLIENTS", "revoke one"}}
		tx.Jobs = jobs{tx.Jobs, g.bounds.OneEach, pending, bound{ports.HoldJobs, g.bounds.Jobs, "unfinished pieces of background work", "TILTH_MAX_PENDING_JOBS", "wait until some are done"}}
		return do(ctx, tx)
	})
}

// bound is one cap and its name.
type bound struct {
	of                 ports.Holding
	cap                int64
	name, setting, fix string
}

func (b bound) reached() error {
	return fault.Newf(fault.Conflict, "limit_reached", "A company has at most %d %s here. Fix: %s, or ask the operator to raise %s.", b.cap, b.name, b.fix, b.setting).
		With("limit", b.cap).With("of", string(b.of)).With("setting", b.setting)
}

// room refuses further records where a company would exceed its cap.
type room func(ctx context.Context, company int64, b bound, more int) error

type keys struct {
	ports.APIKeys
	room  room
	bound bound
}

func (k keys) Insert(ctx context.Context, scope access.Scope, key *access.APIKey) error {
	if err := k.room(ctx, scope.Company(), k.bound, 1); err != nil {
		return err
	}
	return k.APIKeys.Insert(ctx, scope, key)
}

type invitations struct {
	ports.Invitations
	room  room
	bound bound
}

func (i invitations) Insert(ctx context.Context, scope access.Scope, in *ports.Invitation, hash string) error {
	if err := i.room(ctx, scope.Company(), i.bound, 1); err != nil {
		return err
	}
	return i.Invitations.Insert(ctx, scope, in, hash)
}

// records are a company's records that are created one by one.
type records[T any] struct {
	ports.Records[T]
	room  room
	bound bound
}

func (r records[T]) Insert(ctx context.Context, scope access.Scope, list []*T) error {
	if err := r.room(ctx, scope.Company(), r.bound, len(list)); err != nil {
		return err
	}
	return r.Records.Insert(ctx, scope, list)
}

type jobs struct {
	ports.JobWriter
	oneEach []string
	room    room
	bound   bound
}

// Enqueue counts a job unless it is of a kind in oneEach. TryEnqueue counts none: its jobs, such as those of the program's own
// figures, are asked for again.
func (j jobs) Enqueue(ctx context.Context, job ports.Job) error {
	if job.CompanyID != 0 && !slices.Contains(j.oneEach, job.Kind) {
		if err := j.room(ctx, job.CompanyID, j.bound, 1); err != nil {
			return err
		}
	}
	return j.JobWriter.Enqueue(ctx, job)
}
