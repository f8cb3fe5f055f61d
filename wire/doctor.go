package wire

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/mail"
	"tilth/adapters/messaging/broker"
	"tilth/adapters/objects"
	"tilth/adapters/persistence"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/wire/machine"
)

// oldestClock is a time before any version of this program was built: a clock behind it is wrong.
var oldestClock = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Examine looks at everything the configuration names, and reports how to fix what is wrong.
func (Program) Examine(ctx context.Context, cfg cli.Config, file string) []cli.Finding {
	out := []cli.Finding{{Part: "configuration", OK: true, Detail: "every setting is valid; `tilth config` prints them"}}
	out = append(out, examineDatabase(ctx, cfg)...)
	out = append(out,
		examineBroker(ctx, cfg), examineSecrets(ctx, cfg), machine.Permissions(cfg, file), examineFiles(ctx, cfg), examineImagery(ctx, cfg), examineMail(ctx, cfg), examineIssuer(ctx, cfg), examineAddress(ctx, cfg), examineTLS(ctx, cfg), examineBackups(cfg), machine.Disk(cfg), examineClock())
	return out
}

// examineBroker reports whether events are stored at the broker as they should be.
func examineBroker(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "broker", OK: true, Detail: "none: events and jobs are in the database only"}
	o, err := brokerOptions(cfg, "doctor", slog.New(slog.DiscardHandler))
	if err == nil && len(o.Servers) == 0 {
		return f
	}
	h, err := broker.Examine(ctx, o)
	if err != nil {
		return cli.Failing(f.Part, err, "check TILTH_BROKER_URL, and that one of its servers can be reached; until then events wait in the database")
	}
	f.Detail = h.Server + ", " + cmp.Or(h.Stream, "the stream "+o.Stream+" is made when a server starts")
	for _, advice := range slices.Concat(h.Faults, h.Warnings) {
		f.Detail, f.Fix = f.Detail+"; "+advice.What, cmp.Or(f.Fix, advice.Fix)
	}
	f.OK, f.Warn = len(h.Faults) == 0, len(h.Faults) == 0 && len(h.Warnings) > 0
	return f
}

// examineIssuer asks the identity provider where its keys are.
func examineIssuer(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "sign-in", OK: true, Detail: "with passwords of Tilth"}
	issuer := externalIssuer(cfg)
	if issuer == nil {
		return f
	}
	if err := issuer.Reach(ctx); err != nil {
		return cli.Failing(f.Part, err, "check TILTH_OIDC_ISSUER, which must be spelt as in its tokens, and that this machine reaches it")
	}
	f.Detail = "with tokens of " + cfg.OIDCIssuer
	if cfg.BuiltinIssuer {
		f.Detail += ", and with passwords of Tilth"
	}
	return f
}

func examineDatabase(ctx context.Context, cfg cli.Config) []cli.Finding {
	const part = "database"
	db, err := openDatabase(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return []cli.Finding{cli.Failing(part, err, "check TILTH_DATABASE_URL, and that the server or the folder can be reached and written")}
	}
	defer func() { _ = db.Close() }()
	h, err := db.Check(ctx)
	if err != nil {
		return []cli.Finding{cli.Failing(part, err, "check that the database answers and belongs to this user")}
	}
	out := []cli.Finding{{Part: part, OK: true, Detail: fmt.Sprintf("%s %s at %s", h.Engine, h.Version, h.Location)}}
	if h.JournalMode != "" && h.JournalMode != "wal" {
		out[0].OK = false
		out[0].Fix = "the journal mode is " + h.JournalMode + ", not wal: keep the file on a local disk, not a network share"
	}
	if len(h.Forgetful) > 0 {
		out[0].Warn = true
		out[0].Detail += ": a crash loses what it acknowledged, because " + strings.Join(h.Forgetful, ", ") + " is off"
		out[0].Fix = "turn on what is off in postgresql.conf, or with ALTER SYSTEM SET, and reload the server"
	}
	migrations := cli.Finding{Part: "migrations", OK: h.Pending == 0, Detail: "all applied"}
	if h.Pending > 0 {
		migrations.Detail = fmt.Sprintf("%d pending", h.Pending)
		migrations.Fix = "run `tilth migrate up`; `tilth serve` does it by itself"
		if unused(ctx, db) {
			migrations.OK, migrations.Warn, migrations.Detail = true, true, "none is applied: the database is empty"
		}
	}
	out = append(out, migrations)
	out = append(out, examineConnections(ctx, db)...)
	out = append(out, examineStandby(ctx, cfg)...)
	if h.Pending == 0 {
		out = append(out, examinePartitions(ctx, db)...)
	}
	if h.Unindexed {
		out = append(out, cli.Finding{
			Part: "search", OK: true, Warn: true, Detail: "long lists are searched without an index: the extension pg_trgm is not installed",
			Fix: "install PostgreSQL's contrib modules, then run SELECT make_search_indexes() in the database, as a user who may create extensions and owns the tables",
		})
	}
	return out
}

// unused reports whether no server has run on a database yet.
func unused(ctx context.Context, db *persistence.Database) bool {
	all, err := db.Migrator().Status(ctx)
	return err == nil && !slices.ContainsFunc(all, func(one sqlstore.MigrationStatus) bool { return one.AppliedAt != nil })
}

// examinePartitions reports whether the partitions of big tables are made ahead, and hold what they should.
func examinePartitions(ctx context.Context, db *persistence.Database) []cli.Finding {
	const part = "partitions"
	states, err := db.Partitions(ctx, identity.Clock{}.Now())
	if err != nil {
		return []cli.Finding{cli.Failing(part, err, "check that the database answers")}
	}
	if len(states) == 0 {
		return nil
	}
	f := cli.Finding{Part: part, OK: true}
	var said []string
	for _, s := range states {
		said = append(said, fmt.Sprintf("%s in %d, %d rows in its rest", s.Table, s.Parts, s.Rest))
		f.Warn = f.Warn || s.Behind || s.Rest > 0
	}
	f.Detail = strings.Join(said, "; ")
	if f.Warn {
		f.Fix = "see that a `tilth serve` or `tilth worker` runs: every ten minutes it makes partitions ahead, and moves rows of the rest into theirs, except those with times far ahead"
	}
	return []cli.Finding{f}
}

// farBehind is how many seconds a copy may be behind before the doctor warns: long reads go to the primary then.
const farBehind = 10

// examineStandby reports whether the copy for long reads is one, and how far it is behind.
func examineStandby(ctx context.Context, cfg cli.Config) []cli.Finding {
	if cfg.DatabaseReadURL == "" {
		return nil
	}
	const part = "replica"
	db, err := openThrough(ctx, cfg, slog.New(slog.DiscardHandler), through{standby: true})
	if err != nil {
		return nil // the finding of the database says so
	}
	defer func() { _ = db.Close() }()
	s, err := db.ExamineStandby(ctx)
	if err != nil {
		return []cli.Finding{cli.Failing(part, err, "check TILTH_DATABASE_READ_URL; until then everything is read from the primary")}
	}
	f := cli.Finding{Part: part, OK: true, Detail: s.Where}
	if s.BehindS != nil {
		f.Detail += fmt.Sprintf(", %.1f seconds behind", *s.BehindS)
		if *s.BehindS > farBehind {
			f.Warn, f.Fix = true, "look at pg_stat_replication of the primary: the network, or a standby that is too slow"
		}
	}
	return []cli.Finding{f}
}

// examineConnections reports whether all servers of the database can open the connections that they may.
func examineConnections(ctx context.Context, db *persistence.Database) []cli.Finding {
	b, err := db.Budget(ctx)
	switch {
	case err != nil:
		return []cli.Finding{cli.Failing("connections", err, "check that the database answers")}
	case b.Limit == 0:
		return nil
	}
	f := cli.Finding{Part: "connections", OK: true}
	f.Detail = fmt.Sprintf("%d servers are running, which may open %d connections; one with this configuration may open %d; the database accepts %d", b.Servers, b.Conns, b.Own, b.Limit)
	if max(b.Conns, b.Own) > b.Limit {
		f.Warn = true
		f.Fix = fmt.Sprintf("put pool_max_conns=%d into TILTH_DATABASE_URL of each server, or raise max_connections of PostgreSQL", b.Pool)
	}
	return []cli.Finding{f}
}

// maxUnsealed bounds how many unsealed secrets are counted.
const maxUnsealed = 1000

// examineSecrets reports whether stored secrets are sealed.
func examineSecrets(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "secrets", OK: true, Detail: "stored secrets are sealed with a key of this configuration"}
	db, err := openDatabase(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Finding{Part: f.Part, Detail: err.Error(), Fix: "check TILTH_SECRET_KEY and TILTH_SECRET_KEY_FILE, then the database"}
	}
	defer func() { _ = db.Close() }()
	if n, err := db.Migrator().Pending(ctx); err != nil || n > 0 {
		f.Warn, f.Detail = true, "not known until all migrations are applied"
		return f
	}
	if err := db.HoldsSecrets(ctx); err != nil {
		f.OK, f.Detail, f.Fix = false, err.Error(), "set TILTH_SECRET_KEY or TILTH_SECRET_KEY_FILE to the key that is named"
		return f
	}
	if cfg.SecretKey == "" && cfg.SecretKeyFile == "" {
		f.Warn, f.Detail = true, unsealed
		f.Fix = "put the output of `tilth secret create` into a file that only this user can read, name it in TILTH_SECRET_KEY_FILE, and run `tilth secret rotate`"
		return f
	}
	op := newOperating(db, identity.PasswordMemory(cfg.PasswordMemory), nil)
	if n, err := op.UnsealedSecrets(ctx, maxUnsealed); err != nil || n > 0 {
		f.Warn, f.Detail, f.Fix = true, fmt.Sprintf("at least %d stored secrets are not sealed with the current key", n), "run `tilth secret rotate`"
		return f
	}
	return f
}

// examineFiles reports whether the store of files answers, and belongs to the database.
func examineFiles(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "files"}
	files, err := objects.Open(cfg.ObjectsURL)
	if err != nil {
		return cli.Failing(f.Part, err, "check TILTH_OBJECTS_URL")
	}
	f.Detail = files.Describe()
	if err := files.Check(ctx); err != nil {
		if known, ok := fault.As(err); ok && known.Cause != nil {
			err = known.Cause // says more than what callers are told
		}
		out := cli.Failing(f.Part, err, "check TILTH_OBJECTS_URL, the network, and who may read and write there")
		out.Detail = f.Detail + ": " + out.Detail
		return out
	}
	db, err := openDatabase(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Warn, f.Detail = true, f.Detail+"; whether they are those of the database is not known until it can be opened"
		f.OK = true
		return f
	}
	defer func() { _ = db.Close() }()
	f.OK = true
	if n, err := db.Migrator().Pending(ctx); err != nil || n > 0 {
		f.Warn, f.Detail = true, f.Detail+"; whether they are those of the database is not known until all migrations are applied"
		return f
	}
	tied, err := newOperating(db, identity.PasswordMemory(cfg.PasswordMemory), nil).CheckFiles(ctx, files)
	switch {
	case err != nil:
		return cli.Failing(f.Part, err, "check TILTH_OBJECTS_URL")
	case !tied:
		f.Detail += "; the first start ties them to the database"
	}
	return f
}

// unsealed is the warning of an installation without a key.
const unsealed = "stored secrets (keys of access tokens, secrets of webhooks) are not sealed: anyone who copies the database can use them"

const (
	maxTroubles    = 5                // how many documents of a folder are named
	imageryTimeout = 15 * time.Second // how long an imagery source may take to answer
)

func examineImagery(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "imagery"}
	source, err := openImagery(cfg, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Detail, f.Fix = err.Error(), "TILTH_IMAGERY_URL must be a folder that holds a catalog.json, or the address of a STAC API"
		return f
	}
	f.Detail = source.Describe()
	ctx, cancel := context.WithTimeout(ctx, imageryTimeout)
	defer cancel()
	// A small search anywhere proves that the source answers.
	square := geo.MultiPolygon{{{{X: 5, Y: 50}, {X: 5.001, Y: 50}, {X: 5.001, Y: 50.001}, {X: 5, Y: 50.001}, {X: 5, Y: 50}}}}
	day := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	if _, err := source.Search(ctx, square, day, day.AddDate(0, 0, 5)); err != nil {
		f.Detail += ": " + err.Error()
		f.Fix = "check the network, or give TILTH_IMAGERY_URL a folder with a static catalog"
		return f
	}
	f.OK = true
	if folder, ok := source.(*catalog.Catalog); ok {
		if troubles := folder.Troubles(); len(troubles) > 0 {
			f.OK = false
			f.Detail += fmt.Sprintf("; %d of its documents cannot be used: %s", len(troubles), strings.Join(troubles[:min(len(troubles), maxTroubles)], " "))
			f.Fix = "fix or remove these documents; what they describe is rejected with the reason error, or not seen at all"
		}
	}
	return f
}

// examineMail asks the mail server for an answer.
func examineMail(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "mail", OK: true}
	mailer, err := openMail(cfg, io.Discard, slog.New(slog.DiscardHandler))
	if err != nil {
		f.OK, f.Detail, f.Fix = false, err.Error(), "check TILTH_SMTP_URL and TILTH_MAIL_FROM"
		return f
	}
	f.Detail = mailer.Describe()
	if cfg.SMTPURL == "" {
		f.Detail += "; alerts of watched fields are sent only by streams and webhooks"
	}
	if server, ok := mailer.(*mail.SMTP); ok {
		if err := server.Check(ctx); err != nil {
			f.OK, f.Detail = false, f.Detail+": "+err.Error()
			f.Fix = "check the host, the port, the user and the password in TILTH_SMTP_URL"
		}
	}
	return f
}

func examineAddress(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "address", OK: true, Detail: cfg.Addr + " is free"}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		// An address that a running server has taken is no failure.
		f.Detail = cfg.Addr + " is in use: " + err.Error()
		f.Fix = "fine if Tilth runs already; otherwise choose another TILTH_ADDR"
		return f
	}
	_ = listener.Close()
	return f
}

func examineClock() cli.Finding {
	now := identity.Clock{}.Now()
	f := cli.Finding{Part: "clock", OK: now.After(oldestClock), Detail: now.Format(time.RFC3339)}
	if !f.OK {
		f.Fix = "the clock is in the past: set it, tokens and seasons depend on it"
	}
	return f
}
