package account_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/tests/memory"
)

// signed issues tokens that state their contents; nobody forges them here.
type signed struct{}

func (signed) IssueFor(_ context.Context, audience, subject string, now time.Time, ttl time.Duration) (string, error) {
	return fmt.Sprintf("%s|%d|%s", audience, now.Add(ttl).Unix(), subject), nil
}

func (signed) VerifyFor(_ context.Context, audience, token string, now time.Time) (string, error) {
	parts := strings.SplitN(token, "|", 3)
	var expires int64
	switch {
	case len(parts) != 3 || parts[0] != audience:
		return "", fault.New(fault.Unauthenticated, "token_invalid", "No.")
	case func() bool { _, err := fmt.Sscan(parts[1], &expires); return err != nil }() || now.Unix() >= expires:
		return "", fault.New(fault.Unauthenticated, "token_expired", "Late.")
	}
	return parts[2], nil
}

// A link opens everything below its path, with one permission, until it expires or the account that made it is disabled.
func TestSignedLinks(t *testing.T) {
	t.Parallel()
	s := newStaff(t)
	identity := newIdentity(s.World)
	identity.Signed = signed{}
	const below = "maps/orders/17/"
	text, expires, err := identity.IssueLink(t.Context(), s.editor, below, access.Fields.View, account.LinkTTL)
	require.NoError(t, err)
	require.Equal(t, s.Clock.Now().Add(time.Hour).Truncate(time.Second), expires)

	who, err := identity.AuthenticateLink(t.Context(), text, below+"tiles/3/4/5.png")
	require.NoError(t, err)
	require.Equal(t, []int64{s.editor.UserID, s.editor.CompanyID}, []int64{who.UserID, who.CompanyID})
	require.True(t, who.Within(access.Fields.View.Slug()))
	require.False(t, who.Within(access.Fields.Edit.Slug()), "nothing but its permission")
	require.False(t, who.Within(access.Farms.View.Slug()))

	refused := func(code, text, path string) {
		t.Helper()
		who, err := identity.AuthenticateLink(t.Context(), text, path)
		requireCode(t, code, err)
		require.Zero(t, who.CompanyID)
	}
	refused("link_invalid", text, "maps/orders/170/tiles/3/4/5.png")
	refused("link_invalid", text, "maps/orders/1")
	refused("link_invalid", "tilth:link|99999999999|x", below)
	refused("link_invalid", "tilth:link|99999999999|1:1:x:field.view:"+below, below)
	refused("link_invalid", "tilth:link|99999999999|1:1:0:field.view:", below)
	refused("link_invalid", "tilth|99999999999|1:1:0:field.view:"+below, below) // the token of another audience
	refused("link_invalid", fmt.Sprintf("tilth:link|99999999999|%d:%d:0:field.view:%s", s.editor.UserID, s.editor.CompanyID+1, below), below)
	refused("link_invalid", fmt.Sprintf("tilth:link|99999999999|%d:%d:0:field.view:%s", s.editor.UserID+1000, s.editor.CompanyID, below), below)
	s.Clock.Move(time.Hour)
	refused("link_expired", text, below)
}

// The link that a key made ends with the key.
func TestSignedLinksOfKeys(t *testing.T) {
	t.Parallel()
	w := memory.New()
	owner, identity := w.Company(1), newIdentity(w)
	identity.Signed = signed{}
	keys := account.Keys{Deps: w.Deps()}
	_, key, err := keys.Create(t.Context(), owner, account.KeyRequest{Name: "maps", Slugs: []string{"field.view"}})
	require.NoError(t, err)
	who, err := identity.AuthenticateKey(t.Context(), key)
	require.NoError(t, err)
	text, _, err := identity.IssueLink(t.Context(), who, "maps/1/", access.Fields.View, time.Hour)
	require.NoError(t, err)
	opened, err := identity.AuthenticateLink(t.Context(), text, "maps/1/x")
	require.NoError(t, err)
	require.Equal(t, who.KeyID, opened.KeyID)
	require.NoError(t, keys.Revoke(t.Context(), owner, who.KeyID))
	_, err = identity.AuthenticateLink(t.Context(), text, "maps/1/x")
	requireCode(t, "link_invalid", err)
}
