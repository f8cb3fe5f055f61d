package permission

import (
	"fmt"
	"strings"
	"sync"

	"github.com/casbin/casbin/v2/effector"
	"github.com/casbin/casbin/v2/model"
	"github.com/casbin/casbin/v2/rbac"
	defaultrolemanager "github.com/casbin/casbin/v2/rbac/default-role-manager"

	"tilth/core/access"
)

// Model is the casbin model: a holder has roles in a company, and a role has slug patterns in a company.
// enforcer.matches implements the matcher in Go, and casbin itself evaluates it in tests/casbin.
const Model = `
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

var definitions = sync.OnceValues(func() (model.Model, error) { return model.NewModelFromString(Model) })

const (
	// holder is the subject of every enforcer: whoever holds its roles.
	holder = "holder"
	// maxLevels bounds the nesting of roles. Roles do not nest: the one level is a holder's role.
	maxLevels = 1
)

// enforcer decides what a set of roles in a company allows. It does not change.
type enforcer struct {
	domain   string
	policies [][]string
	roles    rbac.RoleManager
	effect   string
	effector effector.Effector
}

func newEnforcer(domain string, patterns map[string][]string) (*enforcer, error) {
	defined, err := definitions()
	if err != nil {
		return nil, err
	}
	m, links := defined.Copy(), defaultrolemanager.NewRoleManager(maxLevels)
	var held [][]string
	for role, slugs := range patterns {
		subject := "role:" + role
		for _, slug := range slugs {
			if err := m.AddPolicy("p", "p", []string{subject, domain, slug}); err != nil {
				return nil, err
			}
		}
		held = append(held, []string{holder, subject, domain})
	}
	if err := m.AddPolicies("g", "g", held); err != nil {
		return nil, err
	}
	if err := m.BuildRoleLinks(map[string]rbac.RoleManager{"g": links}); err != nil {
		return nil, err
	}
	policies, err := m.GetPolicy("p", "p")
	if err != nil {
		return nil, err
	}
	return &enforcer{domain, policies, links, m["e"]["e"].Value, effector.NewDefaultEffector()}, nil
}

// allows reports whether the holder of the roles has a permission.
func (e *enforcer) allows(slug access.Slug) (bool, error) {
	effects, matched := make([]effector.Effect, len(e.policies)), make([]float64, len(e.policies))
	for i, policy := range e.policies {
		matches, err := e.matches(policy, slug)
		if err != nil {
			return false, fmt.Errorf("decide on %s by %s: %w", slug, strings.Join(policy, ", "), err)
		}
		effects[i] = effector.Allow // for every policy: the model has none that denies
		if matches {
			matched[i] = 1
		}
		effect, _, err := e.effector.MergeEffects(e.effect, effects, matched, i, len(e.policies))
		if err != nil || effect != effector.Indeterminate {
			return effect == effector.Allow, err
		}
	}
	return false, nil
}

// matches is the matcher of the model. The cheapest checks come first.
func (e *enforcer) matches(policy []string, slug access.Slug) (bool, error) {
	subject, domain, pattern := policy[0], policy[1], policy[2]
	if domain != e.domain || !access.Match(pattern, slug) {
		return false, nil
	}
	return e.roles.HasLink(holder, subject, e.domain)
}
