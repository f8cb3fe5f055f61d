package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/objects"
	"tilth/adapters/persistence"
	"tilth/adapters/persistence/archive"
)

// newArchive returns the archive that backs up a database with the stored files.
func newArchive(cfg cli.Config, db *persistence.Database) (archive.Archive, error) {
	file, err := db.File()
	if err != nil {
		return archive.Archive{}, err
	}
	files, err := objects.Open(cfg.ObjectsURL)
	return archive.Archive{Database: db, Files: files, Scratch: filepath.Dir(file)}, err
}

// backupSchedule returns when to back up.
func backupSchedule(cfg cli.Config) archive.Schedule {
	return archive.Schedule{Folder: cfg.BackupDir, Every: cfg.BackupEvery, Keep: cfg.BackupKeep, Clock: identity.Clock{}}
}

// archiving does something with the archive of the database that the configuration names.
func archiving(ctx context.Context, cfg cli.Config, log *slog.Logger, do func(archive.Archive) error) error {
	db, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return err
	}
	files, err := newArchive(cfg, db)
	if err == nil {
		err = do(files)
	}
	return errors.Join(err, db.Close())
}

// Backup implements cli.Program.
func (Program) Backup(ctx context.Context, cfg cli.Config, log *slog.Logger, file string) error {
	if files := examineFiles(ctx, cfg); !files.OK {
		// That a backup lacks its files would be noticed when it is too late.
		return fmt.Errorf("%s. Fix: %s", files.Detail, files.Fix)
	}
	return archiving(ctx, cfg, log, func(a archive.Archive) error { return a.Write(ctx, file) })
}

// Restore implements cli.Program.
func (Program) Restore(ctx context.Context, cfg cli.Config, log *slog.Logger, file string) error {
	return archiving(ctx, cfg, log, func(a archive.Archive) error { return a.Restore(ctx, file) })
}

// Copy implements cli.Program.
func (Program) Copy(ctx context.Context, cfg cli.Config, log *slog.Logger, to string) (out []cli.CopiedTable, err error) {
	target := cfg
	target.DatabaseURL = to
	var open [2]*persistence.Database
	for i, one := range []cli.Config{cfg, target} {
		if open[i], err = openDatabase(ctx, one, log); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, open[i].Close()) }()
	}
	tables, err := open[0].Transfer(ctx, open[1].DB)
	for _, table := range tables {
		out = append(out, cli.CopiedTable(table))
	}
	return out, err
}

// examineBackups looks for a recent backup where they are made on a schedule.
func examineBackups(cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "backups", OK: true, Detail: "none on a schedule (TILTH_BACKUP_DIR)"}
	if cfg.BackupDir == "" {
		return f
	}
	schedule := backupSchedule(cfg)
	newest, err := schedule.Newest()
	switch age := schedule.Clock.Now().Sub(newest); {
	case err != nil:
		f.OK, f.Detail, f.Fix = false, err.Error(), "let the user that runs Tilth read and write TILTH_BACKUP_DIR"
	case newest.IsZero():
		f.OK, f.Detail, f.Fix = false, "there is none in "+cfg.BackupDir, "start `tilth serve`, which makes the first at once, or see its log"
	case age > 2*cfg.BackupEvery:
		f.OK, f.Detail, f.Fix = false, "the newest is from "+newest.Format(time.RFC3339), "see the log of `tilth serve`: the disk may be full"
	default:
		f.Detail = "the newest is from " + newest.Format(time.RFC3339)
	}
	return f
}
