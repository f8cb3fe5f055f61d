package account

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/app/account"
)

// Providers states how browsers are signed in.
type Providers struct {
	Provider  *string `json:"provider" format:"uri" doc:"Address of the identity provider that signs browsers in; null where there is none."`
	Passwords bool    `json:"passwords" doc:"Whether browsers can sign in with passwords."`
}

// Departure is where a browser goes to sign in.
type Departure struct {
	Address string `json:"address" format:"uri" doc:"Page of the identity provider to go to, in this browser, within ten minutes."`
}

// Arrival is what a browser brings back from the identity provider.
type Arrival struct {
	State string `json:"state" minLength:"1" maxLength:"512" doc:"The state in the address that the browser came back to."`
	Code  string `json:"code" minLength:"1" maxLength:"4096" doc:"The code in that address."`
}

// signInPage is the page of the console that browsers return to.
const signInPage = "/sign-in"

func registerProvided(a *rest.API, id *account.Identity) {
	a.DescribeCodes(map[string]string{
		"no_provider":     "no identity provider signs browsers in here (404)",
		"sign_in_invalid": "the sign-in at the identity provider was not started in this browser, or took too long (401)",
		"sign_in_refused": "the identity provider did not confirm the sign-in: its code was used, has expired, or belongs to another (401)",
	})
	how := public("auth/oidc/", "oidc_retrieve", "How browsers are signed in", "", http.StatusOK)
	how.Method = http.MethodGet
	rest.Handle(a, how, func(_ context.Context, _ *rest.Call, _ struct{}) (Providers, error) {
		out := Providers{Passwords: !id.Issuers.BuiltInOff}
		if name := id.Provider(); name != "" {
			out.Provider = &name
		}
		return out, nil
	})
	start := public("auth/oidc/start/", "oidc_start", "Start signing a browser in at the identity provider",
		"OpenID Connect, code flow with PKCE. Sets a cookie for ten minutes (HttpOnly, SameSite=Lax) that recognises the browser when it comes back to "+
			"`/sign-in` of this server, with `state` and `code`: register that address as the redirect URI of the client.",
		http.StatusOK, http.StatusNotFound, http.StatusServiceUnavailable)
	start.Unkeyed = true
	rest.Handle(a, start, func(ctx context.Context, c *rest.Call, _ struct{}) (Departure, error) {
		departure, err := id.Depart(ctx, c.Site(signInPage))
		if err == nil {
			c.SetTicket(departure.Ticket, account.ProvidedTTL)
		}
		return Departure{departure.Address}, err
	})
	finish := public("auth/oidc/session/", "oidc_session_create", "Sign in a browser that comes back from the identity provider",
		"Sets the cookie of `auth/session/`, for a day. The user must already exist: the first sign-in binds it to the provider's subject.",
		http.StatusOK, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusServiceUnavailable)
	finish.Unkeyed = true
	rest.Handle(a, finish, func(ctx context.Context, c *rest.Call, in rest.JSON[Arrival]) (Session, error) {
		ticket, err := c.Ticket()
		if err != nil {
			return Session{}, err
		}
		opened, err := id.Arrive(ctx, account.Arrival{Ticket: ticket, State: in.Body.State, Code: in.Body.Code, Return: c.Site(signInPage)})
		if err == nil {
			c.SetSession(opened.Secret, account.ProvidedSessionTTL)
			c.SetTicket("", 0)
		}
		return Session{opened.ExpiresAt}, err
	})
}
