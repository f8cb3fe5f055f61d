package rest

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/uptrace/bunrouter"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Bounds of a request, where the configuration sets none.
const (
	DefaultMaxBody = 8 << 20 // bytes
	DefaultMaxBulk = 1000    // items
)

// Config is what the interface is made with.
type Config struct {
	Base        string // path of the service root, with a slash at both ends; required
	Title       string
	Version     string
	Description string        // CommonMark
	MaxBody     int64         // bytes of a body; 0: DefaultMaxBody
	MaxBulk     int           // items of a bulk; 0: DefaultMaxBulk
	BodyTimeout time.Duration // between two reads of a body; 0: no bound
	Origins     Origins

	// Authenticate returns the caller of an access token. Faults: Unauthenticated.
	Authenticate func(ctx context.Context, token string) (access.Principal, error)
	// AuthenticateKey returns the caller of an API key; nil where keys are not accepted.
	AuthenticateKey func(ctx context.Context, key string) (access.Principal, error)
	// Enter returns the caller as it acts inside the company that the header X-Company names;
	// nil where the header has no meaning. Faults: Forbidden, NotFound.
	Enter func(ctx context.Context, who access.Principal, companyID int64) (access.Principal, error)
	// Authorize refuses a caller without a permission, and returns the context of the request
	// of one who has it. Faults: Forbidden.
	Authorize func(ctx context.Context, who access.Principal, need access.Permission) (context.Context, error)
	// Once carries a request out once under the key of its caller, or returns the answer that
	// it had; do answers it, and says whether that answer is final. Nil where keys are
	// ignored. Faults: Mismatch, Unavailable, Conflict.
	Once func(ctx context.Context, who access.Principal, key, digest string,
		do func(ctx context.Context) (answer ports.Answer, final bool)) (answer ports.Answer, replayed bool, err error)
	// Logger takes what must not be sent to callers; nil discards it.
	Logger *slog.Logger
	// StreamBeat is the pause after which an event stream sends a sign of life and its caller
	// is checked again; 0: DefaultStreamBeat.
	StreamBeat time.Duration
}

// API is the interface below one base path: an http.Handler, and its document. Routes are
// registered before it serves; it is then safe for concurrent use.
type API struct {
	config    Config
	router    *bunrouter.Router
	group     *bunrouter.Group     // of the base
	endpoints map[string]*endpoint // by pattern
	complete  sync.Once            // once it serves: every method of every path is answered
	schemas   *schemas
	document  *huma.OpenAPI
	codes     map[string]string // documented error codes
}

type operation struct {
	route Route
	run   func(ctx context.Context, c *Call) (answer, error)
}

// New makes an interface without routes.
func New(config Config) *API {
	if config.MaxBody == 0 {
		config.MaxBody = DefaultMaxBody
	}
	if config.MaxBulk == 0 {
		config.MaxBulk = DefaultMaxBulk
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	a := &API{config: config, endpoints: map[string]*endpoint{}, schemas: newSchemas(), codes: map[string]string{}}
	a.router, a.group = a.newRouter()
	a.document = a.newDocument()
	return a
}

// Base is the path of the service root.
func (a *API) Base() string { return a.config.Base }

// Covers reports whether a path is below the base, so that this interface answers it.
func (a *API) Covers(path string) bool {
	return strings.HasPrefix(path+"/", a.config.Base)
}

// NoSuchPath is the fault of a path that nothing answers.
func NoSuchPath(r *http.Request) error {
	return fault.Newf(fault.NotFound, "not_found", "There is nothing at %s.", clip(r.URL.Path))
}

// register adds a route to the router and to the document.
func (a *API) register(r Route, result *huma.Schema, run func(context.Context, *Call) (answer, error)) {
	if err := r.check(); err != nil {
		panic(err)
	}
	pattern := a.config.Base + r.Path + "/"
	a.mount(pattern, &operation{route: r, run: run})
	a.describe(r, pattern, result)
}

func (a *API) run(op *operation, c *Call) error {
	ctx := c.request.Context()
	if !op.route.Public {
		who, err := a.caller(c.request, op.route.APIKey)
		if err != nil {
			return err
		}
		c.principal = who
		trace := TraceOf(ctx)
		trace.UserID, trace.CompanyID = who.UserID, who.CompanyID
	}
	if need := op.route.Permission; need.Slug() != "" {
		var err error
		if ctx, err = a.config.Authorize(ctx, c.principal, need); err != nil {
			return err
		}
	}
	return a.once(ctx, op, c)
}

// caller finds who calls, in the company that the request names.
func (a *API) caller(r *http.Request, key bool) (access.Principal, error) {
	who, err := a.authenticate(r, key)
	if err != nil {
		return who, err
	}
	return a.enter(r, who)
}

// carryOut runs a request whose caller may make it, and answers it.
func (a *API) carryOut(ctx context.Context, op *operation, c *Call) error {
	out, err := op.run(ctx, c)
	if err != nil {
		return err
	}
	return out.answer(c)
}

// authenticate finds the caller. A token comes first; a key is looked at where the route
// takes one and there is no token.
func (a *API) authenticate(r *http.Request, key bool) (access.Principal, error) {
	header := r.Header.Get("Authorization")
	if header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		token = strings.TrimSpace(token)
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "Write the header as Authorization: Bearer <token>.")
		}
		return a.config.Authenticate(r.Context(), token)
	}
	if key && a.config.AuthenticateKey != nil {
		given := r.Header.Get("X-API-Key")
		if given == "" {
			given = r.URL.Query().Get("api_key")
		}
		if given != "" {
			return a.config.AuthenticateKey(r.Context(), given)
		}
	}
	return access.Principal{}, fault.New(fault.Unauthenticated, "not_authenticated", "Authentication credentials were not provided.")
}
