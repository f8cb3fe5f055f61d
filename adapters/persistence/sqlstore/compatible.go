package sqlstore

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"tilth/core/fault"
)

// expandOnly is the first line of a migration that only adds: tables, indexes, columns with
// a default. Releases that do not know the migration go on working on the resulting schema.
const expandOnly = "-- expand-only\n"

// compatibilityTable is where migrations that only add are noted.
const compatibilityTable = "schema_compatibility"

// additive marks an applied migration as one that only adds. A release finds the marks of
// migrations that are newer than itself, so the table's form never changes.
type additive struct {
	bun.BaseModel `bun:"table:schema_compatibility"`

	Name string `bun:"name,pk"`
}

// compatible refuses a schema with migrations that this release does not know, unless all of
// them are marked as additive. Faults: Precondition (schema_newer), Unavailable.
func compatible(ctx context.Context, db bun.IDB, known *migrate.Migrations) error {
	var applied []string
	err := db.NewSelect().Table(migrationTable).Column("name").Order("name").Scan(ctx, &applied)
	if err != nil {
		return translate(err)
	}
	ours := known.Sorted()
	newer := slices.DeleteFunc(applied, func(name string) bool {
		return slices.ContainsFunc(ours, func(m migrate.Migration) bool { return m.Name == name })
	})
	if len(newer) == 0 {
		return nil
	}
	var adding []string
	if err := db.NewSelect().Model((*additive)(nil)).Column("name").Scan(ctx, &adding); err != nil {
		return translate(err)
	}
	newer = slices.DeleteFunc(newer, func(name string) bool { return slices.Contains(adding, name) })
	if len(newer) == 0 {
		return nil
	}
	return fault.Newf(fault.Precondition, "schema_newer",
		"The database belongs to a newer release of Tilth (migrations %s). Fix: run that release, or restore a backup from before the upgrade.",
		strings.Join(newer, ", "))
}
