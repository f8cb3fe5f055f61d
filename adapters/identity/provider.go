package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"tilth/core/fault"
	"tilth/ports"
)

// Provider signs people in at an [External] issuer, and verifies their tokens with it. It is safe for concurrent use.
type Provider struct {
	issuer *External
	client *http.Client // asks for tokens
}

// redeemTimeout bounds the exchange of a code. It is tried only once, because a code can be used only once.
const redeemTimeout = 10 * time.Second

// NewProvider returns a provider that signs browsers in at an issuer; nil if there is no issuer, or if it has no client id for that.
func NewProvider(issuer *External) *Provider {
	if issuer == nil || issuer.config.ClientID == "" {
		return nil
	}
	return &Provider{issuer, &http.Client{Timeout: redeemTimeout, Transport: bounded{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Name implements ports.SignInProvider.
func (p *Provider) Name() string { return p.issuer.config.Issuer }

// Address implements ports.SignInProvider.
func (p *Provider) Address(ctx context.Context, s ports.SigningIn) (string, error) {
	asks, err := p.asks(ctx, s)
	if err != nil {
		return "", err
	}
	return asks.AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

// Redeem implements ports.SignInProvider.
func (p *Provider) Redeem(ctx context.Context, code string, s ports.SigningIn) (ports.Vouched, error) {
	asks, err := p.asks(ctx, s)
	if err != nil {
		return ports.Vouched{}, err
	}
	answer, err := asks.Exchange(context.WithValue(ctx, oauth2.HTTPClient, p.client), code, oauth2.VerifierOption(s.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return ports.Vouched{}, notVouched().Because(err)
	case err != nil:
		return ports.Vouched{}, unavailable(err)
	}
	text, _ := answer.Extra("id_token").(string)
	if text == "" {
		return ports.Vouched{}, notVouched()
	}
	token, err := p.issuer.verify(ctx, text, func(d *discovered) *oidc.IDTokenVerifier { return d.identity })
	if err != nil {
		return ports.Vouched{}, err
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(s.Nonce)) != 1 {
		return ports.Vouched{}, invalidToken()
	}
	return p.issuer.vouched(token)
}

// asks returns the OAuth 2.0 configuration for requests to the provider.
func (p *Provider) asks(ctx context.Context, s ports.SigningIn) (*oauth2.Config, error) {
	found, err := p.issuer.reached(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	config := p.issuer.config
	return &oauth2.Config{
		ClientID: config.ClientID, ClientSecret: config.ClientSecret, Endpoint: found.endpoint, RedirectURL: s.Return,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}, nil
}

func notVouched() *fault.Error {
	return fault.New(fault.Unauthenticated, "sign_in_refused", "The identity provider did not confirm this sign-in: its code was used before, has expired, or belongs to another sign-in. Start again.")
}

// bounded bounds the size of answers.
type bounded struct{}

func (bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, issuerMaxBytes), res.Body}
	}
	return res, err
}
