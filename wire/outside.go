package wire

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"tilth/adapters/cli"
	"tilth/adapters/engine"
	"tilth/adapters/exchange"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/mapfile"
	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/imagery/synthetic"
	"tilth/adapters/mail"
	"tilth/adapters/persistence/envelope"
	"tilth/app/account"
	"tilth/app/demo"
	"tilth/app/satellite"
	"tilth/app/satellite/fieldlayers"
	"tilth/app/soil"
	"tilth/app/soil/library"
	"tilth/core/assessment"
	"tilth/core/assessment/climate"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// openImagery chooses the imagery source by its address: a folder, a STAC API, or by default the open API.
// files keeps what is read from it; nil: in memory.
func openImagery(cfg cli.Config, files *cog.Reader, log *slog.Logger) (ports.Imagery, error) {
	address := cfg.ImageryURL
	if address == "" {
		address = cli.DefaultSTAC
	}
	switch {
	case strings.HasPrefix(address, "https://"), strings.HasPrefix(address, "http://"):
		return stac.New(address, stac.Options{Remote: remote.Options{Requests: cfg.ImageryRequests, Silence: cfg.ImageryTimeout}, Files: files})
	case strings.Contains(address, "://") && !strings.HasPrefix(address, "file://"):
		return nil, fault.Newf(fault.Invalid, "imagery_url", "%q is neither a folder nor an http(s) address.", address)
	default:
		return catalog.Open(strings.TrimPrefix(address, "file://"), catalog.WithLog(log), catalog.WithFiles(files))
	}
}

// keptImagery returns the reader that keeps blocks of imagery on disk, as configured; nil: memory alone.
func keptImagery(cfg cli.Config, log *slog.Logger) *cog.Reader {
	if cfg.ImageryCache == 0 {
		return nil
	}
	return cog.NewReader(cog.DefaultCache).KeepOnDisk(cfg.ImageryCacheDir, cfg.ImageryCache<<20, log)
}

// elevationsOf returns the elevation models of an imagery source; nil where it cannot hold any.
func elevationsOf(source ports.Imagery) ports.Elevations {
	elevations, _ := source.(ports.Elevations)
	return elevations
}

// layersOf returns the dates of maps, of which those that were read last stay in memory.
func layersOf(objects ports.Objects) *mapfile.Layers {
	return mapfile.NewLayers(objects, mapfile.DefaultCache)
}

// layerMakers returns what makes the maps that have no dates.
func layerMakers(zoning *fieldlayers.Zoning, land *soil.Covariates) satellite.LayerMakers {
	return satellite.LayerMakers{
		credit.ZoningMap: zoning, credit.ElevationMap: &fieldlayers.Elevation{Covariates: land}, credit.SoilMap: &fieldlayers.Soils{Covariates: land},
	}
}

// makeDemo makes the synthetic archive, where it is missing, and returns what of it to load.
func makeDemo(ctx context.Context, dir string) (demo.Plan, error) {
	archive, err := synthetic.Make(ctx, dir, synthetic.Options{})
	if err != nil {
		return demo.Plan{}, err
	}
	plan := demo.Plan{From: archive.From, To: archive.To}
	for _, p := range archive.Parcels {
		if p.Name != synthetic.WalkField {
			plan.Parcels = append(plan.Parcels, demo.Parcel{Name: p.Name, CropSlug: p.Crop, Boundary: p.Boundary})
		}
	}
	plan.Before = func(ctx context.Context) (demo.Season, error) {
		season, err := synthetic.AddBefore(ctx, dir, synthetic.Options{})
		return demo.Season{From: season.From, To: season.To, Crops: season.Crops}, err
	}
	return plan, nil
}

// openEngines makes the built-in calculation engine and, where it is configured, the external one.
func openEngines(cfg cli.Config) (ports.Engines, error) {
	if cfg.EngineURL == "" {
		return engine.NewRegistry(), nil
	}
	external, err := engine.NewExternal(engine.ExternalOptions{ID: cfg.EngineID, URL: cfg.EngineURL, Token: cfg.EngineToken})
	if err != nil {
		return nil, err
	}
	return engine.NewRegistry(external), nil
}

// issuersOf returns the issuers whose access tokens the configuration accepts.
func issuersOf(cfg cli.Config) account.Issuers {
	out := account.Issuers{BuiltInOff: !cfg.BuiltinIssuer}
	if external := externalIssuer(cfg); external != nil {
		out.External = external
		if provider := identity.NewProvider(external); provider != nil {
			out.Provider = provider
		}
	}
	return out
}

// externalIssuer returns the OpenID Connect issuer of the configuration; nil: none.
func externalIssuer(cfg cli.Config) *identity.External {
	if cfg.OIDCIssuer == "" {
		return nil
	}
	return identity.NewExternal(identity.ExternalConfig{
		Issuer: cfg.OIDCIssuer, Audience: cfg.OIDCAudience, ClientID: cfg.OIDCClientID, ClientSecret: cfg.OIDCClientSecret, EmailClaim: cfg.OIDCEmailClaim,
		UnverifiedEmail: !cfg.OIDCVerified, Clock: identity.Clock{},
	})
}

// openSecrets reads the keys that stored secrets are sealed with; nil: none.
func openSecrets(cfg cli.Config) (*envelope.Box, error) {
	text := cfg.SecretKey
	if cfg.SecretKeyFile != "" {
		raw, err := os.ReadFile(cfg.SecretKeyFile)
		if err != nil {
			return nil, fault.New(fault.Invalid, "secret_key", "TILTH_SECRET_KEY_FILE does not name a readable file.").Because(err)
		}
		if text = strings.TrimSpace(string(raw)); text == "" {
			return nil, fault.Newf(fault.Invalid, "secret_key", "The file %s of TILTH_SECRET_KEY_FILE is empty. Fix: `tilth secret create > %[1]s`.", cfg.SecretKeyFile)
		}
	}
	return envelope.New(text)
}

// holdFiles refuses a store of files that is not the database's. A store that is unavailable now does not prevent the start:
// requests that need no file are answered, and /readyz says what is missing.
func (r *Running) holdFiles(ctx context.Context) error {
	err := r.parts.Operating.HoldFiles(ctx, r.files)
	if fault.Is(err, fault.Unavailable) && r.db.Ping(ctx) == nil {
		r.log.WarnContext(ctx, "the store of files is unavailable; what needs no file continues", "error", err)
		return nil
	}
	return err
}

// newLibrary makes the use cases of registered rasters over a database and the store of files.
func newLibrary(files ports.Objects, store ports.Store) *library.Layers {
	return &library.Layers{Store: store, Objects: files, Rasters: surfaces.Stored{Objects: files}, Clock: identity.Clock{}}
}

// assessmentTable makes the table of sections from the built-in mapping of input values to factors.
func assessmentTable() *assessment.Table {
	mapping, err := engine.Mapping()
	if err != nil {
		panic("wire: the built-in mapping is broken: " + err.Error())
	}
	return assessment.NewTable(mapping)
}

// openMail makes the sender of letters: the configured mail server, or one that prints them (nil: standard error).
func openMail(cfg cli.Config, out io.Writer, log *slog.Logger) (ports.Mailer, error) {
	if cfg.SMTPURL != "" {
		return mail.NewSMTP(cfg.SMTPURL, cfg.MailFrom, mail.Options{})
	}
	if out == nil {
		out = os.Stderr
	}
	return mail.NewPrinter(out, log), nil
}

// newPostman makes the use case that sends letters.
func newPostman(cfg cli.Config, store ports.Store, out io.Writer, log *slog.Logger) (*account.LetterSender, error) {
	mailer, err := openMail(cfg, out, log)
	if err != nil {
		return nil, err
	}
	return &account.LetterSender{
		Store: store, Mailer: mailer, Clock: identity.Clock{}, IDs: identity.Random{}, Links: account.LinksAt(cfg.Base(cfg.Addr)), Log: log,
	}, nil
}

// readClimate reads the climate file of the configuration; nil where it names none.
func readClimate(cfg cli.Config) (*climate.File, error) {
	if cfg.ClimateFile == "" {
		return nil, nil
	}
	file, err := os.Open(cfg.ClimateFile)
	if err != nil {
		return nil, fmt.Errorf("TILTH_CLIMATE_FILE: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	out, err := exchange.ReadClimate(file, cfg.ClimateDistance)
	if known, ok := fault.As(err); ok {
		return nil, fmt.Errorf("TILTH_CLIMATE_FILE, %s: %s", cfg.ClimateFile, strings.Join(known.Fields.Messages()["file"], " "))
	}
	return out, err
}
