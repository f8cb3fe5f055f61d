package account

import (
	"context"
	"net/http"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/fault"
)

// RoleWrite is the writable form of a role.
type RoleWrite struct {
	Name  string   `json:"name" minLength:"1" maxLength:"64" doc:"Name of the role, unique in the company; users and invitations refer to it."`
	Slugs []string `json:"slugs" maxItems:"500" doc:"Permissions, as farm.view, or patterns: farm.*, *.view, *."`
	form.External
}

// Role is a named set of permissions.
type Role struct {
	ID int64 `json:"id" doc:"Id of the role."`
	RoleWrite
	BuiltIn   bool  `json:"built_in" doc:"The role owner, which can be neither changed nor deleted."`
	UserCount int64 `json:"user_count" doc:"Users that hold the role."`
}

func showRole(r access.Role) Role {
	return Role{r.ID, RoleWrite{r.Name, orEmpty(r.Slugs), form.ExternalOf(r.External)}, r.BuiltIn(), r.Users}
}

func writeOfRole(r access.Role) RoleWrite {
	return RoleWrite{r.Name, orEmpty(r.Slugs), form.ExternalOf(r.External)}
}

func applyRole(in RoleWrite, onto *access.Role) {
	onto.Name, onto.Slugs, onto.External = in.Name, in.Slugs, in.External.Record()
}

var roleRoute = rest.Routes{Base: "role/", Operation: "role", Tag: peopleTag, Noun: "role", Keys: rest.KeyNowhere}.Route

func registerRoles(a *rest.API, p *account.People) {
	list := roleRoute(http.MethodGet, "", access.Roles.View.For("list"), "List roles")
	list.Query = form.WithExternalID(query.PageParams())
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, q struct {
		rest.Values
		form.Keys
	}) (rest.List[Role], error) {
		all, err := p.Roles(ctx, c.Principal(), q.Chosen())
		if err != nil {
			return rest.List[Role]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(rest.Records(q.PageOrAll(), all), showRole))
	})
	rest.Handle(a, roleRoute(http.MethodGet, "{id}/", access.Roles.View.For("retrieve"), "Retrieve a role"),
		form.OnRecord(p.Role, showRole))
	create := roleRoute(http.MethodPost, "", access.Roles.Create.For("create"), "Create a role or many")
	create.Message = "Role created."
	edits := form.Edits[access.Role, RoleWrite, Role]{
		Together: p.Together, Update: p.UpdateRole, Write: writeOfRole, Apply: applyRole, Show: showRole,
		Check: func(_ access.Principal, r *access.Role) fault.Fields { return r.Check() },
	}
	form.CreateEach(a, create, form.Makes[access.Role, RoleWrite, Role]{
		Edits: edits, Match: p.MatchRoles,
		Create: func(ctx context.Context, who access.Principal, wanted access.Role) (Role, error) {
			role, err := p.CreateRole(ctx, who, wanted)
			return showRole(role), err
		},
	})
	for _, r := range []rest.Route{
		roleRoute(http.MethodPut, "{id}/", access.Roles.Edit.For("update"), "Replace a role"),
		roleRoute(http.MethodPatch, "{id}/", access.Roles.Edit.For("partial_update"), "Change a role"),
	} {
		r.Message, r.Faults = "Role updated.", []int{http.StatusConflict}
		r.Body = rest.Body[RoleWrite]()
		rest.Handle(a, r, func(ctx context.Context, c *rest.Call, in form.ByID) (Role, error) {
			role, err := p.UpdateRole(ctx, c.Principal(), in.ID, func(current access.Role) (access.Role, error) {
				body, err := rest.DecodeChange(c, writeOfRole(current))
				applyRole(body, &current)
				return current, err
			})
			return showRole(role), err
		})
	}
	remove := roleRoute(http.MethodDelete, "{id}/", access.Roles.Delete.For("destroy"), "Delete a role that nobody holds")
	remove.Status, remove.Faults = http.StatusNoContent, []int{http.StatusBadRequest}
	rest.Handle(a, remove, form.Remove(p.DeleteRole))
	form.UpdateEach(a, roleRoute(http.MethodPatch, "", access.Roles.Edit.For("partial_update_many"), "Change roles"), "roles", edits)
	removeMany := roleRoute(http.MethodDelete, "", access.Roles.Delete.For("destroy_many"), "Delete roles that nobody holds")
	removeMany.Faults = remove.Faults
	form.DeleteEach(a, removeMany, "roles", p.Together, p.DeleteRole)
}
