package account_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/account"
	"tilth/core/fault"
	"tilth/ports"
)

// provider vouches for nobody, and records what it was asked.
type provider struct{ asked []ports.SigningIn }

func (p *provider) Name() string { return "https://id.example" }

func (p *provider) Address(_ context.Context, s ports.SigningIn) (string, error) {
	p.asked = append(p.asked, s)
	return "https://id.example/auth", nil
}

func (p *provider) Redeem(_ context.Context, _ string, s ports.SigningIn) (ports.Vouched, error) {
	p.asked = append(p.asked, s)
	return ports.Vouched{}, fault.New(fault.Unauthenticated, "sign_in_refused", "No.")
}

type at struct{ time.Time }

func (a *at) Now() time.Time { return a.Time }

type secrets struct{ ports.IDs }

func (secrets) Secret() string { return "a secret" }

// A sign-in at a provider is valid for ten minutes; afterwards its code is not even redeemed.
func TestASignInAtAProviderTakesTenMinutes(t *testing.T) {
	t.Parallel()
	p, clock := &provider{}, &at{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	i := &account.Identity{Clock: clock, IDs: secrets{}, Issuers: account.Issuers{Provider: p}}
	gone, err := i.Depart(t.Context(), "https://tilth.example/sign-in")
	require.NoError(t, err)
	asked := p.asked[0]
	require.Len(t, map[string]bool{asked.State: true, asked.Nonce: true, asked.Verifier: true, gone.Ticket: true}, 4)
	arrive := func() string {
		_, err := i.Arrive(t.Context(), account.Arrival{Ticket: gone.Ticket, State: asked.State, Code: "c", Return: asked.Return})
		known, ok := fault.As(err)
		require.True(t, ok)
		return known.Code
	}
	clock.Time = clock.Add(account.ProvidedTTL - time.Second)
	require.Equal(t, "sign_in_refused", arrive())
	require.Equal(t, asked, p.asked[1], "the same secrets, of which nothing was stored")
	clock.Time = clock.Add(time.Second)
	require.Equal(t, "sign_in_invalid", arrive())
	require.Len(t, p.asked, 2)
}
