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

// SignIn has the credentials for a token.
type SignIn struct {
	Email    string `json:"email" minLength:"1" maxLength:"254" doc:"E-mail address of the user."`
	Password string `json:"password" minLength:"1" maxLength:"1024" doc:"Password of the user."`
}

// RefreshToken is a refresh token to exchange or to end.
type RefreshToken struct {
	Refresh string `json:"refresh" minLength:"1" maxLength:"512" doc:"The refresh token, as it was answered with the access token."`
}

// Tokens is an access token with the refresh token that renews it.
type Tokens struct {
	Access    string `json:"access" doc:"Send it as Authorization: Bearer …"`
	Refresh   string `json:"refresh" doc:"It can be used once; exchanging it makes a new one."`
	TokenType string `json:"token_type" enum:"Bearer" doc:"How the access token is sent."`
	ExpiresIn int64  `json:"expires_in" doc:"Seconds until the access token ends."`
}

func tokensOf(p account.TokenPair) Tokens {
	return Tokens{p.Access, p.Refresh, "Bearer", int64(p.ExpiresIn.Seconds())}
}

func registerSignIn(a *rest.API, id *account.Identity, people *account.People) {
	a.DescribeCodes(map[string]string{
		"builtin_issuer_off":   "on this installation only the identity provider signs users in (401)",
		"issuer_unavailable":   "the identity provider that made the access token does not answer; try again (503)",
		"email_unverified":     "the identity provider has not verified the e-mail address of the access token (401)",
		"user_unknown":         "no user here has the e-mail address of the access token (401)",
		"user_bound_otherwise": "the user with the e-mail address signs in as another subject of the identity provider (401)",
		"company_forbidden":    "X-Company names another company than the caller's own (403)",
		"company_not_found":    "X-Company of an operator names a company that does not exist (404)",
	})
	rest.Handle(a, public("auth/token/", "token_create", "Sign in", "", http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests),
		func(ctx context.Context, c *rest.Call, in rest.JSON[SignIn]) (Tokens, error) {
			pair, err := id.SignIn(ctx, in.Body.Email, in.Body.Password, c.Client())
			return tokensOf(pair), err
		})
	registerSessions(a, id)
	registerProvided(a, id)
	rest.Handle(a, public("auth/token/refresh/", "token_refresh", "Exchange a refresh token", "", http.StatusOK, http.StatusUnauthorized),
		func(ctx context.Context, c *rest.Call, in rest.JSON[RefreshToken]) (Tokens, error) {
			pair, err := id.Refresh(ctx, in.Body.Refresh)
			return tokensOf(pair), err
		})
	rest.Handle(a, public("auth/token/revoke/", "token_revoke", "Revoke a refresh token and all of its family", "", http.StatusNoContent, http.StatusUnauthorized),
		func(ctx context.Context, c *rest.Call, in rest.JSON[RefreshToken]) (rest.NoContent, error) {
			return rest.NoContent{}, id.Revoke(ctx, in.Body.Refresh)
		})
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "auth/me/", OperationID: "me_retrieve", Summary: "Show the caller", Tag: signInTag, Keys: rest.KeyNowhere,
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (Me, error) {
		me, err := people.Me(ctx, c.Principal())
		return showMe(me), err
	})
	rest.Handle(a, rest.Route{
		Method: http.MethodPatch, Path: "auth/me/", OperationID: "me_partial_update", Summary: "Change the caller's own settings", Tag: signInTag,
		Keys: rest.KeyNowhere, Body: rest.Body[MeWrite](), Message: "Changed.",
		Description: "Letters about alerts (`alert_mail`) come at most once a day, on a day with alerts of watched fields, to members who may view profiles " +
			"and where the installation has a mail server. A user receives them until this is set to false.",
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (Me, error) {
		me, err := people.ChangeMe(ctx, c.Principal(), func(current account.SelfChange) (account.SelfChange, error) {
			in, err := rest.DecodeInto(c, MeWrite{current.AlertMail})
			return account.SelfChange{AlertMail: in.AlertMail}, err
		})
		return showMe(me), err
	})
	registerPasswords(a, id)
}

// MeWrite is what callers may change about themselves.
type MeWrite struct {
	AlertMail bool `json:"alert_mail" doc:"Whether the caller wants letters about the alerts of watched fields."`
}

// Session is the session of a browser.
type Session struct {
	ExpiresAt time.Time `json:"expires_at" doc:"When the session ends, unless it is ended earlier."`
}

func registerSessions(a *rest.API, id *account.Identity) {
	a.DescribeCodes(map[string]string{
		"session_invalid": "the session of the browser has ended (401)",
		"cross_origin":    "a page of another server sent the session of a browser with a request that changes something (403)",
	})
	open := public("auth/session/", "session_create", "Sign a browser in",
		"Sets a cookie that scripts cannot read (HttpOnly, SameSite=Strict, and Secure over TLS), with which pages of this server can access everything that an access "+
			"token can, including pictures, tiles and event streams. It lasts 30 days, and ends with the refresh tokens of the user.",
		http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests)
	rest.Handle(a, open, func(ctx context.Context, c *rest.Call, in rest.JSON[SignIn]) (Session, error) {
		opened, err := id.OpenSession(ctx, in.Body.Email, in.Body.Password, c.Client())
		if err == nil {
			c.SetSession(opened.Secret, account.SessionTTL)
		}
		return Session{opened.ExpiresAt}, err
	})
	end := public("auth/session/", "session_end", "Sign a browser out", "Ends the session and removes the cookie; without a session nothing happens.", http.StatusNoContent)
	end.Method = http.MethodDelete
	rest.Handle(a, end, func(ctx context.Context, c *rest.Call, _ struct{}) (rest.NoContent, error) {
		secret := c.EndSession()
		if secret == "" {
			return rest.NoContent{}, nil
		}
		return rest.NoContent{}, id.EndSession(ctx, secret)
	})
}

// public returns a route that needs no credential.
func public(path, operation, summary, description string, status int, faults ...int) rest.Route {
	return rest.Route{
		Method: http.MethodPost, Path: path, OperationID: operation, Summary: summary, Description: description,
		Tag: signInTag, Public: true, Status: status, Faults: faults,
	}
}

// CompanyRef is the company that a caller acts in.
type CompanyRef struct {
	ID   int64  `json:"id" doc:"Id of the company."`
	UUID string `json:"uuid" format:"uuid" doc:"The company's uuid, to give to those who are to share with it."`
	Name string `json:"name" doc:"Name of the company."`
}

// Me is the caller as it sees itself.
type Me struct {
	ID      int64         `json:"id" doc:"Id of the user."`
	Name    string        `json:"name" doc:"Name of the user."`
	Email   string        `json:"email" doc:"The address that the user signs in with."`
	Company *CompanyRef   `json:"company" doc:"Null for an operator outside any company."`
	Roles   []string      `json:"roles" doc:"Names of the caller's roles."`
	Slugs   []access.Slug `json:"slugs" doc:"What the caller may do now."`

	AlertMail bool `json:"alert_mail" doc:"Whether the caller wants letters about the alerts of watched fields; false for those who are not users of the company."`
	Operator  bool `json:"operator" doc:"Whether the caller operates the installation, for all of its companies."`
}

func showMe(m account.Me) Me {
	company := form.Pointed(m.Company, func(c ports.Company) CompanyRef { return CompanyRef{c.ID, c.UUID, c.Name} })
	return Me{m.Principal.UserID, m.Principal.Name, m.Principal.Email, company, orEmpty(m.Roles), orEmpty(m.Slugs), m.AlertMail, m.Principal.Operator}
}

// orEmpty returns a list that is written as [] instead of null.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// PasswordChange is a new password, with proof of the old one.
type PasswordChange struct {
	Current string `json:"current" minLength:"1" maxLength:"1024" doc:"The current password."`
	New     string `json:"new" minLength:"10" maxLength:"1024" doc:"Neither the e-mail address nor one of the passwords that are guessed first."`
}

// PasswordResetRequest asks for a link to set a new password.
type PasswordResetRequest struct {
	Email string `json:"email" format:"email" minLength:"1" maxLength:"254" doc:"The address that the user signs in with; an address that nobody has gets the same answer."`
}

// PasswordReset is a new password, with the token of a link.
type PasswordReset struct {
	Token    string `json:"token" minLength:"1" maxLength:"512" doc:"From the link in the letter; it can be used once."`
	Password string `json:"password" minLength:"10" maxLength:"1024" doc:"Neither the e-mail address nor one of the passwords that are guessed first."`
}

// InvitationAccept turns an invitation into a user.
type InvitationAccept struct {
	Token    string  `json:"token" minLength:"1" maxLength:"512" doc:"From the link in the invitation; it can be used once."`
	Password string  `json:"password" minLength:"10" maxLength:"1024" doc:"Neither the e-mail address nor one of the passwords that are guessed first."`
	Name     *string `json:"name" required:"false" maxLength:"255" doc:"Default: the name in the invitation."`
}

func registerPasswords(a *rest.API, id *account.Identity) {
	rest.Handle(a, rest.Route{
		Method: http.MethodPost, Path: "auth/password/change/", OperationID: "password_change", Summary: "Change the password",
		Description: "Ends every refresh token of the user. An access token remains valid until it expires.",
		Tag:         signInTag, Keys: rest.KeyNowhere, Status: http.StatusNoContent, Faults: []int{http.StatusTooManyRequests},
	}, func(ctx context.Context, c *rest.Call, in rest.JSON[PasswordChange]) (rest.NoContent, error) {
		return rest.NoContent{}, id.ChangePassword(ctx, c.Principal(), in.Body.Current, in.Body.New, c.Client())
	})
	rest.Handle(a, public("auth/password/reset/", "password_reset", "Ask for a link to set a new password",
		"The answer is the same whether or not a user has the address. The link is valid for an hour; at most one is sent per minute.", http.StatusNoContent),
		func(ctx context.Context, c *rest.Call, in rest.JSON[PasswordResetRequest]) (rest.NoContent, error) {
			return rest.NoContent{}, id.RequestReset(ctx, in.Body.Email)
		})
	rest.Handle(a, public("auth/password/reset/confirm/", "password_reset_confirm", "Set a new password",
		"Takes the token of the link. Ends every refresh token of the user.", http.StatusNoContent),
		func(ctx context.Context, c *rest.Call, in rest.JSON[PasswordReset]) (rest.NoContent, error) {
			return rest.NoContent{}, id.ConfirmReset(ctx, in.Body.Token, in.Body.Password, c.Client())
		})
	rest.Handle(a, public("auth/invitation/accept/", "invitation_accept", "Accept an invitation",
		"Creates the invited user; sign in afterwards.", http.StatusOK),
		func(ctx context.Context, c *rest.Call, in rest.JSON[InvitationAccept]) (User, error) {
			made, err := id.AcceptInvitation(ctx, in.Body.Token, in.Body.Password, form.OrZero(in.Body.Name))
			return showUser(made), err
		})
}
