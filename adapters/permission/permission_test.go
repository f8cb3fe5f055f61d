package permission_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/permission"
	"tilth/core/access"
	"tilth/ports"
)

// policies is a store that holds policies and nothing else.
type policies struct {
	ports.Store
	ports.Accounts
	byCompany map[int64]ports.Policy
	version   int64
	reads     int
}

func (p *policies) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, ports.OperatorRepos{Accounts: p})
}

func (p *policies) Policy(_ context.Context, company int64) (ports.Policy, int64, error) {
	p.reads++
	return p.byCompany[company], p.version, nil
}

func defaults() map[string][]string {
	out := map[string][]string{}
	for _, r := range access.DefaultRoles() {
		out[r.Name] = r.Slugs
	}
	return out
}

func TestRolesAreKeptApartByCompany(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, byCompany: map[int64]ports.Policy{
		1: {RoleSlugs: defaults(), UserRoles: map[int64][]string{10: {"owner"}, 11: {"viewer"}, 12: {"viewer", "editor"}}},
		2: {RoleSlugs: defaults(), UserRoles: map[int64][]string{20: {"owner"}}},
	}}
	c := permission.New(store)
	may := func(user, company int64, slug access.Slug) bool {
		ok, err := c.Allowed(context.Background(), access.Principal{UserID: user, CompanyID: company, PolicyVersion: 1}, slug)
		require.NoError(t, err)
		return ok
	}
	require.True(t, may(10, 1, "farm.delete"))
	require.False(t, may(10, 2, "farm.view"), "an owner of another company")
	require.True(t, may(11, 1, "farm.view"))
	require.False(t, may(11, 1, "farm.edit"))
	require.True(t, may(12, 1, "farm.edit"), "roles add up")
	require.False(t, may(99, 1, "farm.view"), "a user without a role")
	require.True(t, may(20, 2, "user.create"))
	require.Equal(t, 2, store.reads, "a policy is read once a version")
}

func TestAChangeIsInForceOnTheNextRequest(t *testing.T) {
	t.Parallel()
	store := &policies{version: 1, byCompany: map[int64]ports.Policy{1: {RoleSlugs: defaults(), UserRoles: map[int64][]string{10: {"editor"}}}}}
	c := permission.New(store)
	who := access.Principal{UserID: 10, CompanyID: 1, PolicyVersion: 1}
	ok, err := c.Allowed(context.Background(), who, "farm.edit")
	require.NoError(t, err)
	require.True(t, ok)
	store.version, store.byCompany[1] = 2, ports.Policy{RoleSlugs: defaults(), UserRoles: map[int64][]string{10: {"viewer"}}}
	who.PolicyVersion = 2
	ok, err = c.Allowed(context.Background(), who, "farm.edit")
	require.NoError(t, err)
	require.False(t, ok)
}

func BenchmarkAllowed(b *testing.B) {
	c := permission.New(&policies{version: 1, byCompany: map[int64]ports.Policy{1: {RoleSlugs: defaults(), UserRoles: map[int64][]string{10: {"editor"}}}}})
	who := access.Principal{UserID: 10, CompanyID: 1, PolicyVersion: 1}
	for b.Loop() {
		if ok, err := c.Allowed(context.Background(), who, "farm.edit"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
