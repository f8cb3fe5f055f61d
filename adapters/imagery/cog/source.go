package cog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tilth/core/fault"
	"tilth/ports"
)

// Source is a file that can be read by position.
type Source interface {
	// ReadAt fills p from the byte at off. As with io.ReaderAt, fewer bytes come with an error,
	// which is io.EOF at the end of the file. Faults as in ports.Imagery.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Size is the length in bytes, or -1 while it is unknown.
	Size() int64
	// Address identifies the file for the cache: two sources of one address must hold the same
	// bytes.
	Address() string
}

// local is a file of this machine. It is opened for each read and closed after it, so that a
// catalog of thousands of files holds none open.
type local struct {
	open    func() (*os.File, error)
	name    string // for messages
	address string
	size    int64
}

// FromFile returns the file at a path.
func FromFile(path string) (Source, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fileFault(path, err)
	}
	info, err := os.Stat(absolute)
	return newLocal(path, absolute, info, err, func() (*os.File, error) { return os.Open(absolute) })
}

// FromRoot returns the file at a path inside a folder that symbolic links cannot leave. The root
// must stay open as long as the source is used.
func FromRoot(root *os.Root, path string) (Source, error) {
	absolute, err := filepath.Abs(filepath.Join(root.Name(), path))
	if err != nil {
		return nil, fileFault(path, err)
	}
	// One call serves a regular file; the root, which checks every folder, serves links and reads.
	info, err := os.Lstat(absolute)
	if err != nil || !info.Mode().IsRegular() {
		info, err = root.Stat(path)
	}
	return newLocal(path, absolute, info, err, func() (*os.File, error) { return root.Open(path) })
}

func newLocal(name, absolute string, info fs.FileInfo, err error, open func() (*os.File, error)) (Source, error) {
	if err != nil {
		return nil, fileFault(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, broken(name, "it is not a regular file")
	}
	// Time and size are part of the address: a file that was replaced is another file.
	address := fmt.Sprintf("%s@%d+%d", absolute, info.ModTime().UnixNano(), info.Size())
	return &local{open: open, name: filepath.Base(name), address: address, size: info.Size()}, nil
}

func (l *local) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f, err := l.open()
	if err != nil {
		return 0, fileFault(l.name, err)
	}
	defer f.Close()
	n, err := f.ReadAt(p, off)
	ports.CountTraffic(ctx, int64(n), err != nil && !errors.Is(err, io.EOF))
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fileFault(l.name, err)
	}
	return n, err
}

func (l *local) Size() int64     { return l.size }
func (l *local) Address() string { return l.address }

// stored is a file that is open already.
type stored struct {
	file         io.ReaderAt
	size         int64
	object, name string
}

// FromStored returns a file that is already open, such as one of the object store. object is the name under which it is kept, which
// comes from its content, so that one object always has the same bytes; name is for messages.
func FromStored(file io.ReaderAt, size int64, object, name string) Source {
	return stored{file, size, object, name}
}

func (s stored) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.file.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault.Newf(fault.Unavailable, "raster_unreadable", "%s cannot be read now; try again.", s.name).Because(err)
	}
	return n, err
}

func (s stored) Size() int64     { return s.size }
func (s stored) Address() string { return "object:" + s.object }

func fileFault(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Newf(fault.NotFound, "imagery_gone", "There is no file %s.", name).Because(err)
	}
	return fault.Newf(fault.Unavailable, "imagery_unavailable", "The file %s cannot be read.", name).Because(err)
}

// broken is the fault of a file that violates its format.
func broken(name, format string, args ...any) *fault.Error {
	return fault.Newf(fault.Invalid, "imagery_unreadable", "%s cannot be read: %s.", name, fmt.Sprintf(format, args...))
}

// unsupported is the fault of a valid file of an unsupported kind.
func unsupported(name, format string, args ...any) *fault.Error {
	return fault.Newf(fault.Invalid, "imagery_unsupported", "%s cannot be read: %s.", name, fmt.Sprintf(format, args...))
}
