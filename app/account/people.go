package account

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// People holds the use cases of users, roles and invitations.
type People struct{ app.Deps }

// change runs a change of a company's people under its lock, and puts it into force.
func (p *People) change(ctx context.Context, who access.Principal, need access.Permission,
	do func(ctx context.Context, tx ports.Repos, scope access.Scope) error,
) error {
	scope := who.Scope(false)
	return app.Do(ctx, p.Deps, who, need, func(ctx context.Context, tx ports.Repos) error {
		if err := tx.Members.Lock(ctx, scope); err != nil {
			return err
		}
		if err := do(ctx, tx, scope); err != nil {
			return err
		}
		return tx.Members.Changed(ctx, scope)
	})
}

// by returns the entry of the audit trail for what a caller does now.
func (p *People) by(who access.Principal) audit.Entry { return audit.By(who, p.Clock.Now()) }

// mayDecide refuses to grant or withdraw roles that hold more than the caller does, and roles that
// do not exist (Invalid, under the field roles).
func mayDecide(ctx context.Context, tx ports.Repos, scope access.Scope, who access.Principal, names []string) error {
	byName, held, err := rights(ctx, tx, scope, who)
	if err != nil {
		return err
	}
	f := fault.Fields{}
	var patterns []string
	for _, name := range names {
		slugs, ok := byName[name]
		if !ok {
			f.Addf("roles", "%q is not a role of your company.", name)
		}
		patterns = append(patterns, slugs...)
	}
	if err := f.Err(); err != nil {
		return err
	}
	return access.MayGrant(held, patterns)
}

// rights returns the patterns of the company's roles by name, and those that the caller holds; an
// operator holds everything.
func rights(ctx context.Context, tx ports.Repos, scope access.Scope, who access.Principal) (byName map[string][]string, held []string, err error) {
	all, err := tx.Roles.All(ctx, scope)
	if err != nil {
		return nil, nil, err
	}
	byName = map[string][]string{}
	for _, role := range all {
		byName[role.Name] = role.Slugs
	}
	if who.Operator {
		return byName, []string{"*"}, nil
	}
	me, err := tx.Members.Get(ctx, scope, who.UserID)
	for _, name := range me.Roles {
		held = append(held, byName[name]...)
	}
	return byName, held, err
}

// uniqueNames sorts names of roles and drops repeats.
func uniqueNames(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckName adds to f what is wrong with the name of a person, and returns the name trimmed.
func CheckName(name string, f fault.Fields) string {
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n < 1 || n > 255 || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		f.Add("name", "A name of 1 to 255 characters.")
	}
	return name
}

// checkEmail returns an e-mail address in its stored form.
func checkEmail(email string, f fault.Fields) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > 254 {
		f.Add("email", "This is not an e-mail address.")
	}
	return email
}

// Users returns the users of the caller's company.
func (p *People) Users(ctx context.Context, who access.Principal, q ports.Query) (app.List[ports.Member], error) {
	return app.ListIn(ctx, p.Deps, app.Ask{Who: who, Need: access.Users.View}, q, func(tx ports.Repos) ports.Members { return tx.Members })
}

// User returns a user of the caller's company. Faults: NotFound.
func (p *People) User(ctx context.Context, who access.Principal, id int64) (ports.Member, error) {
	return app.Read(ctx, p.Deps, who, access.Users.View, func(ctx context.Context, tx ports.Repos) (ports.Member, error) {
		return tx.Members.Get(ctx, who.Scope(false), id)
	})
}

// UserChange holds what may be changed about a user.
type UserChange struct {
	Name     string
	Roles    []string
	Disabled bool
	record.External
}

// UpdateUser changes a user: decode is given the current user, and returns the name, roles and external id that the user is to
// have, and whether the user is to be disabled. A disabled user is shut out from the next request on. Faults: NotFound, Invalid
// (last_owner, role_exceeds_own), and those of decode.
func (p *People) UpdateUser(ctx context.Context, who access.Principal, id int64, decode func(ports.Member) (ports.Member, error)) (ports.Member, error) {
	var out ports.Member
	err := p.change(ctx, who, access.Users.Edit, func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
		before, err := tx.Members.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		in, err := decode(before)
		if err != nil {
			return err
		}
		after, f := before, fault.Fields{}
		after.Name, after.Roles, after.Disabled, after.External = CheckName(in.Name, f), uniqueNames(in.Roles), in.Disabled, in.External
		in.External.Check(f)
		if err := f.Err(); err != nil {
			return err
		}
		// A user who neither gains nor loses anything is only renamed.
		if decided := decidedRoles(before, after); len(decided) > 0 {
			if err := mayDecide(ctx, tx, scope, who, decided); err != nil {
				return err
			}
		}
		if err := external.Take(ctx, tx.Members, scope, external.Wish{Noun: "user", ID: id, Was: before.External, Is: after.External}); err != nil {
			return err
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
		was, is := UserChange{before.Name, before.Roles, before.Disabled, before.External}, UserChange{after.Name, after.Roles, after.Disabled, after.External}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Update, access.Users.Name, id, audit.Diff(&was, &is)))
	})
	return out, err
}

// decidedRoles returns the roles that a change grants or withdraws or, where the user is disabled
// or enabled, takes out of use or puts into use.
func decidedRoles(before, after ports.Member) []string {
	var out []string
	count := map[string]int{}
	for _, name := range slices.Concat(before.Roles, after.Roles) {
		count[name]++
	}
	for _, name := range uniqueNames(slices.Concat(before.Roles, after.Roles)) {
		if count[name] == 1 || before.Disabled != after.Disabled {
			out = append(out, name)
		}
	}
	return out
}

// Me is what callers may know about themselves.
type Me struct {
	Principal access.Principal
	Company   *ports.Company // nil: an operator outside any company
	Roles     []string
	Slugs     []access.Slug // what the caller may do now
	AlertMail bool          // wants letters about the alerts of watched fields
}

// Me returns the caller's own record; no permission is needed for that. Faults: Unauthenticated.
func (p *People) Me(ctx context.Context, who access.Principal) (Me, error) {
	out := Me{Principal: who}
	err := p.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if who.CompanyID == 0 {
			return nil
		}
		company, err := tx.Accounts.Company(ctx, who.CompanyID)
		if err != nil {
			return err
		}
		out.Company = &company
		member, err := tx.Members.Get(ctx, who.Scope(false), who.UserID)
		if fault.Is(err, fault.NotFound) {
			return nil // an operator inside a company
		}
		out.Roles, out.AlertMail = member.Roles, member.AlertMail
		return err
	})
	if err != nil {
		return out, err
	}
	for _, slug := range access.KnownSlugs() {
		holds, err := p.Gate.Holds(ctx, who, slug)
		if err != nil {
			return out, err
		}
		if holds {
			out.Slugs = append(out.Slugs, slug)
		}
	}
	return out, nil
}

// ChangeMe changes what callers may change about themselves: decode is given the current values, and returns the new ones.
// No permission is needed for that. Faults: NotFound where the caller is no user of the company; those of decode.
func (p *People) ChangeMe(ctx context.Context, who access.Principal, decode func(SelfChange) (SelfChange, error)) (Me, error) {
	scope := who.Scope(false)
	err := p.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		member, err := tx.Members.Get(ctx, scope, who.UserID)
		if err != nil {
			return err
		}
		was := SelfChange{AlertMail: member.AlertMail}
		is, err := decode(was)
		if err != nil || is == was {
			return err
		}
		if err := tx.Members.WantAlertMail(ctx, scope, who.UserID, is.AlertMail); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, p.by(who).Of(audit.Update, access.Users.Name, who.UserID, audit.Diff(&was, &is)))
	})
	if err != nil {
		return Me{}, err
	}
	return p.Me(ctx, who)
}

// SelfChange is what users may change about themselves.
type SelfChange struct{ AlertMail bool }
