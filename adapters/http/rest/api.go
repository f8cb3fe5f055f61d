package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/credential"
	"tilth/adapters/http/document"
	"tilth/adapters/http/fairness"
	"tilth/adapters/http/origin"
	"tilth/adapters/http/schema"
	"tilth/adapters/http/session"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Config is the configuration of the interface.
type Config struct {
	Base          string // path of the service root, with a slash at both ends; required
	Title         string
	Version       string
	Description   string        // CommonMark
	MaxBody       int64         // bytes of a body; 0: 8 MiB
	MaxBulk       int           // items of a bulk; 0: 1000
	IgnoreUnknown bool          // ignore unknown names, as if every request preferred handling=lenient
	Processors    int           // that requests run on; 0: those of the machine
	CompanyShare  float64       // part of the processors that a company may use without taking turns while others are at work; 0: 1/4
	BulkShare     float64       // part of the time for the large bodies of one company while others are at work; 0: 0.03
	BodyMemory    int64         // bytes for large bodies under way, at least four times MaxBody; 0: 128 MiB
	MaxLong       int           // whole lists longer than a page that a company reads at a time; 0: 4
	Lean          func() func() // called before a whole list longer than a page is answered, and its result afterwards; nil: nothing is called
	BodyTimeout   time.Duration // between two reads of a body; 0: no bound
	Timeout       time.Duration // from the last piece of a body to the first of the answer; 0: no bound
	Origins       origin.Rules
	AllowPlain    bool // answer dialects without TLS, too

	// Authenticate returns the caller of an access token. Faults: Unauthenticated.
	Authenticate func(ctx context.Context, token string) (access.Principal, error)
	// AuthenticateKey returns the caller of an API key; nil where keys are not accepted.
	AuthenticateKey func(ctx context.Context, key string) (access.Principal, error)
	// AuthenticateSession returns the caller of a browser's session; nil where there are none.
	AuthenticateSession func(ctx context.Context, secret string) (access.Principal, error)
	// AuthenticateLink returns the caller behind a signed link, for a path below the base; nil where there are none.
	AuthenticateLink func(ctx context.Context, link, path string) (access.Principal, error)
	// Verified receives the caller of a request, or the error of its authentication, and may refuse
	// the request itself; nil: there is none. Faults: Limit.
	Verified func(ctx context.Context, who access.Principal, err error) error
	// Observer follows the operations; nil: nobody does.
	Observer ports.Observer
	// Enter returns the caller as it acts inside the company that the header X-Company names; nil:
	// the header is ignored. Faults: Forbidden, NotFound.
	Enter func(ctx context.Context, who access.Principal, companyID int64) (access.Principal, error)
	// Authorize refuses a caller without a permission, and returns the context of the request
	// of one who has it. Faults: Forbidden.
	Authorize func(ctx context.Context, who access.Principal, need access.Permission) (context.Context, error)
	// Once carries out a request only once under the key of its caller; for a repeat, it returns
	// the answer of the first time. do answers the request, and returns whether its answer is
	// final. Nil: keys are ignored. Faults: Mismatch, Unavailable.
	Once func(ctx context.Context, who access.Principal, key, digest string,
		do func(ctx context.Context) (answer ports.Answer, final bool)) (answer ports.Answer, replayed bool, err error)
	// Logger takes what must not be sent to callers; nil discards it.
	Logger *slog.Logger
	// StreamBeat is the pause after which an event stream sends a sign of life and its caller
	// is checked again; 0: 15 s.
	StreamBeat time.Duration
}

// API is the interface below one base path: an http.Handler, and its document. Routes are
// registered before it serves; it is then safe for concurrent use.
type API struct {
	config     Config
	sections   map[string]*section  // by the first word of their paths
	endpoints  map[string]*endpoint // by pattern, without the names of its parameters
	dialects   map[string]*Dialect  // by their words
	schemas    *schema.Set          // of bodies
	operations map[string]bool      // ids
	// What the document is written from.
	described []*operation
	tags      []document.Tag
	codes     map[string]string                 // error codes
	bodies    map[string]string                 // examples, by operation
	answers   func() map[string]json.RawMessage // examples; see [API.ShowAnswers]
	defined   map[string]map[string]any         // schemas, by name

	long   *fairness.Lists
	words  map[string]bool // segments of the paths that routes have
	params map[string]bool // query parameters that routes declare
	turns  *fairness.Turns
	room   *fairness.Memory
}

// New makes an interface without routes.
func New(config Config) *API {
	config.MaxBody = cmp.Or(config.MaxBody, 8<<20)
	config.MaxBulk = cmp.Or(config.MaxBulk, 1000)
	config.Processors = cmp.Or(config.Processors, runtime.GOMAXPROCS(0))
	config.CompanyShare = cmp.Or(config.CompanyShare, 0.25)
	config.BulkShare = cmp.Or(config.BulkShare, 0.03)
	config.BodyMemory = cmp.Or(config.BodyMemory, 128<<20)
	config.StreamBeat = cmp.Or(config.StreamBeat, 15*time.Second)
	config.Logger = cmp.Or(config.Logger, slog.New(slog.DiscardHandler))
	config.MaxLong = cmp.Or(config.MaxLong, 4)
	a := &API{config: config, sections: map[string]*section{}, dialects: map[string]*Dialect{}, operations: map[string]bool{}, turns: fairness.NewTurns(config.Processors, config.CompanyShare, config.BulkShare),
		room: fairness.NewMemory(max(config.BodyMemory, 4*config.MaxBody)),
		long: fairness.NewLists(config.MaxLong), endpoints: map[string]*endpoint{}, schemas: schema.New(), codes: maps.Clone(transportCodes), bodies: map[string]string{}, defined: map[string]map[string]any{}, words: map[string]bool{}, params: map[string]bool{}}
	return a
}

// Base is the path of the service root.
func (a *API) Base() string { return a.config.Base }

// Covers reports whether a path is below the base, so that this interface answers it.
func (a *API) Covers(path string) bool {
	return strings.HasPrefix(path+"/", a.config.Base)
}

// NoSuchPath is the fault of a path that nothing answers. It does not repeat the path, which may
// hold a secret.
func NoSuchPath() error {
	return fault.New(fault.NotFound, "not_found", "There is nothing at this path.")
}

// HasWord reports whether a segment of a path is one that a route names.
func (a *API) HasWord(segment string) bool { return a.words[segment] }

// HasParam reports whether a route declares a query parameter.
func (a *API) HasParam(name string) bool { return a.params[name] }

// admit finds the caller, in the company that the request names, and checks the permission of the
// route. It returns the context for the request of a caller that has it.
func (a *API) admit(r *http.Request, route *Route) (context.Context, access.Principal, error) {
	ctx := r.Context()
	if err := a.reach(r); err != nil {
		return ctx, access.Principal{}, err
	}
	if route.Public {
		return ctx, access.Principal{}, nil
	}
	who, err := a.authenticate(r, credential.Taken{Keys: route.Keys, Links: route.Links})
	if err == nil {
		who, err = a.enter(r, who)
	}
	if err != nil {
		return ctx, who, err
	}
	trace := TraceOf(ctx)
	trace.UserID, trace.CompanyID = who.UserID, who.CompanyID
	a.turns.Saw(who.CompanyID)
	if route.Permission.Slug() != "" {
		ctx, err = a.config.Authorize(ctx, who, route.Permission)
	}
	return ctx, who, err
}

// authenticate finds the caller. A token comes first. Without one, a key, then a signed link, is used if the
// route takes it, and then the session of a browser.
func (a *API) authenticate(r *http.Request, takes credential.Taken) (access.Principal, error) {
	who, err := a.holder(r, takes)
	if a.config.Verified != nil {
		err = a.config.Verified(r.Context(), who, err)
	}
	return who, err
}

// holder returns the holder of the credential of a request.
func (a *API) holder(r *http.Request, takes credential.Taken) (access.Principal, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := credential.Bearer(header)
		if !ok {
			return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "Write the header as Authorization: Bearer <token>.")
		}
		if d := a.spokenAt(r.URL.Path); d.foreign() {
			return d.Authenticate(r.Context(), token)
		}
		return a.config.Authenticate(r.Context(), token)
	}
	if given := credential.Key(r, takes); given != "" && a.config.AuthenticateKey != nil {
		return a.config.AuthenticateKey(r.Context(), given)
	}
	if given := credential.Link(r, takes); given != "" && a.config.AuthenticateLink != nil {
		return a.config.AuthenticateLink(r.Context(), given, strings.TrimPrefix(r.URL.Path, a.config.Base))
	}
	if given := session.Of(r); given != "" && a.config.AuthenticateSession != nil && !a.spokenAt(r.URL.Path).foreign() {
		if err := session.CheckOrigin(r, a.config.Origins.Base(r)); err != nil {
			return access.Principal{}, err
		}
		return a.config.AuthenticateSession(r.Context(), given)
	}
	return access.Principal{}, fault.New(fault.Unauthenticated, "not_authenticated", "Authentication credentials were not provided.")
}

// companyHeader names the company that the caller wants to act in, by its id.
const companyHeader = "X-Company"

// enter returns the caller as it acts in the company that the request names, if any. Text that is
// not an id counts as the id of no company.
func (a *API) enter(r *http.Request, who access.Principal) (access.Principal, error) {
	given := r.Header.Values(companyHeader)
	if len(given) == 0 || a.config.Enter == nil || a.spokenAt(r.URL.Path).foreign() {
		return who, nil
	}
	id, err := strconv.ParseInt(given[0], 10, 64)
	if err != nil || len(given) > 1 {
		id = 0
	}
	return a.config.Enter(r.Context(), who, id)
}
