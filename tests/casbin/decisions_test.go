// Package casbin compares the decisions of adapters/permission with those of casbin's own Enforcer, which evaluates the matcher
// of the model. It is a module of its own because the program's module has no evaluator (adapters/permission/govaluate).
package casbin

import (
	"context"
	"strconv"
	"testing"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/permission"
	"tilth/core/access"
	"tilth/ports"
)

// store holds the roles of one user of each company and nothing else.
type store struct {
	ports.Store
	ports.Accounts
	roles map[int64]map[string][]string // by company
}

func (s store) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, ports.OperatorRepos{Accounts: s})
}

func (s store) RolesOf(_ context.Context, company, _ int64) (map[string][]string, int64, error) {
	return s.roles[company], 1, nil
}

// enforcer is casbin's own, with the policies of all companies.
func (s store) enforcer(t require.TestingT) *casbin.Enforcer {
	m, err := model.NewModelFromString(permission.Model)
	require.NoError(t, err)
	e, err := casbin.NewEnforcer(m)
	require.NoError(t, err)
	e.AddFunction("slugMatch", func(args ...any) (any, error) {
		return access.Match(args[0].(string), access.Slug(args[1].(string))), nil
	})
	for company, roles := range s.roles {
		for role, slugs := range roles {
			for _, slug := range slugs {
				_, err := e.AddPolicy("role:"+role, domain(company), slug)
				require.NoError(t, err)
			}
			_, err := e.AddGroupingPolicy(user(company), "role:"+role, domain(company))
			require.NoError(t, err)
		}
	}
	return e
}

func domain(company int64) string { return "company:" + strconv.FormatInt(company, 10) }
func user(company int64) string   { return "user:" + strconv.FormatInt(company, 10) }

// compare has a user of each company ask in its own company and in the others.
func (s store) compare(t require.TestingT, theirs *casbin.Enforcer, ours *permission.Casbin, asked access.Slug) {
	for company := range s.roles {
		want, err := theirs.Enforce(user(company), domain(company), string(asked))
		require.NoError(t, err)
		got, err := ours.Allowed(context.Background(), access.Principal{UserID: 1, CompanyID: company, PolicyVersion: 1}, asked)
		require.NoError(t, err)
		require.Equal(t, want, got, "%q of %q", asked, s.roles[company])
	}
}

func TestDecisionsAreThoseOfCasbin(t *testing.T) {
	// Few words, so that patterns match slugs; some are not slugs, and some have a meaning in casbin's files.
	word := rapid.SampledFrom([]string{"farm", "field", "audit", "*", "view", "edit", "delete", "", "a b", `"`, "p.obj", "holder", "Ä", "#", ","})
	slug := rapid.OneOf(rapid.Custom(func(t *rapid.T) string { return word.Draw(t, "resource") + "." + word.Draw(t, "verb") }), word)
	rapid.Check(t, func(t *rapid.T) {
		s := store{roles: rapid.MapOfN(rapid.Int64Range(1, 3), rapid.MapOfN(word, rapid.SliceOfN(slug, 0, 4), 0, 3), 1, 3).Draw(t, "roles")}
		theirs, ours := s.enforcer(t), permission.New(s)
		for range 4 {
			s.compare(t, theirs, ours, access.Slug(slug.Draw(t, "asked")))
		}
	})
}

func TestDefaultRolesAreThoseOfCasbin(t *testing.T) {
	s := store{roles: map[int64]map[string][]string{}}
	for i, role := range access.DefaultRoles() {
		s.roles[int64(i+1)] = map[string][]string{role.Name: role.Slugs}
	}
	theirs, ours := s.enforcer(t), permission.New(s)
	for _, asked := range access.KnownSlugs() {
		s.compare(t, theirs, ours, asked)
	}
}
