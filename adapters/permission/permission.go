// Package permission implements ports.Permissions with casbin: role-based access with a
// domain for each company. It caches policies, and reads a company's policy from the store
// when the caller's version is newer than the cached one, so that a change is in force on
// the next request, on every replica.
package permission

import (
	"context"
	"strconv"
	"sync"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"

	"tilth/core/access"
	"tilth/ports"
)

// The model: a user has roles in a company, a role has slug patterns in a company.
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

// maxCompanies bounds the cached policies; beyond it all are dropped and read again.
const maxCompanies = 4096

// Casbin implements ports.Permissions.
type Casbin struct {
	store ports.Store

	mu        sync.RWMutex
	companies map[int64]*policy
}

// policy is a company's policy at a version, with its answers so far: an enforcement takes
// 0.2 ms.
type policy struct {
	version  int64
	enforcer *casbin.SyncedEnforcer
	answers  sync.Map // bool by question
}

type question struct {
	user int64
	slug access.Slug
}

// New returns a Casbin over the policies of a store.
func New(store ports.Store) *Casbin {
	return &Casbin{store: store, companies: map[int64]*policy{}}
}

// Allowed reports whether a caller has a permission in its company.
func (c *Casbin) Allowed(ctx context.Context, who access.Principal, slug access.Slug) (bool, error) {
	p, err := c.policy(ctx, who)
	if err != nil {
		return false, err
	}
	q := question{who.UserID, slug}
	if known, ok := p.answers.Load(q); ok {
		return known.(bool), nil
	}
	answer, err := p.enforcer.Enforce(userName(who.UserID), domain(who.CompanyID), string(slug))
	if err == nil {
		p.answers.Store(q, answer)
	}
	return answer, err
}

// policy returns the caller's company's policy, no older than the caller's version.
func (c *Casbin) policy(ctx context.Context, who access.Principal) (*policy, error) {
	c.mu.RLock()
	have := c.companies[who.CompanyID]
	c.mu.RUnlock()
	if have != nil && have.version >= who.PolicyVersion {
		return have, nil
	}
	var stored ports.Policy
	var version int64
	err := c.store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		stored, version, err = tx.Accounts.Policy(ctx, who.CompanyID)
		return err
	})
	if err != nil {
		return nil, err
	}
	fresh, err := build(stored, version, domain(who.CompanyID))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if newer := c.companies[who.CompanyID]; newer != nil && newer.version > version {
		return newer, nil
	}
	if len(c.companies) >= maxCompanies {
		clear(c.companies)
	}
	c.companies[who.CompanyID] = fresh
	return fresh, nil
}

func build(stored ports.Policy, version int64, dom string) (*policy, error) {
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
	var rules, groups [][]string
	for role, slugs := range stored.RoleSlugs {
		for _, slug := range slugs {
			rules = append(rules, []string{"role:" + role, dom, slug})
		}
	}
	for user, roles := range stored.UserRoles {
		for _, role := range roles {
			groups = append(groups, []string{userName(user), "role:" + role, dom})
		}
	}
	if len(rules) > 0 {
		if _, err := e.AddPolicies(rules); err != nil {
			return nil, err
		}
	}
	if len(groups) > 0 {
		if _, err := e.AddGroupingPolicies(groups); err != nil {
			return nil, err
		}
	}
	return &policy{version: version, enforcer: e}, nil
}

func userName(id int64) string { return "user:" + strconv.FormatInt(id, 10) }
func domain(id int64) string   { return "company:" + strconv.FormatInt(id, 10) }
