package account_test

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/account"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/memory"
)

func requireCode(t *testing.T, code string, err error) {
	t.Helper()
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, code, known.Code)
}

// staff is a company with an owner, an editor and a clerk, and the use cases for its people.
type staff struct {
	*memory.World
	people               *account.People
	owner, editor, clerk access.Principal
	clerks               access.Role
}

func newStaff(t *testing.T) *staff {
	t.Helper()
	w := memory.New()
	s := &staff{World: w, people: &account.People{Deps: w.Deps()}, owner: w.Company(1), editor: w.User(1, access.RoleEditor)}
	var err error
	s.clerks, err = s.people.CreateRole(t.Context(), s.owner, access.Role{Name: "clerk", Slugs: []string{"user.*", "role.*", "farm.view"}})
	require.NoError(t, err)
	s.clerk = w.User(1, "clerk")
	return s
}

func changed(change func(*ports.Member)) func(ports.Member) (ports.Member, error) {
	return func(c ports.Member) (ports.Member, error) { change(&c); return c, nil }
}

func TestNobodyDecidesMoreThanTheyHold(t *testing.T) {
	t.Parallel()
	s := newStaff(t)
	role := func(name string, slugs ...string) error {
		_, err := s.people.CreateRole(t.Context(), s.clerk, access.Role{Name: name, Slugs: slugs})
		return err
	}
	require.NoError(t, role("reader", "farm.view"))
	requireCode(t, "role_exceeds_own", role("farmer", "farm.view", "farm.edit"))
	requireCode(t, "role_exceeds_own", role("all", "*"))
	requireCode(t, "role_exists", role("reader", "farm.view"))
	widen := func(r access.Role) (access.Role, error) { r.Slugs = append(r.Slugs, "wallet.view"); return r, nil }
	_, err := s.people.UpdateRole(t.Context(), s.clerk, s.clerks.ID, widen)
	requireCode(t, "role_exceeds_own", err)
	_, err = s.people.UpdateRole(t.Context(), s.owner, s.clerks.ID, widen)
	require.NoError(t, err)

	give := func(who, whom access.Principal, roles ...string) error {
		_, err := s.people.UpdateUser(t.Context(), who, whom.UserID, changed(func(c *ports.Member) { c.Roles = roles }))
		return err
	}
	requireCode(t, "role_exceeds_own", give(s.clerk, s.clerk, access.RoleOwner))
	requireCode(t, "role_exceeds_own", give(s.clerk, s.editor))
	require.True(t, fault.Is(give(s.clerk, s.editor, access.RoleEditor, "nobody"), fault.Invalid))
	_, err = s.people.UpdateUser(t.Context(), s.clerk, s.editor.UserID, changed(func(c *ports.Member) { c.Disabled = true }))
	requireCode(t, "role_exceeds_own", err)
	_, err = s.people.UpdateUser(t.Context(), s.clerk, s.editor.UserID, changed(func(c *ports.Member) { c.Name = "Eve" }))
	require.NoError(t, err, "a name is nobody's permission")
	require.NoError(t, give(s.owner, s.editor, access.RoleViewer))
}

func TestACompanyKeepsAnOwner(t *testing.T) {
	t.Parallel()
	s := newStaff(t)
	leave := changed(func(c *ports.Member) { c.Roles = []string{access.RoleViewer} })
	_, err := s.people.UpdateUser(t.Context(), s.owner, s.owner.UserID, leave)
	requireCode(t, "last_owner", err)
	_, err = s.people.UpdateUser(t.Context(), s.owner, s.owner.UserID, changed(func(c *ports.Member) { c.Disabled = true }))
	requireCode(t, "last_owner", err)
	me, err := s.people.User(t.Context(), s.owner, s.owner.UserID)
	require.NoError(t, err)
	require.Equal(t, []string{access.RoleOwner}, me.Roles, "what is refused is taken back")
	s.User(1, access.RoleOwner)
	_, err = s.people.UpdateUser(t.Context(), s.owner, s.owner.UserID, leave)
	require.NoError(t, err)
}

func TestRolesThatCannotGo(t *testing.T) {
	t.Parallel()
	s := newStaff(t)
	all, err := s.people.Roles(t.Context(), s.owner, external.Chosen{})
	require.NoError(t, err)
	byName := map[string]int64{}
	for _, one := range all {
		byName[one.Name] = one.ID
	}
	requireCode(t, "role_built_in", s.people.DeleteRole(t.Context(), s.owner, byName[access.RoleOwner]))
	_, err = s.people.UpdateRole(t.Context(), s.owner, byName[access.RoleOwner], func(r access.Role) (access.Role, error) { return r, nil })
	requireCode(t, "role_built_in", err)
	requireCode(t, "role_in_use", s.people.DeleteRole(t.Context(), s.owner, s.clerks.ID))
	invitation, _, err := s.people.Invite(t.Context(), s.owner, ports.Invitation{Email: "new@example.org", Roles: []string{access.RoleViewer}})
	require.NoError(t, err)
	requireCode(t, "role_in_use", s.people.DeleteRole(t.Context(), s.owner, byName[access.RoleViewer]))
	require.NoError(t, s.people.Revoke(t.Context(), s.owner, invitation.ID))
	require.NoError(t, s.people.DeleteRole(t.Context(), s.owner, byName[access.RoleViewer]))
	stranger := s.Company(2)
	require.True(t, fault.Is(s.people.DeleteRole(t.Context(), stranger, s.clerks.ID), fault.NotFound))
}

func TestInvitingSomebody(t *testing.T) {
	t.Parallel()
	s := newStaff(t)
	invite := func(who access.Principal, email string, roles ...string) (ports.Invitation, error) {
		invitation, _, err := s.people.Invite(t.Context(), who, ports.Invitation{Email: email, Roles: roles})
		return invitation, err
	}
	first, err := invite(s.owner, " New@Example.org ", access.RoleViewer)
	require.NoError(t, err)
	require.Equal(t, "new@example.org", first.Email)
	require.Equal(t, s.Clock.At.Add(account.InvitationTTL), first.ExpiresAt)
	require.Len(t, s.Jobs, 1, "a letter is asked for")
	second, err := invite(s.owner, "new@example.org", access.RoleEditor)
	require.NoError(t, err)
	requireCode(t, "invitation_closed", s.people.Revoke(t.Context(), s.owner, first.ID))
	require.NoError(t, s.people.Revoke(t.Context(), s.owner, second.ID))

	_, err = invite(s.owner, s.editor.Email, access.RoleViewer)
	requireCode(t, "email_taken", err)
	for name, refused := range map[string]func() (ports.Invitation, error){
		"no role":      func() (ports.Invitation, error) { return invite(s.owner, "a@example.org") },
		"unknown role": func() (ports.Invitation, error) { return invite(s.owner, "a@example.org", "king") },
		"no address":   func() (ports.Invitation, error) { return invite(s.owner, "a", access.RoleViewer) },
	} {
		_, err := refused()
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
	}
	_, err = invite(s.editor, "a@example.org", access.RoleViewer)
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
}

// plain passwords are hashed to themselves; a token names its user.
type plain struct{}

func (plain) Hash(_ context.Context, password string) (string, error) {
	return "hash of " + password, nil
}
func (plain) Check(_ context.Context, password, hash string) (bool, error) {
	return hash == "hash of "+password, nil
}

type tokens struct{}

func (tokens) Issue(_ context.Context, userID int64, _ time.Time, _ time.Duration) (string, error) {
	return strconv.FormatInt(userID, 10), nil
}

func (tokens) Verify(_ context.Context, token string, _ time.Time) (int64, error) {
	return strconv.ParseInt(token, 10, 64)
}

func newIdentity(w *memory.World) *account.Identity {
	return &account.Identity{Store: w, Passwords: plain{}, Tokens: tokens{}, Clock: &w.Clock, IDs: &w.IDs}
}

func TestARefreshTokenIsUsedOnce(t *testing.T) {
	t.Parallel()
	w := memory.New()
	who, identity := w.Company(1), newIdentity(w)
	signIn := func() account.TokenPair {
		pair, err := identity.SignIn(t.Context(), who.Email, who.Name, netip.Addr{})
		require.NoError(t, err)
		return pair
	}
	first, other := signIn(), signIn()
	second, err := identity.Refresh(t.Context(), first.Refresh)
	require.NoError(t, err)
	_, err = identity.Refresh(t.Context(), first.Refresh)
	requireCode(t, "refresh_invalid", err)
	_, err = identity.Refresh(t.Context(), second.Refresh)
	requireCode(t, "refresh_invalid", err) // the family of a token that is used twice ends
	_, err = identity.Refresh(t.Context(), other.Refresh)
	require.NoError(t, err, "another family goes on")

	third := signIn()
	require.NoError(t, identity.Revoke(t.Context(), third.Refresh))
	_, err = identity.Refresh(t.Context(), third.Refresh)
	requireCode(t, "refresh_invalid", err)
	require.NoError(t, identity.Revoke(t.Context(), "unknown"))
	late := signIn()
	w.Clock.Move(account.RefreshTTL)
	_, err = identity.Refresh(t.Context(), late.Refresh)
	requireCode(t, "refresh_invalid", err)
}

// signer signs in from addresses and returns the code of the refusal, or an empty string.
func signer(t *testing.T, w *memory.World) func(address, email, password string) string {
	identity := newIdentity(w)
	return func(address, email, password string) string {
		_, err := identity.SignIn(t.Context(), email, password, netip.MustParseAddr(address))
		if err == nil {
			return ""
		}
		known, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		return known.Code
	}
}

func TestWrongPasswordsSlowTheirAddressDown(t *testing.T) {
	t.Parallel()
	w := memory.New()
	who := w.Company(1)
	try := signer(t, w)
	for _, email := range []string{who.Email, "nobody@example.org"} {
		address := "192.0.2." + strconv.Itoa(len(email))
		for range access.FreeAttempts {
			require.Equal(t, "invalid_credentials", try(address, email, "wrong"))
		}
		require.Equal(t, "too_many_attempts", try(address, email, who.Name), "nor does the right one count, too early")
		require.Equal(t, "too_many_attempts", try(address, "another@example.org", "wrong"), "nor another account")
	}
	require.Empty(t, try("198.51.100.1", who.Email, who.Name), "elsewhere nobody is slowed")
	w.Clock.Move(24 * time.Hour)
	require.Empty(t, try("192.0.2.1", who.Email, who.Name))
}

func TestStrangersDoNotLockAnAccount(t *testing.T) {
	t.Parallel()
	w := memory.New()
	who := w.Company(1)
	try := signer(t, w)
	const home = "198.51.100.1"
	require.Empty(t, try(home, who.Email, who.Name))
	for _, email := range []string{who.Email, "nobody@example.org"} {
		tries := 0
		for try(fmt.Sprintf("203.0.%d.%d", len(email), tries), email, "wrong") == "invalid_credentials" {
			tries++
			require.LessOrEqual(t, tries, access.FreeStrangers, "nobody is slowed down")
		}
		require.Equal(t, access.FreeStrangers, tries)
		require.Equal(t, "too_many_attempts", try("198.51.100.2", email, who.Name), "where the account is not known")
	}
	require.Empty(t, try(home, who.Email, who.Name), "the owner signs in where they did before")
	for range access.FreeAttempts + 1 {
		try(home, "other@example.org", "wrong")
	}
	require.Equal(t, "too_many_attempts", try(home, "third@example.org", "wrong"))
	require.Empty(t, try(home, who.Email, who.Name), "whatever others try there for other accounts")
	for range access.FreeAttempts {
		require.Equal(t, "invalid_credentials", try(home, who.Email, "wrong"))
	}
	require.Equal(t, "too_many_attempts", try(home, who.Email, who.Name), "the account at its own address is slowed")
}

func TestTheOwnerIsToldOnceInABurst(t *testing.T) {
	t.Parallel()
	w := memory.New()
	who := w.Company(1)
	try := signer(t, w)
	letters := func() (n int) {
		for _, job := range w.Jobs {
			if job.Kind == account.LetterJob {
				n++
			}
		}
		return n
	}
	burst := func(email, network string) {
		for n := range 20 {
			require.Equal(t, "invalid_credentials", try(fmt.Sprint(network, n), email, "wrong"))
		}
	}
	burst(who.Email, "203.0.113.")
	require.Equal(t, 1, letters())
	burst("nobody@example.org", "203.0.112.")
	require.Equal(t, 2, letters(), "what is sent to nobody costs the same")
	w.Clock.Move(access.AttemptMemory + time.Second)
	burst(who.Email, "203.0.111.")
	require.Equal(t, 3, letters())
}

func TestKeysAreNarrowerThanTheirUser(t *testing.T) {
	t.Parallel()
	w := memory.New()
	who, identity, keys := w.Company(1), newIdentity(w), &account.Keys{Deps: w.Deps()}
	key, text, err := keys.Create(t.Context(), who, account.KeyRequest{Name: "reader", Slugs: []string{"farm.view"}})
	require.NoError(t, err)
	require.NotContains(t, key.Hash, text)
	caller, err := identity.AuthenticateKey(t.Context(), text)
	require.NoError(t, err)
	require.Equal(t, key.ID, caller.KeyID)
	_, _, err = keys.Create(t.Context(), caller, account.KeyRequest{Name: "more"})
	require.True(t, fault.Is(err, fault.Forbidden), "a key makes no wider one: %v", err)
	_, err = identity.AuthenticateKey(t.Context(), text+"x")
	requireCode(t, "api_key_invalid", err)
	require.True(t, fault.Is(keys.Revoke(t.Context(), w.Company(2), key.ID), fault.NotFound))
	require.NoError(t, keys.Revoke(t.Context(), who, key.ID))
	_, err = identity.AuthenticateKey(t.Context(), text)
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	require.Len(t, w.Trail, 2)

	soon := w.Clock.At.Add(time.Hour)
	_, brief, err := keys.Create(t.Context(), who, account.KeyRequest{Name: "brief", ExpiresAt: &soon})
	require.NoError(t, err)
	w.Clock.Move(2 * time.Hour)
	_, err = identity.AuthenticateKey(t.Context(), brief)
	requireCode(t, "api_key_expired", err)
	_, _, err = keys.Create(t.Context(), access.Principal{UserID: who.UserID, CompanyID: 1, Operator: true}, account.KeyRequest{Name: "root"})
	requireCode(t, "operator_key", err)
}
