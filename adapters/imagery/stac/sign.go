package stac

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
)

const (
	maxToken = 64 << 10 // bytes of a token endpoint's answer
	// renewBefore is how long before its expiry a token is renewed: the longest duration of one
	// request.
	renewBefore = 2 * time.Minute
)

// tokens holds the signatures of a token endpoint, one per collection, kept until they expire.
type tokens struct {
	remote   *remote.Client
	endpoint *url.URL
	now      func() time.Time

	mu   sync.Mutex
	held map[string]*token
}

func (t *tokens) of(collection string) cog.Signer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held[collection] == nil {
		t.held[collection] = &token{all: t, collection: collection, turn: make(chan struct{}, 1)}
	}
	return t.held[collection]
}

// token is the signature of one collection.
type token struct {
	all        *tokens
	collection string

	turn  chan struct{} // a lock of the fields below, held while an element is in it
	query string
	until time.Time
}

// Sign appends the token to an address. It fetches a new one when there is none, when it is about
// to expire, or when it was refused; concurrent callers wait.
func (t *token) Sign(ctx context.Context, address, refused string) (string, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if t.query != "" && t.all.now().Before(t.until.Add(-renewBefore)) {
		if signed := withQuery(address, t.query); signed != refused {
			return signed, nil
		}
	}
	if err := t.renew(ctx); err != nil {
		return "", err
	}
	return withQuery(address, t.query), nil
}

func withQuery(address, query string) string {
	if strings.Contains(address, "?") {
		return address + "&" + query
	}
	return address + "?" + query
}

// renew fetches a token. Every failure is Unavailable: without a signature nothing is known about
// any file, least of all that it is gone.
func (t *token) renew(ctx context.Context) error {
	var got struct {
		Token  string    `json:"token"`
		Expiry time.Time `json:"msft:expiry"`
	}
	err := t.all.remote.Do(ctx, "the token of "+t.collection, func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, t.all.endpoint.JoinPath(t.collection).String(), nil)
	}, func(answer *http.Response) error {
		raw, err := io.ReadAll(io.LimitReader(answer.Body, maxToken))
		if err != nil {
			return remote.Again(err)
		}
		return json.Unmarshal(raw, &got)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || got.Token == "" {
		return fault.Newf(fault.Unavailable, "imagery_refused",
			"The imagery source issues no signature for the files of %s.", t.collection).Because(err)
	}
	t.query, t.until = strings.TrimPrefix(got.Token, "?"), got.Expiry
	return nil
}
