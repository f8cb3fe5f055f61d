// Package cli is the command line: `tilth serve` and the operator's commands. It reads
// flags, calls use cases and prints; it decides nothing. Commands print text, or the record
// as JSON with --json; errors go to stderr, with exit status 1, or 2 for a usage error
// or for a file that cannot be examined.
package cli

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/audit"
	"tilth/app/batches"
	"tilth/app/events"
	"tilth/app/moving"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil/library"
	"tilth/app/soil/offline"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Program is the assembled product, opened when a command needs it.
type Program interface {
	// Backup and Restore copy the database into a file and back.
	Backup(ctx context.Context, cfg Config, log *slog.Logger, file string) error
	Restore(ctx context.Context, cfg Config, log *slog.Logger, file string) error
	// Copy copies the database into the empty one at an address.
	Copy(ctx context.Context, cfg Config, log *slog.Logger, to string) ([]CopiedTable, error)
	// Open opens the database and the operator's use cases. migrate applies pending
	// migrations first; without it, a database that needs them is refused.
	Open(ctx context.Context, cfg Config, log *slog.Logger, migrate bool) (*Opened, error)
	// Migrator opens the database as it is, for `tilth migrate`.
	Migrator(ctx context.Context, cfg Config, log *slog.Logger) (Migrator, func() error, error)
	// Serve does what the roles of the configuration ask for until the context ends.
	Serve(ctx context.Context, cfg Config, log *slog.Logger, opts ServeOptions) error
	// Series returns the computation of a series from an imagery address.
	Series(ctx context.Context, cfg Config) (*satellite.Computer, error)
	// DrawSeries draws a series as SVG.
	DrawSeries(w io.Writer, s vegetation.Series, from, to time.Time) error
	// SeriesSheet writes a series as CSV, one line per date.
	SeriesSheet(w io.Writer, s vegetation.Series) error
	// OpenAPI returns the interface document as JSON.
	OpenAPI() ([]byte, error)
	// Examine checks everything that the configuration names, and the file that it is read from; empty: there is none.
	Examine(ctx context.Context, cfg Config, file string) []Finding
	// ReadCrops reads a crop catalog.
	ReadCrops(r io.Reader) ([]farm.Crop, error)
	// ReadCells reads a table of cells with the layers named, or all.
	ReadCells(r io.Reader, layers []string) (layer.Table, error)
	// Zoning returns the computation of zones from tables and rasters.
	Zoning() *offline.Zoning
	// CurveFiles reads and writes the files of crop verification.
	CurveFiles() CurveFiles
	// NewSecretKey makes a key for stored secrets.
	NewSecretKey() string
	// ResetSecrets discards the stored secrets whose key is lost, once agree has seen how many there
	// are. It refuses while a server runs.
	ResetSecrets(ctx context.Context, cfg Config, log *slog.Logger, agree func(ports.LostSecrets) error) (ports.LostSecrets, error)
	// CreateCertificate makes a certificate of a server, and at first the authority that signs it, in a folder.
	CreateCertificate(folder string, names []string, days int) (authority, certificate, key string, err error)
	// Ready asks the process of this configuration on this machine whether it can work, and returns what it says.
	Ready(ctx context.Context, cfg Config) (string, error)
	// Build returns what the program was built from.
	Build() Build
}

// CopiedTable is a table that was copied to another database.
type CopiedTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// Opened is an open database with the operator's use cases.
type Opened struct {
	Operating *operating.Operating
	Files     ports.Objects
	Layers    *library.Layers
	Verifier  *audit.Verifier
	Mover     *moving.Mover
	Close     func() error
}

// ServeOptions are the choices of `tilth serve`.
type ServeOptions struct {
	Demo      bool
	Sparse    bool // the demonstration without its computed results: in tests
	NoMigrate bool
	Out       io.Writer     // where the address and the first request are printed
	Imagery   ports.Imagery // nil: the source that the configuration names
	Failures  *Failures     // nil except in simulations
	Batches   batches.Sizes // zero except in tests
}

// Failures is what stands between a server and its database, files and consumers of events in a simulation.
type Failures struct {
	Connect func(driver.Connector) driver.Connector
	Objects func(ports.Objects) ports.Objects
	// Consume wraps what takes the events of the broker.
	Consume func(func(context.Context, []events.CloudEvent) error) func(context.Context, []events.CloudEvent) error
}

// Streams are what a command reads and where it writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs a command line and returns the exit status.
func Run(ctx context.Context, program Program, args []string, environ map[string]string, streams Streams) int {
	file, held, err := readSettings(environ)
	if err != nil {
		fmt.Fprintf(streams.Err, "tilth: the file of settings, %s, is not valid: %v\n", file, err)
		return 2
	}
	cfg, err := ReadConfig(below(held, environ))
	if err != nil {
		fmt.Fprintln(streams.Err, "tilth: the environment is not valid:", err)
		return 2
	}
	s := &shell{Streams: streams, program: program, cfg: cfg, environ: environ, file: file, held: held}
	root := s.root()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err = root.ExecuteContext(ctx)
	var u usageError
	var unreadable unreadableError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &u):
		fmt.Fprintf(streams.Err, "tilth: %v\nSee `tilth --help`.\n", err)
		return 2
	case errors.As(err, &unreadable):
		fmt.Fprintln(streams.Err, "tilth:", err)
		return 2
	default:
		fmt.Fprintln(streams.Err, "tilth:", explain(err))
		return 1
	}
}

// Commands returns every command with its flags, for manual pages and completion. Of the program only Build is called.
func Commands(program Program) (*cobra.Command, error) {
	cfg, err := ReadConfig(nil)
	return (&shell{program: program, cfg: cfg}).root(), err
}

type usageError struct{ error }

// explain returns the text of an error, with the invalid fields.
func explain(err error) string {
	f, ok := fault.As(err)
	if !ok {
		return err.Error()
	}
	text := f.Message
	for _, field := range slices.Sorted(maps.Keys(f.Fields)) {
		if messages := fault.Messages(f.Fields[field]); messages != nil {
			text += "\n  " + field + ": " + strings.Join(messages, " ")
		}
	}
	if f.Cause != nil {
		text += " (" + f.Cause.Error() + ")"
	}
	return text
}

type shell struct {
	Streams
	program Program
	cfg     Config
	asJSON  bool
	environ map[string]string
	file    string            // of settings; empty: there is none
	held    map[string]string // its settings, by their variables
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

func (s *shell) logger() *slog.Logger {
	opts := &slog.HandlerOptions{Level: levels[s.cfg.LogLevel]}
	if s.cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.Err, opts))
	}
	return slog.New(slog.NewTextHandler(s.Err, opts))
}

func (s *shell) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tilth",
		Short: "The open back end for growers, food companies and soil-carbon projects",
		Long: `Tilth keeps farms, fields and cultivations and computes season-long vegetation-index
profiles from open Sentinel-2 imagery. One binary: SQLite on a laptop, PostgreSQL
when you outgrow it.

  tilth serve --demo     start with a demonstration farm on synthetic imagery
  tilth serve            start on your own data
  tilth doctor           check an installation, and say how to fix it`,
		Version:       s.program.Build().Version,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := s.cfg.Check(); err != nil {
				return usageError{fmt.Errorf("the configuration is not valid:\n%w", err)}
			}
			s.warnOfUnknown()
			return nil
		},
	}
	s.cfg.flags(root.PersistentFlags(), true)
	root.PersistentFlags().BoolVar(&s.asJSON, "json", false, "print the record as JSON")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{withNearestFlag(cmd, err)} })
	root.AddCommand(s.migrate(), s.company(), s.user(), s.token(), s.apiKey(), s.wallet(), s.price(), s.crop(), s.profile(),
		s.curves(), s.cropCheck(), s.engine(), s.stratify(), s.subscription(), s.stratification(), s.layer(), s.job(), s.queue(),
		s.trail(), s.openapi(), s.backup(), s.restore(), s.copy(), s.cert(), s.key(), s.secret(), s.filestore(), s.verify(), s.ghg(), s.version())
	for _, c := range []*cobra.Command{s.serve(), s.worker(), s.doctor(), s.health(), s.config(), s.init()} {
		s.cfg.flags(c.Flags(), false)
		root.AddCommand(c)
	}
	strictArgs(root)
	return root
}

// strictArgs makes unknown arguments and commands usage errors everywhere.
func strictArgs(c *cobra.Command) {
	switch {
	case c.HasSubCommands() && c.RunE == nil:
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return notBelow(cmd, args[0])
			}
			return cmd.Help()
		}
	case c.HasSubCommands():
		c.Args = cobra.MatchAll(notMisspelt, c.Args)
	case c.Args == nil:
		c.Args = cobra.NoArgs
	}
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		strictArgs(sub)
	}
}

// notBelow returns the error for a name that no subcommand of a command has.
func notBelow(cmd *cobra.Command, name string) error {
	return usageError{fmt.Errorf("%q is not a command of `%s`%s", name, cmd.CommandPath(), didYouMean(nearestBelow(cmd, name)))}
}

// nearestBelow returns the subcommand of a command that a misspelt name is likely to mean; empty where none is near.
func nearestBelow(cmd *cobra.Command, name string) string {
	return fault.Nearest(name, list.Map(cmd.Commands(), (*cobra.Command).Name))
}

// notMisspelt refuses an argument of a command that looks like one of its subcommands: a file with such a name is given with its folder.
func notMisspelt(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && nearestBelow(cmd, args[0]) != "" {
		return notBelow(cmd, args[0])
	}
	return nil
}

// run makes the action of a command that is one use case of the operator.
func (s *shell) run(do func(ctx context.Context, op *operating.Operating) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error { return s.operate(cmd, do) }
}

// action makes a command that is one use case of the operator.
func (s *shell) action(use, short string, do func(ctx context.Context, op *operating.Operating) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: s.run(do)}
}

// operate runs a use case of the operator on an open database.
func (s *shell) operate(cmd *cobra.Command, do func(ctx context.Context, op *operating.Operating) error) error {
	return s.opened(cmd, func(ctx context.Context, o *Opened) error { return do(ctx, o.Operating) })
}

// opened runs a function on the open database.
func (s *shell) opened(cmd *cobra.Command, do func(ctx context.Context, o *Opened) error) error {
	opened, err := s.program.Open(cmd.Context(), s.cfg, s.logger(), true)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()
	return do(cmd.Context(), opened)
}

// limited adds the flag --limit, which is 0 or more.
func limited(cmd *cobra.Command, limit *int64, otherwise int64, help string) *cobra.Command {
	cmd.Flags().Int64Var(limit, "limit", otherwise, help)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *limit < 0 {
			return usageError{fmt.Errorf("--limit must be 0 or more, not %d", *limit)}
		}
		return run(cmd, args)
	}
	return cmd
}

// required makes flags of a command required: a call without them is a usage error.
func required(cmd *cobra.Command, names ...string) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var missing []string
		for _, n := range names {
			if !cmd.Flags().Changed(n) {
				missing = append(missing, "--"+n)
			}
		}
		if len(missing) > 0 {
			return usageError{fmt.Errorf("`%s` requires %s", cmd.CommandPath(), strings.Join(missing, " and "))}
		}
		return run(cmd, args)
	}
	return cmd
}
