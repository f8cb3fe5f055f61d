package account

import (
	"context"
	"slices"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// Roles returns the roles of the caller's company or, where some are chosen, only those.
func (p *People) Roles(ctx context.Context, who access.Principal, chosen external.Chosen) ([]access.Role, error) {
	return app.Read(ctx, p.Deps, who, access.Roles.View, func(ctx context.Context, tx ports.Repos) ([]access.Role, error) {
		all, err := tx.Roles.All(ctx, who.Scope(false))
		return external.Among(all, chosen, func(r access.Role) int64 { return r.ID }), err
	})
}

// Role returns a role of the caller's company. Faults: NotFound.
func (p *People) Role(ctx context.Context, who access.Principal, id int64) (access.Role, error) {
	return app.Read(ctx, p.Deps, who, access.Roles.View, func(ctx context.Context, tx ports.Repos) (access.Role, error) {
		return tx.Roles.Get(ctx, who.Scope(false), id)
	})
}

// MatchRoles finds the roles that items with some external ids stand for; see [external.Kind].
func (p *People) MatchRoles(ctx context.Context, who access.Principal, keys []string, change bool) ([]int64, []error, error) {
	kind := external.Kind{
		Noun: "role", Plural: "roles", Access: access.Roles, Repo: func(tx ports.Repos) ports.Keyed { return tx.Roles },
		Lock: func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
			return tx.Members.Lock(ctx, scope)
		},
	}
	return kind.Match(ctx, p.Deps, who, keys, change)
}

// CreateRole makes a role. Faults: Invalid (role_exists, role_exceeds_own).
func (p *People) CreateRole(ctx context.Context, who access.Principal, role access.Role) (access.Role, error) {
	if err := p.Gate.Require(ctx, who, access.Roles.Create); err != nil {
		return role, err
	}
	if err := role.Check().Err(); err != nil {
		return role, err
	}
	err := p.change(ctx, who, access.Roles.Create, func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
		if err := mayHold(ctx, tx, scope, who, role.Slugs); err != nil {
			return err
		}
		role.ID, role.Users = 0, 0
		if err := external.Take(ctx, tx.Roles, scope, external.Wish{Noun: "role", Is: role.External}); err != nil {
			return err
		}
		if err := nameTaken(tx.Roles.Insert(ctx, scope, &role)); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Create, access.Roles.Name, role.ID, audit.Diff(nil, &role)))
	})
	return role, err
}

// UpdateRole changes a role: decode is given the current role and returns the new one. The change applies
// from the next request of every user who holds the role. Faults: NotFound, Invalid (role_built_in,
// role_exists, role_exceeds_own), and those of decode.
func (p *People) UpdateRole(ctx context.Context, who access.Principal, id int64, decode func(access.Role) (access.Role, error)) (access.Role, error) {
	var out access.Role
	err := p.change(ctx, who, access.Roles.Edit, func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
		before, err := tx.Roles.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		after, err := decode(before)
		if err != nil {
			return err
		}
		after.ID, after.Users = before.ID, before.Users
		if err := after.Check().Err(); err != nil {
			return err
		}
		if before.BuiltIn() {
			return access.ErrOwnerFixed()
		}
		if err := mayHold(ctx, tx, scope, who, slices.Concat(before.Slugs, after.Slugs)); err != nil {
			return err
		}
		if err := external.Take(ctx, tx.Roles, scope, external.Wish{Noun: "role", ID: id, Was: before.External, Is: after.External}); err != nil {
			return err
		}
		out = after
		if err := nameTaken(tx.Roles.Update(ctx, scope, after)); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Update, access.Roles.Name, id, audit.Diff(&before, &after)))
	})
	return out, err
}

// DeleteRole removes a role that nobody holds or is invited to. Faults: NotFound, Invalid (role_built_in,
// role_in_use).
func (p *People) DeleteRole(ctx context.Context, who access.Principal, id int64) error {
	return p.change(ctx, who, access.Roles.Delete, func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
		role, err := tx.Roles.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		if role.BuiltIn() {
			return access.ErrOwnerFixed()
		}
		invited, err := tx.Roles.Invited(ctx, scope, id, p.Clock.Now())
		if err != nil {
			return err
		}
		if role.Users > 0 || invited > 0 {
			return fault.Newf(fault.Invalid, "role_in_use", "%d users hold this role, and %d open invitations give it.", role.Users, invited).
				With("users", role.Users).With("invitations", invited)
		}
		if err := tx.Roles.Delete(ctx, scope, id); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Delete, access.Roles.Name, id, audit.Diff(&role, nil)))
	})
}

// mayHold refuses to add permissions to a role, or remove them from it, that the caller does not hold.
func mayHold(ctx context.Context, tx ports.Repos, scope access.Scope, who access.Principal, patterns []string) error {
	_, held, err := rights(ctx, tx, scope, who)
	if err != nil {
		return err
	}
	return access.MayGrant(held, patterns)
}

// nameTaken reports a taken name under its field.
func nameTaken(err error) error {
	if f, ok := fault.As(err); ok && f.Code == "role_exists" {
		return wrongField("name", f.Code, f.Message)
	}
	return err
}
