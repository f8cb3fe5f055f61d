// Package objects keeps files of any size in a folder: what is uploaded until it has been
// worked through. It knows nothing of what is in them.
package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// Folder keeps files in a folder, which is made when the first file comes. Replicas that
// share the work share the folder.
type Folder struct{ root string }

// Open reads an address: file:PATH.
func Open(address string) (*Folder, error) {
	path, ok := strings.CutPrefix(address, "file:")
	if !ok || path == "" {
		return nil, fmt.Errorf("the address %q of the objects is not of the form file:PATH", address)
	}
	return &Folder{strings.TrimPrefix(path, "//")}, nil
}

// path returns where a name lies. Names are made by the program; one that would leave the
// folder is a mistake in it.
func (f *Folder) path(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("the object name %q leaves its folder", name)
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), nil
}

// Put implements ports.Objects: a file appears under its name when it is whole.
func (f *Folder) Put(ctx context.Context, name string, from io.Reader) (size int64, err error) {
	path, err := f.path(name)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, away(err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".incoming-*")
	if err != nil {
		return 0, away(err)
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
		return 0, away(err)
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return 0, away(err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return 0, away(err)
	}
	return size, nil
}

// watched keeps the error of the reader apart from those of the disk, and ends with its
// context.
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
		return nil, away(err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, away(err)
	}
	return object{file, info.Size()}, nil
}

// Remove implements ports.Objects.
func (f *Folder) Remove(_ context.Context, name string) error {
	path, err := f.path(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return away(err)
	}
	return nil
}

// RemoveOlder implements ports.Objects. It also takes what a killed Put left behind.
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
		return away(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			continue // gone meanwhile, or not ours, or still wanted
		}
		if err := os.Remove(filepath.Join(path, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return away(err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// away says that the folder cannot be used, which is nothing that a caller can mend.
func away(err error) error {
	return fault.New(fault.Unavailable, "objects_unavailable", "The store of files cannot be used; try again later.").Because(err)
}
