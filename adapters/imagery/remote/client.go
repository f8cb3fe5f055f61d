// Package remote sends HTTP requests to imagery sources considerately: bounded in time and number of
// tries, with growing and jittered pauses, few requests at a time, and respect for Retry-After. It
// turns failures into the faults of the imagery port. It knows nothing of STAC, TIFF or byte ranges:
// callers build the request and judge the answer.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

const (
	tries        = 5
	silentTries  = 3 // of these, without progress by the source
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	longestWait  = 60 * time.Second // bound of a Retry-After
	tryWithin    = 2 * time.Minute  // bound of one try, however steady its progress

	// DefaultRequests is the maximum number of concurrent requests to a host.
	DefaultRequests = 16
	// DefaultSilence is how long a source may send nothing.
	DefaultSilence = 5 * time.Second
)

// Options are the settings of a Client, and replace its external parts in tests.
type Options struct {
	Requests int           // at a time to one host; 0: DefaultRequests
	Silence  time.Duration // how long a source may send nothing; 0: DefaultSilence

	Transport http.RoundTripper                          // nil: one connection for each request at a time
	Sleep     func(context.Context, time.Duration) error // nil: sleeps, and wakes when the context ends
	Jitter    func() float64                             // nil: random in [0, 1)
	Now       func() time.Time                           // nil: the clock; for Retry-After given as a date, and the age of what is kept
}

// Client sends requests with bounded tries. Safe for concurrent use.
type Client struct {
	http    *http.Client
	options Options
	gates   *gates
}

// New makes a Client.
func New(o Options) *Client {
	o.Requests, o.Silence = cmp.Or(o.Requests, DefaultRequests), cmp.Or(o.Silence, DefaultSilence)
	if o.Transport == nil {
		o.Transport = newTransport(o.Requests)
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{&http.Client{Transport: o.Transport}, o, &gates{room: o.Requests, of: map[string]chan struct{}{}}}
}

// Patient returns a client that shares the bound on concurrent requests, and lets a source be silent for
// that many times as long: an API may search before it answers, where a file store does not.
func (c *Client) Patient(times int) *Client {
	patient := *c
	patient.options.Silence *= time.Duration(times)
	return &patient
}

// newTransport makes connections; the watch on progress bounds them in time.
func newTransport(requests int) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxConnsPerHost:     requests,
		MaxIdleConnsPerHost: requests,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// again marks an error after which another try may succeed.
type again struct {
	cause error
	after time.Duration // from Retry-After; 0 without
}

func (a *again) Error() string { return a.cause.Error() }
func (a *again) Unwrap() error { return a.cause }

// Again marks an error that accept found in an answer, such as a short body, as transient: the
// request is sent once more if tries are left.
func Again(err error) error { return &again{cause: err} }

// Do sends the request that build returns until accept takes an answer. Only answers of class 2xx
// and 416 (a range beyond the end) reach accept; its error is final unless marked by Again. name
// identifies the request in messages and must hold no secret.
//
// Faults: Unavailable after five tries (408, 425, 429, 5xx, broken connections, errors marked by
// accept), after three that the source left without progress, and when access is refused (401, 403);
// NotFound for 404 and 410; Invalid for other refusals. The error of ctx is returned as it is.
func (c *Client) Do(ctx context.Context, name string, build func(context.Context) (*http.Request, error), accept func(*http.Response) error) error {
	var last error
	silent := 0
	for try := range tries {
		if try > 0 {
			if err := c.options.Sleep(ctx, c.pause(try-1, last)); err != nil {
				return err
			}
		}
		err := c.once(ctx, name, build, accept)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var passing *again
		if !errors.As(err, &passing) {
			return err
		}
		last = err
		if errors.Is(err, errSilent) {
			silent++
		}
		if silent == silentTries {
			return fault.Newf(fault.Unavailable, "imagery_silent",
				"The imagery source made no progress with %s in %d tries.", name, silent).Because(last)
		}
	}
	return fault.Newf(fault.Unavailable, "imagery_unavailable",
		"The imagery source did not deliver %s after %d tries.", name, tries).Because(last)
}

// once is one try. Its time does not include the wait until the host may get another request.
func (c *Client) once(ctx context.Context, name string, build func(context.Context) (*http.Request, error), accept func(*http.Response) error) (err error) {
	ctx, watch := newWatch(ctx, c.options.Silence)
	defer watch.end()
	request, err := build(ctx)
	if err != nil {
		return fault.Newf(fault.Invalid, "imagery_address", "The address of %s cannot be used.", name).Because(withoutURL(err))
	}
	leave, err := c.gates.enter(ctx, request.URL.Host)
	if err != nil {
		return err
	}
	defer leave()
	watch.begin()
	var came int64
	defer func() { ports.CountTraffic(ctx, came, err != nil) }()
	request.Header.Set("User-Agent", "tilth")
	answer, err := c.http.Do(request)
	if err != nil {
		return Again(watch.cause(withoutURL(err)))
	}
	answer.Body = watch.body(answer.Body, &came)
	defer func() {
		// Draining the rest of a short body lets the connection be reused.
		_, _ = io.CopyN(io.Discard, answer.Body, 64<<10)
		_ = answer.Body.Close()
	}()
	if err := c.refusal(name, answer); err != nil {
		return err
	}
	return accept(answer)
}

// Status is an HTTP status as the cause of a fault.
type Status int

func (s Status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// withoutURL drops the address from an error of net/http or net/url: a signed address is a
// credential and must not reach a log.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return fmt.Errorf("%s: %w", u.Op, u.Err)
	}
	return err
}

func (c *Client) refusal(name string, answer *http.Response) error {
	code, status := answer.StatusCode, Status(answer.StatusCode)
	switch {
	case code < 300 || code == http.StatusRequestedRangeNotSatisfiable:
		return nil
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		return &again{cause: status, after: c.retryAfter(answer.Header.Get("Retry-After"))}
	case code == http.StatusNotFound, code == http.StatusGone:
		return fault.Newf(fault.NotFound, "imagery_gone", "The imagery source no longer holds %s.", name).Because(status)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fault.Newf(fault.Unavailable, "imagery_refused", "The imagery source refuses access to %s.", name).Because(status)
	default:
		return fault.Newf(fault.Invalid, "imagery_request", "The imagery source does not accept the request for %s (status %d).", name, code).Because(status)
	}
}

// retryAfter reads the header in both of its forms (RFC 9110, 10.2.3).
func (c *Client) retryAfter(header string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(seconds, int(longestWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(c.options.Now())
	}
	return min(max(wait, 0), longestWait)
}

// pause is the wait before the next try: 0.5 s doubling to 30 s, of which the upper half is random
// so that many clients do not return at once, or Retry-After if that is longer.
func (c *Client) pause(failed int, last error) time.Duration {
	full := min(firstPause<<failed, longestPause)
	wait := full/2 + time.Duration(c.options.Jitter()*float64(full/2))
	var passing *again
	if errors.As(last, &passing) {
		wait = max(wait, passing.after)
	}
	return wait
}
