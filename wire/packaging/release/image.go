package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageUser is the user of the image, which is no user of the host.
const imageUser = 65532

// writeImage makes a container image, as `docker load` and `podman load` take it. It has no base image: it holds the program, the
// certificates by which public servers are trusted, and an empty folder for data that the program's user may write.
func writeImage(src source, p platform, binary string, out string) (err error) {
	image, err := newImage(src, p, binary)
	if err != nil {
		return err
	}
	tag, err := name.NewTag("tilth:" + tagOf(src.version))
	if err != nil {
		return err
	}
	to, err := os.Create(filepath.Join(out, "tilth_"+src.version+"_image_"+p.arch+".tar"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return tarball.Write(tag, image, to)
}

// tagOf returns a version as a tag, which must not contain +.
func tagOf(version string) string {
	return string(bytes.ReplaceAll([]byte(version), []byte("+"), []byte("_")))
}

func newImage(src source, p platform, binary string) (v1.Image, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	layer, err := imageLayer(program, src.time)
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: src.time}, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: src.time}
	config.Config = v1.Config{
		User: "65532:65532", WorkingDir: "/data", Entrypoint: []string{"/tilth"}, Cmd: []string{"serve"},
		Env:          []string{"PATH=/", "TILTH_ADDR=:8080", "TILTH_ADMIN_ADDR=:8081", "TILTH_LOG_FORMAT=json"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "8081/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		Healthcheck:  &v1.HealthConfig{Test: []string{"CMD", "/tilth", "health"}, Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 60 * time.Second, Retries: 3},
		Labels: map[string]string{
			"org.opencontainers.image.title": "Tilth", "org.opencontainers.image.version": src.version, "org.opencontainers.image.revision": src.commit,
			"org.opencontainers.image.created": src.time.Format(time.RFC3339), "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

func imageLayer(program []byte, at time.Time) (v1.Layer, error) {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	folder := func(name string, user int, mode int64) *tar.Header {
		return &tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: user, Gid: user}
	}
	plain := func(name string, mode int64) *tar.Header {
		return &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}
	}
	for _, f := range []struct {
		header *tar.Header
		data   []byte
	}{
		{folder("data/", imageUser, 0o700), nil},
		{folder("etc/", 0, 0o755), nil},
		{plain("etc/passwd", 0o644), []byte("tilth:x:65532:65532:Tilth:/data:/nowhere\n")},
		{plain("etc/group", 0o644), []byte("tilth:x:65532:\n")},
		{folder("etc/ssl/", 0, 0o755), nil},
		{folder("etc/ssl/certs/", 0, 0o755), nil},
		{plain("etc/ssl/certs/ca-certificates.crt", 0o644), roots.Bytes()},
		{plain("tilth", 0o755), program},
		{folder("tmp/", 0, 0o1777), nil},
	} {
		f.header.Size, f.header.ModTime, f.header.Format = int64(len(f.data)), at, tar.FormatUSTAR
		if err := w.WriteHeader(f.header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
}
