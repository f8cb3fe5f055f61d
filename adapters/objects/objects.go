// Package objects stores files of any size in a folder or in a bucket: uploads until they are processed, rasters, and what
// people attach to records. It does not look into them.
package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// Folder stores files in a folder, which is created with the first file. Replicas that share
// work share the folder.
type Folder struct{ root string }

// Store is a folder or a bucket, with what those who look after it need.
type Store interface {
	ports.Objects
	// Names lists the stored files, sorted.
	Names(ctx context.Context) ([]string, error)
	// Check asks whether the store can be used now.
	Check(ctx context.Context) error
	// Describe returns where the files are, without secrets.
	Describe() string
}

// Open parses an address: file:PATH, or s3://BUCKET/PREFIX?endpoint=…. It connects to nothing.
func Open(address string) (Store, error) {
	if strings.HasPrefix(address, "s3:") {
		return openBucket(address)
	}
	path, ok := strings.CutPrefix(address, "file:")
	if !ok || path == "" {
		return nil, fmt.Errorf("the address %q of the objects is neither file:PATH nor s3://BUCKET/PREFIX?endpoint=…", address)
	}
	return &Folder{strings.TrimPrefix(path, "//")}, nil
}

// Describe returns where the files are.
func (f *Folder) Describe() string { return "folder " + f.root }

// Check asks whether there is a folder, or may be one.
func (f *Folder) Check(context.Context) error {
	info, err := os.Stat(f.root)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", f.root)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}

// incoming begins the names of files that are not complete.
const incoming = ".incoming-"

// path returns the path of a name. Names come from the program; one that leaves the folder is
// a defect.
func (f *Folder) path(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("the object name %q leaves its folder", name)
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), nil
}

// Put implements ports.Objects: a file appears under its name when it is complete, and is on the
// disk under that name when Put returns.
func (f *Folder) Put(ctx context.Context, name string, from io.Reader) (size int64, err error) {
	path, err := f.path(name)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, unavailable(err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), incoming+"*")
	if err != nil {
		return 0, unavailable(err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	source := &watched{ctx: ctx, in: from}
	if size, err = io.Copy(file, source); err != nil {
		if source.err != nil {
			return 0, source.err
		}
		return 0, unavailable(err)
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return 0, unavailable(err)
	}
	if err := errors.Join(os.Rename(file.Name(), path), f.settle(filepath.Dir(path))); err != nil {
		return 0, unavailable(err)
	}
	return size, nil
}

// settle syncs the names in a folder to the disk, and its own name in its parents up to the one that
// holds the root: a sync of a file saves its content, not its name. Windows saves names by itself and
// has no such call.
func (f *Folder) settle(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = errors.Join(folder.Sync(), folder.Close())
	if err != nil || dir == filepath.Dir(filepath.Clean(f.root)) {
		return err
	}
	return f.settle(filepath.Dir(dir))
}

// watched separates the error of the reader from those of the disk, and stops when its context
// ends.
type watched struct {
	ctx context.Context
	in  io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	if w.err = w.ctx.Err(); w.err != nil {
		return 0, w.err
	}
	n, err := w.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

type object struct {
	*os.File
	size int64
}

func (o object) Size() int64 { return o.size }

// Open implements ports.Objects.
func (f *Folder) Open(_ context.Context, name string) (ports.Object, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Missing("file")
	}
	if err != nil {
		return nil, unavailable(err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, unavailable(err)
	}
	return object{file, info.Size()}, nil
}

// Names lists the stored files, sorted.
func (f *Folder) Names(ctx context.Context) (out []string, err error) {
	err = filepath.WalkDir(f.root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing stored yet, or removed meanwhile
		}
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), incoming) {
			return err
		}
		name, err := filepath.Rel(f.root, path)
		out = append(out, filepath.ToSlash(name))
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return nil, unavailable(err)
	}
	return out, nil
}

// Remove implements ports.Objects.
func (f *Folder) Remove(_ context.Context, name string) error {
	path, err := f.path(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}

// RemoveOlder implements ports.Objects. It also removes what a killed Put left
// behind.
func (f *Folder) RemoveOlder(ctx context.Context, folder string, before time.Time) error {
	path, err := f.path(folder)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			continue // removed meanwhile, no file of ours, or too new
		}
		if err := os.Remove(filepath.Join(path, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func unavailable(err error) error {
	return fault.New(fault.Unavailable, "objects_unavailable", "The store of files cannot be used; try again later.").Because(err)
}
