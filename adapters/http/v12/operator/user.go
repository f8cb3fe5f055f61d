package operator

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/app/operating"
	"tilth/ports"
)

// OperatorUser is a user as operators see it.
type OperatorUser struct {
	ID        int64     `json:"id" doc:"Id of the user."`
	Company   *form.Ref `json:"company" doc:"The company of the user; null: an operator."`
	Name      string    `json:"name" doc:"Name of the user."`
	Email     string    `json:"email" doc:"The address that the user signs in with."`
	Roles     []string  `json:"roles" doc:"Names of roles of the company."`
	Operator  bool      `json:"operator" doc:"Whether the user is an operator."`
	Disabled  bool      `json:"disabled" doc:"Whether the user is disabled."`
	Password  bool      `json:"password" doc:"Whether the user has a password; without one the user signs in with tokens that operators make, or through another issuer."`
	CreatedAt time.Time `json:"created_at" doc:"When the record was made."`
}

// OperatorUserWrite is a user that an operator creates.
type OperatorUserWrite struct {
	Company int64  `json:"company" minimum:"1" doc:"Id of the company."`
	Email   string `json:"email" minLength:"3" maxLength:"254" doc:"The address that the user signs in with, which no other user has."`
	Name    string `json:"name" required:"false" maxLength:"255" doc:"Name of the user; left out: the part of the address before the @."`
	Role    string `json:"role" minLength:"1" maxLength:"255" doc:"Name of a role of the company, such as owner."`
}

// OperatorUserPatch is what an operator can change about a user.
type OperatorUserPatch struct {
	Disabled bool `json:"disabled" doc:"A disabled user is refused from the next request on."`
}

// PasswordLink is a link that sets a new password.
type PasswordLink struct {
	User      int64     `json:"user" doc:"Id of the user."`
	Link      string    `json:"link" doc:"The page that sets the password, to be handed over. It can be used once."`
	Token     string    `json:"token" doc:"For auth/password/reset/confirm/. It is shown this once; only its hash is kept."`
	ExpiresAt time.Time `json:"expires_at" doc:"The time from which the link is void."`
}

func showUser(u ports.Account) OperatorUser {
	return OperatorUser{
		u.ID, form.If(u.CompanyID != 0, form.Ref{ID: u.CompanyID, Name: u.Company}), u.Name, u.Email, append([]string{}, u.Roles...),
		u.CompanyID == 0, u.Disabled, u.Password, u.CreatedAt,
	}
}

func registerUsers(a *rest.API, o *operating.Operating) {
	r := route("user/", "user", "user")
	filters := []rest.Param{
		form.IDsParam,
		{Name: "company", Type: rest.Integer, Description: "Id of a company: its users."},
		{Name: "email", Type: rest.String, Description: "The e-mail address of a user."},
		{Name: "role", Type: rest.String, Description: "Users that hold a role of this name."},
		{Name: "disabled", Type: rest.Boolean, Description: "Whether users are disabled."},
		{Name: "operator", Type: rest.Boolean, Description: "Whether users are operators."},
	}
	form.HandleList(a, r(http.MethodGet, "", "list", "List users of all companies"), filters, form.LowerEmail(all(o, (*operating.Operating).Users)), showUser)
	rest.Handle(a, r(http.MethodGet, "{id}/", "retrieve", "Retrieve a user of any company"), on(o, (*operating.Operating).Account, showUser))
	create := r(http.MethodPost, "", "create", "Create a user of a company")
	create.Message, create.Faults, create.Odd = "User created.", []int{http.StatusNotFound, http.StatusConflict}, map[string]int{"email_taken": http.StatusBadRequest}
	create.Description = "The user has no password yet: hand over a link from `password-link/`. Operators are made on the command line."
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in rest.JSON[OperatorUserWrite]) (OperatorUser, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return OperatorUser{}, err
		}
		made, err := op.CreateUser(ctx, operating.NewUser{CompanyID: in.Body.Company, Email: in.Body.Email, Name: in.Body.Name, Role: in.Body.Role})
		if err != nil {
			return OperatorUser{}, err
		}
		user, err := op.Account(ctx, made.ID)
		return showUser(user), err
	})
	patch := r(http.MethodPatch, "{id}/", "partial_update", "Disable or enable a user")
	patch.Message, patch.Faults = "User updated.", []int{http.StatusConflict}
	patch.Description = "The accounts of operators are changed on the command line. Name and roles are changed inside the company, `user/{id}/` with `X-Company`."
	rest.Handle(a, patch, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		Body OperatorUserPatch `body:"json"`
	}) (OperatorUser, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return OperatorUser{}, err
		}
		user, err := op.SetDisabled(ctx, in.ID, in.Body.Disabled)
		return showUser(user), err
	})
	link := r(http.MethodPost, "{id}/password-link/", "password_link", "Make a link that sets a new password")
	link.Message, link.Secret, link.Faults = "Link made. It is shown this once.", true, []int{http.StatusConflict}
	link.Description = "The link can be used once, within an hour; earlier ones end. Nothing is mailed: hand it over. The current password remains valid until the link is used."
	rest.Handle(a, link, func(ctx context.Context, c *rest.Call, in form.ByID) (PasswordLink, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return PasswordLink{}, err
		}
		c.SetHeader("Cache-Control", "no-store")
		made, err := op.LinkPassword(ctx, in.ID)
		return PasswordLink{made.User.ID, c.Site(account.ResetPage + made.Token), made.Token, made.ExpiresAt}, err
	})
}
