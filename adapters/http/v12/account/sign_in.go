package account

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/app/account"
)

// SignIn is what a token is asked for with.
type SignIn struct {
	Email    string `json:"email" minLength:"1" maxLength:"254"`
	Password string `json:"password" minLength:"1" maxLength:"1024"`
}

// RefreshToken is a refresh token, to be exchanged or ended.
type RefreshToken struct {
	Refresh string `json:"refresh" minLength:"1" maxLength:"512"`
}

// Tokens is an access token with the refresh token that renews it.
type Tokens struct {
	Access    string `json:"access" doc:"Send it as Authorization: Bearer …"`
	Refresh   string `json:"refresh" doc:"Good once; exchanging it gives a new one."`
	TokenType string `json:"token_type" enum:"Bearer"`
	ExpiresIn int64  `json:"expires_in" doc:"Seconds until the access token ends."`
}

func tokensOf(p account.TokenPair) Tokens {
	return Tokens{p.Access, p.Refresh, "Bearer", int64(p.ExpiresIn.Seconds())}
}

func registerAuth(a *rest.API, id *account.Identity) {
	a.DescribeCodes(map[string]string{
		"builtin_issuer_off": "this installation leaves signing in to its identity provider (401)",
		"issuer_unavailable": "the identity provider that made the access token does not answer; try again (503)",
		"email_unverified":   "the identity provider has not verified the e-mail address of the access token (401)",
		"user_unknown":       "nobody here has the e-mail address of the access token (401)",
		"company_forbidden":  "X-Company names another company than the caller's own (403)",
		"company_not_found":  "X-Company of an operator names no company (404)",
	})
	public := func(path, operation, summary string) rest.Route {
		return rest.Route{
			Method: http.MethodPost, Path: path, OperationID: operation, Summary: summary,
			Tag: signInTag, Public: true, Faults: []int{http.StatusUnauthorized},
		}
	}
	signIn := public("auth/token/", "token_create", "Sign in")
	signIn.Faults = append(signIn.Faults, http.StatusTooManyRequests)
	rest.Handle(a, signIn,
		func(ctx context.Context, c *rest.Call, in rest.JSON[SignIn]) (Tokens, error) {
			pair, err := id.SignIn(ctx, in.Body.Email, in.Body.Password, c.Client())
			return tokensOf(pair), err
		})
	rest.Handle(a, public("auth/token/refresh/", "token_refresh", "Exchange a refresh token"),
		func(ctx context.Context, c *rest.Call, in rest.JSON[RefreshToken]) (Tokens, error) {
			pair, err := id.Refresh(ctx, in.Body.Refresh)
			return tokensOf(pair), err
		})
	revoke := public("auth/token/revoke/", "token_revoke", "End a refresh token and all of its family")
	revoke.Status = http.StatusNoContent
	rest.Handle(a, revoke,
		func(ctx context.Context, c *rest.Call, in rest.JSON[RefreshToken]) (rest.NoContent, error) {
			return rest.NoContent{}, id.Revoke(ctx, in.Body.Refresh)
		})
}
