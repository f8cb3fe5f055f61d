package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/core/access"
)

// A company that sends many large bodies has one of them worked on at a time; others are not held.
func TestLargeBodiesOfACompanyTakeTurns(t *testing.T) {
	t.Parallel()
	begun, proceed := make(chan int64, 100), make(chan struct{})
	r := newRig(t, func(c *rest.Config) {
		c.Authenticate = func(_ context.Context, token string) (who access.Principal, err error) {
			_, err = fmt.Sscan(token, &who.CompanyID)
			who.UserID = who.CompanyID
			return who, err
		}
	})
	rest.Handle(r.api, rest.Route{Method: http.MethodPost, Path: "thing/", OperationID: "thing", Summary: "S", Tag: "T"},
		func(ctx context.Context, c *rest.Call, _ rest.JSON[map[string]string]) (map[string]string, error) {
			begun <- c.Principal().CompanyID
			select {
			case <-proceed:
				return map[string]string{}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	send := func(company, size int) <-chan int {
		done := make(chan int, 1)
		go func() {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, base+"thing/", strings.NewReader(`{"a":"`+strings.Repeat("x", size)+`"}`))
			req.Header.Set("Authorization", fmt.Sprint("Bearer ", company))
			req.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			r.api.ServeHTTP(w, req)
			done <- w.Code
		}()
		return done
	}
	const large, sent = 100_000, 40
	var answers []<-chan int
	for range sent {
		answers = append(answers, send(1, large))
	}
	require.EqualValues(t, 1, <-begun)
	answers = append(answers, send(2, large), send(1, 10))
	require.ElementsMatch(t, []int64{2, 1}, []int64{<-begun, <-begun}, "another company, and a small body")
	select {
	case who := <-begun:
		t.Fatalf("company %d has two at a time", who)
	case <-time.After(20 * time.Millisecond):
	}
	close(proceed)
	statuses := map[int]int{}
	for _, a := range answers {
		statuses[<-a]++
	}
	require.Equal(t, len(answers), statuses[200]+statuses[429], "%v", statuses)
	require.GreaterOrEqual(t, statuses[200], 2+17)
}
