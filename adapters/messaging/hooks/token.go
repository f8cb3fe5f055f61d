package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tilth/core/webhook"
	"tilth/ports"
)

// token returns the access token that a parcel is posted with (RFC 6749, section 4.4; HTTP Basic), obtained under the rules for
// posting the parcel; or the outcome of a try that obtained none. It quotes nothing of the answer, which may hold a secret.
func (s *Sender) token(ctx context.Context, want ports.TokenRequest, at time.Time) (string, *webhook.Outcome) {
	failed := func(reason string) (string, *webhook.Outcome) {
		return "", &webhook.Outcome{Error: "No access token: " + reason}
	}
	if problem := s.Check(want.URL); problem != "" {
		return failed(problem)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, want.URL, strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		return failed("The request could not be made.")
	}
	req.SetBasicAuth(url.QueryEscape(want.ID), url.QueryEscape(want.Secret)) // encoded as in RFC 6749, section 2.3.1
	for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json", "User-Agent": s.agent} {
		req.Header.Set(name, value)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return failed(reasonOf(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, out := failed(fmt.Sprintf("The token address answered %d.", res.StatusCode))
		out.RetryAfter = retryAfter(res.Header.Get("Retry-After"), at)
		return "", out
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxRead)).Decode(&answer); err != nil || answer.AccessToken == "" {
		return failed("The token address answered without a token.")
	}
	if answer.TokenType != "" && !strings.EqualFold(answer.TokenType, "Bearer") {
		return failed("The token address answered with a token that is not a bearer token.")
	}
	return answer.AccessToken, nil
}
