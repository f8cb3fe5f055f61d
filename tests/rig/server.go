package rig

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/ports"
	"tilth/tests/secrets"
)

// Observe reads what operators see at a path, to search it for secrets.
func (s *Server) Observe(path string) {
	operator := http.Client{Timeout: time.Minute}
	if res, err := operator.Get(s.AdminURL + path); err == nil {
		_, _ = io.Copy(secrets.Observed(io.Discard), res.Body)
		_ = res.Body.Close()
	}
}

// Metrics returns the server's metrics.
func (s *Server) Metrics() string {
	s.t.Helper()
	return string((&Client{server: &Server{t: s.t, URL: s.AdminURL}}).Expect(http.StatusOK, http.MethodGet, "/metrics", nil).Body)
}

// Stop ends the server as a signal would.
func (s *Server) Stop() { s.stop() }

// Tokens returns the server's own issuer of tokens.
func (s *Server) Tokens() ports.Tokens { return s.tokens }

// Company makes a company with a user in a role and credit, and returns the user's client.
func (s *Server) Company(role string, credits credit.Amount) *Client {
	s.t.Helper()
	ctx := context.Background()
	company, err := s.Operating.CreateCompany(ctx, fmt.Sprintf("Company %d", next()))
	require.NoError(s.t, err)
	if credits > 0 {
		_, err = s.Operating.CreditWallet(ctx, company.ID, credits, "test")
		require.NoError(s.t, err)
	}
	return s.User(company.ID, role)
}

var (
	counterMu sync.Mutex
	counter   int
)

func next() int {
	counterMu.Lock()
	defer counterMu.Unlock()
	counter++
	return counter
}

// User makes another user of a company and returns the user's client.
func (s *Server) User(companyID int64, role string) *Client {
	s.t.Helper()
	ctx := context.Background()
	email := fmt.Sprintf("user%d@test.example", next())
	_, err := s.Operating.CreateUser(ctx, operating.NewUser{CompanyID: companyID, Email: email, Role: role})
	require.NoError(s.t, err)
	token, err := s.Operating.CreateToken(ctx, email, time.Hour)
	require.NoError(s.t, err)
	secrets.Declare(token) // it also goes over raw connections
	return &Client{server: s, Token: token, CompanyID: companyID, Email: email}
}

// Disable disables a user, as the operator does.
func (s *Server) Disable(email string) {
	s.t.Helper()
	user, err := s.Operating.User(context.Background(), email)
	require.NoError(s.t, err)
	_, err = s.Operating.SetDisabled(context.Background(), user.ID, true)
	require.NoError(s.t, err)
}
