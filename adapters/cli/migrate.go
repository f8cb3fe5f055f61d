package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tilth/core/fault"
)

// Migrator changes the schema of the database.
type Migrator interface {
	Up(ctx context.Context) ([]string, error)
	// Down reverts the newest migration, once agree has seen what would be lost; its name is
	// empty where none is applied.
	Down(ctx context.Context, agree func(name string, lost []MigrationLoss) error) (string, error)
	// Copy copies a SQLite database into a file beside it, before a migration is reverted. On
	// PostgreSQL it returns an empty name.
	Copy(ctx context.Context, migration string) (file string, err error)
	Status(ctx context.Context) ([]MigrationStatus, error)
}

// MigrationLoss is data that is lost with a reverted migration: rows of a table, or values of
// a column.
type MigrationLoss struct {
	Table  string `json:"table"`
	Column string `json:"column,omitempty"`
	Count  int64  `json:"count"`
}

// MigrationStatus is one migration and whether it was applied.
type MigrationStatus struct {
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}

func (s *shell) migrate() *cobra.Command {
	return group("migrate", "The schema of the database", s.migrateUp(), s.migrateDown(), s.migrateStatus())
}

// migrating makes a command on the schema of the database.
func (s *shell) migrating(use, short string, do func(ctx context.Context, m Migrator) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, _ []string) error {
		m, done, err := s.program.Migrator(cmd.Context(), s.cfg, s.logger())
		if err != nil {
			return err
		}
		defer func() { _ = done() }()
		return do(cmd.Context(), m)
	}}
}

func (s *shell) migrateUp() *cobra.Command {
	return s.migrating("up", "Apply what is pending", func(ctx context.Context, m Migrator) error {
		names, err := m.Up(ctx)
		if err != nil {
			return err
		}
		text := "nothing to do"
		if len(names) > 0 {
			text = "applied " + strings.Join(names, ", ")
		}
		return s.print(map[string]any{"migrations": append([]string{}, names...)}, "%s", text)
	})
}

func (s *shell) migrateDown() *cobra.Command {
	var yes bool
	c := s.migrating("down", "Revert the newest migration, with its data", func(ctx context.Context, m Migrator) error {
		var copied string
		lost := []MigrationLoss{}
		name, err := m.Down(ctx, func(name string, losses []MigrationLoss) (err error) {
			lost = append(lost, losses...)
			if len(lost) == 0 {
				return nil
			}
			if copied, err = m.Copy(ctx, name); err == nil && copied == "" && !yes {
				err = fault.Newf(fault.Precondition, "data_would_be_lost",
					"Reverting %s deletes %s. Fix: make a backup with pg_dump, then run the command again with --yes.", name, spellLosses(lost))
			}
			return err
		})
		if err != nil {
			return err
		}
		text := "nothing to do"
		if name != "" {
			text = "reverted " + name
		}
		if len(lost) > 0 {
			text += ", which deleted " + spellLosses(lost)
		}
		if copied != "" {
			text += fmt.Sprintf("\nthe database as it was: %s (tilth restore FILE brings it back)", copied)
		}
		return s.print(map[string]any{"migration": name, "lost": lost, "copy": copied}, "%s", text)
	})
	c.Long = `Revert the newest migration, one at a time. Stop every server first. Rows and values that
it deletes are counted; if there are any, a SQLite database is copied into a file beside it,
and a PostgreSQL database is left alone unless --yes is given.`
	c.Flags().BoolVar(&yes, "yes", false, "PostgreSQL: delete the data that goes with the migration")
	return c
}

// spellLosses lists what is lost.
func spellLosses(lost []MigrationLoss) string {
	parts := make([]string, len(lost))
	for i, l := range lost {
		what, of := "rows", l.Table
		if l.Column != "" {
			what, of = "values", l.Table+"."+l.Column
		}
		if l.Count == 1 {
			what = strings.TrimSuffix(what, "s")
		}
		parts[i] = fmt.Sprintf("%d %s of %s", l.Count, what, of)
	}
	return strings.Join(parts, ", ")
}

func (s *shell) migrateStatus() *cobra.Command {
	return s.migrating("status", "List what is applied and what is pending", func(ctx context.Context, m Migrator) error {
		all, err := m.Status(ctx)
		if err != nil {
			return err
		}
		lines := make([]string, len(all))
		for i, one := range all {
			lines[i] = map[bool]string{true: "applied", false: "pending"}[one.Applied] + "  " + one.Name
		}
		return s.print(all, "%s", strings.Join(lines, "\n"))
	})
}
