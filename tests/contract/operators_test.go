package contract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/credit"
	corelist "tilth/core/list"
	"tilth/ports"
	"tilth/tests/rig"
)

// operatorOf makes an operator and signs them in.
func operatorOf(t *testing.T, s *rig.Server, database string) *rig.Client {
	t.Helper()
	runJSON(t, database, "user", "create", "--operator", "--email", "olga@ops.example", "--name", "Olga")
	return rig.Remote(t, s.URL, runJSON(t, database, "token", "create", "--user", "olga@ops.example")["access"].(string))
}

// operatorRoutes returns the method and path of every operation below operator/, with id in place of its ids.
func operatorRoutes(t *testing.T, id int64) (out [][2]string) {
	t.Helper()
	for path, item := range rig.Document(t).Paths.Map() {
		_, below, ok := strings.Cut(path, "/operator/")
		for method := range item.Operations() {
			if ok {
				below = strings.NewReplacer("{id}", itoa(id), "{service}", "stratification").Replace(below)
				out = append(out, [2]string{method, "operator/" + below})
			}
		}
	}
	require.Greater(t, len(out), 20)
	return out
}

// rows returns the records of a list.
func rows(t *testing.T, a rig.Answer) (out []map[string]any) {
	t.Helper()
	a.Into(t, &out)
	return out
}

// nextOf returns where a list continues, below the base, or an empty string at its end.
func nextOf(a rig.Answer) string {
	links := strings.Split(a.Header.Get("Link"), "<")
	last := links[len(links)-1]
	if !strings.Contains(last, `rel="next"`) {
		return ""
	}
	_, next, _ := strings.Cut(strings.Split(last, ">")[0], "/api/v1.2/")
	return next
}

// Only operators are let in: a stranger is not known, owners and keys are refused whatever they may do in their company.
func TestOnlyOperatorsOperate(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 100_00)
		key, _ := newKey(t, owner, nil)
		role := owner.Expect(200, "POST", "role/", `{"name":"all","slugs":["*"]}`).Data(t)["name"].(string)
		all := s.User(owner.CompanyID, role)
		before := owner.Wallet()
		for _, route := range operatorRoutes(t, owner.CompanyID) {
			method, path := route[0], route[1]
			refused(t, s.Anonymous(), 401, "not_authenticated", method, path, nil)
			for _, c := range []*rig.Client{owner, all} {
				c.Expect(403, method, path, nil)
				status, body := with(t, s, method, path, "", "Authorization", "Bearer "+c.Token, "X-Company", itoa(owner.CompanyID))
				require.Equal(t, 403, status, body)
			}
			status, body := with(t, s, method, path, "", "X-API-Key", key)
			require.Equal(t, 401, status, "%s %s: %s", method, path, body)
		}
		require.Equal(t, before, owner.Wallet())
		owner.Expect(400, "POST", "role/", `{"name":"op","slugs":["operator"]}`)
		me := owner.Expect(200, "GET", "auth/me/", nil).Data(t)
		require.NotContains(t, me["slugs"], "operator")
		require.Equal(t, false, me["operator"])
		// An operator cannot make a key as another way in.
		op := operatorOf(t, s, database)
		refused(t, op, 403, "permission_denied", "POST", "api-key/", `{"name":"x"}`)
		require.Equal(t, true, op.Expect(200, "GET", "auth/me/", nil).Data(t)["operator"])
	})
}

func TestOperatorsSeeAndChangeCompanies(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 100_00)
		s.Company("owner", 0)
		op := operatorOf(t, s, database)
		made := op.Expect(200, "POST", "operator/company/", `{"name":" Lower valley "}`).Data(t)
		id := int64(made["id"].(float64))
		require.Equal(t, []any{"Lower valley", 0.0, []any{}}, []any{made["name"], made["users"], made["subscriptions"]})
		refused(t, op, 409, "company_exists", "POST", "operator/company/", `{"name":"Lower valley"}`)
		refused(t, op, 409, "company_exists", "PATCH", path("operator/company", owner.CompanyID), `{"name":"Lower valley"}`)
		refused(t, op, 400, "validation_failed", "PATCH", path("operator/company", id), `{"name":" "}`)
		op.Expect(404, "PATCH", "operator/company/999999/", `{"name":"x"}`)
		op.Expect(404, "GET", "operator/company/999999/", nil)
		renamed := op.Expect(200, "PATCH", path("operator/company", id), `{"name":"Upper valley"}`).Data(t)
		require.Equal(t, "Upper valley", renamed["name"])

		subscription := path("operator/company", id) + "subscription/stratification/"
		op.Expect(404, "DELETE", subscription, nil)
		refused(t, op, 400, "validation_failed", "PUT", path("operator/company", id)+"subscription/satellites/", `{}`)
		refused(t, op, 400, "validation_failed", "PUT", subscription, `{"until":"2001-01-01"}`)
		op.Expect(404, "PUT", "operator/company/999999/subscription/stratification/", `{}`)
		granted := op.Expect(200, "PUT", subscription, `{"until":"2130-12-31"}`).Data(t)
		require.Equal(t, []any{"stratification", "2130-12-31"}, []any{granted["service"], granted["until"]})
		require.Nil(t, op.Expect(200, "PUT", subscription, `{}`).Data(t)["until"])
		var list []map[string]any
		op.Expect(200, "GET", path("operator/company", id)+"subscription/", nil).Into(t, &list)
		require.Len(t, list, 1)
		op.Expect(200, "GET", "operator/company/?service=stratification", nil).Into(t, &list)
		require.Len(t, list, 1)
		require.Len(t, list[0]["subscriptions"], 1)
		require.Equal(t, "stratification", runJSON(t, database, "subscription", "list", "--company", itoa(id))["service"])
		op.Expect(204, "DELETE", subscription, nil)

		// Page by page, by cursor, nothing is missed and nothing comes twice.
		var ids []float64
		for next := "operator/company/?cursor=first&page_size=1"; next != ""; {
			a := op.Expect(200, "GET", next, nil)
			a.Into(t, &list)
			require.Len(t, list, 1)
			ids = append(ids, list[0]["id"].(float64))
			next = nextOf(a)
		}
		require.Len(t, ids, 3)
		require.True(t, slices.IsSorted(ids))
		one := op.Expect(200, "GET", path("operator/company", owner.CompanyID), nil).Data(t)
		require.Equal(t, []any{1.0, 100.0}, []any{one["users"], one["wallet"].(map[string]any)["balance"]})
		require.Equal(t, "Upper valley", runJSON(t, database, "company", "show", "--company", itoa(id))["name"])
		runJSON(t, database, "company", "rename", "--company", itoa(id), "--name", "Valley")
		out, _, status := run(t, database, "", "company", "list", "--json")
		require.Zero(t, status)
		require.Len(t, splitLines(out), 3)

		// The company's trail shows who it was, and names the operator.
		require.Len(t, rows(t, op.Expect(200, "GET", "operator/company/?id="+itoa(id), nil)), 1)
		status, body := with(t, s, "GET", "audit/", "", "Authorization", "Bearer "+op.Token, "X-Company", itoa(id))
		require.Equal(t, 200, status, body)
		var trail []entry
		rig.Answer{Status: status, Body: []byte(body)}.Into(t, &trail)
		require.Equal(t, []string{"company", "subscription", "subscription", "subscription", "company", "company"}, corelist.Map(trail, func(e entry) string { return e.Resource }))
		require.Nil(t, trail[0].User, "the command line")
		for _, e := range trail[1:] {
			require.True(t, e.Operator)
			require.Equal(t, "Olga", e.User.Name)
		}
	})
}

func TestOperatorsSeeAndChangeUsers(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, other := s.Company("owner", 0), s.Company("owner", 0)
		op := operatorOf(t, s, database)
		made := op.Expect(200, "POST", "operator/user/", fmt.Sprintf(`{"company":%d,"email":"Grace@Example.com","role":"editor"}`, owner.CompanyID)).Data(t)
		require.Equal(t, []any{"grace@example.com", "grace", []any{"editor"}, false}, []any{made["email"], made["name"], made["roles"], made["password"]})
		refused(t, op, 400, "email_taken", "POST", "operator/user/", fmt.Sprintf(`{"company":%d,"email":"grace@example.com","role":"editor"}`, other.CompanyID))
		op.Expect(404, "POST", "operator/user/", `{"company":999999,"email":"x@example.com","role":"editor"}`)
		op.Expect(404, "POST", "operator/user/", fmt.Sprintf(`{"company":%d,"email":"x@example.com","role":"king"}`, owner.CompanyID))
		refused(t, op, 400, "validation_failed", "POST", "operator/user/", fmt.Sprintf(`{"company":%d,"email":"nobody","role":"editor"}`, owner.CompanyID))

		var list []map[string]any
		op.Expect(200, "GET", "operator/user/?company="+itoa(owner.CompanyID), nil).Into(t, &list)
		require.Len(t, list, 2)
		op.Expect(200, "GET", "operator/user/?email=GRACE@example.com", nil).Into(t, &list)
		require.Len(t, list, 1)
		op.Expect(200, "GET", "operator/user/?operator=true", nil).Into(t, &list)
		require.Equal(t, []any{"olga@ops.example", true, nil}, []any{list[0]["email"], list[0]["operator"], list[0]["company"]})
		op.Expect(200, "GET", "operator/user/?operator=false&role=owner", nil).Into(t, &list)
		require.Len(t, list, 2)

		// A link sets the password once; earlier links stop working.
		grace := int64(made["id"].(float64))
		require.Equal(t, "grace@example.com", op.Expect(200, "GET", path("operator/user", grace), nil).Data(t)["email"])
		link := path("operator/user", grace) + "password-link/"
		first := op.Expect(200, "POST", link, nil)
		require.Equal(t, "no-store", first.Header.Get("Cache-Control"))
		second := op.Expect(200, "POST", link, nil).Data(t)
		confirm := func(token any) map[string]any { return map[string]any{"token": token, "password": goodPassword} }
		refused(t, s.Anonymous(), 400, "link_invalid", "POST", "auth/password/reset/confirm/", confirm(first.Data(t)["token"]))
		require.Contains(t, second["link"], "/account/password/#"+second["token"].(string))
		s.Anonymous().Expect(204, "POST", "auth/password/reset/confirm/", confirm(second["token"]))
		signIn := map[string]any{"email": "grace@example.com", "password": goodPassword}
		s.Anonymous().Expect(200, "POST", "auth/token/", signIn)
		printed := runJSON(t, database, "user", "password-link", "--email", "grace@example.com")["link"].(string)
		_, token, _ := strings.Cut(printed, "#")
		s.Anonymous().Expect(204, "POST", "auth/password/reset/confirm/", confirm(token))

		op.Expect(200, "PATCH", path("operator/user", idOf(t, owner)), `{"disabled":true}`)
		refused(t, owner, 401, "user_disabled", "GET", "farm/", nil)
		disabled := rows(t, op.Expect(200, "GET", "operator/user/?disabled=true", nil))
		refused(t, op, 409, "user_disabled", "POST", path("operator/user", int64(disabled[0]["id"].(float64)))+"password-link/", nil)
		require.Equal(t, false, runJSON(t, database, "user", "enable", "--email", owner.Email)["disabled"])
		owner.Expect(200, "GET", "farm/", nil)

		// A stolen token of an operator makes no other operator, and takes over no account.
		var me []map[string]any
		op.Expect(200, "GET", "operator/user/?operator=true", nil).Into(t, &me)
		olga := int64(me[0]["id"].(float64))
		refused(t, op, 409, "operator_account", "PATCH", path("operator/user", olga), `{"disabled":true}`)
		refused(t, op, 409, "operator_account", "POST", path("operator/user", olga)+"password-link/", nil)
		op.Expect(400, "POST", "operator/user/", `{"email":"second@ops.example","role":"owner"}`)
		op.Expect(404, "GET", "operator/user/999999/", nil)
		op.Expect(404, "PATCH", "operator/user/999999/", `{"disabled":true}`)

		// Disabling an already disabled user changes nothing: the trail has only real changes.
		var trail []entry
		owner.Expect(200, "GET", "audit/?resource=user", nil).Into(t, &trail)
		require.Equal(t, []string{"update", "update", "password_link", "password_link", "password_link", "create", "create"}, corelist.Map(trail, func(e entry) string { return e.Action }))
		require.Equal(t, "Olga", trail[1].User.Name)
		out, _, _ := run(t, database, "", "user", "list", "--company", itoa(owner.CompanyID))
		require.Len(t, splitLines(out), 2)
		require.Equal(t, "grace@example.com", runJSON(t, database, "user", "show", "--email", "grace@example.com")["email"])
		require.Equal(t, true, runJSON(t, database, "user", "list", "--operators")["operator"])
	})
}

func TestOperatorsSeeAndChangeMoney(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 10_00)
		op := operatorOf(t, s, database)
		wallet := path("operator/company", owner.CompanyID) + "wallet/"
		require.InDelta(t, 260.5, op.Expect(200, "POST", wallet+"credit/", `{"amount":250.5,"note":"Invoice 17"}`).Data(t)["balance"], 1e-9)
		for _, bad := range []string{`{"amount":0}`, `{"amount":-1}`, `{"amount":1.001}`, `{"amount":1e30}`, `{"amount":"12"}`, `{}`, `{"amount":1,"note":"` + strings.Repeat("x", 501) + `"}`} {
			refused(t, op, 400, "validation_failed", "POST", wallet+"credit/", bad)
		}
		for _, route := range []string{"", "transactions/", "statement/"} {
			op.Expect(404, "GET", "operator/company/999999/wallet/"+route, nil)
		}
		op.Expect(404, "POST", "operator/company/999999/wallet/credit/", `{"amount":1}`)

		// A repeat under a key adds nothing.
		for range 2 {
			status, body := with(t, s, "POST", wallet+"credit/", `{"amount":1}`,
				"Authorization", "Bearer "+op.Token, "Content-Type", "application/json", "Idempotency-Key", "invoice-18")
			require.Equal(t, 200, status, body)
			require.Contains(t, body, "261.5")
		}
		require.InDelta(t, 261.5, op.Expect(200, "GET", wallet, nil).Data(t)["balance"], 1e-9)
		a := op.Expect(200, "GET", wallet+"transactions/?kind=credit&cursor=first&page_size=2", nil)
		require.Len(t, rows(t, a), 2)
		require.NotEmpty(t, nextOf(a))
		require.Len(t, rows(t, op.Expect(200, "GET", nextOf(a), nil)), 1)
		require.Equal(t, "Invoice 17", rows(t, a)[1]["note"])
		statement := op.Expect(200, "GET", wallet+"statement/", nil)
		require.Contains(t, statement.Header.Get("Content-Type"), "text/csv")
		require.Contains(t, string(statement.Body), "Invoice 17")
		printed, _, status := run(t, database, "", "wallet", "statement", "--company", itoa(owner.CompanyID))
		require.Zero(t, status)
		require.Equal(t, splitLines(string(statement.Body))[:4], splitLines(printed)[:4])
		refused(t, op, 400, "validation_failed", "POST", wallet+"refund/", `{"transaction":1}`)
		op.Expect(404, "POST", wallet+"refund/", `{"transaction":999999}`)
		land := owner.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
		order := owner.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}).Data(t)["order_id"]
		owner.Until(int64(order.(float64)), "active")
		capture := rows(t, op.Expect(200, "GET", wallet+"transactions/?kind=capture", nil))[0]
		refund := op.Expect(200, "POST", wallet+"refund/", map[string]any{"transaction": capture["id"], "note": "Order by mistake"}).Data(t)
		require.Equal(t, "refund", refund["kind"])
		refused(t, op, 409, "already_refunded", "POST", wallet+"refund/", fmt.Sprintf(`{"transaction":%v}`, capture["id"]))

		var prices []map[string]any
		op.Expect(200, "GET", "operator/price/", nil).Into(t, &prices)
		require.Len(t, prices, len(credit.Services))
		require.Equal(t, 2.25, op.Expect(200, "PUT", "operator/price/SOC/", `{"per_ha":2.25}`).Data(t)["per_ha"])
		refused(t, op, 400, "validation_failed", "PUT", "operator/price/XYZ/", `{"per_ha":2.25}`)
		refused(t, op, 400, "validation_failed", "PUT", "operator/price/SOC/", `{"per_ha":2.255}`)
		out, _, _ := run(t, database, "", "price", "list")
		require.Contains(t, out, "SOC      2.25 credits per hectare")

		// The installation's own trail names the operator, over HTTP and on the command line.
		trail := rows(t, op.Expect(200, "GET", "operator/trail/?cursor=first&page_size=1", nil))
		require.Len(t, trail, 1)
		require.Equal(t, []any{"Olga", "price", "SOC"}, []any{trail[0]["actor"], trail[0]["resource"], trail[0]["record"]})
		require.Equal(t, "Olga", runJSON(t, database, "trail", "--limit", "1")["actor"])
		out, errOut, status := run(t, database, "", "verify")
		require.Zero(t, status, out+errOut)
		var entries []entry
		owner.Expect(200, "GET", "audit/?resource=wallet", nil).Into(t, &entries)
		require.Equal(t, "Olga", entries[0].User.Name)
		require.True(t, entries[0].Operator)
		require.Len(t, entries, 4)
	})
}

func TestOperatorsSeeAndChangeJobs(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 0)
		op := operatorOf(t, s, database)
		var ids []int64
		later := time.Now().Add(time.Hour)
		for i := range 3 {
			require.NoError(t, s.Operating.Store.Operate(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
				return tx.Jobs.Enqueue(ctx, ports.Job{Kind: "of_test", Key: itoa(int64(i)), CompanyID: owner.CompanyID, Subject: 1, RunAt: later})
			}))
		}
		for _, job := range rows(t, op.Expect(200, "GET", "operator/job/?kind=of_test", nil)) {
			require.Equal(t, []any{"waiting", float64(owner.CompanyID)}, []any{job["state"], job["company"]})
			ids = append(ids, int64(job["id"].(float64)))
		}
		require.Len(t, ids, 3)
		require.Empty(t, rows(t, op.Expect(200, "GET", "operator/job/?kind=of_test&state=failed", nil)))
		a := op.Expect(200, "GET", "operator/job/?kind=of_test&cursor=first&page_size=2", nil)
		require.Len(t, rows(t, a), 2)
		require.Len(t, rows(t, op.Expect(200, "GET", nextOf(a), nil)), 1)
		op.Expect(400, "GET", "operator/job/?state=lost", nil)
		require.Equal(t, "of_test", op.Expect(200, "GET", path("operator/job", ids[0]), nil).Data(t)["kind"])
		refused(t, op, 409, "job_not_failed", "POST", path("operator/job", ids[0])+"retry/", nil)
		for _, what := range []string{"", "retry/", "cancel/"} {
			method := map[bool]string{true: http.MethodGet, false: http.MethodPost}[what == ""]
			op.Expect(404, method, "operator/job/999999/"+what, nil)
		}
		op.Expect(200, "POST", path("operator/job", ids[0])+"cancel/", nil)
		require.Equal(t, "job", rows(t, op.Expect(200, "GET", "operator/trail/", nil))[0]["resource"])

		// A job that has failed is tried again.
		rig.Exec(t, database, fmt.Sprintf("UPDATE jobs SET failed_at = run_at, reason = 'It broke.' WHERE id = %d", ids[1]))
		require.Equal(t, "failed", op.Expect(200, "POST", path("operator/job", ids[1])+"retry/", nil).Data(t)["state"], "as it was")
	})
}
