package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/ports"
)

// The bounds of a call to an external engine; docs/ghg-engine-contract.md states them.
const (
	externalTries   = 3
	externalWithin  = 20 * time.Second // one try, from the first byte to the last
	externalPause   = time.Second      // before the second try; doubles
	externalAnswer  = 8 << 20          // bytes of an answer
	externalRefusal = 64 << 10         // bytes of an answer that is an error
)

// ExternalOptions say where an external engine is, and replace the parts of the client
// that touch the world.
type ExternalOptions struct {
	// ID names the engine in results; URL is the address that snapshots are posted to.
	ID, URL string
	// Token is sent as a bearer token; it is never logged.
	Token     string
	Transport http.RoundTripper                          // nil: the default one
	Sleep     func(context.Context, time.Duration) error // nil: sleeps, and wakes when the context ends
	Jitter    func() float64                             // nil: random in [0, 1)
}

// External posts snapshots to an engine that speaks our contract. It is off unless it is
// configured.
type External struct {
	options ExternalOptions
	client  *http.Client
}

var _ ports.Engine = (*External)(nil)

// NewExternal checks the address.
func NewExternal(o ExternalOptions) (*External, error) {
	at, err := url.Parse(o.URL)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "engine_address", "The address of the external engine must be an http or https URL.")
	}
	if o.ID == "" || o.ID == ghg.EngineID {
		return nil, fault.New(fault.Invalid, "engine_id", "The external engine needs an id of its own.")
	}
	if o.Sleep == nil {
		o.Sleep = pause
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	client := &http.Client{
		Transport: o.Transport, Timeout: externalWithin,
		// A redirect would carry the snapshot and the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &External{options: o, client: client}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ID names the engine.
func (e *External) ID() string { return e.options.ID }

// errPassing marks a failure after which another try may succeed.
var errPassing = errors.New("may pass")

// Calculate posts the snapshot, at most three times, under a key that is the digest of
// what is asked: an engine that answered before returns the same answer.
func (e *External) Calculate(ctx context.Context, in ghg.Input, factorSet string, options ghg.Options) (ghg.Result, ports.EngineReference, error) {
	var none ports.EngineReference
	digest, err := in.Digest()
	if err != nil {
		return ghg.Result{}, none, err
	}
	body, err := json.Marshal(calculation{Contract: contract, InputDigest: digest, FactorSet: factorSet, Trace: options.Trace, Input: in})
	if err != nil {
		return ghg.Result{}, none, err
	}
	var last error
	for try := range externalTries {
		if try > 0 {
			full := externalPause << (try - 1)
			if err := e.options.Sleep(ctx, full/2+time.Duration(e.options.Jitter()*float64(full/2))); err != nil {
				return ghg.Result{}, none, err
			}
		}
		answer, err := e.once(ctx, digest, body)
		switch {
		case err == nil:
			result, err := answer.result(e.options.ID, digest, in)
			return result, ports.EngineReference(answer.Private), err
		case ctx.Err() != nil:
			return ghg.Result{}, none, ctx.Err()
		case !errors.Is(err, errPassing):
			return ghg.Result{}, none, err
		}
		last = err
	}
	return ghg.Result{}, none, fault.Newf(fault.Unavailable, "engine_unavailable",
		"The calculation engine %s did not answer after %d tries.", e.options.ID, externalTries).Because(last)
}

func (e *External) once(ctx context.Context, digest string, body []byte) (*computed, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.options.URL, bytes.NewReader(body))
	if err != nil {
		return nil, e.unusable(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "tilth")
	request.Header.Set("Idempotency-Key", digest)
	if e.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+e.options.Token)
	}
	answer, err := e.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPassing, withoutURL(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, e.refusal(answer)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, externalAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errPassing, err)
	case len(text) > externalAnswer:
		return nil, e.unusable(fmt.Errorf("the answer is larger than %d bytes", externalAnswer))
	}
	out := new(computed)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, e.unusable(err)
	}
	return out, nil
}

func (e *External) unusable(cause error) error {
	return fault.Newf(fault.Unavailable, "engine_answer", "The answer of the calculation engine %s cannot be used.", e.options.ID).Because(cause)
}

// refusal turns the status of an answer into a fault.
func (e *External) refusal(answer *http.Response) error {
	status := fmt.Errorf("status %d", answer.StatusCode)
	switch code := answer.StatusCode; {
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return fmt.Errorf("%w: %w", errPassing, status)
	case code == http.StatusUnprocessableEntity:
		return e.rejected(answer.Body)
	default:
		return fault.Newf(fault.Unavailable, "engine_refused", "The calculation engine %s refuses the request.", e.options.ID).Because(status)
	}
}

// rejected returns what the engine says is wrong with the input, by field.
func (e *External) rejected(body io.Reader) error {
	var answer struct {
		Errors []struct{ Path, Message string }
	}
	if err := json.NewDecoder(io.LimitReader(body, externalRefusal)).Decode(&answer); err != nil || len(answer.Errors) == 0 {
		return e.unusable(errors.New("a refusal without errors"))
	}
	fields := fault.Fields{}
	for _, wrong := range answer.Errors {
		at, path := fields, strings.Split(wrong.Path, ".")
		last := len(path) - 1
		for _, name := range path[:last] {
			below, ok := at[name].(fault.Fields)
			if !ok {
				below = fault.Fields{}
				at[name] = below
			}
			at = below
		}
		if _, nested := at[path[last]].(fault.Fields); !nested {
			at.Add(path[last], wrong.Message)
		}
	}
	return fields.Err()
}

// withoutURL drops the address from an error of net/http: it may hold a credential.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return fmt.Errorf("%s: %w", u.Op, u.Err)
	}
	return err
}
