package rest

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/transfer"
	"tilth/core/access"
	"tilth/core/fault"
)

// Dialect is an external standard that the paths below a word follow instead of the envelope. A dialect with callers of its
// own is served over TLS only, except to callers on this machine, unless the configuration allows otherwise.
type Dialect struct {
	Word string // first word of the paths, below the base: pact
	Door string // path below the base where a credential is exchanged for a token: pact/auth/token
	// Authenticate returns the caller of an access token of the dialect; other tokens open nothing here. Faults: Unauthenticated.
	// Nil: its callers are those of the rest of the interface, whose rules for credentials, companies and names apply.
	Authenticate func(ctx context.Context, token string) (access.Principal, error)
	// Failure returns the body of a failure; door reports whether it is one at the door.
	Failure func(door bool, status int, f *fault.Error) any
}

// Speak adds a dialect. It must be called before the routes below its word are registered.
func (a *API) Speak(d Dialect) { a.dialects[d.Word] = &d }

// spokenAt returns the dialect of a path; nil if the path has the envelope.
func (a *API) spokenAt(path string) *Dialect {
	if !a.Covers(path) {
		return nil
	}
	return a.dialects[a.firstWord(path)]
}

// foreign reports whether a dialect has callers of its own.
func (d *Dialect) foreign() bool { return d != nil && d.Authenticate != nil }

// Door reports whether a request asks for a token, or for another credential.
func (a *API) Door(r *http.Request) bool {
	if r.Method != http.MethodPost || !a.Covers(r.URL.Path) {
		return false
	}
	if d := a.spokenAt(r.URL.Path); d != nil {
		return a.isDoor(d, r.URL.Path)
	}
	return a.firstWord(r.URL.Path) == "auth"
}

func (a *API) isDoor(d *Dialect, path string) bool {
	return strings.Trim(strings.TrimPrefix(path, a.config.Base), "/") == d.Door
}

// reach refuses a request without TLS to a dialect that requires it. Faults: Invalid (tls_required).
func (a *API) reach(r *http.Request) error {
	if !a.spokenAt(r.URL.Path).foreign() || a.config.AllowPlain || a.config.Origins.Secure(r) {
		return nil
	}
	return fault.New(fault.Invalid, "tls_required", "This is answered over https only, and the credential of the request has crossed a network in the clear. Fix: call the https address, and replace the credential.")
}

// write answers a failure in a dialect.
func (d *Dialect) write(a *API, w http.ResponseWriter, r *http.Request, status int, f *fault.Error) {
	door := a.isDoor(d, r.URL.Path)
	if door && status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="tilth"`)
	}
	text, err := encode(d.Failure(door, status, f))
	if err != nil {
		text = []byte("{}") // a failure is made of strings, which always encode
	}
	sendFailure(w, r, status, text)
}

// Bare is JSON without the envelope, as a dialect requires.
type Bare[R any] struct{ Data R }

func (b Bare[R]) answer(c *Call) error {
	text, err := encode(b.Data)
	if err != nil {
		return err
	}
	out := Raw{ContentType: c.route.bareMedia(), Write: transfer.Text(text)}
	if c.route.Method == http.MethodGet && !c.route.Public {
		out.ETag = etag.Of(b.Data, text)
	}
	return out.answer(c)
}

// bareMedia returns the content type of JSON without the envelope.
func (r Route) bareMedia() string { return cmp.Or(r.BareAs, mediaJSON) }

// Nothing is an answer of 200 without a body.
type Nothing struct{}

func (Nothing) answer(c *Call) error {
	c.SetHeader("Content-Length", "0")
	c.share.Leave()
	c.writer.WriteHeader(c.status)
	return nil
}

// scheme is the name of the security scheme of a dialect in the document.
func (d *Dialect) scheme() string { return d.Word + "Bearer" }
