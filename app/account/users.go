package account

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// Users returns the users of the caller's company. Faults: Unauthenticated, Forbidden.
func (p *People) Users(ctx context.Context, who access.Principal, q ports.Query) (app.List[ports.Member], error) {
	return app.ListIn(ctx, p.deps, app.Ask{Who: who, Need: access.Users.View}, q, func(tx ports.Repos) app.Lister[ports.Member, ports.Query] {
		return tx.Members
	})
}

// User returns a user of the caller's company. Faults: Unauthenticated, Forbidden, NotFound.
func (p *People) User(ctx context.Context, who access.Principal, id int64) (ports.Member, error) {
	return app.Read(ctx, p.deps, who, access.Users.View, func(ctx context.Context, tx ports.Repos) (ports.Member, error) {
		return tx.Members.Get(ctx, who.Scope(false), id)
	})
}

// UserChange is what may be changed of a user.
type UserChange struct {
	Name     string
	Roles    []string
	Disabled bool
}

// UpdateUser changes a user: decode is given what may be changed as it stands, and
// answers what it shall be. A disabled user is out at its next request.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid (last_owner, role_exceeds_own),
// and those of decode.
func (p *People) UpdateUser(ctx context.Context, who access.Principal, id int64, decode func(UserChange) (UserChange, error)) (ports.Member, error) {
	var out ports.Member
	err := p.change(ctx, who, access.Users.Edit, func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
		before, err := tx.Members.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		in, err := decode(UserChange{before.Name, before.Roles, before.Disabled})
		if err != nil {
			return err
		}
		after, f := before, fault.Fields{}
		after.Name, after.Roles, after.Disabled = CheckName(in.Name, f), uniqueNames(in.Roles), in.Disabled
		if err := f.Err(); err != nil {
			return err
		}
		// Who is neither given nor denied anything is only renamed.
		if decided := decidedRoles(before, after); len(decided) > 0 {
			if err := mayDecide(ctx, tx, scope, who, decided); err != nil {
				return err
			}
		}
		owners, err := tx.Members.Owners(ctx, scope)
		if err != nil {
			return err
		}
		if err := tx.Members.Update(ctx, scope, after); err != nil {
			return err
		}
		left, err := tx.Members.Owners(ctx, scope)
		if err != nil {
			return err
		}
		if err := access.KeepOwner(owners, left); err != nil {
			return err
		}
		out = after
		was, is := UserChange{before.Name, before.Roles, before.Disabled}, UserChange{after.Name, after.Roles, after.Disabled}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Update, access.Users.Name, id, audit.Diff(&was, &is)))
	})
	return out, err
}

// decidedRoles returns the roles that a change gives, takes, or, of a user who is
// disabled or enabled, lets be used or not.
func decidedRoles(before, after ports.Member) []string {
	var out []string
	count := map[string]int{}
	for _, name := range append(append([]string{}, before.Roles...), after.Roles...) {
		count[name]++
	}
	for _, name := range uniqueNames(append(append([]string{}, before.Roles...), after.Roles...)) {
		if count[name] == 1 || before.Disabled != after.Disabled {
			out = append(out, name)
		}
	}
	return out
}
