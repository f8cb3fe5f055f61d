package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

func testMembers(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope, w.theirs.scope
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.Members.Lock(w.ctx, access.Own(0)), fault.NotFound))
		require.True(t, fault.Is(tx.Members.Lock(w.ctx, access.SharedWith(ours.Company())), fault.NotFound))
		require.NoError(t, tx.Members.Lock(w.ctx, ours))
		me, err := tx.Members.Get(w.ctx, ours, w.ours.user.ID)
		require.NoError(t, err)
		require.Equal(t, ports.Member{ID: me.ID, Name: "Ours user", Email: "ours@example.org", Roles: []string{}, CreatedAt: kept(begin), AlertMail: true}, me)
		for _, scope := range []access.Scope{theirs, access.Own(0), access.SharedWith(ours.Company())} {
			_, err = tx.Members.Get(w.ctx, scope, me.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			require.True(t, fault.Is(tx.Members.Update(w.ctx, scope, me), fault.NotFound))
		}
		me.Name, me.Roles = "Ann", []string{"owner", "viewer"}
		require.NoError(t, tx.Members.Update(w.ctx, ours, me))
		got, err := tx.Members.Get(w.ctx, ours, me.ID)
		require.NoError(t, err)
		require.Equal(t, me, got)
		return nil
	})
	missing := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		me, err := tx.Members.Get(ctx, ours, w.ours.user.ID)
		require.NoError(t, err)
		me.Roles = []string{"king"}
		return tx.Members.Update(ctx, ours, me)
	})
	require.True(t, fault.Is(missing, fault.NotFound))
	w.read(func(tx ports.Repos) error {
		for _, c := range []struct {
			filter ports.Filter
			want   int
		}{
			{ports.Filter{Name: "email", Value: "ours@example.org"}, 1},
			{ports.Filter{Name: "email", Value: "theirs@example.org"}, 0},
			{ports.Filter{Name: "role", Value: "viewer"}, 1},
			{ports.Filter{Name: "role", Value: "editor"}, 0},
			{ports.Filter{Name: "role", Value: "a\x00"}, 0},
			{ports.Filter{Name: "disabled", Value: false}, 1},
			{ports.Filter{Name: "disabled", Value: true}, 0},
		} {
			q := ports.Query{Filters: []ports.Filter{c.filter}}
			n, err := tx.Members.Count(w.ctx, ours, q)
			require.NoError(t, err)
			require.EqualValues(t, c.want, n, "%v", c.filter)
			require.Len(t, collect(t, tx.Members.Each(w.ctx, ours, q)), c.want)
		}
		owners, err := tx.Members.Owners(w.ctx, ours)
		require.EqualValues(t, 1, owners)
		return err
	})
	w.write(func(tx ports.Repos) error {
		me, err := tx.Members.Get(w.ctx, ours, w.ours.user.ID)
		require.NoError(t, err)
		me.Disabled = true
		require.NoError(t, tx.Members.Update(w.ctx, ours, me))
		owners, err := tx.Members.Owners(w.ctx, ours)
		require.Zero(t, owners, "who is disabled owns nothing")
		return err
	})
}

func testRoles(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope, w.theirs.scope
	role := access.Role{Name: "Scout", Slugs: []string{"*.view", "farm.edit"}}
	conflict := func(err error) {
		known, _ := fault.As(err)
		require.NotNil(t, known, "%v", err)
		require.Equal(t, "role_exists", known.Code)
	}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Roles.Insert(w.ctx, ours, &role))
		same := access.Role{Name: "Scout"}
		require.NoError(t, tx.Roles.Insert(w.ctx, theirs, &same), "a name is taken in one company only")
		conflict(tx.Roles.Insert(w.ctx, ours, &same))
		conflict(tx.Roles.Update(w.ctx, ours, access.Role{ID: role.ID, Name: "owner"}))
		require.True(t, fault.Is(tx.Roles.Insert(w.ctx, access.SharedWith(ours.Company()), &same), fault.NotFound))
		for _, scope := range []access.Scope{theirs, access.Own(0)} {
			_, err := tx.Roles.Get(w.ctx, scope, role.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			require.True(t, fault.Is(tx.Roles.Update(w.ctx, scope, access.Role{ID: role.ID, Name: "Theirs"}), fault.NotFound))
			require.True(t, fault.Is(tx.Roles.Delete(w.ctx, scope, role.ID), fault.NotFound))
		}
		role.Name, role.Slugs = "Scouts", []string{"season.view"}
		require.NoError(t, tx.Roles.Update(w.ctx, ours, role))
		require.NoError(t, tx.Members.Update(w.ctx, ours, ports.Member{ID: w.ours.user.ID, Name: "x", Roles: []string{"Scouts"}}))
		got, err := tx.Roles.Get(w.ctx, ours, role.ID)
		require.NoError(t, err)
		role.Users = 1
		require.Equal(t, role, got)
		all, err := tx.Roles.All(w.ctx, ours)
		require.Len(t, all, 4)
		require.Equal(t, role, all[3])
		return err
	})
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Members.Update(w.ctx, ours, ports.Member{ID: w.ours.user.ID, Name: "x"}))
		require.NoError(t, tx.Roles.Delete(w.ctx, ours, role.ID))
		_, err := tx.Roles.Get(w.ctx, ours, role.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
}

func testInvitations(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope, w.theirs.scope
	now := kept(begin)
	invite := func(email, hash string) ports.Invitation {
		in := ports.Invitation{
			Email: email, Name: "Ann", Roles: []string{"editor", "viewer"}, CreatedAt: begin, CreatedBy: w.ours.user.ID, ExpiresAt: begin.Add(time.Hour),
		}
		w.write(func(tx ports.Repos) error { return tx.Invitations.Insert(w.ctx, ours, &in, hash) })
		return in
	}
	first := invite("Ann@Example.org", "h1")
	w.write(func(tx ports.Repos) error {
		got, err := tx.Invitations.Get(w.ctx, ours, first.ID)
		require.NoError(t, err)
		first.Company, first.Inviter = "Ours", "Ours user"
		require.Equal(t, first, got)
		require.Equal(t, "ann@example.org", got.Email)
		_, err = tx.Invitations.Get(w.ctx, theirs, first.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		require.True(t, fault.Is(tx.Invitations.Revoke(w.ctx, theirs, first.ID, now), fault.NotFound))
		require.True(t, fault.Is(tx.Invitations.Accept(w.ctx, theirs, first.ID, now), fault.NotFound))
		require.NoError(t, tx.Invitations.RevokeOf(w.ctx, theirs, first.Email, now))
		roles, err := tx.Roles.All(w.ctx, ours)
		require.NoError(t, err)
		n, err := tx.Roles.Invited(w.ctx, ours, roles[1].ID, now)
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		n, err = tx.Roles.Invited(w.ctx, ours, roles[1].ID, now.Add(2*time.Hour))
		require.Zero(t, n, "what has expired gives nothing")
		return err
	})
	second := invite("bob@example.org", "h2")
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Invitations.RevokeOf(w.ctx, ours, "ANN@example.org", now))
		require.NoError(t, tx.Invitations.Accept(w.ctx, ours, second.ID, now))
		require.True(t, fault.Is(tx.Invitations.Accept(w.ctx, ours, first.ID, now), fault.NotFound), "a revoked one")
		require.True(t, fault.Is(tx.Invitations.Revoke(w.ctx, ours, second.ID, now), fault.NotFound), "an accepted one")
		list := collect(t, tx.Invitations.Each(w.ctx, ours, ports.Query{}))
		require.Len(t, list, 2)
		require.Equal(t, &now, list[0].RevokedAt)
		require.Equal(t, &now, list[1].AcceptedAt)
		require.Empty(t, collect(t, tx.Invitations.Each(w.ctx, theirs, ports.Query{})))
		n, err := tx.Invitations.Count(w.ctx, ours, ports.Query{Filters: []ports.Filter{{Name: "email", Value: "bob@example.org"}}})
		require.EqualValues(t, 1, n)
		return err
	})
	w.operate(func(tx ports.OperatorRepos) error {
		ticket, err := tx.Tickets.Get(w.ctx, "h1")
		require.NoError(t, err)
		require.Equal(t, &now, ticket.UsedAt, "a revoked invitation takes its links along")
		ticket, err = tx.Tickets.Get(w.ctx, "h2")
		require.Equal(t, ports.Ticket{Hash: "h2", CompanyID: ours.Company(), InvitationID: second.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}, ticket)
		return err
	})
}

func testCredentials(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now, user := kept(begin), w.ours.user.ID
	w.operate(func(tx ports.OperatorRepos) error {
		require.NoError(t, tx.Credentials.SetPassword(w.ctx, user, "new hash"))
		require.True(t, fault.Is(tx.Credentials.SetPassword(w.ctx, 1<<40, "x"), fault.NotFound))
		got, _, err := tx.Accounts.Caller(w.ctx, user)
		require.NoError(t, err)
		require.Equal(t, "new hash", got.PasswordHash)

		last, err := tx.Tickets.LastFor(w.ctx, user)
		require.NoError(t, err)
		require.True(t, last.IsZero())
		ticket := ports.Ticket{Hash: "t1", UserID: user, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		theirs := ports.Ticket{Hash: "t2", UserID: w.theirs.user.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		require.NoError(t, tx.Tickets.Add(w.ctx, ticket))
		require.NoError(t, tx.Tickets.Add(w.ctx, theirs))
		last, err = tx.Tickets.LastFor(w.ctx, user)
		require.NoError(t, err)
		require.Equal(t, now, last)
		require.NoError(t, tx.Tickets.UseAll(w.ctx, user, 0, now))
		used, err := tx.Tickets.Get(w.ctx, "t1")
		require.NoError(t, err)
		ticket.UsedAt = &now
		require.Equal(t, ticket, used)
		unused, err := tx.Tickets.Get(w.ctx, "t2")
		require.NoError(t, err)
		require.Equal(t, theirs, unused)
		require.NoError(t, tx.Tickets.Purge(w.ctx, now.Add(2*time.Hour)))
		_, err = tx.Tickets.Get(w.ctx, "t1")
		require.True(t, fault.Is(err, fault.NotFound))

		for _, one := range []ports.RefreshToken{
			{Hash: "h1", Family: "f", UserID: user, ExpiresAt: now}, {Hash: "h2", Family: "g", UserID: user, ExpiresAt: now},
			{Hash: "h3", Family: "h", UserID: w.theirs.user.ID, ExpiresAt: now},
		} {
			require.NoError(t, tx.Accounts.AddRefresh(w.ctx, one))
		}
		require.NoError(t, tx.Credentials.RevokeOf(w.ctx, user, now))
		for hash, revoked := range map[string]bool{"h1": true, "h2": true, "h3": false} {
			token, err := tx.Accounts.Refresh(w.ctx, hash)
			require.NoError(t, err)
			require.Equal(t, revoked, token.RevokedAt != nil, hash)
		}
		return nil
	})
}

func testAttempts(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now := kept(begin)
	// Replicas that count the same keys at once, in any order, lose no count.
	const n = 12
	for _, err := range together(n, func(i int) error {
		return w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
			keys := []string{"account", "address"}
			if i%2 == 1 {
				keys = []string{"address", "account"}
			}
			counters, err := tx.Attempts.Lock(ctx, now, keys...)
			if err != nil {
				return err
			}
			for k, c := range counters {
				require.Equal(t, keys[k], c.Key)
				c.Failures, c.Until = c.Failures+1, now.Add(time.Minute)
				if err := tx.Attempts.Put(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
	}) {
		require.NoError(t, err)
	}
	w.operate(func(tx ports.OperatorRepos) error {
		got, err := tx.Attempts.Get(w.ctx, "address", "nobody", "account")
		require.NoError(t, err)
		want := access.Attempts{Failures: n, LastAt: now, Until: now.Add(time.Minute)}
		account, address := want, want
		account.Key, address.Key = "account", "address"
		require.Equal(t, []access.Attempts{address, {Key: "nobody"}, account}, got)
		require.NoError(t, tx.Attempts.Clear(w.ctx, "account"))
		require.NoError(t, tx.Attempts.Purge(w.ctx, now))
		got, err = tx.Attempts.Get(w.ctx, "account", "address")
		require.NoError(t, err)
		require.Equal(t, []access.Attempts{{Key: "account"}, address}, got)
		for place, at := range map[string]time.Time{"home": now, "old": now.Add(-time.Hour)} {
			require.NoError(t, tx.Attempts.Know(w.ctx, place, at, now.Add(-2*time.Hour)))
		}
		known := func(place string, since time.Time) bool {
			is, err := tx.Attempts.Known(w.ctx, place, since)
			require.NoError(t, err)
			return is
		}
		require.True(t, known("home", now))
		require.False(t, known("old", now))
		require.True(t, known("old", now.Add(-time.Hour)))
		require.NoError(t, tx.Attempts.Know(w.ctx, "home", now.Add(time.Second), now))
		require.True(t, known("home", now.Add(time.Second)))
		require.False(t, known("old", now.Add(-time.Hour)), "forgotten")
		require.NoError(t, tx.Attempts.Purge(w.ctx, now.Add(time.Second)))
		got, err = tx.Attempts.Get(w.ctx, "address")
		require.Equal(t, []access.Attempts{{Key: "address"}}, got)
		return err
	})
}

func testLetters(t *testing.T, b Backend) {
	w := newWorld(t, b)
	letter := ports.Letter{Kind: ports.LetterReset, Email: "ann@example.org", CreatedAt: kept(begin)}
	again, other := letter, letter
	other.Email = "bob@example.org"
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Letters.Put(w.ctx, &letter))
		require.NoError(t, tx.Letters.Put(w.ctx, &again))
		return tx.Letters.Put(w.ctx, &other)
	})
	require.Equal(t, letter.ID, again.ID, "the same letter waits once")
	require.NotEqual(t, letter.ID, other.ID)
	w.operate(func(tx ports.OperatorRepos) error {
		got, err := tx.Letters.Get(w.ctx, letter.ID)
		require.NoError(t, err)
		require.Equal(t, letter, got)
		require.NoError(t, tx.Letters.Drop(w.ctx, letter.ID))
		_, err = tx.Letters.Get(w.ctx, letter.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
}

func testAlertNotices(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope, w.theirs.scope
	at := func(hours int) time.Time { return kept(begin).Add(time.Duration(hours) * time.Hour) }
	against := 0.5
	notices := []ports.AlertNotice{{Field: "North", FieldID: 1, Index: "NDVI", Against: &against, At: at(0)}, {Field: "South", FieldID: 2, At: at(1)}, {Field: "East", At: at(3)}}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Alerts.Put(w.ctx, ours))
		require.NoError(t, tx.Alerts.Put(w.ctx, ours, notices...))
		require.NoError(t, tx.Alerts.Put(w.ctx, theirs, ports.AlertNotice{Field: "West", At: at(2)}))
		require.True(t, fault.Is(tx.Alerts.Put(w.ctx, access.Scope{}, notices...), fault.NotFound))
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		companies := func(before time.Time) []int64 {
			ids, err := tx.Alerts.Companies(w.ctx, before)
			require.NoError(t, err)
			return ids
		}
		require.Empty(t, companies(at(0)))
		require.Equal(t, []int64{ours.Company()}, companies(at(2)))
		require.ElementsMatch(t, []int64{ours.Company(), theirs.Company()}, companies(at(3)))
		for _, want := range [][]ports.AlertNotice{notices[:2], {}} {
			got, err := tx.Alerts.Take(w.ctx, ours.Company(), at(3))
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		require.Equal(t, []int64{theirs.Company()}, companies(at(3)))
		require.ElementsMatch(t, []int64{ours.Company(), theirs.Company()}, companies(at(4)))

		// E-mails of two days wait side by side.
		one := ports.Letter{Kind: ports.LetterAlerts, Email: "ann@example.org", CompanyID: ours.Company(), Alerts: notices, CreatedAt: at(0)}
		other := one
		other.CreatedAt = at(24)
		require.NoError(t, tx.Letters.Put(w.ctx, &one))
		require.NoError(t, tx.Letters.Put(w.ctx, &other))
		require.NotEqual(t, one.ID, other.ID)
		got, err := tx.Letters.Get(w.ctx, one.ID)
		require.NoError(t, err)
		require.Equal(t, one, got)

		me, err := tx.Members.Get(w.ctx, ours, w.ours.user.ID)
		require.NoError(t, err)
		require.True(t, me.AlertMail, "unless they say otherwise")
		require.True(t, fault.Is(tx.Members.WantAlertMail(w.ctx, theirs, me.ID, false), fault.NotFound))
		require.NoError(t, tx.Members.WantAlertMail(w.ctx, ours, me.ID, false))
		me, err = tx.Members.Get(w.ctx, ours, me.ID)
		require.NoError(t, err)
		require.False(t, me.AlertMail)
		return nil
	})
}

// testRevocation lets tokens be exchanged while all tokens of their user are revoked:
// none that an exchange has just made survives.
func testRevocation(t *testing.T, b Backend) {
	w := newWorld(t, b)
	user, at := w.ours.user.ID, kept(begin)
	const rounds = 6
	for range rounds {
		first, next := w.ids.Secret(), w.ids.Secret()
		w.operate(func(tx ports.OperatorRepos) error {
			return tx.Accounts.AddRefresh(w.ctx, ports.RefreshToken{Hash: first, Family: first, UserID: user, ExpiresAt: at.Add(time.Hour)})
		})
		for _, err := range together(2, func(i int) error {
			return w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
				if i == 0 {
					return tx.Credentials.RevokeOf(ctx, user, at)
				}
				token, err := tx.Accounts.Refresh(ctx, first)
				if err != nil || token.RevokedAt != nil {
					return err
				}
				if err := tx.Accounts.UseRefresh(ctx, first, at); err != nil {
					return err
				}
				return tx.Accounts.AddRefresh(ctx, ports.RefreshToken{Hash: next, Family: first, UserID: user, ExpiresAt: at.Add(time.Hour)})
			})
		}) {
			require.NoError(t, err)
		}
		w.operate(func(tx ports.OperatorRepos) error {
			token, err := tx.Accounts.Refresh(w.ctx, next)
			if fault.Is(err, fault.NotFound) {
				return nil // the revocation came first
			}
			require.NotNil(t, token.RevokedAt, "a token outlived the revocation")
			return err
		})
	}
}
