package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"tilth/adapters/persistence/group"
	"tilth/adapters/persistence/prepared"
	"tilth/core/fault"
)

// restorePatience is how long a restore waits for the writers of a running server.
const restorePatience = 30 * time.Second

// File returns the path of a SQLite database. Faults: Precondition (backup_elsewhere) on PostgreSQL.
func (d *DB) File() (string, error) {
	if d.engine.postgres {
		return "", fault.New(fault.Precondition, "backup_elsewhere",
			"This database is PostgreSQL, whose own tools also work while Tilth is serving: "+
				"pg_dump --format=custom --file=FILE DATABASE, and pg_restore --clean --if-exists --dbname=DATABASE FILE. "+
				"Copy the folder of TILTH_OBJECTS_URL as well, or let the store of its bucket keep versions")
	}
	return d.engine.location, nil
}

// Backup writes a copy of the database into a new file: the state of one moment, also while servers
// read and write. Until it returns others may read the file unless its folder is closed to them.
// Faults: Precondition (backup_elsewhere) on PostgreSQL.
func (d *DB) Backup(ctx context.Context, file string) (err error) {
	if _, err := d.File(); err != nil {
		return err
	}
	pool, err := d.engine.openUnhurried()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if _, err := pool.DB.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return translate(err)
	}
	return settle(file)
}

// settle closes a file to others and syncs it to the disk.
func settle(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	return errors.Join(f.Chmod(0o600), f.Sync(), f.Close())
}

// Restore replaces the content of the database by a backup, in one transaction that servers
// see between two of their own. The backup is first checked and brought to the current
// schema, on a copy: a defect shows before anything is changed.
// Policies get versions higher than any seen so far, so that no server goes on deciding
// by the roles that it has cached.
// Faults: Precondition (backup_elsewhere) on PostgreSQL, Invalid (backup_invalid).
func (d *DB) Restore(ctx context.Context, file string) (err error) {
	if _, err := d.File(); err != nil {
		return err
	}
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		return fault.Newf(fault.Invalid, "backup_invalid", "%s is not a readable file.", file).Because(err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(d.engine.location), ".tilth-restore-")
	if err != nil {
		return fmt.Errorf("make a folder beside the database: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "restore.db")
	if err := copyBackup(ctx, file, copied); err != nil {
		return err
	}
	if err := d.modernise(ctx, copied); err != nil {
		return err
	}
	unlock, err := d.engine.lock(ctx)
	if err != nil {
		return translate(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return d.overwrite(ctx, copied)
}

// copyBackup copies a backup by way of SQLite, so that one in use is copied as of one moment, and checks all of it.
func copyBackup(ctx context.Context, file, into string) (err error) {
	invalid := func(err error) error {
		return fault.Newf(fault.Invalid, "backup_invalid", "%s is not a Tilth backup that can be read in full.", file).Because(err)
	}
	source, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(file)}).EscapedPath()+"?mode=ro")
	if err != nil {
		return invalid(err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	var verdict string
	if err := source.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil || verdict != "ok" {
		return invalid(errors.Join(err, errors.New(verdict)))
	}
	var notes int
	if err := source.QueryRowContext(ctx, "SELECT count(*) FROM "+migrationTable).Scan(&notes); err != nil || notes == 0 {
		return invalid(err)
	}
	if _, err := source.ExecContext(ctx, "VACUUM INTO ?", into); err != nil {
		return invalid(err)
	}
	return nil
}

// modernise applies pending migrations to a copy and refuses one from a newer release.
func (d *DB) modernise(ctx context.Context, file string) (err error) {
	copied, err := Open(ctx, "sqlite:"+file, d.opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	if _, err := copied.Migrator().Up(ctx); err != nil {
		if f, ok := fault.As(err); ok && f.Code == "schema_newer" {
			return fault.New(fault.Invalid, "backup_invalid", "The backup comes from a newer release of Tilth; restore it with that one.")
		}
		return err
	}
	if err := held(ctx, copied.reader, d.opts.Secrets); err != nil {
		return err
	}
	newest, err := d.newestPolicy(ctx)
	if err != nil {
		return err
	}
	_, err = copied.writer.NewUpdate().Table("companies").
		Set("policy_version = max(policy_version, ?) + 1", newest).Where("1 = 1").Exec(ctx)
	return translate(err)
}

// newestPolicy returns the highest policy version of the database; 0 where it has no tables.
func (d *DB) newestPolicy(ctx context.Context) (int64, error) {
	pending, err := d.Migrator().status(ctx)
	if err != nil || len(pending.Unapplied()) == len(pending) {
		return 0, translate(err)
	}
	var newest int64
	err = d.reader.NewSelect().Table("companies").ColumnExpr("COALESCE(max(policy_version), 0)").Scan(ctx, &newest)
	return newest, translate(err)
}

// overwrite copies the pages of a file over those of the database, in one transaction.
func (d *DB) overwrite(ctx context.Context, from string) error {
	conn, err := d.writer.DB.Conn(ctx)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.Raw(func(driver any) error {
		owner, ok := driver.(group.Owner)
		if !ok {
			return Internal("this driver cannot restore")
		}
		return owner.Alone(ctx, func(inner group.Inner) error {
			backup, err := inner.(prepared.Restorer).NewRestore("file:" + (&url.URL{Path: filepath.ToSlash(from)}).EscapedPath())
			if err != nil {
				return translate(err)
			}
			return errors.Join(step(ctx, backup), translate(backup.Finish()))
		})
	})
}

// step copies everything in one go; while others write, it waits for its turn.
func step(ctx context.Context, backup *sqlite.Backup) error {
	ctx, cancel := context.WithTimeout(ctx, restorePatience)
	defer cancel()
	for {
		_, err := backup.Step(-1)
		if reasonOf(err) != lostRace {
			return translate(err)
		}
		if !sleep(ctx, migrationPoll) {
			return translate(err)
		}
	}
}
