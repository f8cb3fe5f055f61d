package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the packager
	"github.com/goreleaser/nfpm/v2/files"
)

// writeDebian makes a Debian package: the program with a unit for systemd, its settings, manual pages and completions.
func writeDebian(src source, p platform, binary string, manual []file, out string) (err error) {
	stage, err := os.MkdirTemp("", "tilth-debian-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	from := filepath.Join(src.root, "wire", "packaging", "debian")
	at := func(source, destination, kind string, mode fs.FileMode) *files.Content {
		return &files.Content{Source: source, Destination: destination, Type: kind, FileInfo: &files.ContentFileInfo{Mode: mode, Owner: "root", Group: "root", MTime: src.time}}
	}
	all := files.Contents{
		at(binary, "/usr/bin/tilth", files.TypeFile, 0o755),
		at(filepath.Join(from, "tilth-admin"), "/usr/sbin/tilth-admin", files.TypeFile, 0o755),
		at(filepath.Join(from, "tilth.service"), "/usr/lib/systemd/system/tilth.service", files.TypeFile, 0o644),
		at(filepath.Join(from, "defaults.env"), "/usr/lib/tilth/defaults.env", files.TypeFile, 0o644),
		at(filepath.Join(from, "tilth.env"), "/etc/tilth/tilth.env", files.TypeConfigNoReplace, 0o600),
		at(filepath.Join(from, "copyright"), "/usr/share/doc/tilth/copyright", files.TypeFile, 0o644),
		at(filepath.Join(src.root, "NOTICE"), "/usr/share/doc/tilth/NOTICE", files.TypeFile, 0o644),
	}
	changes, err := os.ReadFile(filepath.Join(src.root, "docs", "CHANGELOG.md"))
	if err != nil {
		return err
	}
	for _, f := range append([]file{{name: "changelog", data: changes}}, manual...) {
		destination := debianPath(f.name)
		if destination == "" {
			continue
		}
		data := f.data
		if strings.HasSuffix(destination, ".gz") {
			if data, err = zipped(data); err != nil {
				return err
			}
		}
		staged := filepath.Join(stage, path.Base(f.name))
		if err := os.WriteFile(staged, data, 0o644); err != nil {
			return err
		}
		all = append(all, at(staged, destination, files.TypeFile, 0o644))
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "tilth", Arch: p.arch, Platform: p.os, Version: src.version, Section: "net", Priority: "optional",
		Maintainer: "The maintainers of Tilth <tilth@localhost>", License: "Apache-2.0", MTime: src.time, DisableGlobbing: true,
		Description: "open back end for growers, food companies and soil-carbon projects\n" +
			"Tilth keeps farms, fields and cultivations, computes season-long profiles of vegetation indices\n" +
			"from open satellite imagery, assesses greenhouse gases and plans soil sampling. It serves an\n" +
			"HTTP/JSON interface and a console, on SQLite or PostgreSQL.",
		Overridables: nfpm.Overridables{
			Depends:  []string{"ca-certificates", "init-system-helpers (>= 1.52)"},
			Suggests: []string{"postgresql", "nats-server"},
			Contents: all,
			Umask:    0o022,
			Scripts: nfpm.Scripts{
				PostInstall: filepath.Join(from, "postinst"), PreRemove: filepath.Join(from, "prerm"), PostRemove: filepath.Join(from, "postrm"),
			},
			Deb: nfpm.Deb{Compression: "xz"},
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	packager, err := nfpm.Get("deb")
	if err != nil {
		return err
	}
	to, err := os.Create(filepath.Join(out, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return packager.Package(info, to)
}

// debianPath returns the path of a file of the manual in a Debian system; empty if it is not installed.
func debianPath(name string) string {
	switch base := path.Base(name); {
	case strings.HasPrefix(name, "man/"):
		return "/usr/share/" + name + ".gz"
	case name == "changelog":
		return "/usr/share/doc/tilth/changelog.gz"
	case base == "tilth.bash":
		return "/usr/share/bash-completion/completions/tilth"
	case base == "_tilth":
		return "/usr/share/zsh/vendor-completions/_tilth"
	case base == "tilth.fish":
		return "/usr/share/fish/vendor_completions.d/tilth.fish"
	}
	return ""
}

func zipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
