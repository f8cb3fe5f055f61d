package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/adapters/certificate"
	"tilth/adapters/cli"
	"tilth/adapters/console"
	"tilth/adapters/engine"
	"tilth/adapters/guide"
	"tilth/adapters/http"
	"tilth/adapters/http/limit"
	"tilth/adapters/http/rest"
	v12 "tilth/adapters/http/v12"
	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/adapters/messaging/broker"
	"tilth/adapters/messaging/hooks"
	"tilth/adapters/objects"
	"tilth/adapters/persistence"
	"tilth/adapters/persistence/sqlstore"
	"tilth/adapters/telemetry"
	"tilth/app"
	auditapp "tilth/app/audit"
	"tilth/app/caps"
	"tilth/app/demo"
	"tilth/app/events"
	farmapp "tilth/app/farm"
	outlinesapp "tilth/app/farm/outlines"
	ghgapp "tilth/app/ghg"
	cropcheckapp "tilth/app/ghg/cropcheck"
	evidenceapp "tilth/app/ghg/evidence"
	"tilth/app/ghg/exchange"
	"tilth/app/idempotency"
	"tilth/app/moving"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/geo"
	"tilth/docs"
	"tilth/ports"
	"tilth/wire/heap"
)

// Running is an assembled server, not yet serving.
type Running struct {
	cfg   cli.Config
	log   *slog.Logger
	db    *persistence.Database
	parts *parts
	files ports.Objects
	// checkStore asks whether the store of files can be used now.
	checkStore func(ctx context.Context) error
	http       *http.Server
	pool       *messaging.Pool
	bus        *messaging.Bus

	broker *broker.Broker // nil: none is configured
	sender *hooks.Sender
	hooks  *messaging.Pool
	chores *messaging.Pool
	acme   *certificate.ACME // nil: certificates are not fetched
	leave  func() error      // ends the presence of this server at the database

	eyes    *telemetry.Telemetry
	figures *prometheus.Registry
	replica string // the name of this process: a UUID
	roles   cli.Roles
	demo    *demo.Plan // nil: nothing of the demonstration is to be made while it serves
}

// Assemble opens the database, brings it up to date, and puts a server together.
func Assemble(ctx context.Context, cfg cli.Config, log *slog.Logger, opts cli.ServeOptions) (*Running, error) {
	go func() { _, _ = engine.Mapping() }() // while the database is opened: the table of sections needs it
	var plan demo.Plan
	if opts.Demo {
		var err error
		if plan, err = makeDemo(ctx, cfg.DemoDir); err != nil {
			return nil, fmt.Errorf("make the demo's imagery: %w", err)
		}
		if cfg.ImageryURL == "" {
			cfg.ImageryURL = cfg.DemoDir
		} else if cfg.ImageryURL != cfg.DemoDir {
			plan.Before = nil // the archive is another one, and has the seasons that it has
		}
	}
	r := &Running{cfg: cfg, log: log, replica: identity.Random{}.UUID()}
	if opts.Demo && !opts.Sparse {
		r.demo = &plan
	}
	var err error
	if r.roles, err = cfg.ProcessRoles(); err != nil {
		return nil, fmt.Errorf("TILTH_ROLES: %w", err)
	}
	if r.eyes, r.figures, err = openTelemetry(cfg, r.replica, log); err != nil {
		return nil, err
	}
	if err := r.assemble(ctx, opts, plan); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// assemble puts the parts together.
func (r *Running) assemble(ctx context.Context, opts cli.ServeOptions, plan demo.Plan) error {
	cfg, log := r.cfg, r.log
	source := r.openImagery(opts) // while the database is opened: an archive may be long
	stored, err := objects.Open(cfg.ObjectsURL)
	if err != nil {
		return err
	}
	var files ports.Objects = stored
	var connect sqlstore.Connect
	if opts.Failures != nil {
		connect = opts.Failures.Connect
		if through := opts.Failures.Objects; through != nil {
			files = through(files)
		}
	}
	weather, err := readClimate(cfg)
	if err != nil {
		return err
	}
	engines, err := openEngines(cfg)
	if err != nil {
		return err
	}
	if r.db, err = openThrough(ctx, cfg, log, through{connect: connect, observer: r.eyes.Tracer(), standby: true}); err != nil {
		return err
	}
	if err := watchDatabase(r.eyes, r.figures, r.db); err != nil {
		return err
	}
	if r.broker, err = openBroker(cfg, r.replica, log); err != nil {
		return err
	}
	if r.broker != nil {
		if err := telemetry.WatchBroker(r.figures, r.broker.Traffic); err != nil {
			return err
		}
	}
	r.sender = hooks.New(hooks.Rules{AllowHTTP: cfg.WebhookAllowHTTP, AllowPrivate: cfg.WebhookAllowPrivate}, version)
	imagery, err := source()
	if err != nil {
		return fmt.Errorf("open the imagery source: %w", err)
	}
	store := app.Joining(idempotency.Guard(caps.Guard(r.eyes.Store(r.db), capsOf(cfg), identity.Clock{})))
	r.parts = newParts(store, r.eyes.Imagery(imagery), files, issuersOf(cfg), identity.PasswordMemory(cfg.PasswordMemory), r.eyes.Hooks(r.sender), engines, limitsOf(cfg), boundsOf(cfg), photoBoundsOf(cfg), weather, log)
	r.parts.Once.Kept = cfg.KeepAnswers
	r.parts.Intake.Sizes, r.parts.Bulk.Sizes = opts.Batches, opts.Batches
	r.files, r.checkStore = files, stored.Check
	if r.leave, err = r.db.Attend(ctx); err == nil {
		err = r.prepare(ctx, opts, plan)
	}
	if err != nil {
		return err
	}
	if cfg.SecretKey == "" && cfg.SecretKeyFile == "" {
		log.Warn(unsealed, "fix", "set TILTH_SECRET_KEY_FILE; see `tilth doctor`")
	}
	log.Info("assembled", "version", version, "database", r.db.Describe(), "imagery", imagery.Describe())
	return nil
}

// openImagery begins to open the imagery source, and returns a function that waits for it.
func (r *Running) openImagery(opts cli.ServeOptions) func() (ports.Imagery, error) {
	if opts.Imagery != nil {
		return func() (ports.Imagery, error) { return opts.Imagery, nil }
	}
	open := sync.OnceValues(func() (ports.Imagery, error) { return openImagery(r.cfg, keptImagery(r.cfg, r.log), r.log) })
	go func() { _, _ = open() }()
	return open
}

func capsOf(cfg cli.Config) caps.Caps {
	return caps.Caps{
		APIKeys: cfg.MaxAPIKeys, Invitations: cfg.MaxInvitations, Webhooks: cfg.MaxWebhooks, PACTClients: cfg.MaxPACTClients, Jobs: cfg.MaxPendingJobs,
		OneEach: []string{farmapp.OverlapJob},
	}
}

// close leaves the database, and sends the telemetry that has not been sent yet.
func (r *Running) close() (err error) {
	if r.leave != nil {
		err = r.leave()
	}
	r.flush()
	if r.broker != nil {
		err = errors.Join(err, r.broker.Close())
	}
	if r.db != nil {
		err = errors.Join(err, r.db.Close())
	}
	return err
}

// prepare makes the database ready, and at the same time the interface, which does not ask the database before the first request.
func (r *Running) prepare(ctx context.Context, opts cli.ServeOptions, plan demo.Plan) error {
	made := make(chan error, 1)
	go func() { made <- r.makeInterface() }()
	err := errors.Join(r.prepareData(ctx, opts, plan), <-made)
	if err == nil && r.acme != nil {
		err = r.acme.Load(ctx)
	}
	return err
}

func (r *Running) prepareData(ctx context.Context, opts cli.ServeOptions, plan demo.Plan) error {
	if err := prepare(ctx, r.db, r.parts.Operating, !opts.NoMigrate); err != nil {
		return err
	}
	if err := r.holdFiles(ctx); err != nil {
		return err
	}
	if opts.Demo {
		if err := r.parts.Demo.Load(ctx, plan); err != nil {
			return fmt.Errorf("load the demo: %w", err)
		}
	}
	chores := r.newChores()
	if err := chores.Start(ctx); err != nil {
		return err
	}
	r.chores = r.newChorePool(chores)
	postman, err := newPostman(r.cfg, r.db, opts.Out, r.log)
	if err != nil {
		return err
	}
	r.pool = r.newJobPool(postman)
	r.bus = r.newBus(opts.Failures)
	r.hooks = r.newHookPool()
	for _, pool := range []*messaging.Pool{r.pool, r.hooks, r.chores} {
		r.eyes.Kinds(slices.Sorted(maps.Keys(pool.Handlers))...)
	}
	return nil
}

// makeInterface makes the HTTP server.
func (r *Running) makeInterface() error {
	proxies, err := r.cfg.Proxies()
	if err != nil {
		return err
	}
	secure, keeper, err := certificates(r.cfg, r.db.Certificates(), r.log)
	if err != nil {
		return err
	}
	r.acme = keeper
	config := interfaceConfig(r.cfg)
	config.Once, config.Lean = r.parts.Once.Do, heap.Lean
	baseMap, err := console.OpenBaseMap(r.cfg.BasemapURL)
	if err != nil {
		return fmt.Errorf("TILTH_BASEMAP_URL: %w", err)
	}
	screens, err := console.New(baseMap)
	if err != nil {
		return err
	}
	guides, err := guide.New(docs.Files)
	if err != nil {
		return err
	}
	r.http, err = http.New(http.Config{
		Interface:       config,
		CORSOrigins:     r.cfg.Origins(),
		PublicURL:       r.cfg.PublicURL,
		Hosts:           r.cfg.AllowedHosts(),
		TrustedProxies:  proxies,
		Rates:           limit.Rates{Caller: r.cfg.RateLimit, Company: r.cfg.CompanyRateLimit, SignIn: r.cfg.SignInRateLimit},
		ShutdownTimeout: r.cfg.ShutdownTimeout,
		StallTimeout:    r.cfg.StallTimeout,
		TLS:             secure,
		Build:           version,
	}, http.Deps{
		Authenticate:        r.parts.Interface.Account.Identity.Authenticate,
		AuthenticateKey:     r.parts.Interface.Account.Identity.AuthenticateKey,
		AuthenticateSession: r.parts.Interface.Account.Identity.AuthenticateSession,
		AuthenticateLink:    r.parts.Interface.Account.Identity.AuthenticateLink,
		Enter:               r.parts.Interface.Account.Identity.Enter,
		Authorize:           r.parts.Gate.Admit,
		Ready:               map[string]func(context.Context) error{"database": r.db.Ping},
		Helps:               r.helps(),
		Rates:               r.db.Rates(),
		Replica:             r.replica,
		Pages:               []http.Pages{guides, screens},
		Register:            func(a *rest.API) { v12.Register(a, r.parts.Interface) },
		Logger:              r.log,
		Now:                 identity.Clock{}.Now,
		NewRequestID:        identity.Random{}.UUID,
		Metrics:             r.figures,
		Observer:            r.eyes.Tracer(),
	})
	return err
}

// boundsOf returns the bounds on files of evidence.
func boundsOf(cfg cli.Config) evidenceapp.Bounds {
	return evidenceapp.Bounds{Bytes: cfg.MaxEvidenceBytes, Files: cfg.MaxEvidenceFiles}
}

// photoBoundsOf returns the bounds on photos of samples.
func photoBoundsOf(cfg cli.Config) soil.PhotoBounds {
	return soil.PhotoBounds{Bytes: cfg.MaxPhotoBytes, Files: cfg.MaxPhotos}
}

// limitsOf returns the bounds on field boundaries.
func limitsOf(cfg cli.Config) geo.Limits {
	limits := geo.DefaultLimits()
	limits.OverlapSteps = cfg.OverlapSteps
	return limits
}

// interfaceConfig describes the HTTP interface.
func interfaceConfig(cfg cli.Config) rest.Config {
	return rest.Config{
		Base: http.DefaultBase, Title: "Tilth", Version: "1.2", MaxBody: cfg.MaxBodyBytes, MaxBulk: cfg.MaxBulk, IgnoreUnknown: cfg.UnknownNames == "ignore", MaxLong: cfg.MaxLongLists,
		Timeout: cfg.RequestTimeout, CompanyShare: cfg.CompanyShare, BulkShare: cfg.BulkShare, BodyMemory: cfg.BodyMemory, AllowPlain: cfg.PACTAllowHTTP,
		Description: "The open back end for growers, food companies and soil-carbon projects.\n\n" +
			"Members, query parameters and columns that are not known are refused (400 `unknown_name`) with the nearest known name; read-only members can be sent back, and are ignored.",
	}
}

// Operating returns the operator's use cases over the same database.
func (r *Running) Operating() *operating.Operating { return r.parts.Operating }

// Setup returns what makes the first company of an empty installation.
func (r *Running) Setup() *operating.Setup { return r.parts.Interface.Account.Setup }

// Tokens returns the issuer of the server's access tokens.
func (r *Running) Tokens() ports.Tokens { return r.parts.Tokens }

// parts is what a running server is made of.
type parts struct {
	Interface  v12.Deps
	Gate       *app.Gate
	Operating  *operating.Operating
	Demo       *demo.Loader
	Worker     *satellite.ProfileWorker
	Refresher  *satellite.Refresher
	FieldMaps  *satellite.MapWorker
	Tokens     ports.Tokens
	Once       *idempotency.Once
	Intake     *outlinesapp.Imports
	Sequencer  *events.Sequencer
	Chains     *auditapp.Sequencer
	Dispatcher *events.Dispatcher
	Aside      *events.Aside
	Courier    *events.Courier
	Messenger  *exchange.Courier
	Assessing  *ghgapp.Assessments
	Overlaps   *farmapp.OverlapChecker
	Strata     *soil.OrderWorker
	Maps       *soil.Maps
	Verifier   *cropcheckapp.Worker
	Bulk       *ghgapp.Batches
	Evidence   *evidenceapp.Files
	Photos     *soil.Photos
	Mover      *moving.Mover
	Exports    *moving.Exports
}
