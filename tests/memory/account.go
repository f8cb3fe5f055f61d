package memory

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// user is a user with the names of its roles.
type user struct {
	ports.User
	roles []string
	corerecord.External
}

// role is a role of a company.
type role struct {
	access.Role
	company int64
}

// people is what a company's permissions are made of.
type people struct {
	w           *World
	users       *table[user]
	roles       *table[role]
	invitations *table[ports.Invitation]
	keys        *table[access.APIKey]
	refresh     map[string]ports.RefreshToken
	attempts    map[string]access.Attempts
	places      map[string]bool
	letters     int64
}

func (w *World) addAccount() {
	p := &people{
		w:           w,
		users:       newTable(w, "user", func(r *user) (id, company *int64) { return &r.ID, &r.CompanyID }),
		roles:       newTable(w, "role", func(r *role) (id, company *int64) { return &r.ID, &r.company }),
		invitations: newTable(w, "invitation", func(r *ports.Invitation) (id, company *int64) { return &r.ID, &r.CompanyID }),
		keys:        newTable(w, "API key", func(r *access.APIKey) (id, company *int64) { return &r.ID, &r.CompanyID }),
		refresh:     map[string]ports.RefreshToken{},
		attempts:    map[string]access.Attempts{},
		places:      map[string]bool{},
	}
	w.saves = append(w.saves, func() func() {
		refresh, attempts := maps.Clone(p.refresh), maps.Clone(p.attempts)
		return func() { p.refresh, p.attempts = refresh, attempts }
	})
	w.people = p
	w.repos.Members, w.repos.Roles, w.repos.Invitations, w.repos.Letters = members{Keyed: p.users, p: p}, roles{p.roles, p}, invitations{p: p}, letters{p: p}
	w.repos.Keys, w.operator.Keys = keys{Keyed: p.keys, p: p}, keyRing{p: p}
	given := newTable(w, "share grant", func(r *access.Grant) (id, company *int64) { return &r.ID, &r.Grantor.ID })
	w.repos.Grants = grants{Keyed: given, table: given}
	w.operator.Accounts, w.operator.Attempts, w.operator.Letters = accounts{p: p}, attempts{p}, letters{p: p}
}

// Company adds a company with the roles that every company starts with, and an owner.
func (w *World) Company(id int64) access.Principal {
	for _, one := range access.DefaultRoles() {
		w.must(w.people.roles.Insert(context.Background(), access.Own(id), []*role{{Role: access.Role{Name: one.Name, Slugs: one.Slugs}}}))
	}
	return w.User(id, access.RoleOwner)
}

// User adds a user with roles of a company, and returns it as a caller.
func (w *World) User(company int64, roles ...string) access.Principal {
	name := w.IDs.UUID()
	one := user{ports.User{Name: name, Email: name + "@example.org", PasswordHash: "hash of " + name}, roles, corerecord.External{}}
	w.must(w.people.users.Insert(context.Background(), access.Own(company), []*user{&one}))
	return access.Principal{UserID: one.ID, Name: one.Name, Email: one.Email, CompanyID: company}
}

func (w *World) must(err error) {
	if err != nil {
		panic(err)
	}
}

// policy permits what the roles of a caller allow.
type policy struct{ w *World }

func (p policy) Allowed(ctx context.Context, who access.Principal, slug access.Slug) (bool, error) {
	one, err := p.w.people.users.Get(ctx, access.Own(who.CompanyID), who.UserID)
	if err != nil {
		return false, nil
	}
	for _, held := range p.w.people.roles.all(access.Own(who.CompanyID), func(r role) bool { return slices.Contains(one.roles, r.Name) }) {
		if slices.ContainsFunc(held.Slugs, func(pattern string) bool { return access.Match(pattern, slug) }) {
			return true, nil
		}
	}
	return false, nil
}

type noMembers struct{ ports.Members }

type members struct {
	noMembers
	ports.Keyed
	p *people
}

func (members) Lock(context.Context, access.Scope) error    { return nil }
func (members) Changed(context.Context, access.Scope) error { return nil }

func (m members) Get(ctx context.Context, scope access.Scope, id int64) (ports.Member, error) {
	one, err := m.p.users.Get(ctx, scope, id)
	return ports.Member{ID: one.ID, Name: one.Name, Email: one.Email, Roles: one.roles, Disabled: one.Disabled, External: one.External}, err
}

func (m members) Update(ctx context.Context, scope access.Scope, member ports.Member) error {
	one, err := m.p.users.Get(ctx, scope, member.ID)
	if err != nil {
		return err
	}
	one.Name, one.roles, one.Disabled, one.External = member.Name, member.Roles, member.Disabled, member.External
	return m.p.users.Update(ctx, scope, &one)
}

func (m members) Owners(_ context.Context, scope access.Scope) (int64, error) {
	return int64(len(m.p.users.ids(scope, func(u user) bool { return !u.Disabled && slices.Contains(u.roles, access.RoleOwner) }))), nil
}

type roles struct {
	ports.Keyed
	p *people
}

func (r roles) shown(scope access.Scope, one role) access.Role {
	one.Users = int64(len(r.p.users.ids(scope, func(u user) bool { return slices.Contains(u.roles, one.Name) })))
	return one.Role
}

func (r roles) All(_ context.Context, scope access.Scope) (out []access.Role, err error) {
	for _, one := range r.p.roles.all(scope, nil) {
		out = append(out, r.shown(scope, one))
	}
	return out, nil
}

func (r roles) Get(ctx context.Context, scope access.Scope, id int64) (access.Role, error) {
	one, err := r.p.roles.Get(ctx, scope, id)
	return r.shown(scope, one), err
}

func (r roles) Insert(ctx context.Context, scope access.Scope, fresh *access.Role) error {
	if err := r.unique(scope, *fresh); err != nil {
		return err
	}
	one := role{Role: *fresh}
	err := r.p.roles.Insert(ctx, scope, []*role{&one})
	fresh.ID = one.ID
	return err
}

func (r roles) Update(ctx context.Context, scope access.Scope, changed access.Role) error {
	if err := r.unique(scope, changed); err != nil {
		return err
	}
	return r.p.roles.Update(ctx, scope, &role{changed, scope.Company()})
}

func (r roles) unique(scope access.Scope, one access.Role) error {
	if len(r.p.roles.ids(scope, func(other role) bool { return other.Name == one.Name && other.ID != one.ID })) > 0 {
		return fault.New(fault.Conflict, "role_exists", "There is a role of this name.")
	}
	return nil
}

func (r roles) Delete(ctx context.Context, scope access.Scope, id int64) error {
	_, err := r.p.roles.SoftDelete(ctx, scope, []int64{id}, r.p.w.Clock.At)
	return err
}

func (r roles) Invited(ctx context.Context, scope access.Scope, id int64, now time.Time) (int64, error) {
	one, err := r.p.roles.Get(ctx, scope, id)
	return int64(len(r.p.invitations.ids(scope, func(i ports.Invitation) bool {
		return i.Open(now) && slices.Contains(i.Roles, one.Name)
	}))), err
}

type noInvitations struct{ ports.Invitations }

type invitations struct {
	noInvitations
	p *people
}

func (i invitations) Get(ctx context.Context, scope access.Scope, id int64) (ports.Invitation, error) {
	return i.p.invitations.Get(ctx, scope, id)
}

func (i invitations) Insert(ctx context.Context, scope access.Scope, one *ports.Invitation, _ string) error {
	return i.p.invitations.Insert(ctx, scope, []*ports.Invitation{one})
}

func (i invitations) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	one, err := i.p.invitations.Get(ctx, scope, id)
	if err != nil {
		return err
	}
	one.RevokedAt = &at
	return i.p.invitations.Update(ctx, scope, &one)
}

func (i invitations) RevokeOf(ctx context.Context, scope access.Scope, email string, at time.Time) error {
	for _, id := range i.p.invitations.ids(scope, func(one ports.Invitation) bool { return one.Email == email && one.Open(at) }) {
		if err := i.Revoke(ctx, scope, id, at); err != nil {
			return err
		}
	}
	return nil
}

// letters are not stored: the jobs show what is sent.
type letters struct {
	ports.Letters
	p *people
}

func (l letters) Put(_ context.Context, letter *ports.Letter) error {
	l.p.letters++
	letter.ID = l.p.letters
	return nil
}

type noKeys struct{ ports.APIKeys }

type keys struct {
	noKeys
	ports.Keyed
	p *people
}

func (k keys) Insert(ctx context.Context, scope access.Scope, key *access.APIKey) error {
	return k.p.keys.Insert(ctx, scope, []*access.APIKey{key})
}

func (k keys) Get(ctx context.Context, scope access.Scope, id int64) (access.APIKey, error) {
	return k.p.keys.Get(ctx, scope, id)
}

func (k keys) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	_, err := k.p.keys.SoftDelete(ctx, scope, []int64{id}, at)
	return err
}

type noGrants struct{ ports.Grants }

// grants are stored at the granting company, and found by both companies.
type grants struct {
	noGrants
	ports.Keyed
	table *table[access.Grant]
}

func (g grants) Get(_ context.Context, scope access.Scope, id int64) (access.Grant, error) {
	if row, ok := g.table.rows[id]; ok && (row.record.Grantor.ID == scope.Company() || row.record.Grantee.ID == scope.Company()) {
		return row.record, nil
	}
	return access.Grant{}, fault.Missing("share grant")
}

func (g grants) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (access.Grant, error) {
	return g.Get(ctx, scope, id)
}

func (g grants) Insert(ctx context.Context, scope access.Scope, grant *access.Grant) error {
	return g.table.Insert(ctx, scope, []*access.Grant{grant})
}

func (g grants) SetStatus(ctx context.Context, scope access.Scope, id int64, status access.GrantStatus, at time.Time) error {
	grant, err := g.Get(ctx, scope, id)
	if err != nil {
		return err
	}
	grant.Status, grant.UpdatedAt = status, at
	g.table.rows[id] = entry[access.Grant]{record: grant}
	return nil
}

// Party takes the decimal id of a company for its uuid.
func (g grants) Party(_ context.Context, uuid string) (access.Party, error) {
	id, err := strconv.ParseInt(uuid, 10, 64)
	if err != nil {
		return access.Party{}, fault.Missing("company")
	}
	return access.Party{ID: id, UUID: uuid}, nil
}

type noKeyRing struct{ ports.KeyRing }

type keyRing struct {
	noKeyRing
	p *people
}

func (k keyRing) ByHash(_ context.Context, hash string) (access.APIKey, error) {
	for _, row := range k.p.keys.rows {
		if row.record.Hash == hash {
			row.record.RevokedAt = row.deleted
			return row.record, nil
		}
	}
	return access.APIKey{}, fault.Missing("API key")
}

type noAccounts struct{ ports.Accounts }

type accounts struct {
	noAccounts
	p *people
}

func (a accounts) UserByEmail(_ context.Context, email string) (ports.User, error) {
	for _, row := range a.p.users.rows {
		if strings.EqualFold(row.record.Email, email) {
			return row.record.User, nil
		}
	}
	return ports.User{}, fault.Missing("user")
}

func (a accounts) Caller(_ context.Context, userID int64) (ports.User, int64, error) {
	row, ok := a.p.users.rows[userID]
	if !ok {
		return ports.User{}, 0, fault.Missing("user")
	}
	return row.record.User, 1, nil
}

func (a accounts) Holder(ctx context.Context, hash string, now time.Time) (ports.User, int64, error) {
	token, ok := a.p.refresh[hash]
	if !ok || token.UsedAt != nil || token.RevokedAt != nil || !now.Before(token.ExpiresAt) {
		return ports.User{}, 0, fault.Missing("refresh token")
	}
	return a.Caller(ctx, token.UserID)
}

func (a accounts) AddRefresh(_ context.Context, token ports.RefreshToken) error {
	a.p.refresh[token.Hash] = token
	return nil
}

func (a accounts) Refresh(_ context.Context, hash string) (ports.RefreshToken, error) {
	token, ok := a.p.refresh[hash]
	if !ok {
		return token, fault.Missing("refresh token")
	}
	return token, nil
}

func (a accounts) UseRefresh(_ context.Context, hash string, at time.Time) error {
	token := a.p.refresh[hash]
	token.UsedAt = &at
	a.p.refresh[hash] = token
	return nil
}

func (a accounts) RevokeFamily(_ context.Context, family string, at time.Time) error {
	for hash, token := range a.p.refresh {
		if token.Family == family {
			token.RevokedAt = &at
			a.p.refresh[hash] = token
		}
	}
	return nil
}

type attempts struct{ p *people }

func (a attempts) Get(_ context.Context, keys ...string) ([]access.Attempts, error) {
	out := make([]access.Attempts, len(keys))
	for i, key := range keys {
		out[i] = a.p.attempts[key]
		out[i].Key = key
	}
	return out, nil
}

func (a attempts) Lock(ctx context.Context, _ time.Time, keys ...string) ([]access.Attempts, error) {
	return a.Get(ctx, keys...)
}

func (a attempts) Put(_ context.Context, one access.Attempts) error {
	a.p.attempts[one.Key] = one
	return nil
}

func (a attempts) Clear(_ context.Context, key string) error {
	delete(a.p.attempts, key)
	return nil
}

func (attempts) Purge(context.Context, time.Time) error { return nil }

func (a attempts) Known(_ context.Context, place string, _ time.Time) (bool, error) {
	return a.p.places[place], nil
}

func (a attempts) Know(_ context.Context, place string, _, _ time.Time) error {
	a.p.places[place] = true
	return nil
}
