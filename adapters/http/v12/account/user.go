package account

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/ports"
)

// User is a user of the caller's company.
type User struct {
	ID        int64     `json:"id" doc:"Id of the user."`
	Name      string    `json:"name" doc:"Name of the user."`
	Email     string    `json:"email" doc:"The address that the user signs in with."`
	Roles     []string  `json:"roles" doc:"Names of roles."`
	Disabled  bool      `json:"disabled" doc:"Whether the user is disabled."`
	CreatedAt time.Time `json:"created_at" doc:"When the record was made."`
	form.External
}

func showUser(m ports.Member) User {
	return User{m.ID, m.Name, m.Email, orEmpty(m.Roles), m.Disabled, m.CreatedAt, form.ExternalOf(m.External)}
}

// UserWrite is what can be changed about a user.
type UserWrite struct {
	Name     string   `json:"name" minLength:"1" maxLength:"255" doc:"Name of the user."`
	Roles    []string `json:"roles" maxItems:"100" doc:"Names of roles of the company: all that the user is to have."`
	Disabled bool     `json:"disabled" doc:"A disabled user is refused from the next request on."`
	form.External
}

func writeOfUser(m ports.Member) UserWrite {
	return UserWrite{m.Name, orEmpty(m.Roles), m.Disabled, form.ExternalOf(m.External)}
}

func applyUser(in UserWrite, onto *ports.Member) {
	onto.Name, onto.Roles, onto.Disabled, onto.External = in.Name, in.Roles, in.Disabled, in.External.Record()
}

var userRoute = rest.Routes{Base: "user/", Operation: "user", Tag: peopleTag, Noun: "user", Keys: rest.KeyNowhere}.Route

func registerUsers(a *rest.API, p *account.People) {
	filters := form.WithExternalID([]rest.Param{
		{Name: "email", Type: rest.String, Description: "The e-mail address of a user."},
		{Name: "role", Type: rest.String, Description: "Users that hold the role of this name."},
		{Name: "disabled", Type: rest.Boolean},
	})
	form.HandleList(a, userRoute(http.MethodGet, "", access.Users.View.For("list"), "List users"), filters, form.LowerEmail(p.Users), showUser)
	rest.Handle(a, userRoute(http.MethodGet, "{id}/", access.Users.View.For("retrieve"), "Retrieve a user"),
		form.OnRecord(p.User, showUser))
	patch := userRoute(http.MethodPatch, "{id}/", access.Users.Edit.For("partial_update"), "Rename, disable or enable a user, or change the user's roles")
	patch.Message, patch.Faults = "User updated.", []int{http.StatusConflict}
	patch.Body = rest.Body[UserWrite]()
	rest.Handle(a, patch, func(ctx context.Context, c *rest.Call, in form.ByID) (User, error) {
		member, err := p.UpdateUser(ctx, c.Principal(), in.ID, func(current ports.Member) (ports.Member, error) {
			in, err := rest.DecodeInto(c, writeOfUser(current))
			applyUser(in, &current)
			return current, err
		})
		return showUser(member), err
	})
	form.UpdateEach(a, userRoute(http.MethodPatch, "", access.Users.Edit.For("partial_update_many"), "Change users"), "users",
		form.Edits[ports.Member, UserWrite, User]{Together: p.Together, Update: p.UpdateUser, Write: writeOfUser, Apply: applyUser, Show: showUser})
}
