// Package companyfile writes and reads the zip archives in which companies are moved. What it reads may come from anyone:
// the directory, names and sizes are bounded, and nothing is unpacked into a folder.
package companyfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// Files implements ports.CompanyFiles.
type Files struct{}

// Write implements ports.CompanyFiles.
func (Files) Write(to io.Writer) ports.CompanyFileWriter { return writer{zip.NewWriter(to)} }

type writer struct{ zip *zip.Writer }

// kept is the folder of files that are stored as they are: pictures and documents are compressed already.
const kept = "files/"

func (w writer) Add(name string, at time.Time) (io.Writer, error) {
	method := zip.Deflate
	if strings.HasPrefix(name, kept) {
		method = zip.Store
	}
	return w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: at.UTC().Truncate(time.Second)})
}

func (w writer) Close() error { return w.zip.Close() }

// maxDirectory bounds the directory of an archive, which is held in memory: about a million entries.
const maxDirectory = 128 << 20

// Open implements ports.CompanyFiles.
func (Files) Open(file ports.Object) (ports.CompanyFileReader, error) {
	if err := bounded(file); err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(file, file.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked below
		return nil, refuse("it is not a complete zip archive: %v. Fix: copy it once more, or export the company again", err)
	}
	out := reader{entries: make(map[string]*zip.File, len(archive.File))}
	for _, entry := range archive.File {
		switch {
		case !fs.ValidPath(entry.Name) || strings.Contains(entry.Name, `\`) || !entry.Mode().IsRegular():
			return nil, refuse("the entry %.80q is not a plain file below its folder", entry.Name)
		case out.entries[entry.Name] != nil:
			return nil, refuse("the entry %.80q occurs twice", entry.Name)
		case entry.Flags&1 != 0:
			return nil, refuse("the entry %.80q is encrypted. Fix: decrypt the archive first", entry.Name)
		}
		out.entries[entry.Name] = entry
		out.names = append(out.names, entry.Name)
	}
	return out, nil
}

// bounded bounds the directory before it is read. The end of the archive states where it lies (APPNOTE.TXT 6.3.10,
// sections 4.3.14 to 4.3.16).
func bounded(file ports.Object) error {
	const end, comment, locator, end64 = 22, 1<<16 - 1, 20, 56
	size := min(file.Size(), end+comment+locator)
	tail := make([]byte, size)
	if _, err := file.ReadAt(tail, file.Size()-size); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || at+end > len(tail) {
		return refuse("it is not a complete zip archive: its directory is missing. Fix: copy it once more, or export the company again")
	}
	length := uint64(binary.LittleEndian.Uint32(tail[at+12:]))
	if at >= locator && bytes.HasPrefix(tail[at-locator:], []byte("PK\x06\x07")) {
		start := binary.LittleEndian.Uint64(tail[at-locator+8:])
		record := make([]byte, end64)
		if start > uint64(file.Size()) {
			return refuse("its directory lies beyond its end")
		}
		if _, err := file.ReadAt(record, int64(start)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		length = binary.LittleEndian.Uint64(record[40:])
	}
	// Whatever the end states, the directory cannot be longer than what lies before it.
	if length > maxDirectory {
		return refuse("its directory has more than %d MiB", maxDirectory>>20)
	}
	return nil
}

type reader struct {
	entries map[string]*zip.File
	names   []string
}

func (r reader) Names() []string { return r.names }

func (r reader) Small(name string, limit int64) ([]byte, error) {
	entry := r.entries[name]
	if entry == nil {
		return nil, refuse("%s is not in it. Fix: give a file that `tilth company export` wrote", name)
	}
	if entry.UncompressedSize64 > uint64(limit) {
		return nil, refuse("%s has more than %d bytes", name, limit)
	}
	in, err := r.Open(name, int64(entry.UncompressedSize64))
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return io.ReadAll(in)
}

func (r reader) Open(name string, size int64) (io.ReadCloser, error) {
	entry := r.entries[name]
	if entry == nil {
		return nil, refuse("%s is not in it", name)
	}
	if entry.UncompressedSize64 != uint64(size) {
		return nil, refuse("%s has %d bytes, but the manifest states %d", name, entry.UncompressedSize64, size)
	}
	in, err := entry.Open()
	if err != nil {
		return nil, refuse("%s cannot be read: %v", name, err)
	}
	return &content{ReadCloser: in, name: name, left: size}, nil
}

// content ends with an error where an entry unpacks to more than its size, whatever its header states, or to less.
type content struct {
	io.ReadCloser
	name string
	left int64
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, refuse("%s unpacks to more than it states", c.name)
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) && c.left == 0:
	case errors.Is(err, io.EOF):
		return n, refuse("%s ends %d bytes too early", c.name, c.left)
	default:
		return n, refuse("%s is damaged: %v. Fix: copy the file once more, or export the company again", c.name, err)
	}
	return n, err
}

func refuse(format string, args ...any) error {
	return fault.New(fault.Invalid, "company_file", "The file of the company cannot be taken: "+fmt.Sprintf(format, args...)+".")
}
