package storetest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/operating"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/fault"
	"tilth/ports"
)

// everything returns the text of every row of every table that names people.
func (w *world) everything() string {
	w.t.Helper()
	var out strings.Builder
	db := raw(w.t, w.address)
	for _, table := range []string{"users", "user_identities", "tickets", "letters", "invitations", "api_keys", "audit_entries", "soil_samples", "refresh_tokens", "chain_links"} {
		eachRow(w.t, db, "SELECT * FROM "+table, func(rows *sql.Rows) {
			names, err := rows.Columns()
			require.NoError(w.t, err)
			values, into := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			require.NoError(w.t, rows.Scan(into...))
			for _, value := range values {
				if text, ok := value.([]byte); ok {
					value = string(text)
				}
				fmt.Fprintln(&out, table, value)
			}
		})
	}
	return out.String()
}

// person makes a user with everything that can be stored about one.
func (w *world) person(name, email string) (user ports.User) {
	w.t.Helper()
	scope, now := w.ours.scope, w.clock.Now()
	w.operate(func(tx ports.OperatorRepos) error {
		user = ports.User{CompanyID: scope.Company(), Email: email, Name: name, PasswordHash: "hash of " + email, CreatedAt: now}
		if err := tx.Accounts.CreateUser(w.ctx, &user); err != nil {
			return err
		}
		in := ports.Invitation{Email: email, Name: name, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		if err := tx.Invitations.Insert(w.ctx, scope, &in, "invited "+email); err != nil {
			return err
		}
		key := access.APIKey{User: access.Named{ID: user.ID}, Name: name + "'s", Prefix: "p", Hash: "key of " + email, CreatedAt: now}
		if err := tx.Keys.Insert(w.ctx, scope, &key); err != nil {
			return err
		}
		at := audit.Entry{CompanyID: scope.Company(), At: now}
		own := audit.Entry{CompanyID: scope.Company(), At: now, User: &access.Named{ID: user.ID}, KeyID: key.ID}
		change := func(member string, after any) []audit.Change {
			return []audit.Change{{Member: member, After: after}, {Member: "role", After: "editor"}, {Member: "big", After: int64(9007199254740993)}}
		}
		for _, err := range []error{
			tx.Accounts.GiveRole(w.ctx, user.ID, scope.Company(), access.RoleOwner),
			tx.Accounts.AddRefresh(w.ctx, ports.RefreshToken{Hash: "session " + email, Family: "f", UserID: user.ID, ExpiresAt: now}),
			tx.Accounts.BindExternalID(w.ctx, ports.ExternalID{Issuer: "https://id.example", Subject: "subject " + email}, user.ID, now),
			tx.Tickets.Add(w.ctx, ports.Ticket{Hash: "reset " + email, UserID: user.ID, CreatedAt: now, ExpiresAt: now}),
			tx.Letters.Put(w.ctx, &ports.Letter{Kind: ports.LetterReset, Email: email, CreatedAt: now}),
			tx.Letters.Put(w.ctx, &ports.Letter{Kind: ports.LetterInvitation, Email: email, CompanyID: scope.Company(), InvitationID: in.ID, CreatedAt: now}),
			tx.Audit.Add(w.ctx,
				at.Of(audit.Create, "user", user.ID, change("email", email)), at.Of(audit.Update, "user", user.ID, change("name", name)),
				at.Of(audit.Create, "invitation", in.ID, change("email", email)), at.Of(audit.Create, "invitation", 999, change("email", email)), // removed since
				own.Of(audit.Update, "farm", w.ours.farm.ID, change("name", "Of "+strings.Fields(name)[0]+" nothing")),
				own.Of(audit.Create, "soil_sample", 5, change("collected", map[string]any{"by": name, "moved_m": 2.5})),
			),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return user
}

func testPersons(t *testing.T, b Backend) {
	w := newWorld(t, b)
	op := operating.Operating{Store: w.Database, Clock: w.clock, IDs: w.ids}
	ann := w.person("Ann <Ä>", "ann@x.example")
	w.person("Bob", "bob@x.example")
	before := w.everything()
	require.Contains(t, before, "ann@x.example")

	// The export contains exactly what is stored: no hash, and nothing of others.
	held, err := op.PersonHeld(w.ctx, "Ann@x.example")
	require.NoError(t, err)
	for kind, want := range map[string]int{
		"user": 1, "roles": 1, "identities": 1, "sessions": 1, "links": 1, "api_keys": 1, "invitations": 1, "letters": 2, "audit_by": 2, "audit_about": 2,
		"made_farms": 0,
	} {
		require.Len(t, held[kind], want, kind)
	}
	text, err := json.Marshal(held)
	require.NoError(t, err)
	require.Contains(t, string(text), "subject ann@x.example")
	for _, hidden := range []string{"hash of", "key of", "session ann", "reset ann", "bob@"} {
		require.NotContains(t, string(text), hidden)
	}
	_, err = op.PersonHeld(w.ctx, "nobody@x.example")
	require.True(t, fault.Is(err, fault.NotFound))
	held, err = op.PersonHeld(w.ctx, w.emailOf(w.ours.user.ID))
	require.NoError(t, err)
	require.Len(t, held["made_farms"], 1)

	out, err := op.ErasePerson(w.ctx, "ann@x.example")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("erased-%d@erased.invalid", ann.ID), out.Email)
	require.EqualValues(t, 5, out.Values)
	after := w.everything()
	for _, gone := range []string{"ann@x", "Ann <", `Ann \u003c`} {
		require.False(t, strings.Contains(after, gone), gone)
	}
	require.Contains(t, after, "Of Ann", "the name of a farm is no name of a person")
	require.Equal(t, strings.Count(before, "bob@x.example"), strings.Count(after, "bob@x.example"))
	require.Equal(t, strings.Count(before, "9007199254740993"), strings.Count(after, "9007199254740993"), "the other values are as they were")

	// Records and trail are intact.
	w.sequence()
	got := w.verified(chain.Audit)
	require.Nil(t, got.Broken, "%v", got.Broken)
	require.Equal(t, out.Values, got.Erased)
	w.operate(func(tx ports.OperatorRepos) error {
		user, _, err := tx.Accounts.Caller(w.ctx, ann.ID)
		require.True(t, user.Disabled)
		require.Equal(t, out.Name, user.Name)
		require.Empty(t, user.PasswordHash)
		_, err2 := tx.Accounts.UserByEmail(w.ctx, "ann@x.example")
		require.True(t, fault.Is(err2, fault.NotFound))
		return err
	})
	_, err = op.ErasePerson(w.ctx, "ann@x.example")
	require.True(t, fault.Is(err, fault.NotFound))

	// The trail accepts no other write, nor anything in place of what was erased.
	for _, statement := range []string{
		"UPDATE audit_entries SET action = 'x' WHERE id IN (SELECT row_id FROM chain_erasures)",
		"UPDATE audit_entries SET changes = '[]' WHERE id NOT IN (SELECT row_id FROM chain_erasures)",
	} {
		_, err := raw(t, w.address).Exec(statement)
		require.ErrorContains(t, err, "append-only")
	}

	// The last owner, and operators, are refused, with nothing erased.
	for _, other := range []string{"bob@x.example", w.operator()} {
		_, err = op.ErasePerson(w.ctx, other)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		require.ErrorContains(t, err, "Fix:")
	}
	require.Equal(t, out.Values, w.verified(chain.Audit).Erased)
	w.person("Cid", "cid@x.example")
	_, err = op.ErasePerson(w.ctx, "bob@x.example")
	require.NoError(t, err)
	require.False(t, strings.Contains(w.everything(), "bob@x"))
	w.sequence()
	require.Nil(t, w.verified(chain.Audit).Broken)
}

func (w *world) emailOf(id int64) (email string) {
	w.operate(func(tx ports.OperatorRepos) error {
		user, _, err := tx.Accounts.Caller(w.ctx, id)
		email = user.Email
		return err
	})
	return email
}

func (w *world) operator() string {
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Accounts.CreateUser(w.ctx, &ports.User{Email: "op@x.example", Name: "Op", CreatedAt: w.clock.Now()})
	})
	return "op@x.example"
}

// testPersonsComplete asserts that an export names every table that refers to users.
func testPersonsComplete(t *testing.T, b Backend) {
	w := newWorld(t, b)
	if strings.HasPrefix(w.address, "sqlite:") {
		t.Skip("the references are those of PostgreSQL")
	}
	var held ports.Held
	require.NoError(t, w.Consult(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		held, err = tx.Persons.Held(ctx, ports.User{ID: 1, CompanyID: 1})
		return err
	}))
	own := map[string]string{
		"user_roles": "roles", "refresh_tokens": "sessions", "api_keys": "api_keys", "audit_entries": "audit_by", "tickets": "links", "user_identities": "identities",
	}
	rows, err := raw(t, w.address).Query("SELECT DISTINCT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND confrelid = 'users'::regclass AND conparentid = 0")
	require.NoError(t, err)
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var table string
		require.NoError(t, rows.Scan(&table))
		kind, known := own[table]
		if !known {
			kind = "made_" + table
		}
		require.Contains(t, held, kind)
	}
	require.NoError(t, rows.Err())
	require.Greater(t, n, 20)
}
