// Package archive backs up an installation on SQLite, its database and its stored files, into one
// file and back, by hand or on a schedule. The file is a tar archive: files/NAME for every stored
// file, tilth.db, and manifest.json with the sizes and SHA-256 of all of them. It does not look
// into the database and the files.
package archive

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/ports"
)

// Database is the database that is backed up.
type Database interface {
	// Backup writes a copy as of one moment into a new file.
	Backup(ctx context.Context, file string) error
	// Restore checks a copy, then replaces the database by it.
	Restore(ctx context.Context, file string) error
}

// Files are the stored files.
type Files interface {
	Names(ctx context.Context) ([]string, error)
	Open(ctx context.Context, name string) (ports.Object, error)
	Put(ctx context.Context, name string, from io.Reader) (size int64, err error)
}

// Archive backs up a database with its files.
type Archive struct {
	Database Database
	Files    Files
	Scratch  string // a folder on a disk that holds a copy of the database
}

const (
	databaseName = "tilth.db"
	manifestName = "manifest.json"
	filesFolder  = "files/"
)

// entry is a member of an archive, as its manifest lists it.
type entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Write backs up into a new file, which appears whole or not at all. Servers may go on.
// Faults: Conflict (file_exists); Precondition (backup_elsewhere) on PostgreSQL.
func (a Archive) Write(ctx context.Context, file string) (err error) {
	exists := fault.Newf(fault.Conflict, "file_exists", "%s already exists; a backup overwrites nothing.", file)
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		return exists
	}
	// A folder of our own keeps others from what is in it.
	dir, err := os.MkdirTemp(filepath.Dir(file), ".tilth-backup-")
	if err != nil {
		return fmt.Errorf("make a folder beside the backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	part := filepath.Join(dir, "backup.tar")
	if err := a.write(ctx, part, filepath.Join(dir, databaseName)); err != nil {
		return err
	}
	// A link, unlike a rename, overwrites nothing that came meanwhile.
	if err := os.Link(part, file); errors.Is(err, os.ErrExist) {
		return exists
	} else if err != nil { // a file system without links
		if err := os.Rename(part, file); err != nil {
			return fmt.Errorf("name the backup: %w", err)
		}
	}
	return sqlstore.SettleFolder(filepath.Dir(file))
}

func (a Archive) write(ctx context.Context, file, database string) (err error) {
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := writer{tar: tar.NewWriter(out), has: map[string]bool{}}
	// A file is stored before the database names it and removed after the database forgets it. Files stored
	// since the first look are added in a second one, so that the archive has every file that its database names.
	if err := a.addFiles(ctx, &w); err != nil {
		return err
	}
	if err := a.Database.Backup(ctx, database); err != nil {
		return err
	}
	copied, err := os.Open(database)
	if err != nil {
		return fmt.Errorf("read the copy of the database: %w", err)
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	info, err := copied.Stat()
	if err == nil {
		err = w.add(ctx, databaseName, info.Size(), copied)
	}
	if err == nil {
		err = a.addFiles(ctx, &w)
	}
	if err == nil {
		err = w.end()
	}
	return errors.Join(err, out.Sync())
}

// addFiles adds the stored files that the archive does not have.
func (a Archive) addFiles(ctx context.Context, w *writer) error {
	names, err := a.Files.Names(ctx)
	for _, name := range names {
		if w.has[name] {
			continue
		}
		if err := a.addFile(ctx, w, name); err != nil {
			return err
		}
	}
	return err
}

func (a Archive) addFile(ctx context.Context, w *writer, name string) (err error) {
	file, err := a.Files.Open(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w.has[name] = true
	return w.add(ctx, filesFolder+name, file.Size(), io.NewSectionReader(file, 0, file.Size()))
}

// writer writes an archive and keeps its manifest.
type writer struct {
	tar     *tar.Writer
	entries []entry
	has     map[string]bool // stored files, by name
}

func (w *writer) add(ctx context.Context, name string, size int64, from io.Reader) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sum := sha256.New()
	err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600})
	if err == nil {
		_, err = io.Copy(w.tar, io.TeeReader(from, sum))
	}
	if err != nil {
		return fmt.Errorf("write %s to the backup: %w", name, err)
	}
	w.entries = append(w.entries, entry{name, size, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// end writes the manifest.
func (w *writer) end() error {
	text, err := json.Marshal(w.entries)
	if err == nil {
		err = w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: manifestName, Size: int64(len(text)), Mode: 0o600})
	}
	if err == nil {
		_, err = w.tar.Write(text)
	}
	return errors.Join(err, w.tar.Close())
}
