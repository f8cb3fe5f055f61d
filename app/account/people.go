package account

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// People is the use cases of users, roles and invitations.
type People struct{ deps app.Deps }

// NewPeople makes the use cases.
func NewPeople(deps app.Deps) *People { return &People{deps} }

// change runs a change of a company's people under its lock, and puts it in force.
func (p *People) change(ctx context.Context, who access.Principal, need access.Permission,
	do func(ctx context.Context, tx ports.Repos, scope access.Scope) error,
) error {
	if err := p.deps.Gate.Require(ctx, who, need); err != nil {
		return err
	}
	scope := who.Scope(false)
	return p.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
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
func (p *People) by(who access.Principal) audit.Entry { return audit.By(who, p.deps.Clock.Now()) }

// mayDecide refuses to give or take roles that hold more than the caller does, and
// roles that do not exist (Invalid, under the field roles).
func mayDecide(ctx context.Context, tx ports.Repos, scope access.Scope, who access.Principal, names []string) error {
	all, err := tx.Roles.All(ctx, scope)
	if err != nil {
		return err
	}
	byName := map[string][]string{}
	for _, role := range all {
		byName[role.Name] = role.Slugs
	}
	f := fault.Fields{}
	var patterns []string
	for _, name := range names {
		slugs, ok := byName[name]
		if !ok {
			f.Addf("roles", "%q is no role of your company.", name)
		}
		patterns = append(patterns, slugs...)
	}
	if err := f.Err(); err != nil {
		return err
	}
	held, err := heldBy(ctx, tx, scope, who, byName)
	if err != nil {
		return err
	}
	return access.MayGrant(held, patterns)
}

// heldBy returns the patterns that the caller holds; an operator holds everything.
func heldBy(ctx context.Context, tx ports.Repos, scope access.Scope, who access.Principal, byName map[string][]string) ([]string, error) {
	if who.Operator {
		return []string{"*"}, nil
	}
	me, err := tx.Members.Get(ctx, scope, who.UserID)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range me.Roles {
		out = append(out, byName[name]...)
	}
	return out, nil
}

// uniqueNames sorts names of roles and drops repeats.
func uniqueNames(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckName adds what is wrong with the name of a person, and gives it trimmed.
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
		f.Add("email", "This is no e-mail address.")
	}
	return email
}
