// Package pact implements the PACT API for data recipients, version 3 (github.com/wbcsd/data-exchange-protocol, spec/v3):
// clients of a company read the footprints that it published, and exchange events with it. Answers and failures are those
// of that standard, without the envelope of the rest of the interface.
package pact

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/app/ghg/exchange"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/footprint"
)

// The paths below the service root.
const (
	word       = "pact"
	tokenPath  = word + "/auth/token"
	listPath   = word + "/3/footprints"
	eventsPath = exchange.EventsPath
)

const tag = "PACT for data recipients"

// Deps are the use cases that these routes offer.
type Deps struct{ Recipients *exchange.Recipients }

// OAuthFailure is a failure where a token is asked for (RFC 6749, section 5.2).
type OAuthFailure struct {
	Error       string `json:"error" doc:"A code of RFC 6749, section 5.2: invalid_request, invalid_client, unsupported_grant_type; or of section 4.1.2.1: server_error, temporarily_unavailable."`
	Description string `json:"error_description" doc:"What is wrong, for people."`
}

// Failure is a failure of every other path.
type Failure struct {
	Code    string `json:"code" enum:"BadRequest,AccessDenied,TokenExpired,NotFound,InternalError,NotImplemented" doc:"A code of the PACT specification, version 3."`
	Message string `json:"message" doc:"What is wrong, for people."`
}

// Register adds the routes of the API.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	a.DescribeTag(tag, "The API of the [Partnership for Carbon Transparency](https://docs.carbon-transparency.org/), version 3, for the systems of those with whom a company "+
		"shares its footprints. The base address of a client is `{base_url}pact`. It exchanges its credential for an access token (`client_credentials`, by HTTP Basic), "+
		"and sees what the company published, and nothing else. Answers and failures have the form that the standard defines, without the envelope; everything is answered over https only.")
	a.Speak(rest.Dialect{
		Word: word, Door: tokenPath, Failure: failure,
		Authenticate: func(ctx context.Context, token string) (access.Principal, error) {
			caller, err := d.Recipients.Authenticate(ctx, token)
			return access.Principal{ClientID: caller.ClientID, CompanyID: caller.CompanyID}, err
		},
	})
	r := routes{a, d.Recipients}
	r.registerToken()
	r.registerFootprints()
	r.registerEvents()
}

type routes struct {
	api *rest.API
	use *exchange.Recipients
}

func callerOf(c *rest.Call) exchange.Caller {
	who := c.Principal()
	return exchange.Caller{ClientID: who.ClientID, CompanyID: who.CompanyID}
}

// failure returns a failure in the form of the standard. The standard has no code for some statuses: client errors
// become bad requests, and the others internal errors.
func failure(door bool, status int, f *fault.Error) any {
	if door {
		return OAuthFailure{oauthWord(status, f), f.Message}
	}
	code := footprint.BadRequest
	switch {
	case f.Code == "token_expired":
		code = footprint.TokenExpired
	case status == http.StatusForbidden:
		code = footprint.AccessDenied
	case status == http.StatusNotFound:
		code = footprint.NotFound
	case status >= http.StatusInternalServerError:
		code = footprint.InternalError
	}
	return Failure{code, f.Message}
}

func oauthWord(status int, f *fault.Error) string {
	switch {
	case f.Code == unsupportedGrant || f.Code == exchange.CodeBadClient:
		return f.Code
	case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
		return "temporarily_unavailable"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request"
}
