package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// file is a file that is packed.
type file struct {
	name string // below the folder of the archive
	mode int64
	data []byte
}

// texts are the texts that every archive has in addition to the program.
var texts = []string{"LICENSE", "NOTICE", "README.md", "docs/CHANGELOG.md", "docs/install.md", "docs/compatibility.md"}

// deployments are the folders of files that run a whole installation; every archive has them below deploy.
var deployments = []string{"compose", "kubernetes"}

// contents returns the files of an archive, in the order of their names.
func contents(src source, p platform, binary string, manual []file) ([]file, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	out := append([]file{{p.binary(), 0o755, program}}, manual...)
	for _, name := range texts {
		data, err := os.ReadFile(filepath.Join(src.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		out = append(out, file{name, 0o644, data})
	}
	for _, folder := range deployments {
		from := filepath.Join(src.root, "wire", "packaging", folder)
		entries, err := os.ReadDir(from)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(from, e.Name()))
			if err != nil {
				return nil, err
			}
			out = append(out, file{path.Join("deploy", folder, e.Name()), 0o644, data})
		}
	}
	slices.SortFunc(out, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return out, nil
}

// writeArchive packs the program for a platform with its manual, the texts and the files of deployments.
func writeArchive(src source, p platform, binary string, manual []file, out string) (err error) {
	files, err := contents(src, p, binary, manual)
	if err != nil {
		return err
	}
	name := "tilth_" + src.version + "_" + p.os + "_" + p.arch
	write, ending := writeTar, ".tar.gz"
	if p.os == "windows" {
		write, ending = writeZip, ".zip"
	}
	to, err := os.Create(filepath.Join(out, name+ending))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return write(to, name, files, src.time)
}

// writeTar writes files below a folder as a gzipped tar archive, which records no owner and no time other than at.
func writeTar(to io.Writer, folder string, files []file, at time.Time) error {
	zipped, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zipped)
	for _, f := range files {
		header := &tar.Header{Name: path.Join(folder, f.name), Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), zipped.Close())
}

// writeZip writes the same as a zip archive, which Windows opens without other programs.
func writeZip(to io.Writer, folder string, files []file, at time.Time) error {
	w := zip.NewWriter(to)
	for _, f := range files {
		header := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: at}
		header.SetMode(os.FileMode(f.mode))
		one, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := one.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}
