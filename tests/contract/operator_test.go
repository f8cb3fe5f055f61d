package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/operating"
	"tilth/tests/rig"
)

func TestOperatorActsInsideACompany(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, other := s.Company("owner", 0), s.Company("owner", 0)
		farm := owner.Make("farm/", map[string]any{"name": "f"})
		other.Make("farm/", map[string]any{"name": "g"})
		_, err := s.Operating.CreateUser(t.Context(), operating.NewUser{Email: "op@test.example", Name: "Op", Operator: true})
		require.NoError(t, err)
		token, err := s.Operating.CreateToken(t.Context(), "op@test.example", time.Hour)
		require.NoError(t, err)
		bearer := "Bearer " + token
		as := func(company, method, p, body string) (int, string) {
			headers := []string{"Authorization", bearer, "Content-Type", "application/json"}
			if company != "" {
				headers = append(headers, "X-Company", company)
			}
			return with(t, s, method, p, body, headers...)
		}
		ours := itoa(owner.CompanyID)

		// Outside any company: lists are empty, nothing is found, nothing is written.
		for _, p := range []string{"farm/", "farm/?share=true", "share-grant/", "api-key/", "audit/", "wallet/transactions/"} {
			status, body := as("", "GET", p, "")
			require.Equal(t, 200, status, p)
			require.NotContains(t, body, `"id"`, p)
		}
		status, _ := as("", "GET", path("farm", farm), "")
		require.Equal(t, 404, status)
		status, body := as("", "POST", "farm/", `{"name":"x"}`)
		require.Equal(t, 403, status)
		require.Contains(t, body, "farm.create")

		// Inside: everything of that company, and nothing of another.
		status, body = as(ours, "GET", "farm/", "")
		require.Equal(t, 200, status)
		require.Contains(t, body, `"count":1`)
		status, _ = as(ours, "PATCH", path("farm", farm), `{"name":"renamed"}`)
		require.Equal(t, 200, status)
		status, body = as(ours, "POST", "farm/", `{"name":"by the operator"}`)
		require.Equal(t, 200, status, body)
		require.Contains(t, body, `"name":"Op"`)
		status, _ = as(itoa(other.CompanyID), "GET", path("farm", farm), "")
		require.Equal(t, 404, status)
		status, body = as(ours, "POST", "api-key/", `{"name":"x"}`)
		require.Equal(t, 400, status)
		require.Contains(t, body, "operator_key")

		for _, unknown := range []string{"999999", "0", "-1", "x", "99999999999999999999"} {
			status, body = as(unknown, "GET", "farm/", "")
			require.Equal(t, 404, status, unknown)
			require.Contains(t, body, "company_not_found")
		}

		// The trail shows that it was the operator.
		var trail []entry
		owner.Expect(200, "GET", "audit/?resource=farm&record="+itoa(farm), nil).Into(t, &trail)
		require.Len(t, trail, 2)
		require.True(t, trail[0].Operator)
		require.Equal(t, "Op", trail[0].User.Name)
		require.Equal(t, "update", trail[0].Action)
		require.False(t, trail[1].Operator)

		// Others may name only their own company; whether another exists makes no difference.
		mine := []string{"Authorization", "Bearer " + owner.Token, "X-Company"}
		status, _ = with(t, s, "GET", "farm/", "", append(mine, ours)...)
		require.Equal(t, 200, status)
		for _, foreign := range []string{itoa(other.CompanyID), "999999", "x"} {
			status, body = with(t, s, "GET", "farm/", "", append(mine, foreign)...)
			require.Equal(t, 403, status, foreign)
			require.Contains(t, body, "company_forbidden")
		}
		key, _ := newKey(t, owner, nil)
		status, _ = with(t, s, "GET", "farm/", "", "X-API-Key", key, "X-Company", itoa(other.CompanyID))
		require.Equal(t, 403, status)
		status, _ = with(t, s, "GET", "farm/", "", "X-Company", ours)
		require.Equal(t, 401, status)
	})
}
