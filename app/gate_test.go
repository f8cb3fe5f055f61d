package app_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
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
		need access.Permission
		want fault.Kind // empty: allowed
	}{
		"nobody":                     {access.Principal{CompanyID: 2}, access.Farms.View, fault.Unauthenticated},
		"a role that may":            {user, access.Farms.Edit, ""},
		"a role that may not":        {user, access.Wallets.View, fault.Forbidden},
		"a key within its reach":     {key, access.Farms.View, ""},
		"a key beyond its reach":     {key, access.Farms.Edit, fault.Forbidden},
		"a key beyond its user":      {key, access.Wallets.View, fault.Forbidden},
		"an operator inside":         {inside, access.Webhooks.Edit, ""},
		"an operator outside, looks": {outside, access.Wallets.View, ""},
		"an operator outside, trail": {outside, access.AuditTrail.View, ""},
		"an operator outside":        {outside, access.Farms.Create, fault.Forbidden},
	} {
		err := app.NewGate(&roles{patterns: []string{"farm.*"}}, nil, nil).Require(t.Context(), c.who, c.need)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, fault.Is(err, c.want), "%s: %v", name, err)
	}
	broken := &roles{err: errors.New("away")}
	require.ErrorIs(t, app.NewGate(broken, nil, nil).Require(t.Context(), user, access.Farms.View), broken.err)
	require.Equal(t, 1, broken.asked)
}

// subscribed is a store in which company 2 has a subscription until the end of 2026.
type subscribed struct{ ports.Store }

func (subscribed) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, ports.OperatorRepos{Subscriptions: until{}})
}

type until struct{ ports.Subscriptions }

func (until) Active(_ context.Context, company int64, service access.Service, day time.Time) (bool, error) {
	return company == 2 && service == access.Stratification && day.Year() <= 2026, nil
}

type year int

func (y year) Now() time.Time { return time.Date(int(y), 5, 1, 0, 0, 0, 0, time.UTC) }

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	all := &roles{patterns: []string{"*"}}
	door := app.NewGate(all, subscribed{}, year(2026))
	member, other := access.Principal{UserID: 1, CompanyID: 2}, access.Principal{UserID: 1, CompanyID: 3}
	need := access.AOIs.View
	code := func(err error) string {
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, fault.Forbidden, f.Kind)
		return f.Code
	}
	require.NoError(t, door.Require(t.Context(), member, need))
	require.NoError(t, door.Require(t.Context(), other, access.Farms.View), "no service is asked for")
	require.Equal(t, "subscription_required", code(door.Require(t.Context(), other, need)))
	require.Equal(t, "subscription_required", code(door.Require(t.Context(), access.Principal{UserID: 9, Operator: true, CompanyID: 3}, need)), "whatever the role")
	require.Equal(t, "subscription_required", code(app.NewGate(all, subscribed{}, year(2027)).Require(t.Context(), member, need)))
	require.Equal(t, "subscription_required", code(app.NewGate(all, nil, nil).Require(t.Context(), member, need)), "a gate that knows of none")
	require.Equal(t, "permission_denied", code(app.NewGate(&roles{}, subscribed{}, year(2026)).Require(t.Context(), other, need)), "the slug comes first")
}

func TestWhatWasAdmittedIsNotCheckedAgain(t *testing.T) {
	t.Parallel()
	held := &roles{patterns: []string{"aoi.*", "field.view"}}
	door := app.NewGate(held, subscribed{}, year(2026))
	who := access.Principal{UserID: 1, CompanyID: 2}
	ctx, err := door.Admit(t.Context(), who, access.AOIs.Edit.For("price"))
	require.NoError(t, err)
	require.Equal(t, 1, held.asked)
	require.NoError(t, door.Require(ctx, who, access.AOIs.Edit))
	require.Equal(t, 1, held.asked)

	require.NoError(t, door.Require(ctx, who, access.AOIs.Edit, access.Fields.View))
	require.Equal(t, 2, held.asked, "another permission is checked")
	f, ok := fault.As(door.Require(ctx, who, access.AOIs.Edit, access.Fields.Edit))
	require.True(t, ok)
	require.Equal(t, map[string]any{"required_permission": "field.edit", "action": "price", "resource": "AOIView"}, f.Details,
		"a refusal names the request that was admitted")

	held.patterns = nil
	require.NoError(t, door.Require(ctx, who, access.AOIs.Edit))
	require.Error(t, door.Require(t.Context(), who, access.AOIs.Edit), "another request")
	require.Error(t, door.Require(ctx, access.Principal{UserID: 3, CompanyID: 2}, access.AOIs.Edit), "another caller")
	require.Error(t, door.Require(ctx, access.Principal{UserID: 1, CompanyID: 4}, access.AOIs.Edit), "another company")
	require.Error(t, door.Require(ctx, access.Principal{UserID: 1, CompanyID: 2, KeyID: 5}, access.AOIs.Edit), "another credential")
	require.Error(t, app.NewGate(held, nil, nil).Require(ctx, who, access.AOIs.Edit), "another gate")
	_, err = door.Admit(ctx, who, access.AOIs.Edit)
	require.Error(t, err, "who is admitted is always checked")
}

func TestAPermitWithoutASubscriptionDoesNotStandForOne(t *testing.T) {
	t.Parallel()
	door := app.NewGate(&roles{patterns: []string{"*"}}, subscribed{}, year(2026))
	who := access.Principal{UserID: 1, CompanyID: 3}
	ctx, err := door.Admit(t.Context(), who, access.Samples.Edit)
	require.NoError(t, err)
	require.True(t, fault.Is(door.Require(ctx, who, access.ImportSamples), fault.Forbidden))
}
