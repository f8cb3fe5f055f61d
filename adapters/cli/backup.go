package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"tilth/app/operating"
)

// Keeper copies the database into a file and back.
type Keeper interface {
	Backup(ctx context.Context, cfg Config, log *slog.Logger, file string) error
	Restore(ctx context.Context, cfg Config, log *slog.Logger, file string) error
}

func (s *shell) backup() *cobra.Command {
	return s.copying(s.program.Backup, "the database is copied to %s", &cobra.Command{
		Use: "backup FILE", Short: "Copy the database into a new file, also while serving (SQLite)",
		Long: `Copy the database into a new file: the state of one moment, also while servers read
and write. The file holds password hashes and signing keys: protect it as you protect
those. For a PostgreSQL database the command refers to pg_dump.`,
	})
}

func (s *shell) restore() *cobra.Command {
	return s.copying(s.program.Restore, "the database is restored from %s", &cobra.Command{
		Use: "restore FILE", Short: "Replace the database by a backup, also while serving (SQLite)",
		Long: `Replace everything in the database by a backup. A copy of the backup is checked and
migrated to the current schema first; then one transaction replaces the database, and running
servers see the backup from their next request on. What was written since the backup is
lost: back it up before if you need it. Sign-ins since the backup end; access tokens that
were issued since it are valid until they expire.`,
	})
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
