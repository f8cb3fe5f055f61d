package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

func testAccounts(t *testing.T, b Backend) {
	w := newWorld(t, b)
	company := w.ours.scope.Company()
	w.operate(func(tx ports.OperatorRepos) error {
		// A conflict does not end the transaction: later writes are stored.
		err := tx.Accounts.CreateCompany(w.ctx, &ports.Company{UUID: w.ids.UUID(), Name: "Ours", CreatedAt: w.clock.Now()}, nil)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		err = tx.Accounts.CreateUser(w.ctx, &ports.User{CompanyID: company, Email: "OURS@example.org", Name: "x"})
		known, _ := fault.As(err)
		require.NotNil(t, known, "%v", err)
		require.Equal(t, "email_taken", known.Code)
		return tx.Accounts.CreateUser(w.ctx, &ports.User{Email: "Op@example.org", Name: "Op", PasswordHash: "h", CreatedAt: w.clock.Now()})
	})
	w.operate(func(tx ports.OperatorRepos) error {
		got, err := tx.Accounts.Company(w.ctx, company)
		require.NoError(t, err)
		require.Equal(t, "Ours", got.Name)
		require.Equal(t, kept(begin), got.CreatedAt)
		_, err = tx.Accounts.Company(w.ctx, 1<<40)
		require.True(t, fault.Is(err, fault.NotFound))

		op, err := tx.Accounts.UserByEmail(w.ctx, "oP@EXAMPLE.org")
		require.NoError(t, err)
		require.Equal(t, ports.User{ID: op.ID, Email: "op@example.org", Name: "Op", PasswordHash: "h", CreatedAt: kept(begin)}, op)
		_, version, err := tx.Accounts.Caller(w.ctx, op.ID)
		require.NoError(t, err)
		require.Zero(t, version)
		for _, email := range []string{"nobody@example.org", "", "a\x00b", "\xff", "' OR 1=1 --", "%"} {
			_, err = tx.Accounts.UserByEmail(w.ctx, email)
			require.True(t, fault.Is(err, fault.NotFound), "%q: %v", email, err)
		}

		require.True(t, fault.Is(tx.Accounts.GiveRole(w.ctx, w.ours.user.ID, company, "king"), fault.NotFound))
		require.True(t, fault.Is(tx.Accounts.GiveRole(w.ctx, w.theirs.user.ID, company, "owner"), fault.NotFound), "a user of another company")
		require.True(t, fault.Is(tx.Accounts.SetDisabled(w.ctx, 1<<40, true), fault.NotFound))
		return nil
	})
	version := func() (v int64) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			_, v, err = tx.Accounts.Caller(w.ctx, w.ours.user.ID)
			return err
		})
		return v
	}
	before := version()
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Accounts.GiveRole(w.ctx, w.ours.user.ID, company, access.RoleViewer)
	})
	require.Greater(t, version(), before, "a change of a holder raises the version")
	err := w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		require.NoError(t, tx.Accounts.GiveRole(ctx, w.ours.user.ID, company, access.RoleEditor))
		return errChanged
	})
	require.ErrorIs(t, err, errChanged)
	w.operate(func(tx ports.OperatorRepos) error {
		held, v, err := tx.Accounts.RolesOf(w.ctx, company, w.ours.user.ID)
		require.NoError(t, err)
		require.Equal(t, before+1, v)
		require.Len(t, held, 1, "a role that was taken back, or another user's")
		viewer := slices.IndexFunc(access.DefaultRoles(), func(r access.RoleTemplate) bool { return r.Name == access.RoleViewer })
		require.ElementsMatch(t, access.DefaultRoles()[viewer].Slugs, held[access.RoleViewer])
		for _, nobody := range []int64{0, w.ours.user.ID + 1_000} {
			held, _, err := tx.Accounts.RolesOf(w.ctx, company, nobody)
			require.NoError(t, err)
			require.Empty(t, held)
		}
		require.NoError(t, tx.Accounts.SetDisabled(w.ctx, w.ours.user.ID, true))
		user, _, err := tx.Accounts.Caller(w.ctx, w.ours.user.ID)
		require.True(t, user.Disabled)
		return err
	})
}

func testTokens(t *testing.T, b Backend) {
	w := newWorld(t, b)
	token := ports.RefreshToken{Hash: "h1", Family: "f", UserID: w.ours.user.ID, ExpiresAt: kept(begin.Add(time.Hour))}
	second, alone := token, token
	second.Hash, alone.Hash, alone.Family = "h2", "h3", "g"
	at := kept(begin.Add(time.Minute))
	w.operate(func(tx ports.OperatorRepos) error {
		for _, one := range []ports.RefreshToken{token, second, alone} {
			require.NoError(t, tx.Accounts.AddRefresh(w.ctx, one))
		}
		require.NoError(t, tx.Accounts.UseRefresh(w.ctx, "h1", at))
		require.NoError(t, tx.Accounts.RevokeFamily(w.ctx, "f", at))
		require.NoError(t, tx.Accounts.RevokeFamily(w.ctx, "f", at.Add(time.Hour)))
		token.UsedAt, token.RevokedAt, second.RevokedAt = &at, &at, &at
		for _, want := range []ports.RefreshToken{token, second, alone} {
			got, err := tx.Accounts.Refresh(w.ctx, want.Hash)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		_, err := tx.Accounts.Refresh(w.ctx, "h4")
		require.True(t, fault.Is(err, fault.NotFound))

		keys, err := tx.Accounts.SigningKeys(w.ctx)
		require.NoError(t, err)
		require.Empty(t, keys)
		old := ports.SigningKey{ID: "k1", Seed: []byte{0, 1, 255, '\'', '\\', '?'}, CreatedAt: kept(begin)}
		next := ports.SigningKey{ID: "k2", Seed: []byte{9}, CreatedAt: at}
		require.NoError(t, tx.Accounts.AddSigningKey(w.ctx, old))
		require.NoError(t, tx.Accounts.AddSigningKey(w.ctx, next))
		old.RetiredAt = &at
		keys, err = tx.Accounts.SigningKeys(w.ctx)
		require.Equal(t, []ports.SigningKey{next, old}, keys)
		return err
	})
	// A token presented twice at the same time is used once: the second caller sees the use by the first.
	fresh := 0
	for _, err := range together(6, func(int) error {
		return w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
			got, err := tx.Accounts.Refresh(ctx, "h3")
			if err != nil || got.UsedAt != nil {
				return errorOr(err, errChanged)
			}
			return tx.Accounts.UseRefresh(ctx, "h3", at)
		})
	}) {
		if err == nil {
			fresh++
		} else {
			require.ErrorIs(t, err, errChanged)
		}
	}
	require.Equal(t, 1, fresh)
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
