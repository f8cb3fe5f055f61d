package v12

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/ports"
)

const (
	tagSigningIn = "Signing in"
	tagPeople    = "Users and roles"
)

// User is a user of the caller's company.
type User struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	Roles     []string  `json:"roles" doc:"Names of roles."`
	Disabled  bool      `json:"disabled"`
	CreatedAt time.Time `json:"created_at"`
}

func showUser(m ports.Member) User {
	return User{m.ID, m.Name, m.Email, orEmpty(m.Roles), m.Disabled, m.CreatedAt}
}

// UserWrite is what can be changed of a user.
type UserWrite struct {
	Name     string   `json:"name" minLength:"1" maxLength:"255"`
	Roles    []string `json:"roles" maxItems:"100" doc:"Names of roles of the company: all that the user shall have."`
	Disabled bool     `json:"disabled" doc:"A disabled user is out at its next request."`
}

// RoleWrite is a role as it is written.
type RoleWrite struct {
	Name  string   `json:"name" minLength:"1" maxLength:"64"`
	Slugs []string `json:"slugs" maxItems:"500" doc:"Permissions, as farm.view, or patterns: farm.*, *.view, *."`
}

// Role is a named set of permissions.
type Role struct {
	ID int64 `json:"id"`
	RoleWrite
	BuiltIn   bool  `json:"built_in" doc:"The role owner, which can be neither changed nor deleted."`
	UserCount int64 `json:"user_count" doc:"Users that hold the role."`
}

func showRole(r access.Role) Role {
	return Role{r.ID, RoleWrite{r.Name, orEmpty(r.Slugs)}, r.BuiltIn(), r.Users}
}

// InvitationWrite asks somebody into the company.
type InvitationWrite struct {
	Email string   `json:"email" format:"email" minLength:"1" maxLength:"254"`
	Name  *string  `json:"name" required:"false" maxLength:"255"`
	Roles []string `json:"roles" minItems:"1" maxItems:"100" doc:"Names of roles of the company."`
}

// Invitation is an invitation.
type Invitation struct {
	ID         int64      `json:"id"`
	Email      string     `json:"email"`
	Name       *string    `json:"name"`
	Roles      []string   `json:"roles"`
	CreatedAt  time.Time  `json:"created_at"`
	CreatedBy  *Ref       `json:"created_by"`
	ExpiresAt  time.Time  `json:"expires_at"`
	AcceptedAt *time.Time `json:"accepted_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
}

func showInvitation(i ports.Invitation) Invitation {
	out := Invitation{
		ID: i.ID, Email: i.Email, Name: word(i.Name), Roles: orEmpty(i.Roles), CreatedAt: i.CreatedAt,
		ExpiresAt: i.ExpiresAt, AcceptedAt: i.AcceptedAt, RevokedAt: i.RevokedAt,
	}
	if i.CreatedBy != 0 {
		out.CreatedBy = &Ref{i.CreatedBy, i.Inviter}
	}
	return out
}

// InvitationMade is a new invitation with its link, which is told this once.
type InvitationMade struct {
	Invitation
	Token string `json:"token" doc:"For auth/invitation/accept/. It is told this once; only its hash is kept."`
	Link  string `json:"link" doc:"The page that accepts the invitation, to be handed over. It can be used once."`
}

func registerPeople(a *rest.API, id *account.Identity, p *account.People) {
	a.DescribeTag(tagPeople, "Who belongs to your company, and what each of them may do. A change is in force on the next request.")
	a.DescribeCodes(map[string]string{
		"too_many_attempts": "too many wrong passwords for this account or from this address; details hold retry_after, in seconds (429)",
		"password_wrong":    "the current password is another one (400)",
		"link_invalid":      "the token of a one-time link was used, revoked, has expired or never was (400)",
		"email_taken":       "a user with this e-mail address exists (400)",
		"last_owner":        "the company would be left without an enabled owner (400)",
		"role_in_use":       "users hold the role, or open invitations give it; details hold how many (400)",
		"role_built_in":     "the role owner can be neither changed nor deleted (400)",
		"role_exists":       "a role of this name exists (400)",
		"role_exceeds_own":  "only who holds a permission may decide who else does (400)",
		"invitation_closed": "the invitation was accepted or revoked already (400)",
	})
	registerAccount(a, id, p)
	registerUsers(a, p)
	registerRoles(a, p)
	registerInvitations(a, p)
}

var (
	userRoute       = rest.Routes{Base: "user/", Operation: "user", Tag: tagPeople, Noun: "user"}.Route
	roleRoute       = rest.Routes{Base: "role/", Operation: "role", Tag: tagPeople, Noun: "role"}.Route
	invitationRoute = rest.Routes{Base: "invitation/", Operation: "invitation", Tag: tagPeople, Noun: "invitation"}.Route
)

func registerUsers(a *rest.API, p *account.People) {
	filters := []rest.Param{
		{Name: "email", Type: rest.String, Description: "The e-mail address of a user."},
		{Name: "role", Type: rest.String, Description: "Users that hold the role of this name."},
		{Name: "disabled", Type: rest.Boolean},
	}
	list := userRoute(http.MethodGet, "", access.Users.View.For("list"), "List users")
	list.Query = append(rest.PageParams(), filters...)
	rest.Handle(a, list, nil, func(ctx context.Context, c *rest.Call) (rest.List[User], error) {
		q, err := c.Query()
		if err != nil {
			return rest.List[User]{}, err
		}
		found, err := p.Users(ctx, c.Principal(), pageOf(q.PageOrAll(), lowerEmail(filtersOf(filters, q))))
		if err != nil {
			return rest.List[User]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(listed(found), showUser))
	})
	rest.Handle(a, userRoute(http.MethodGet, "{id}/", access.Users.View.For("retrieve"), "Retrieve a user"), nil,
		func(ctx context.Context, c *rest.Call) (User, error) {
			id, err := c.ID("id")
			if err != nil {
				return User{}, err
			}
			member, err := p.User(ctx, c.Principal(), id)
			return showUser(member), err
		})
	patch := userRoute(http.MethodPatch, "{id}/", access.Users.Edit.For("partial_update"), "Rename, disable or enable a user, or change its roles")
	patch.Message = "User updated."
	rest.Handle(a, patch, rest.Body[UserWrite](), func(ctx context.Context, c *rest.Call) (User, error) {
		id, err := c.ID("id")
		if err != nil {
			return User{}, err
		}
		member, err := p.UpdateUser(ctx, c.Principal(), id, func(current account.UserChange) (account.UserChange, error) {
			in, err := rest.DecodeInto(c, UserWrite{current.Name, orEmpty(current.Roles), current.Disabled})
			return account.UserChange{Name: in.Name, Roles: in.Roles, Disabled: in.Disabled}, err
		})
		return showUser(member), err
	})
}

// lowerEmail compares an e-mail address as it is stored.
func lowerEmail(filters []ports.Filter) []ports.Filter {
	for i, f := range filters {
		if email, ok := f.Value.(string); ok && f.Name == "email" {
			filters[i].Value = strings.ToLower(email)
		}
	}
	return filters
}

func registerRoles(a *rest.API, p *account.People) {
	list := roleRoute(http.MethodGet, "", access.Roles.View.For("list"), "List roles")
	list.Query = rest.PageParams()
	rest.Handle(a, list, nil, func(ctx context.Context, c *rest.Call) (rest.List[Role], error) {
		q, err := c.Query()
		if err != nil {
			return rest.List[Role]{}, err
		}
		all, err := p.Roles(ctx, c.Principal())
		if err != nil {
			return rest.List[Role]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(rest.Records(q.PageOrAll(), all), showRole))
	})
	rest.Handle(a, roleRoute(http.MethodGet, "{id}/", access.Roles.View.For("retrieve"), "Retrieve a role"), nil,
		func(ctx context.Context, c *rest.Call) (Role, error) {
			id, err := c.ID("id")
			if err != nil {
				return Role{}, err
			}
			role, err := p.Role(ctx, c.Principal(), id)
			return showRole(role), err
		})
	create := roleRoute(http.MethodPost, "", access.Roles.Create.For("create"), "Create a role")
	create.Message = "Role created."
	rest.Handle(a, create, rest.Body[RoleWrite](), func(ctx context.Context, c *rest.Call) (Role, error) {
		in, err := rest.Decode[RoleWrite](c)
		if err != nil {
			return Role{}, err
		}
		role, err := p.CreateRole(ctx, c.Principal(), access.Role{Name: in.Name, Slugs: in.Slugs})
		return showRole(role), err
	})
	registerRoleChanges(a, p)
}

func registerRoleChanges(a *rest.API, p *account.People) {
	for _, r := range []rest.Route{
		roleRoute(http.MethodPut, "{id}/", access.Roles.Edit.For("update"), "Replace a role"),
		roleRoute(http.MethodPatch, "{id}/", access.Roles.Edit.For("partial_update"), "Change a role"),
	} {
		r.Message = "Role updated."
		rest.Handle(a, r, rest.Body[RoleWrite](), func(ctx context.Context, c *rest.Call) (Role, error) {
			id, err := c.ID("id")
			if err != nil {
				return Role{}, err
			}
			partial := c.Method() == http.MethodPatch
			role, err := p.UpdateRole(ctx, c.Principal(), id, func(current access.Role) (access.Role, error) {
				var in RoleWrite
				var err error
				if partial {
					in, err = rest.DecodeInto(c, RoleWrite{current.Name, orEmpty(current.Slugs)})
				} else {
					in, err = rest.Decode[RoleWrite](c)
				}
				current.Name, current.Slugs = in.Name, in.Slugs
				return current, err
			})
			return showRole(role), err
		})
	}
	remove := roleRoute(http.MethodDelete, "{id}/", access.Roles.Delete.For("destroy"), "Delete a role that nobody holds")
	remove.Status, remove.Faults = http.StatusNoContent, []int{http.StatusBadRequest}
	rest.Handle(a, remove, nil, func(ctx context.Context, c *rest.Call) (rest.NoContent, error) {
		id, err := c.ID("id")
		if err != nil {
			return rest.NoContent{}, err
		}
		return rest.NoContent{}, p.DeleteRole(ctx, c.Principal(), id)
	})
}

func registerInvitations(a *rest.API, p *account.People) {
	filters := []rest.Param{{Name: "email", Type: rest.String, Description: "The address that was invited."}}
	list := invitationRoute(http.MethodGet, "", access.Invite.For("list"), "List invitations")
	list.Query = append(rest.PageParams(), filters...)
	rest.Handle(a, list, nil, func(ctx context.Context, c *rest.Call) (rest.List[Invitation], error) {
		q, err := c.Query()
		if err != nil {
			return rest.List[Invitation]{}, err
		}
		found, err := p.Invitations(ctx, c.Principal(), pageOf(q.PageOrAll(), lowerEmail(filtersOf(filters, q))))
		if err != nil {
			return rest.List[Invitation]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(listed(found), showInvitation))
	})
	create := invitationRoute(http.MethodPost, "", access.Invite.For("create"), "Invite somebody")
	create.Secret = true // the link in the answer opens an account
	create.Message = "Invitation created."
	create.Description = "The link is good once, for seven days. It is mailed where a mail server is configured, and in the answer in any case.\n\n" +
		"An open invitation of the same address is revoked."
	rest.Handle(a, create, rest.Body[InvitationWrite](), func(ctx context.Context, c *rest.Call) (InvitationMade, error) {
		in, err := rest.Decode[InvitationWrite](c)
		if err != nil {
			return InvitationMade{}, err
		}
		made, token, err := p.Invite(ctx, c.Principal(), ports.Invitation{Email: in.Email, Name: text(in.Name), Roles: in.Roles, Inviter: c.Principal().Name})
		c.SetHeader("Cache-Control", "no-store")
		return InvitationMade{showInvitation(made), token, c.Site(account.InvitationPage + token)}, err
	})
	revoke := invitationRoute(http.MethodDelete, "{id}/", access.Invite.For("destroy"), "Revoke an invitation")
	revoke.Status, revoke.Faults = http.StatusNoContent, []int{http.StatusBadRequest}
	rest.Handle(a, revoke, nil, func(ctx context.Context, c *rest.Call) (rest.NoContent, error) {
		id, err := c.ID("id")
		if err != nil {
			return rest.NoContent{}, err
		}
		return rest.NoContent{}, p.Revoke(ctx, c.Principal(), id)
	})
}
