// Package archive opens zip archives that strangers send: their directories are bounded, and so is the unpacked size of their files.
package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"tilth/core/fault"
	"tilth/ports"
)

// Bounds of an archive: the size of its directory, and the size to which one of its files may unpack.
const (
	maxDirectoryBytes = 1 << 20
	maxUnpackedBytes  = 4 << 30
)

// Open reads the directory of an archive. It refuses a directory that is longer than the files of any
// reader need, because it would be held in memory as a whole.
//
// Faults: Invalid with "file".
func Open(file ports.Object) (*zip.Reader, error) {
	if err := boundedDirectory(file); err != nil {
		return nil, err
	}
	out, err := zip.NewReader(file, file.Size())
	if err != nil {
		return nil, refuse("The zip archive cannot be read: %v.", err)
	}
	return out, nil
}

// boundedDirectory bounds the directory of an archive. The end of the archive states where the
// directory lies (APPNOTE.TXT 6.3.10, section 4.3.16).
func boundedDirectory(file ports.Object) error {
	const endBytes, commentBytes = 22, 1<<16 - 1
	size := min(file.Size(), endBytes+commentBytes)
	tail := make([]byte, size)
	if _, err := file.ReadAt(tail, file.Size()-size); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || at+endBytes > len(tail) {
		return refuse("The file is not a complete zip archive: its directory is missing.")
	}
	length := int64(binary.LittleEndian.Uint32(tail[at+12:]))
	start := int64(binary.LittleEndian.Uint32(tail[at+16:]))
	end := file.Size() - size + int64(at)
	if length > maxDirectoryBytes || start < end-maxDirectoryBytes {
		return refuse("The zip archive has a directory of more than %d MiB; send only the files that belong together.", maxDirectoryBytes>>20)
	}
	return nil
}

// Content returns the content of an entry, which ends with an error where it unpacks beyond the
// bound, whatever the directory states.
//
// Faults: Invalid with "file", also while it is read.
func Content(entry *zip.File) (io.ReadCloser, error) { return ContentUpTo(entry, maxUnpackedBytes) }

// ContentUpTo is Content with a bound of its own.
func ContentUpTo(entry *zip.File, maxBytes int64) (io.ReadCloser, error) {
	in, err := entry.Open()
	if err != nil {
		return nil, refuse("%.80q in the zip archive cannot be read: %v.", entry.Name, err)
	}
	return &unpacked{ReadCloser: in, name: entry.Name, max: maxBytes, left: maxBytes}, nil
}

type unpacked struct {
	io.ReadCloser
	name      string
	max, left int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, refuse("%.80q in the zip archive unpacks to more than %d MiB.", u.name, u.max>>20)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, refuse("%.80q in the zip archive is damaged: %v.", u.name, err)
	}
	return n, err
}

func refuse(format string, args ...any) error {
	f := fault.Fields{}
	f.Addf("file", format, args...)
	return f.Err()
}
