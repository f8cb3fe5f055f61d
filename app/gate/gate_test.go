package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/gate"
	"tilth/core/access"
	"tilth/core/fault"
)

// roles allows what its patterns cover, and counts how often it was asked.
type roles struct {
	patterns []string
	err      error
	asked    int
}

func (r *roles) Allowed(_ context.Context, _ access.Principal, slug access.Slug) (bool, error) {
	r.asked++
	for _, p := range r.patterns {
		if access.Match(p, slug) {
			return true, r.err
		}
	}
	return false, r.err
}

func TestRequire(t *testing.T) {
	t.Parallel()
	user := access.Principal{UserID: 1, CompanyID: 2}
	key := access.Principal{UserID: 1, CompanyID: 2, KeyID: 3, KeySlugs: []string{"*.view"}}
	outside := access.Principal{UserID: 9, Operator: true}
	inside := access.Principal{UserID: 9, Operator: true, CompanyID: 2}
	for name, c := range map[string]struct {
		who  access.Principal
		slug access.Slug
		want fault.Kind // empty: allowed
	}{
		"nobody":                     {access.Principal{CompanyID: 2}, "farm.view", fault.Unauthenticated},
		"a role that may":            {user, "farm.edit", ""},
		"a role that may not":        {user, "wallet.view", fault.Forbidden},
		"a key within its reach":     {key, "farm.view", ""},
		"a key beyond its reach":     {key, "farm.edit", fault.Forbidden},
		"a key beyond its user":      {key, "wallet.view", fault.Forbidden},
		"an operator inside":         {inside, "wallet.edit", ""},
		"an operator outside, looks": {outside, "wallet.view", ""},
		"an operator outside, trail": {outside, "audit.view", ""},
		"an operator outside":        {outside, "farm.create", fault.Forbidden},
	} {
		err := gate.New(&roles{patterns: []string{"farm.*"}}).Require(t.Context(), c.who, access.Permission{Slug: c.slug, Action: "x", View: "V"})
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, fault.Is(err, c.want), "%s: %v", name, err)
	}
	broken := &roles{err: errors.New("away")}
	require.ErrorIs(t, gate.New(broken).Require(t.Context(), user, access.Permission{Slug: "farm.view"}), broken.err)
	require.Equal(t, 1, broken.asked)
}
