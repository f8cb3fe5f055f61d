package account

import (
	"context"
	"iter"
	"time"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Sharing holds the use cases of share grants.
type Sharing struct{ app.Deps }

// ShareRequest describes a grant to be offered.
type ShareRequest struct {
	GranteeUUID string
	Target      access.GrantTarget
	FarmID      int64         // 0: none
	FieldID     int64         // 0: none
	Slugs       []access.Slug // nil: the usual ones
	EndsOn      *time.Time
	record.External
}

// today returns the civil date in UTC, which decides when grants end.
func (s *Sharing) today() time.Time { return s.Clock.Now().UTC().Truncate(24 * time.Hour) }

// List returns the grants that the caller's company has given or been offered.
func (s *Sharing) List(ctx context.Context, who access.Principal, q ports.GrantQuery) (app.List[access.Grant], error) {
	today := s.today()
	return app.ReadList(ctx, s.Deps, app.Ask{Who: who, Need: access.ShareGrants.View}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.Grants.Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.GrantQuery) iter.Seq2[access.Grant, error] {
			return func(yield func(access.Grant, error) bool) {
				for grant, err := range tx.Grants.Each(ctx, scope, q) {
					if !yield(grant.Seen(who.CompanyID, today), err) {
						return
					}
				}
			}
		})
}

// Retrieve returns one grant. Faults: NotFound.
func (s *Sharing) Retrieve(ctx context.Context, who access.Principal, id int64) (access.Grant, error) {
	out, err := app.Read(ctx, s.Deps, who, access.ShareGrants.View, func(ctx context.Context, tx ports.Repos) (access.Grant, error) {
		return tx.Grants.Get(ctx, who.Scope(false), id)
	})
	return out.Seen(who.CompanyID, s.today()), err
}

// Create offers a grant: it is pending until the other company answers. Faults: Invalid.
func (s *Sharing) Create(ctx context.Context, who access.Principal, in ShareRequest) (access.Grant, error) {
	now := s.Clock.Now()
	return app.Write(ctx, s.Deps, who, access.ShareGrants.Create, func(ctx context.Context, tx ports.Repos) (out access.Grant, err error) {
		grant, errs, err := draft(ctx, tx, who, in)
		if err != nil {
			return out, err
		}
		errs.Merge(grant.Check(s.today()))
		if err := errs.Err(); err != nil {
			return out, err
		}
		grant.Status, grant.CreatedAt, grant.UpdatedAt = access.GrantPending, now, now
		grant.CreatedBy = &access.Named{ID: who.UserID, Name: who.Name}
		if err := external.Take(ctx, tx.Grants, who.Scope(false), external.Wish{Noun: "share grant", Is: grant.External}); err != nil {
			return out, err
		}
		if err := tx.Grants.Insert(ctx, who.Scope(false), &grant); err != nil {
			return out, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Create, access.ShareGrants.Name, grant.ID, audit.Diff(nil, &grant))); err != nil {
			return out, err
		}
		return tx.Grants.Get(ctx, who.Scope(false), grant.ID)
	})
}

// draft makes the grant of a request, and returns what is wrong with the records it names.
func draft(ctx context.Context, tx ports.Repos, who access.Principal, in ShareRequest) (access.Grant, fault.Fields, error) {
	errs, scope := fault.Fields{}, who.Scope(false)
	grant := access.Grant{Target: in.Target, Slugs: in.Slugs, EndsOn: in.EndsOn, External: in.External}
	if in.Slugs == nil {
		grant.Slugs = access.DefaultGrantSlugs()
	}
	var err error
	grant.Grantee, err = tx.Grants.Party(ctx, in.GranteeUUID)
	switch {
	case fault.Is(err, fault.NotFound):
		errs.Add("grantee_uuid", "No company has this uuid.")
	case err != nil:
		return grant, errs, err
	case grant.Grantee.ID == who.CompanyID:
		errs.Add("grantee_uuid", "This is your own company.")
	}
	if grant.Farm, err = named(ctx, tx.Farms, scope, "farm", in.FarmID, errs); err != nil {
		return grant, errs, err
	}
	grant.Field, err = named(ctx, tx.Fields, scope, "field", in.FieldID, errs)
	return grant, errs, err
}

// named returns the record of the company that a grant names; nil where it names none.
func named[T any](ctx context.Context, of ports.Records[T], scope access.Scope, what string, id int64, errs fault.Fields) (*access.Named, error) {
	if id == 0 {
		return nil, nil
	}
	found, err := of.GetMany(ctx, scope, []int64{id})
	if _, ok := found[id]; err == nil && !ok {
		errs.Addf(what+"_id", "No %s of your company has the id %d.", what, id)
	}
	return &access.Named{ID: id}, err
}

// step is a change of a grant's state, which only one of its two companies may make.
type step struct {
	need  access.Permission
	word  audit.Action
	mover func(*access.Grant) access.Party
	move  func(*access.Grant, time.Time) error
}

func grantor(g *access.Grant) access.Party { return g.Grantor }
func grantee(g *access.Grant) access.Party { return g.Grantee }

// Accept takes up a grant that is offered to the caller's company: it counts from now on. Faults:
// NotFound, Conflict (share_grant_state).
func (s *Sharing) Accept(ctx context.Context, who access.Principal, id int64) (access.Grant, error) {
	return s.take(ctx, who, id, step{access.ShareGrants.Edit, audit.Accept, grantee, (*access.Grant).Accept})
}

// Decline refuses a grant that is offered to the caller's company. Faults: NotFound, Conflict (share_grant_state).
func (s *Sharing) Decline(ctx context.Context, who access.Principal, id int64) (access.Grant, error) {
	return s.take(ctx, who, id, step{access.ShareGrants.Edit, audit.Decline, grantee, (*access.Grant).Decline})
}

// Revoke ends a grant of the caller's company, accepted or not. It stays listed. Faults: NotFound, Conflict
// (share_grant_state).
func (s *Sharing) Revoke(ctx context.Context, who access.Principal, id int64) error {
	_, err := s.take(ctx, who, id, step{access.ShareGrants.Delete, audit.Revoke, grantor, (*access.Grant).Revoke})
	return err
}

// take makes a step. To any company but the one that may make it, the grant does not exist.
func (s *Sharing) take(ctx context.Context, who access.Principal, id int64, step step) (access.Grant, error) {
	scope, now := who.Scope(false), s.Clock.Now()
	out, err := app.Write(ctx, s.Deps, who, step.need, func(ctx context.Context, tx ports.Repos) (after access.Grant, err error) {
		before, err := tx.Grants.GetForUpdate(ctx, scope, id)
		if err != nil {
			return after, err
		}
		if step.mover(&before).ID != who.CompanyID {
			return after, fault.Missing("share grant")
		}
		after = before
		if err := step.move(&after, s.today()); err != nil {
			return after, err
		}
		after.UpdatedAt = now
		if err := tx.Grants.SetStatus(ctx, scope, id, after.Status, now); err != nil {
			return after, err
		}
		return after, tx.Audit.Add(ctx, audit.By(who, now).Of(step.word, access.ShareGrants.Name, id, audit.Diff(&before, &after)))
	})
	return out.Seen(who.CompanyID, s.today()), err
}
