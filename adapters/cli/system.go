package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tilth/app/operating"
)

func (s *shell) serve() *cobra.Command {
	opts := ServeOptions{Out: s.Out}
	c := &cobra.Command{
		Use: "serve", Short: "Run the server",
		Long: `Run the server: the HTTP interface and the background jobs. The database and its
folder are created if they are missing, and pending migrations are applied first.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.program.Serve(cmd.Context(), s.cfg, s.logger(), opts)
		},
	}
	c.Flags().BoolVar(&opts.Demo, "demo", false, "load the demonstration company, and use its synthetic imagery unless --imagery-url is set")
	c.Flags().BoolVar(&opts.NoMigrate, "no-migrate", false, "refuse a database that needs migrations instead of applying them")
	return c
}

func (s *shell) worker() *cobra.Command {
	return &cobra.Command{Use: "worker", Short: "Run only the background jobs", RunE: func(cmd *cobra.Command, _ []string) error {
		s.cfg.Roles = workerRoles
		return s.program.Serve(cmd.Context(), s.cfg, s.logger(), ServeOptions{})
	}}
}

// Finding is the result of `tilth doctor` for one part.
type Finding struct {
	Part   string `json:"part"`
	OK     bool   `json:"ok"`
	Warn   bool   `json:"warning,omitempty"` // nothing is broken, but somebody should act
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Failing returns the finding of an error, with the fix that the error names or else the usual one.
func Failing(part string, err error, usual string) Finding {
	detail, fix, _ := strings.Cut(err.Error(), " Fix: ")
	return Finding{Part: part, Detail: detail, Fix: cmp.Or(fix, usual)}
}

func (s *shell) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check an installation, and say how to fix what is wrong",
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := s.program.Examine(cmd.Context(), s.cfg, s.file)
			healthy := true
			var b strings.Builder
			for _, f := range findings {
				mark := "ok  "
				switch {
				case !f.OK:
					mark, healthy = "FAIL", false
				case f.Warn:
					mark = "WARN"
				}
				fmt.Fprintf(&b, "%s  %-14s %s\n", mark, f.Part, f.Detail)
				if f.Fix != "" {
					fmt.Fprintf(&b, "      %-14s → %s\n", "", f.Fix)
				}
			}
			if err := s.print(findings, "%s", strings.TrimRight(b.String(), "\n")); err != nil {
				return err
			}
			if !healthy {
				return errors.New("something is wrong, see above")
			}
			return nil
		},
	}
}

func (s *shell) health() *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Ask the process on this machine whether it can work",
		Long: `Ask the process of this configuration on this machine, at TILTH_ADMIN_ADDR, whether it can work
(/readyz). The exit status is 0 if so and 1 if not, as the health checks of containers read it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			said, err := s.program.Ready(cmd.Context(), s.cfg)
			return s.answer(err, json.RawMessage(said), "%s", said)
		},
	}
}

func (s *shell) openapi() *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document", RunE: func(*cobra.Command, []string) error {
		doc, err := s.program.OpenAPI()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.Out, "%s\n", strings.TrimRight(string(doc), "\n"))
		return err
	}}
}

func (s *shell) backup() *cobra.Command {
	c := &cobra.Command{
		Use: "backup FILE", Short: "Back up the database and the stored files, also while serving (SQLite)",
		Long: `Write the database, in the state of one moment, and the stored files into a new tar archive,
also while servers read and write. TILTH_BACKUP_DIR makes the server do so on a schedule. The
archive holds password hashes, and the keys of access tokens unless they are sealed
(TILTH_SECRET_KEY): protect it accordingly. For a PostgreSQL database the command
refers to pg_dump.`,
	}
	c.AddCommand(s.verifyBackup())
	return s.copying(s.program.Backup, "the backup is in %s", c)
}

func (s *shell) restore() *cobra.Command {
	return s.copying(s.program.Restore, "the database is restored from %s", &cobra.Command{
		Use: "restore FILE", Short: "Replace the database with a backup, also while serving (SQLite)",
		Long: `Replace everything in the database with a backup, and bring back its stored files; others
stay. The whole backup is checked and a copy of its database migrated to the current schema
first; then one transaction replaces the database, and running servers see the backup from their next request on. What was written since the backup is
lost: back it up first if you need it. Sign-ins since the backup end; access tokens that
were issued since it are valid until they expire.`,
	})
}

func (s *shell) copy() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "copy --to POSTGRES", Short: "Copy a SQLite database to PostgreSQL, and verify every row",
		Long: `Copy everything in the SQLite database into an empty PostgreSQL database, whose schema is
created first. Stop every server beforehand. Every row is read back and compared with its source;
then one transaction makes all of it visible, or nothing. Ids stay the same, and new ones
continue after them. Uploaded files and layers are not in the database: keep TILTH_OBJECTS_URL as it
is. TILTH_COPY_TO may hold the address instead of --to, which other users of this machine can see.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to = cmp.Or(to, s.environ[copyTo]); to == "" {
				return usageError{errors.New("--to or " + copyTo + " is required: postgres://USER:PASSWORD@HOST/DATABASE")}
			}
			tables, err := s.program.Copy(cmd.Context(), s.cfg, s.logger(), to)
			var rows int64
			for _, table := range tables {
				rows += table.Rows
			}
			return s.answer(err, record{{"rows", rows}, {"tables", tables}},
				"%d rows of %d tables are copied and verified; set TILTH_DATABASE_URL to the new address, then start the server", rows, len(tables))
		},
	}
	c.Flags().StringVar(&to, "to", "", "address of the empty database: postgres://USER:PASSWORD@HOST/DATABASE")
	return c
}

// copying completes a command that copies the database to a file, or back.
func (s *shell) copying(do func(context.Context, Config, *slog.Logger, string) error, done string, c *cobra.Command) *cobra.Command {
	c.Args = cobra.ExactArgs(1)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return s.answer(do(cmd.Context(), s.cfg, s.logger(), args[0]), record{{"file", args[0]}}, done, args[0])
	}
	return c
}

func (s *shell) key() *cobra.Command {
	rotate := &cobra.Command{
		Use: "rotate", Short: "Sign access tokens with a new key from now on",
		Long: `Sign access tokens with a new key from now on, on every replica. Tokens signed with the
previous keys are valid until they expire.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			key, err := op.RotateSigningKey(ctx)
			return s.answer(err, record{{"created_at", key.CreatedAt}, {"id", key.ID}}, "key %s signs access tokens from now on", key.ID)
		}),
	}
	return group("key", "Keys that sign access tokens", rotate)
}

// Build is what a program was built from. A commit or a date that was not set is "unknown".
type Build struct {
	Version string
	Commit  string
	Date    string // of the commit, RFC 3339
}

func (s *shell) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version, and what it was built from", RunE: func(*cobra.Command, []string) error {
		b := s.program.Build()
		system := runtime.GOOS + "/" + runtime.GOARCH
		return s.print(record{
			{"version", b.Version}, {"commit", b.Commit}, {"date", b.Date}, {"go", runtime.Version()}, {"system", system},
		}, "Tilth %s, commit %s of %s, %s, %s", b.Version, b.Commit, b.Date, runtime.Version(), system)
	}}
}

func (s *shell) filestore() *cobra.Command {
	claim := &cobra.Command{
		Use: "claim", Short: "Adopt the place that TILTH_OBJECTS_URL names for this database's files",
		Long: `Adopt the place that TILTH_OBJECTS_URL names for this database's files. A server refuses
files that do not bear the mark of its database, because processes that do not share their
files lose uploads. Use this command if the files are lost, or if the database is a
copy that continues with files of its own: servers that use another place are refused from
their next start on.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.opened(cmd, func(ctx context.Context, o *Opened) error {
				return s.answer(o.Operating.ClaimFiles(ctx, o.Files), record{{"files", s.value("objects-url")}}, "%s holds the files of this database from now on", s.value("objects-url"))
			})
		},
	}
	return group("files", "Where uploads, rasters, evidence and photos are kept", claim)
}
