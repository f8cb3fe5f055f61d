package pact

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"

	"tilth/adapters/http/credential"
	"tilth/adapters/http/rest"
	"tilth/app/ghg/exchange"
	"tilth/core/fault"
)

// AccessToken is an access token (RFC 6749, section 5.1).
type AccessToken struct {
	AccessToken string `json:"access_token" doc:"Send it as Authorization: Bearer …"`
	TokenType   string `json:"token_type" enum:"Bearer" doc:"How the access token is sent."`
	ExpiresIn   int64  `json:"expires_in" doc:"Seconds until it expires."`
}

// Discovery states where tokens are issued, as OpenID providers do.
type Discovery struct {
	Issuer        string   `json:"issuer" doc:"Who issues the tokens: the address of this service."`
	TokenEndpoint string   `json:"token_endpoint" doc:"Where an access token is requested."`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported" doc:"How clients present their credential there."`
	GrantTypes    []string `json:"grant_types_supported" doc:"The supported grants."`
	ResponseTypes []string `json:"response_types_supported" doc:"Empty: there is no authorisation endpoint."`
}

const (
	formMedia        = "application/x-www-form-urlencoded"
	grant            = "client_credentials"
	unsupportedGrant = "unsupported_grant_type"
)

func (r routes) registerToken() {
	rest.Handle(r.api, rest.Route{
		Method: http.MethodPost, Path: tokenPath, OperationID: "pact_token", Summary: "Exchange the credential of a client for an access token", Tag: tag,
		Description: "The id and the secret of the client are sent in `Authorization: Basic`. The body is `grant_type=client_credentials`.",
		Public:      true, Body: rest.FileBody(map[string]string{formMedia: "`grant_type=client_credentials`"}),
		Faults: []int{http.StatusUnauthorized},
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[AccessToken], error) {
		c.SetHeader("Pragma", "no-cache")
		if err := checkGrant(c); err != nil {
			return rest.Bare[AccessToken]{}, err
		}
		id, secret, ok := credential.Basic(c.Header("Authorization"))
		if !ok {
			return rest.Bare[AccessToken]{}, fault.New(fault.Unauthenticated, exchange.CodeBadClient, "Give the id and the secret of the client as Authorization: Basic.")
		}
		token, err := r.use.Token(ctx, id, secret)
		return rest.Bare[AccessToken]{Data: AccessToken{token, "Bearer", int64(exchange.TokenTTL.Seconds())}}, err
	})
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: word + "/.well-known/openid-configuration", OperationID: "pact_discovery", Summary: "Where clients get their tokens", Tag: tag, Public: true,
	}, func(_ context.Context, c *rest.Call, _ struct{}) (rest.Bare[Discovery], error) {
		return rest.Bare[Discovery]{Data: Discovery{
			c.Link(word), c.Link(tokenPath), []string{"client_secret_basic"}, []string{grant}, []string{},
		}}, nil
	})
}

// checkGrant reads the form of a request for a token. Faults: Invalid.
func checkGrant(c *rest.Call) error {
	if media, _, err := mime.ParseMediaType(c.Header("Content-Type")); err != nil || media != formMedia {
		return fault.New(fault.Invalid, "invalid_request", "The body must be a form: Content-Type: "+formMedia+".")
	}
	text, err := io.ReadAll(c.BodyReader())
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(text))
	given := form["grant_type"]
	switch {
	case err != nil || len(given) != 1:
		return fault.New(fault.Invalid, "invalid_request", "The form must contain grant_type once.")
	case given[0] != grant:
		return fault.New(fault.Invalid, unsupportedGrant, "The only grant is "+grant+".")
	}
	return nil
}
