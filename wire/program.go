package wire

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"tilth/adapters/certificate"
	"tilth/adapters/cli"
	"tilth/adapters/exchange"
	"tilth/adapters/exchange/companyfile"
	"tilth/adapters/http/rest"
	v12 "tilth/adapters/http/v12"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/objects"
	"tilth/adapters/persistence"
	"tilth/adapters/persistence/envelope"
	"tilth/adapters/persistence/sqlstore"
	"tilth/adapters/render"
	"tilth/app/account"
	auditapp "tilth/app/audit"
	"tilth/app/ghg"
	evidenceapp "tilth/app/ghg/evidence"
	"tilth/app/idempotency"
	"tilth/app/moving"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/app/soil/offline"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
	"tilth/ports"
)

// What is set when the binary is built.
var version, commit, date = "dev", "unknown", "unknown"

// Program is the assembled product, as the command line sees it.
type Program struct{}

var _ cli.Program = Program{}

// NewSecretKey makes a key for stored secrets.
func (Program) NewSecretKey() string { return envelope.NewKey() }

// CreateCertificate implements cli.Program.
func (Program) CreateCertificate(folder string, names []string, days int) (authority, file, key string, err error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	err = certificate.Create(folder, names, days, identity.Clock{}.Now())
	return in(certificate.AuthorityFile), in(certificate.ServerFile), in(certificate.ServerKeyFile), err
}

// Build implements cli.Program.
func (Program) Build() cli.Build { return cli.Build{Version: version, Commit: commit, Date: date} }

// ReadCrops reads a crop catalog.
func (Program) ReadCrops(r io.Reader) ([]farm.Crop, error) { return exchange.ReadCrops(r) }

func openDatabase(ctx context.Context, cfg cli.Config, log *slog.Logger) (*persistence.Database, error) {
	return openThrough(ctx, cfg, log, through{})
}

// through is what stands between the program and its database.
type through struct {
	connect  sqlstore.Connect // nil except in simulations of failures
	observer ports.Observer   // of statements; nil: none
	standby  bool             // long reads go to the copy that the configuration names
}

func openThrough(ctx context.Context, cfg cli.Config, log *slog.Logger, via through) (*persistence.Database, error) {
	box, err := openSecrets(cfg)
	if err != nil {
		return nil, err
	}
	copied := ""
	if via.standby {
		copied = cfg.DatabaseReadURL
	}
	return persistence.Open(ctx, cfg.DatabaseURL, persistence.Options{
		ReadURL: copied,
		Secrets: box, Clock: identity.Clock{}, IDs: identity.Random{}, Logger: log, BeforeCommit: idempotency.BeforeCommit(ghg.SettleRollups),
		Connect: via.connect, Observer: via.observer,
		StatementTimeout: cfg.StatementTimeout, PoolWait: cfg.PoolWait,
	})
}

// Open opens the database and the operator's use cases.
func (Program) Open(ctx context.Context, cfg cli.Config, log *slog.Logger, migrate bool) (*cli.Opened, error) {
	engines, err := openEngines(cfg)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	op := newOperating(db, identity.PasswordMemory(cfg.PasswordMemory), engines)
	if err := prepare(ctx, db, op, migrate); err != nil {
		_ = db.Close()
		return nil, err
	}
	files, err := objects.Open(cfg.ObjectsURL)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &cli.Opened{Operating: op, Files: files, Layers: newLibrary(files, db), Verifier: &auditapp.Verifier{Store: db}, Mover: newMover(db, files), Close: db.Close}, nil
}

// newMover makes the use cases of companies that move.
func newMover(db ports.Store, files ports.Objects) *moving.Mover {
	return &moving.Mover{
		Store: db, Objects: files, Files: companyfile.Files{}, Chains: &auditapp.Sequencer{Store: db, Clock: identity.Clock{}, IDs: identity.Random{}},
		Clock: identity.Clock{}, IDs: identity.Random{}, Version: programVersion(),
	}
}

func programVersion() moving.Version { return moving.Version(version) }

// prepare brings a database to the schema of this version, with a signing key and the crop catalog.
func prepare(ctx context.Context, db *persistence.Database, op *operating.Operating, migrate bool) error {
	if migrate {
		if _, err := db.Migrator().Up(ctx); err != nil {
			return err
		}
	} else if n, err := db.Migrator().Pending(ctx); err != nil || n > 0 {
		if err == nil {
			err = fault.Newf(fault.Precondition, "migrations_pending", "%d migrations are pending; run `tilth migrate up`.", n)
		}
		return err
	}
	if err := db.CheckSecrets(ctx); err != nil {
		return err
	}
	if err := op.EnsureSigningKey(ctx); err != nil {
		return err
	}
	return op.SeedCrops(ctx, exchange.BuiltInCrops)
}

// Series makes the computation of a series over an imagery address.
func (Program) Series(_ context.Context, cfg cli.Config) (*satellite.Computer, error) {
	source, err := openImagery(cfg, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return &satellite.Computer{Imagery: source}, nil
}

// DrawSeries draws a series as SVG.
func (Program) DrawSeries(w io.Writer, s vegetation.Series, from, to time.Time) error {
	return render.Charts{}.DrawSeries(context.Background(), w, ports.SVG, ports.SeriesChart{Series: s, From: from, To: to, Note: "No accepted date"})
}

// SeriesSheet writes a series as CSV.
func (Program) SeriesSheet(w io.Writer, s vegetation.Series) error {
	return exchange.Sheets{}.SeriesSheet(w, ports.CSV, s)
}

// OpenAPI returns the interface document.
func (Program) OpenAPI() ([]byte, error) { return Routed().OpenAPI() }

// Routed returns the interface with every route and nothing behind it.
func Routed() *rest.API {
	a := rest.New(interfaceConfig(cli.Config{}))
	v12.Register(a, newInterface(nil, nil, account.Issuers{}, 0, nil, nil, nil, nil, geo.DefaultLimits(), evidenceapp.Bounds{}, soil.PhotoBounds{}, nil, slog.New(slog.DiscardHandler)))
	return a
}

// CurveFiles reads and writes the files of crop verification.
func (Program) CurveFiles() cli.CurveFiles { return exchange.Curves{} }

// ReadCells reads a table of cells.
func (Program) ReadCells(r io.Reader, layers []string) (layer.Table, error) {
	return exchange.ReadCells(r, layers)
}

// Zoning makes zones of tables and rasters.
func (Program) Zoning() *offline.Zoning { return &offline.Zoning{Surfaces: surfaces.Files{}} }
