package exchange

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"strings"

	"tilth/ports"
)

// Bounds of an archive: what its directory may hold, and to what its files may swell.
const (
	maxDirectoryBytes = 1 << 20
	maxUnpackedBytes  = 4 << 30
)

// openShapefile finds the files of the one shapefile of an archive, by their extensions.
func openShapefile(file ports.Object) (map[string]*zip.File, error) {
	if err := boundedDirectory(file); err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(file, file.Size())
	if err != nil {
		return nil, refuse("The zip archive cannot be read: %v.", err)
	}
	byStem := map[string]map[string]*zip.File{}
	var names []string
	for _, entry := range archive.File {
		base := path.Base(entry.Name)
		if strings.HasPrefix(base, ".") || strings.HasPrefix(entry.Name, "__MACOSX/") {
			continue
		}
		kind := strings.ToLower(path.Ext(base))
		stem := strings.ToLower(strings.TrimSuffix(entry.Name, path.Ext(entry.Name)))
		if byStem[stem] == nil {
			byStem[stem] = map[string]*zip.File{}
		}
		if byStem[stem][kind] = entry; kind == ".shp" {
			names = append(names, stem)
		}
	}
	switch len(names) {
	case 0:
		return nil, refuse("The zip archive holds no shapefile: no name in it ends in .shp.")
	case 1:
		return byStem[names[0]], nil
	}
	return nil, refuse("The zip archive holds %d shapefiles; send one at a time.", len(names))
}

// boundedDirectory refuses an archive whose directory is longer than that of any
// shapefile, for it would be held in memory as a whole. Where the directory lies is said
// at the end of the archive (APPNOTE.TXT 6.3.10, section 4.3.16).
func boundedDirectory(file ports.Object) error {
	const endBytes, commentBytes = 22, 1<<16 - 1
	size := min(file.Size(), endBytes+commentBytes)
	tail := make([]byte, size)
	if _, err := file.ReadAt(tail, file.Size()-size); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || at+endBytes > len(tail) {
		return refuse("The file is no whole zip archive: its directory is missing.")
	}
	length := int64(binary.LittleEndian.Uint32(tail[at+12:]))
	start := int64(binary.LittleEndian.Uint32(tail[at+16:]))
	end := file.Size() - size + int64(at)
	if length > maxDirectoryBytes || start < end-maxDirectoryBytes {
		return refuse("The zip archive has a directory of more than %d MiB; send one shapefile alone.", maxDirectoryBytes>>20)
	}
	return nil
}

// open returns the content of an entry, which ends with an error where it swells beyond the
// bound, whatever the directory says.
func open(entry *zip.File) (io.ReadCloser, error) {
	in, err := entry.Open()
	if err != nil {
		return nil, refuse("%.80q in the zip archive cannot be read: %v.", entry.Name, err)
	}
	return &unpacked{ReadCloser: in, name: entry.Name, left: maxUnpackedBytes}, nil
}

type unpacked struct {
	io.ReadCloser
	name string
	left int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, refuse("%.80q in the zip archive unpacks to more than %d GiB.", u.name, int64(maxUnpackedBytes)>>30)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, refuse("%.80q in the zip archive is damaged: %v.", u.name, err)
	}
	return n, err
}

// short reads a small entry whole; a missing one is empty.
func short(entry *zip.File) (string, error) {
	if entry == nil {
		return "", nil
	}
	in, err := open(entry)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxWKTBytes+1))
	if err == nil && len(text) > maxWKTBytes {
		err = refuse("%.80q in the zip archive is longer than %d KiB.", entry.Name, maxWKTBytes>>10)
	}
	return string(text), err
}
