package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tilth/core/fault"
)

// maxManifest bounds the manifest that is read: about 500,000 files.
const maxManifest = 64 << 20

// sqliteMagic begins every SQLite file.
var sqliteMagic = []byte("SQLite format 3\x00")

// Restore replaces the database and adds the stored files, also while servers run. The whole archive is checked
// before anything is changed. It also takes a bare copy of a database.
// Faults: Invalid (backup_invalid); Precondition (backup_elsewhere) on PostgreSQL.
func (a Archive) Restore(ctx context.Context, file string) (err error) {
	in, err := os.Open(file)
	if err != nil {
		return fault.Newf(fault.Invalid, "backup_invalid", "%s is not a readable file.", file).Because(err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	start := make([]byte, len(sqliteMagic))
	if _, err := io.ReadFull(in, start); err == nil && bytes.Equal(start, sqliteMagic) {
		return a.Database.Restore(ctx, file)
	}
	if err := os.MkdirAll(a.Scratch, 0o750); err != nil {
		return fmt.Errorf("make the folder of the database: %w", err)
	}
	dir, err := os.MkdirTemp(a.Scratch, ".tilth-restore-")
	if err != nil {
		return fmt.Errorf("make a folder beside the database: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	database := filepath.Join(dir, databaseName)
	if err := check(ctx, in, database); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.Newf(fault.Invalid, "backup_invalid", "%s is not a Tilth backup that can be read in full.", file).Because(err)
	}
	// The files first: the database never names one that is missing.
	err = each(in, func(name string, content io.Reader) error {
		name, ok := strings.CutPrefix(name, filesFolder)
		if ok {
			_, err = a.Files.Put(ctx, name, content)
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.Database.Restore(ctx, database)
}

// check compares the archive with its manifest, and copies its database into a new file.
func check(ctx context.Context, in io.ReadSeeker, database string) error {
	var found, listed []entry
	err := each(in, func(name string, content io.Reader) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if name == manifestName {
			text, err := io.ReadAll(io.LimitReader(content, maxManifest))
			if err == nil {
				err = json.Unmarshal(text, &listed)
			}
			return err
		}
		to, sum := io.Discard, sha256.New()
		if name == databaseName {
			file, err := os.OpenFile(database, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			to = file
		} else if inner, ok := strings.CutPrefix(name, filesFolder); !ok || !filepath.IsLocal(filepath.FromSlash(inner)) {
			return fmt.Errorf("%q has no place in a backup", name)
		}
		size, err := io.Copy(to, io.TeeReader(content, sum))
		found = append(found, entry{name, size, hex.EncodeToString(sum.Sum(nil))})
		return err
	})
	if err == nil && (!slices.Equal(found, listed) || !slices.ContainsFunc(found, func(e entry) bool { return e.Name == databaseName })) {
		err = errors.New("the archive is not what its manifest lists")
	}
	return err
}

// each visits the members of an archive.
func each(in io.ReadSeeker, visit func(name string, content io.Reader) error) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for archive := tar.NewReader(in); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && header.Typeflag != tar.TypeReg {
			err = fmt.Errorf("%q is not a file", header.Name)
		}
		if err == nil {
			err = visit(header.Name, archive)
		}
		if err != nil {
			return err
		}
	}
}
