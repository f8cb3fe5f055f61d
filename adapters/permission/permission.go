// Package permission implements ports.Permissions with casbin: role-based access with a domain
// for each company. It caches the roles of each user, and reads them from the store when the
// caller's version of its company's policy is newer than the cached one, so that a change is in
// force on the next request, on every replica. Callers with the same roles share an enforcer.
package permission

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"tilth/core/access"
	"tilth/ports"
)

// The model: a holder has roles in a company, a role has slug patterns in a company.
const rbacWithDomains = `
[request_definition]
r = sub, dom, obj

[policy_definition]
p = sub, dom, obj

[role_definition]
g = _, _, _

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = g(r.sub, p.sub, r.dom) && r.dom == p.dom && slugMatch(p.obj, r.obj)
`

// Bounds of what is cached; beyond them the least recently used goes. A user takes about 300
// bytes, an enforcer about 50 kB.
const (
	maxUsers     = 65_536
	maxEnforcers = 1_024
)

// Casbin implements ports.Permissions.
type Casbin struct {
	store     ports.Store
	users     *lru.Cache[member, held]
	enforcers *lru.Cache[string, *roles] // by what they decide from: a change makes another
	reads     singleflight.Group
}

// member is a user in a company.
type member struct{ company, user int64 }

// held is what a member may do at a version of its company's policy.
type held struct {
	version int64
	*roles
}

// roles is an enforcer of some roles of a company, with its answers so far: an enforcement takes
// 0.2 ms.
type roles struct {
	enforcer *casbin.SyncedEnforcer
	domain   string
	answers  sync.Map // bool by slug
}

// New returns a Casbin over the policies of a store.
func New(store ports.Store) *Casbin { return newBounded(store, maxUsers, maxEnforcers) }

func newBounded(store ports.Store, users, enforcers int) *Casbin {
	c := &Casbin{store: store}
	var err error
	if c.users, err = lru.New[member, held](users); err == nil {
		c.enforcers, err = lru.New[string, *roles](enforcers)
	}
	if err != nil {
		panic(err) // a bound that is not positive
	}
	return c
}

// Allowed reports whether a caller has a permission in its company.
func (c *Casbin) Allowed(ctx context.Context, who access.Principal, slug access.Slug) (bool, error) {
	has, err := c.heldBy(ctx, who)
	if err != nil {
		return false, err
	}
	if known, ok := has.answers.Load(slug); ok {
		return known.(bool), nil
	}
	answer, err := has.enforcer.Enforce(holder, has.domain, string(slug))
	if err == nil {
		has.answers.Store(slug, answer)
	}
	return answer, err
}

// heldBy returns what a caller may do, no older than the caller's version; for one without, what it may do now. Callers who need the
// same at the same time share one reading, which began after each of them had its version; one
// who leaves does not end it for the others.
func (c *Casbin) heldBy(ctx context.Context, who access.Principal) (held, error) {
	m := member{who.CompanyID, who.UserID}
	if who.PolicyVersion == 0 {
		return c.read(ctx, m)
	}
	if have, ok := c.users.Get(m); ok && have.version >= who.PolicyVersion {
		return have, nil
	}
	shared := c.reads.DoChan(fmt.Sprint(m.company, m.user, who.PolicyVersion), func() (any, error) {
		if have, ok := c.users.Peek(m); ok && have.version >= who.PolicyVersion {
			return have, nil // since the look above
		}
		return c.read(context.WithoutCancel(ctx), m)
	})
	select {
	case r := <-shared:
		if r.Err != nil {
			return held{}, r.Err
		}
		return r.Val.(held), nil
	case <-ctx.Done():
		return held{}, ctx.Err()
	}
}

// read reads the roles of a member and keeps them, unless newer ones came meanwhile. It runs
// beside the request, where a panic would end the program.
func (c *Casbin) read(ctx context.Context, m member) (fresh held, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read the roles of a user: panic: %v", v)
		}
	}()
	var patterns map[string][]string
	err = c.store.Consult(ports.Loosely(ctx), func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		patterns, fresh.version, err = tx.Accounts.RolesOf(ctx, m.company, m.user)
		return err
	})
	if err != nil {
		return held{}, err
	}
	if fresh.roles, err = c.rolesOf(m.company, patterns); err != nil {
		return held{}, err
	}
	if have, ok := c.users.Peek(m); !ok || have.version <= fresh.version {
		c.users.Add(m, fresh)
	}
	return fresh, nil
}

// rolesOf returns the enforcer of roles with their slug patterns.
func (c *Casbin) rolesOf(company int64, patterns map[string][]string) (*roles, error) {
	domain := "company:" + strconv.FormatInt(company, 10)
	var key strings.Builder
	key.WriteString(domain)
	for _, role := range slices.Sorted(maps.Keys(patterns)) {
		fmt.Fprintf(&key, "|%q%q", role, patterns[role])
	}
	if have, ok := c.enforcers.Get(key.String()); ok {
		return have, nil
	}
	enforcer, err := build(domain, patterns)
	if err != nil {
		return nil, err
	}
	made := &roles{enforcer: enforcer, domain: domain}
	c.enforcers.Add(key.String(), made)
	return made, nil
}

// holder is the subject of every enforcer: whoever holds its roles.
const holder = "holder"

func build(domain string, patterns map[string][]string) (*casbin.SyncedEnforcer, error) {
	m, err := model.NewModelFromString(rbacWithDomains)
	if err != nil {
		return nil, err
	}
	e, err := casbin.NewSyncedEnforcer(m)
	if err != nil {
		return nil, err
	}
	e.AddFunction("slugMatch", func(args ...any) (any, error) {
		pattern, _ := args[0].(string)
		slug, _ := args[1].(string)
		return access.Match(pattern, access.Slug(slug)), nil
	})
	for role, slugs := range patterns {
		for _, slug := range slugs {
			if _, err := e.AddPolicy("role:"+role, domain, slug); err != nil {
				return nil, err
			}
		}
		if _, err := e.AddGroupingPolicy(holder, "role:"+role, domain); err != nil {
			return nil, err
		}
	}
	return e, nil
}
