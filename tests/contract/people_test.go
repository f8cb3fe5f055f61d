package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

const goodPassword = "a walk along the hedge"

// refused sends a request, and requires a status and a code.
func refused(t *testing.T, c *rig.Client, status int, code, method, path string, body any) {
	t.Helper()
	require.Equal(t, code, c.Expect(status, method, path, body).Map(t)["code"], "%s %s", method, path)
}

func idOf(t *testing.T, c *rig.Client) int64 {
	t.Helper()
	return int64(c.Expect(200, "GET", "auth/me/", nil).Data(t)["id"].(float64))
}

func rolesOf(t *testing.T, c *rig.Client) map[string]int64 {
	t.Helper()
	var list []struct {
		ID   int64
		Name string
	}
	c.Expect(200, "GET", "role/", nil).Into(t, &list)
	out := map[string]int64{}
	for _, role := range list {
		out[role.Name] = role.ID
	}
	return out
}

func TestACallerMaySeeItself(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 0)
		viewer := s.User(owner.CompanyID, "viewer")
		me := viewer.Expect(200, "GET", "auth/me/", nil).Data(t)
		require.Equal(t, viewer.Email, me["email"])
		require.EqualValues(t, viewer.CompanyID, me["company"].(map[string]any)["id"])
		require.Equal(t, []any{"viewer"}, me["roles"])
		require.Contains(t, me["slugs"], "farm.view")
		require.NotContains(t, me["slugs"], "farm.edit")
		require.Contains(t, owner.Expect(200, "GET", "auth/me/", nil).Data(t)["slugs"], "farm.edit")
		s.Anonymous().Expect(401, "GET", "auth/me/", nil)
		runJSON(t, database, "user", "create", "--operator", "--email", "op@tilth.example")
		op := rig.Remote(t, s.URL, runJSON(t, database, "token", "create", "--user", "op@tilth.example")["access"].(string))
		require.Nil(t, op.Expect(200, "GET", "auth/me/", nil).Data(t)["company"])
	})
}

func TestUsers(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, foreign := s.Company("owner", 0), s.Company("owner", 0)
		editor := s.User(owner.CompanyID, "editor")
		ownerID, editorID, foreignID := idOf(t, owner), idOf(t, editor), idOf(t, foreign)

		var list []map[string]any
		a := owner.Expect(200, "GET", "user/?page_size=1", nil)
		a.Into(t, &list)
		require.Len(t, list, 1)
		require.Equal(t, "2", a.Header.Get("X-Total-Count"))
		owner.Expect(200, "GET", "user/?role=editor", nil).Into(t, &list)
		require.Len(t, list, 1)
		require.Equal(t, editor.Email, list[0]["email"])
		owner.Expect(200, "GET", "user/?email="+strings.ToUpper(owner.Email), nil).Into(t, &list)
		require.Len(t, list, 1)
		owner.Expect(200, "GET", "user/?disabled=true", nil).Into(t, &list)
		require.Empty(t, list)
		refused(t, editor, 403, "permission_denied", "PATCH", path("user", ownerID), `{"name":"x"}`)
		for _, method := range []string{"GET", "PATCH"} {
			refused(t, owner, 404, "not_found", method, path("user", foreignID), `{"name":1}`)
		}
		owner.Expect(405, "POST", "user/", `{}`)

		one := owner.Expect(200, "PATCH", path("user", editorID), `{"name":" Ed ","email":"other@x.example"}`).Data(t)
		require.Equal(t, "Ed", one["name"])
		require.Equal(t, editor.Email, one["email"])
		require.Equal(t, []any{"editor"}, one["roles"])
		refused(t, owner, 400, "validation_failed", "PATCH", path("user", editorID), `{"roles":["king"]}`)
		refused(t, owner, 400, "validation_failed", "PATCH", path("user", editorID), `{"name":" "}`)

		// A change of roles is in force from the next request on, and so is the disabling of a user.
		editor.Expect(200, "GET", "farm/", nil)
		owner.Expect(200, "PATCH", path("user", editorID), `{"roles":[]}`)
		editor.Expect(403, "GET", "farm/", nil)
		owner.Expect(200, "PATCH", path("user", editorID), `{"roles":["viewer","viewer"],"disabled":true}`)
		refused(t, editor, 401, "user_disabled", "GET", "farm/", nil)
		owner.Expect(200, "PATCH", path("user", editorID), `{"disabled":false}`)
		editor.Expect(200, "GET", "farm/", nil)

		// There must always be someone who may do everything.
		refused(t, owner, 400, "last_owner", "PATCH", path("user", ownerID), `{"disabled":true}`)
		refused(t, owner, 400, "last_owner", "PATCH", path("user", ownerID), `{"roles":["editor"]}`)
		require.Equal(t, []any{"owner"}, owner.Expect(200, "GET", path("user", ownerID), nil).Data(t)["roles"])
		owner.Expect(200, "PATCH", path("user", editorID), `{"roles":["owner"]}`)
		owner.Expect(200, "PATCH", path("user", ownerID), `{"roles":["viewer"]}`)
		refused(t, editor, 400, "last_owner", "PATCH", path("user", editorID), `{"roles":[]}`)
	})
}

func TestTwoOwnersCannotBothLeave(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		first := s.Company("owner", 0)
		second := s.User(first.CompanyID, "owner")
		ids := []int64{idOf(t, first), idOf(t, second)}
		statuses := make(chan int, 2)
		for i, c := range []*rig.Client{first, second} {
			go func() { statuses <- c.Do("PATCH", path("user", ids[i]), `{"roles":["viewer"]}`).Status }()
		}
		require.ElementsMatch(t, []int{200, 400}, []int{<-statuses, <-statuses})
	})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, foreign := s.Company("owner", 0), s.Company("owner", 0)
		made := owner.Expect(200, "POST", "role/", `{"name":"agronomist","slugs":["farm.view","field.*","farm.view"]}`).Data(t)
		require.Equal(t, []any{"farm.view", "field.*"}, made["slugs"])
		require.Equal(t, false, made["built_in"])
		id := int64(made["id"].(float64))
		user := s.User(owner.CompanyID, "agronomist")
		user.Expect(200, "GET", "farm/", nil)
		user.Expect(403, "GET", "season/", nil)
		owner.Expect(200, "PATCH", path("role", id), `{"slugs":["season.view"]}`)
		user.Expect(403, "GET", "farm/", nil)
		user.Expect(200, "GET", "season/", nil)
		owner.Expect(200, "PUT", path("role", id), `{"name":"visitor","slugs":[]}`)
		user.Expect(403, "GET", "season/", nil)
		require.EqualValues(t, 1, owner.Expect(200, "GET", path("role", id), nil).Data(t)["user_count"])

		for _, c := range []struct {
			method, path, body string
			status             int
			code               string
		}{
			{"POST", "role/", `{"name":"x","slugs":["farm.fly"]}`, 400, "validation_failed"},
			{"POST", "role/", `{"name":"x","slugs":["farm"]}`, 400, "validation_failed"},
			{"POST", "role/", `{"name":" ","slugs":[]}`, 400, "validation_failed"},
			{"POST", "role/", `{"name":"x"}`, 400, "validation_failed"},
			{"POST", "role/", `{"name":"editor","slugs":[]}`, 400, "role_exists"},
			{"PATCH", path("role", id), `{"name":"viewer"}`, 400, "role_exists"},
			{"PUT", path("role", rolesOf(t, owner)["owner"]), `{"name":"owner","slugs":[]}`, 400, "role_built_in"},
			{"DELETE", path("role", rolesOf(t, owner)["owner"]), ``, 400, "role_built_in"},
			{"DELETE", path("role", id), ``, 400, "role_in_use"},
			{"GET", path("role", rolesOf(t, foreign)["editor"]), ``, 404, "not_found"},
			{"PATCH", path("role", rolesOf(t, foreign)["editor"]), `{`, 404, "not_found"},
			{"PUT", path("role", rolesOf(t, foreign)["editor"]), `{`, 404, "not_found"},
			{"DELETE", path("role", rolesOf(t, foreign)["editor"]), ``, 404, "not_found"},
		} {
			refused(t, owner, c.status, c.code, c.method, c.path, c.body)
		}
		invited := owner.Expect(200, "POST", "invitation/", `{"email":"n@x.example","roles":["visitor"]}`).Data(t)
		owner.Expect(200, "PATCH", path("user", idOf(t, user)), `{"roles":[]}`)
		refused(t, owner, 400, "role_in_use", "DELETE", path("role", id), nil)
		owner.Expect(204, "DELETE", path("invitation", int64(invited["id"].(float64))), nil)
		owner.Expect(204, "DELETE", path("role", id), nil)
		refused(t, owner, 404, "not_found", "GET", path("role", id), nil)
	})
}

// The permission to edit users does not let its holder do everything.
func TestNobodyHandsOnMoreThanTheyHold(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 0)
		owner.Expect(200, "POST", "role/", `{"name":"hr","slugs":["user.*","role.*","farm.view"]}`)
		owner.Expect(200, "POST", "role/", `{"name":"looker","slugs":["farm.view"]}`)
		hr, other := s.User(owner.CompanyID, "hr"), s.User(owner.CompanyID, "looker")
		const exceeds = "role_exceeds_own"
		refused(t, hr, 400, exceeds, "PATCH", path("user", idOf(t, hr)), `{"roles":["owner"]}`)
		refused(t, hr, 400, exceeds, "PATCH", path("user", idOf(t, owner)), `{"disabled":true}`)
		refused(t, hr, 400, exceeds, "PATCH", path("role", rolesOf(t, hr)["hr"]), `{"slugs":["*"]}`)
		refused(t, hr, 400, exceeds, "PATCH", path("role", rolesOf(t, hr)["editor"]), `{"slugs":[]}`)
		refused(t, hr, 400, exceeds, "POST", "role/", `{"name":"x","slugs":["farm.edit"]}`)
		refused(t, hr, 400, exceeds, "POST", "invitation/", `{"email":"n@x.example","roles":["owner"]}`)
		hr.Expect(200, "PATCH", path("user", idOf(t, owner)), `{"name":"The owner"}`)
		hr.Expect(200, "PATCH", path("user", idOf(t, other)), `{"roles":["looker","hr"]}`)
		hr.Expect(200, "POST", "invitation/", `{"email":"n@x.example","roles":["looker"]}`)
	})
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.PublicURL = "https://tilth.example.org" }})
		owner, foreign, anonymous := s.Company("owner", 0), s.Company("owner", 0), s.Anonymous()
		viewer := s.User(owner.CompanyID, "viewer")
		const accept = "auth/invitation/accept/"
		refused(t, viewer, 403, "permission_denied", "GET", "invitation/", nil)
		refused(t, owner, 400, "email_taken", "POST", "invitation/", map[string]any{"email": strings.ToUpper(foreign.Email), "roles": []string{"viewer"}})
		refused(t, owner, 400, "validation_failed", "POST", "invitation/", `{"email":"nobody","roles":["viewer"]}`)
		refused(t, owner, 400, "validation_failed", "POST", "invitation/", `{"email":"a@x.example","roles":["king"]}`)
		refused(t, owner, 400, "validation_failed", "POST", "invitation/", `{"email":"a@x.example","roles":[]}`)

		first := owner.Expect(200, "POST", "invitation/", `{"email":"Ann@X.example","name":"Ann","roles":["viewer"]}`).Data(t)
		require.Equal(t, "ann@x.example", first["email"])
		require.Equal(t, "https://tilth.example.org/account/invitation/#"+first["token"].(string), first["link"])
		second := owner.Expect(200, "POST", "invitation/", `{"email":"ann@x.example","name":"Ann","roles":["viewer","editor"]}`).Data(t)
		id := int64(second["id"].(float64))
		var list []map[string]any
		owner.Expect(200, "GET", "invitation/", nil).Into(t, &list)
		require.Len(t, list, 2)
		require.NotNil(t, list[0]["revoked_at"], "asked again, the earlier one is revoked")
		require.NotContains(t, list[1], "token", "the link is told once")
		foreign.Expect(200, "GET", "invitation/", nil).Into(t, &list)
		require.Empty(t, list)
		refused(t, foreign, 404, "not_found", "DELETE", path("invitation", id), nil)

		join := map[string]any{"token": first["token"], "password": goodPassword}
		refused(t, anonymous, 400, "link_invalid", "POST", accept, join)
		join["token"] = second["token"]
		for _, bad := range []string{"short", "ann@x.example", "password123"} {
			refused(t, anonymous, 400, "validation_failed", "POST", accept, map[string]any{"token": second["token"], "password": bad})
		}
		made := anonymous.Expect(200, "POST", accept, join).Data(t)
		require.Equal(t, "Ann", made["name"])
		require.Equal(t, []any{"editor", "viewer"}, made["roles"])
		refused(t, anonymous, 400, "link_invalid", "POST", accept, join)
		refused(t, owner, 400, "invitation_closed", "DELETE", path("invitation", id), nil)
		token := anonymous.Expect(200, "POST", "auth/token/", map[string]any{"email": "ann@x.example", "password": goodPassword}).Data(t)
		ann := rig.Remote(t, s.URL, token["access"].(string))
		ann.Make("farm/", map[string]any{"name": "Hers"})
		require.EqualValues(t, owner.CompanyID, ann.Expect(200, "GET", "auth/me/", nil).Data(t)["company"].(map[string]any)["id"])

		third := owner.Expect(200, "POST", "invitation/", `{"email":"bob@x.example","roles":["viewer"]}`).Data(t)
		owner.Expect(204, "DELETE", path("invitation", int64(third["id"].(float64))), nil)
		refused(t, anonymous, 400, "link_invalid", "POST", accept, map[string]any{"token": third["token"], "password": goodPassword})
	})
}

// Of many who use the same link at once, one becomes a user.
func TestAnInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, anonymous := s.Company("owner", 0), s.Anonymous()
		token := owner.Expect(200, "POST", "invitation/", `{"email":"ann@x.example","roles":["viewer"]}`).Data(t)["token"]
		const n = 3
		statuses := make(chan int, n)
		for range n {
			go func() {
				statuses <- anonymous.Do(http.MethodPost, "auth/invitation/accept/", map[string]any{"token": token, "password": goodPassword}).Status
			}()
		}
		got := map[int]int{}
		for range n {
			got[<-statuses]++
		}
		require.Equal(t, map[int]int{200: 1, 400: n - 1}, got)
	})
}
