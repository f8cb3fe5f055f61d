// Package spill keeps unpacked blocks of imagery in a folder of bounded size, of which any rows are read
// without the others. Processes may share a folder: a file appears whole, by a rename, and one that was
// removed or damaged is only missing. What is kept survives a restart. It knows nothing of TIFF.
package spill

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// magic begins every file; another format gets another one.
	magic = "tilthb01"
	fixed = len(magic) + 8 // bytes before the checksums: magic, length of a row, number of rows

	parts     = 32 // a sweep comes after so much of the bound was written, and leaves as much room
	beginning = ".new-"
	abandoned = time.Hour // age of a file that was begun and not finished
	stale     = time.Hour // age of a file from which its use is recorded again
)

var sums = crc32.MakeTable(crc32.Castagnoli)

// Folder keeps blocks up to a number of bytes, evicting the least recently used first. Each process
// exceeds the bound by at most a thirty-second. A nil Folder keeps nothing. Safe for concurrent use.
type Folder struct {
	dir    string
	upper  int64
	log    *slog.Logger
	fresh  atomic.Int64 // bytes written since the last sweep
	warned atomic.Bool

	sweeping sync.Mutex
}

// New returns the folder at dir, which is made when it is first written to.
func New(dir string, upper int64, log *slog.Logger) *Folder {
	f := &Folder{dir: dir, upper: upper, log: log}
	f.fresh.Store(upper) // the first block sweeps what another process left
	return f
}

// path returns the file of a name, in one of 256 folders.
func (f *Folder) path(name string) string {
	sum := sha256.Sum256([]byte(name))
	text := hex.EncodeToString(sum[:])
	return filepath.Join(f.dir, text[:2], text[2:])
}

// Put keeps a block of rows under a name that stands for its content. A folder that cannot be written
// keeps nothing: it warns once, and again after it could be written.
func (f *Folder) Put(ctx context.Context, name string, block []byte, rowBytes int) {
	if f == nil || rowBytes < 1 || int64(len(block)) > f.upper/parts {
		return
	}
	err := write(f.path(name), block, rowBytes)
	switch {
	case err == nil:
		f.warned.Store(false)
	case !f.warned.Swap(true):
		f.log.WarnContext(ctx, "blocks of imagery cannot be kept on disk, and are read again from their source", "folder", f.dir, "error", err)
	}
	if f.fresh.Add(int64(len(block))) > f.upper/parts && f.sweeping.TryLock() {
		defer f.sweeping.Unlock()
		f.fresh.Store(0)
		f.sweep()
	}
}

func write(path string, block []byte, rowBytes int) (err error) {
	rows := len(block) / rowBytes
	head := make([]byte, 0, fixed+4*rows+4)
	head = binary.LittleEndian.AppendUint32(append(head, magic...), uint32(rowBytes))
	head = binary.LittleEndian.AppendUint32(head, uint32(rows))
	for row := range slices.Chunk(block, rowBytes) {
		head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(row, sums))
	}
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, sums))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), beginning)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(head)
	if err == nil {
		_, err = file.Write(block)
	}
	// Without a sync: after a power cut the checksums tell what did not reach the disk.
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Rows returns the rows of a block from one to before another; false where it is not kept.
func (f *Folder) Rows(name string, from, to, rowBytes int) ([]byte, bool) {
	if f == nil {
		return nil, false
	}
	path := f.path(name)
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	rows, err := read(file, from, to, rowBytes)
	if err != nil {
		_ = os.Remove(path)
		return nil, false
	}
	if info, err := file.Stat(); err == nil && time.Since(info.ModTime()) > stale {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // else it counts as unused
	}
	return rows, true
}

var errDamaged = errors.New("a checksum does not hold")

func read(file *os.File, from, to, rowBytes int) ([]byte, error) {
	var start [fixed]byte
	if _, err := file.ReadAt(start[:], 0); err != nil {
		return nil, err
	}
	rows := int(binary.LittleEndian.Uint32(start[fixed-4:]))
	if string(start[:len(magic)]) != magic || binary.LittleEndian.Uint32(start[len(magic):]) != uint32(rowBytes) || from < 0 || from > to || to > rows || rows > 1<<20 {
		return nil, fmt.Errorf("rows %d to %d of %d bytes are not in a file of %d", from, to, rowBytes, rows)
	}
	head := make([]byte, fixed+4*rows+4)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	body := len(head) - 4
	if crc32.Checksum(head[:body], sums) != binary.LittleEndian.Uint32(head[body:]) {
		return nil, errDamaged
	}
	out := make([]byte, (to-from)*rowBytes)
	if _, err := file.ReadAt(out, int64(len(head)+from*rowBytes)); err != nil {
		return nil, err
	}
	for i := range to - from {
		if crc32.Checksum(out[i*rowBytes:][:rowBytes], sums) != binary.LittleEndian.Uint32(head[fixed+4*(from+i):]) {
			return nil, errDamaged
		}
	}
	return out, nil
}

// sweep removes the least recently used files until there is room for the next part, and what was
// never finished. Two processes that sweep at once remove the same files.
func (f *Folder) sweep() {
	type kept struct {
		path string
		size int64
		used time.Time
	}
	var all []kept
	total := int64(0)
	_ = filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // what cannot be listed was removed by another, or is not counted
		}
		info, err := entry.Info()
		switch {
		case err != nil:
		case strings.HasPrefix(entry.Name(), beginning):
			if time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(path)
			}
		default:
			all = append(all, kept{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, k := range all {
		if total <= f.upper-f.upper/parts {
			return
		}
		_ = os.Remove(k.path)
		total -= k.size
	}
}
