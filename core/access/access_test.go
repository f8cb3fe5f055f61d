package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		slug    access.Slug
		want    bool
	}{
		{"*", "wallet.view", true},
		{"*.view", "wallet.view", true},
		{"*.view", "wallet.edit", false},
		{"farm.*", "farm.delete", true},
		{"farm.*", "farmer.delete", false},
		{"vi-profile.create", "vi-profile.create", true},
		{"vi-profile.create", "vi-profile.view", false},
		{"farm", "farm.view", false},
		{"", "farm.view", false},
		{"*", "audit.view", true},
		{"audit.*", "audit.view", true},
		{"audit.view", "audit.view", true},
		{"*.view", "audit.view", false},
		{"*.*", "audit.view", false},
	} {
		require.Equal(t, c.want, access.Match(c.pattern, c.slug), "%s on %s", c.pattern, c.slug)
	}
}

func TestDefaultRoles(t *testing.T) {
	t.Parallel()
	may := func(role string, slug access.Slug) bool {
		for _, r := range access.DefaultRoles() {
			for _, pattern := range r.Slugs {
				if r.Name == role && access.Match(pattern, slug) {
					return true
				}
			}
		}
		return false
	}
	for _, slug := range []access.Slug{"cultivation.delete", "user.create", "wallet.view", "role.edit", "api_key.create"} {
		require.True(t, may(access.RoleOwner, slug), slug)
	}
	for _, slug := range []access.Slug{"user.create", "role.edit", "api_key.create", "wallet.edit"} {
		require.False(t, may(access.RoleEditor, slug), slug)
		require.False(t, may(access.RoleViewer, slug), slug)
	}
	for _, slug := range []access.Slug{"cultivation.create", "field.edit", "vi-profile.create", "assessment.delete", "aoi.create"} {
		require.True(t, may(access.RoleEditor, slug), slug)
		require.False(t, may(access.RoleViewer, slug), slug)
	}
	require.True(t, may(access.RoleViewer, "stratification_map.view"))
}

func TestDeniedNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	err := access.Farms.Edit.For("update").Denied()
	f, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, fault.Forbidden, f.Kind)
	require.Equal(t, "permission_denied", f.Code)
	require.Equal(t, map[string]any{"required_permission": "farm.edit", "action": "update", "resource": "FarmView"}, f.Details)
}

func TestScopes(t *testing.T) {
	t.Parallel()
	require.Zero(t, access.Scope{}.Company())
	who := access.Principal{CompanyID: 7}
	require.Equal(t, access.Own(7), who.Scope(false))
	require.Equal(t, access.SharedWith(7), who.Scope(true))
	require.True(t, who.Scope(true).Shared())
}
