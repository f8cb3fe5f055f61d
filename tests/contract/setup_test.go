package contract

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"tilth/tests/pgtest"
	"tilth/tests/rig"
)

func first(token, company, email string) map[string]any {
	return map[string]any{"token": token, "company": company, "email": email, "password": "sixteen sheep graze", "credit": 12.5}
}

// The first caller with the printed token sets up an empty installation, once: of concurrent callers one succeeds, and
// nothing of the others is left.
func TestTheFirstCompanyIsMadeOnce(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Anonymous()
		require.Equal(t, true, c.Expect(http.StatusOK, http.MethodGet, "setup/", nil).Data(t)["needed"])
		token, err := s.Setup.Token(t.Context())
		require.NoError(t, err)

		for _, wrong := range []string{"nothing", token[:len(token)-8] + "AAAAAAAA"} {
			require.Equal(t, "setup_token_invalid", c.Expect(http.StatusUnauthorized, http.MethodPost, "setup/", first(wrong, "Acme", "ada@acme.example")).Map(t)["code"])
		}
		for member, value := range map[string]any{"company": " ", "email": "nobody", "password": "ada@acme.example", "credit": 0.001} {
			body := first(token, "Acme", "ada@acme.example")
			body[member] = value
			require.Contains(t, string(c.Expect(http.StatusBadRequest, http.MethodPost, "setup/", body).Body), `"`+member+`"`, member)
		}
		require.Equal(t, true, c.Expect(http.StatusOK, http.MethodGet, "setup/", nil).Data(t)["needed"], "what was refused left something")

		const callers = 6
		answers := make([]rig.Answer, callers)
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				answers[i] = c.Do(http.MethodPost, "setup/", first(token, "Acme "+string(rune('A'+i)), string(rune('a'+i))+"@acme.example"))
			})
		}
		all.Wait()
		made := -1
		for i, a := range answers {
			switch a.Status {
			case http.StatusCreated:
				require.Equal(t, -1, made, "two succeeded")
				made = i
			default:
				require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
				require.Equal(t, "already_set_up", a.Map(t)["code"])
			}
		}
		require.NotEqual(t, -1, made)
		require.Equal(t, false, c.Expect(http.StatusOK, http.MethodGet, "setup/", nil).Data(t)["needed"])
		again, err := s.Setup.Token(t.Context())
		require.NoError(t, err)
		require.Empty(t, again)

		signed := c.Expect(http.StatusOK, http.MethodPost, "auth/token/", map[string]any{"email": string(rune('a'+made)) + "@acme.example", "password": "sixteen sheep graze"})
		c.Token = signed.Data(t)["access"].(string)
		me := c.Expect(http.StatusOK, http.MethodGet, "auth/me/", nil).Data(t)
		require.Equal(t, []any{"owner"}, me["roles"])
		require.Equal(t, "Acme "+string(rune('A'+made)), me["company"].(map[string]any)["name"])
		require.InDelta(t, 12.5, c.Expect(http.StatusOK, http.MethodGet, "wallet/", nil).Data(t)["balance"], 0)
		trail := string(c.Expect(http.StatusOK, http.MethodGet, "audit/", nil).Body)
		for _, resource := range []string{`"company"`, `"user"`} {
			require.True(t, strings.Contains(trail, resource), trail)
		}
	})
}

// The creation of a company by an operator and a setup under way take turns, so that the setup sees the company.
func TestCompaniesAndTheSetupTakeTurns(t *testing.T) {
	t.Parallel()
	if !pgtest.Found() {
		t.Skip("LEFT OUT: there is no PostgreSQL, and SQLite has one writer at a time.")
	}
	database := rig.PostgreSQL(t)
	s := rig.Start(t, rig.Options{Database: database})
	ctx := t.Context()
	db, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(context.WithoutCancel(ctx))) }()
	setup, err := db.Begin(ctx)
	require.NoError(t, err)
	_, err = setup.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(0x7365747570)) // as the setup does
	require.NoError(t, err)
	made := make(chan error, 1)
	go func() {
		_, err := s.Operating.CreateCompany(ctx, "Acme")
		made <- err
	}()
	rig.Eventually(t, func() bool {
		select {
		case err := <-made:
			t.Errorf("the company was made beside the setup (%v)", err)
			return true
		default:
		}
		waiting := 0
		require.NoError(t, setup.QueryRow(ctx, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&waiting))
		return waiting == 1
	}, time.Minute, 10*time.Millisecond, "nobody waits")
	require.NoError(t, setup.Commit(ctx))
	if !t.Failed() {
		require.NoError(t, <-made)
	}
}
