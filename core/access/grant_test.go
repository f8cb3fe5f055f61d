package access_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/access"
	"tilth/core/fault"
)

func civil(day int) time.Time { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC) }

func TestGrantCheck(t *testing.T) {
	t.Parallel()
	today, past := civil(10), civil(9)
	slugs := access.DefaultGrantSlugs()
	farm, field := &access.Named{ID: 1}, &access.Named{ID: 2}
	for name, c := range map[string]struct {
		grant access.Grant
		wrong []string
	}{
		"all":            {access.Grant{Target: access.GrantAll, Slugs: slugs}, nil},
		"farm":           {access.Grant{Target: access.GrantFarm, Farm: farm, Slugs: slugs}, nil},
		"field, today":   {access.Grant{Target: access.GrantField, Field: field, Slugs: slugs, EndsOn: &today}, nil},
		"over":           {access.Grant{Target: access.GrantAll, Slugs: slugs, EndsOn: &past}, []string{"ends_on"}},
		"no target":      {access.Grant{Slugs: slugs}, []string{"target"}},
		"farm or field":  {access.Grant{Target: access.GrantFarm, Field: field, Slugs: slugs}, []string{"farm_id", "field_id"}},
		"all and a farm": {access.Grant{Target: access.GrantAll, Farm: farm, Slugs: slugs}, []string{"farm_id"}},
		"nothing":        {access.Grant{Target: access.GrantAll}, []string{"slugs"}},
		"orders unseen":  {access.Grant{Target: access.GrantAll, Slugs: []access.Slug{"vi-profile.view", "vi-profile.create"}}, []string{"slugs"}},
		"orders":         {access.Grant{Target: access.GrantAll, Slugs: []access.Slug{"field.view", "vi-profile.create"}}, nil},
		"a write":        {access.Grant{Target: access.GrantAll, Slugs: []access.Slug{"farm.view", "farm.edit"}}, []string{"slugs"}},
	} {
		f := c.grant.Check(today)
		require.Len(t, f, len(c.wrong), "%s: %v", name, f)
		for _, field := range c.wrong {
			require.Contains(t, f, field, name)
		}
	}
	g := access.Grant{Target: access.GrantAll, Slugs: []access.Slug{"vi-profile.view", "field.view", "farm.view", "field.view"}}
	require.Empty(t, g.Check(today))
	require.Equal(t, []access.Slug{"farm.view", "field.view", "vi-profile.view"}, g.Slugs, "in their order, each once")
}

// Whatever is done to a grant, on whatever day: it counts only while it is accepted and has not ended, and what was
// declined, revoked or has expired never counts again.
func TestGrantMachine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ends := civil(rapid.IntRange(1, 28).Draw(t, "ends"))
		g := access.Grant{Status: access.GrantPending, EndsOn: &ends}
		day, over := 1, false
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			day = min(28, day+rapid.IntRange(0, 6).Draw(t, "days"))
			today := civil(day)
			before := g.State(today)
			var err error
			switch rapid.SampledFrom([]string{"accept", "decline", "revoke"}).Draw(t, "step") {
			case "accept":
				err = g.Accept(today)
				require.Equal(t, before == access.GrantPending, err == nil)
			case "decline":
				err = g.Decline(today)
				require.Equal(t, before == access.GrantPending, err == nil)
			case "revoke":
				err = g.Revoke(today)
				require.Equal(t, before == access.GrantPending || before == access.GrantAccepted, err == nil)
			}
			if err != nil {
				require.True(t, fault.Is(err, fault.Conflict))
				require.Equal(t, before, g.State(today), "a refused step changes nothing")
			}
			if over {
				require.True(t, g.Over(today), "once over, for good")
			}
			over = g.Over(today)
			if today.After(ends) {
				require.True(t, over)
			}
		}
	})
}

func TestGrantSeenByItsGrantee(t *testing.T) {
	t.Parallel()
	ends := civil(10)
	g := access.Grant{Grantor: access.Party{ID: 1}, Grantee: access.Party{ID: 2}, Target: access.GrantFarm,
		Farm: &access.Named{ID: 7, Name: "F"}, Status: access.GrantAccepted, EndsOn: &ends}
	require.NotNil(t, g.Seen(2, civil(10)).Farm)
	require.Nil(t, g.Seen(2, civil(11)).Farm)
	require.Equal(t, access.GrantExpired, g.Seen(2, civil(11)).Status)
	require.NotNil(t, g.Seen(1, civil(11)).Farm, "the grantor knows its own farm")
	require.NotNil(t, g.Farm)
}
