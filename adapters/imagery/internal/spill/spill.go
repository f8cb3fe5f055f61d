// Package spill keeps unpacked blocks of imagery in a folder of bounded size. Any rows of a block can be
// read without the others. Processes may share a folder: a file appears whole, by a rename, and one that
// was removed or damaged only counts as missing. What is kept survives a restart. It knows nothing of TIFF.
package spill

import (
	"bufio"
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

// A file is the rows of a block, each followed by its checksum, so that one read returns rows and their
// proof. The checksums also cover the format, the shape of the block and the place of the row.
const (
	format  = "tilth block 1" // another format gets another name
	sumSize = 4

	parts     = 32 // a sweep follows once this fraction of the bound was written, and leaves as much room
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
// keeps nothing: it warns once, and again only after a write has succeeded.
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
	out, seed, row := bufio.NewWriterSize(file, 256<<10), seedOf(len(block)/rowBytes, rowBytes), uint32(0)
	for bytes := range slices.Chunk(block, rowBytes) {
		_, _ = out.Write(bytes) // an error stays until Flush
		_, _ = out.Write(binary.LittleEndian.AppendUint32(nil, crc32.Update(seed+row, sums, bytes)))
		row++
	}
	// Without a sync: after a power cut the checksums tell what did not reach the disk.
	if err = errors.Join(out.Flush(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// seedOf returns the initial value of the checksums of a block.
func seedOf(rows, rowBytes int) uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%s %d %d", format, rows, rowBytes), sums)
}

// Shape is the size of a block.
type Shape struct{ Rows, RowBytes int }

// Stored returns how many bytes lie between the beginnings of two rows that Rows returns.
func (s Shape) Stored() int { return s.RowBytes + sumSize }

// Rows returns the rows of a block from one up to but not including another, each followed by its
// checksum; false where the block is not kept. buffer is used for them where it is large enough.
func (f *Folder) Rows(name string, shape Shape, from, to int, buffer []byte) ([]byte, bool) {
	if f == nil {
		return nil, false
	}
	path := f.path(name)
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() != int64(shape.Rows)*int64(shape.Stored()) {
		_ = os.Remove(path)
		return nil, false
	}
	rows := slices.Grow(buffer[:0], (to-from)*shape.Stored())[:(to-from)*shape.Stored()]
	ok := read(file, shape, from, rows)
	if !ok {
		_ = os.Remove(path)
		return nil, false
	}
	if time.Since(info.ModTime()) > stale {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // else it counts as unused
	}
	return rows, true
}

// read fills out with rows, and reports whether their checksums hold.
func read(file *os.File, shape Shape, from int, out []byte) bool {
	if _, err := file.ReadAt(out, int64(from)*int64(shape.Stored())); err != nil {
		return false
	}
	seed := seedOf(shape.Rows, shape.RowBytes) + uint32(from)
	for row := range slices.Chunk(out, shape.Stored()) {
		if crc32.Update(seed, sums, row[:shape.RowBytes]) != binary.LittleEndian.Uint32(row[shape.RowBytes:]) {
			return false
		}
		seed++
	}
	return true
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
