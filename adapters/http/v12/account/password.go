package account

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
)

// PasswordChange is a new password, with proof of the old one.
type PasswordChange struct {
	Current string `json:"current" minLength:"1" maxLength:"1024"`
	New     string `json:"new" minLength:"10" maxLength:"1024" doc:"Not the e-mail address, and none of the passwords that are tried first."`
}

// PasswordResetRequest asks for a link to set a new password.
type PasswordResetRequest struct {
	Email string `json:"email" format:"email" minLength:"1" maxLength:"254"`
}

// PasswordReset is a new password, with the token of a link.
type PasswordReset struct {
	Token    string `json:"token" minLength:"1" maxLength:"512"`
	Password string `json:"password" minLength:"10" maxLength:"1024" doc:"Not the e-mail address, and none of the passwords that are tried first."`
}

// InvitationAccept makes a user of an invitation.
type InvitationAccept struct {
	Token    string  `json:"token" minLength:"1" maxLength:"512"`
	Password string  `json:"password" minLength:"10" maxLength:"1024" doc:"Not the e-mail address, and none of the passwords that are tried first."`
	Name     *string `json:"name" required:"false" maxLength:"255" doc:"Default: that of the invitation."`
}

func registerPasswords(a *rest.API, id *account.Identity) {
	rest.Handle(a, rest.Route{
		Method: http.MethodPost, Path: "auth/password/change/", OperationID: "password_change", Summary: "Choose another password",
		Description: "Ends every refresh token of the user. An access token is good until it expires.",
		Tag:         signInTag, Status: http.StatusNoContent, Faults: []int{http.StatusTooManyRequests},
	}, func(ctx context.Context, c *rest.Call, in rest.JSON[PasswordChange]) (rest.NoContent, error) {
		return rest.NoContent{}, id.ChangePassword(ctx, c.Principal(), in.Body.Current, in.Body.New, c.Client())
	})
	registerLinks(a, id)
}

// registerLinks adds what the one-time links lead to: none of it needs a credential.
func registerLinks(a *rest.API, id *account.Identity) {
	public := func(path, operation, summary, description string, status int) rest.Route {
		return rest.Route{
			Method: http.MethodPost, Path: path, OperationID: operation, Summary: summary, Description: description,
			Tag: signInTag, Public: true, Status: status,
		}
	}
	rest.Handle(a, public("auth/password/reset/", "password_reset", "Ask for a link to set a new password",
		"The answer is the same whether or not a user has the address. The link is good for an hour; one is sent a minute.", http.StatusNoContent),
		func(ctx context.Context, c *rest.Call, in rest.JSON[PasswordResetRequest]) (rest.NoContent, error) {
			return rest.NoContent{}, id.RequestReset(ctx, in.Body.Email)
		})
	rest.Handle(a, public("auth/password/reset/confirm/", "password_reset_confirm", "Set a new password",
		"Takes the token of the link. Ends every refresh token of the user.", http.StatusNoContent),
		func(ctx context.Context, c *rest.Call, in rest.JSON[PasswordReset]) (rest.NoContent, error) {
			return rest.NoContent{}, id.ConfirmReset(ctx, in.Body.Token, in.Body.Password)
		})
	rest.Handle(a, public("auth/invitation/accept/", "invitation_accept", "Accept an invitation",
		"Makes the user that the invitation asks for; sign in afterwards.", http.StatusOK),
		func(ctx context.Context, c *rest.Call, in rest.JSON[InvitationAccept]) (User, error) {
			made, err := id.AcceptInvitation(ctx, in.Body.Token, in.Body.Password, form.OrZero(in.Body.Name))
			return showUser(made), err
		})
}
