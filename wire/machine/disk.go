// Package machine is what the doctor says of the machine it runs on: whether its disks have room, and whether other users can
// read files with secrets.
package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tilth/adapters/cli"
)

const (
	// littleRoom is how many bytes must be free for uploads, blocks of imagery and a day of work before the doctor warns.
	littleRoom = 1 << 30
	// noRoom is the number of free bytes below which SQLite and uploads begin to fail.
	noRoom = 64 << 20
)

// place is a folder that the program writes to.
type place struct {
	folder, setting string
	needed          uint64 // free bytes without a warning
}

// places are the folders that a configuration writes to. Beside a database of SQLite there must be room for a copy of it,
// which a backup before a migration and a restore make.
func places(cfg cli.Config) []place {
	out := []place{{os.TempDir(), "TMPDIR", littleRoom}}
	if path := sqliteFile(cfg.DatabaseURL); path != "" {
		needed := uint64(littleRoom)
		if info, err := os.Stat(path); err == nil {
			needed += uint64(info.Size())
		}
		out = append(out, place{filepath.Dir(path), "TILTH_DATABASE_URL", needed})
	}
	if path, ok := strings.CutPrefix(cfg.ObjectsURL, "file:"); ok {
		out = append(out, place{path, "TILTH_OBJECTS_URL", littleRoom})
	}
	if cfg.ImageryCache > 0 {
		out = append(out, place{cfg.ImageryCacheDir, "TILTH_IMAGERY_CACHE_DIR", littleRoom})
	}
	if cfg.BackupDir != "" {
		out = append(out, place{cfg.BackupDir, "TILTH_BACKUP_DIR", littleRoom})
	}
	return out
}

// Disk reports whether there is room where a configuration has the program write.
func Disk(cfg cli.Config) cli.Finding { return examineDisk(places(cfg), freeBytes) }

// examineDisk reports whether there is room in places. room returns the free bytes of a folder that exists.
func examineDisk(places []place, room func(folder string) (uint64, error)) cli.Finding {
	f := cli.Finding{Part: "disk", OK: true}
	lowest := ^uint64(0)
	for _, p := range places {
		free, err := room(existing(p.folder))
		if errors.Is(err, errors.ErrUnsupported) {
			return cli.Finding{Part: f.Part, OK: true, Detail: "this system cannot be asked how much disk space is free"}
		}
		if err != nil {
			return cli.Failing(f.Part, fmt.Errorf("determine the free space in %s: %w", p.folder, err), "let the user that runs Tilth read the folder, or name another in "+p.setting)
		}
		if free < lowest {
			lowest, f.Detail = free, fmt.Sprintf("the least free space is %s, in %s (%s)", mebibytes(free), p.folder, p.setting)
		}
		if free >= p.needed || f.Fix != "" && free >= noRoom {
			continue
		}
		f.Warn, f.OK = free >= noRoom, f.OK && free >= noRoom
		f.Fix = fmt.Sprintf("make room for %s in %s, or name a folder on another disk in %s; TILTH_BACKUP_KEEP keeps fewer backups, TILTH_IMAGERY_CACHE fewer blocks of imagery",
			mebibytes(p.needed), p.folder, p.setting)
	}
	return f
}

func mebibytes(n uint64) string { return fmt.Sprintf("%d MiB", n>>20) }

// existing returns a folder, or the nearest one above it that exists: the first start makes the rest.
func existing(folder string) string {
	for {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}
