package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
)

// somewhen is the time of a commit.
var somewhen = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func here(t *testing.T) source {
	t.Helper()
	src, err := open(t.Context(), "1.2.3-rc.1")
	require.NoError(t, err)
	return src
}

func TestVersionsAreSemantic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given   string
		changed bool
		want    string
	}{
		{"1.2.3", false, "1.2.3"}, {"v1.2.3", false, "1.2.3"}, {"1.2.3-rc.1", false, "1.2.3-rc.1"}, {"1.2.3", true, "1.2.3+dirty"},
		{"1.2.3+build", true, "1.2.3+build"}, {"0.0.0-20260304050607.abcdef012345", false, "0.0.0-20260304050607.abcdef012345"},
		{"1.2", false, ""}, {"one", false, ""}, {"1.2.3.4", false, ""}, {"01.2.3", false, ""},
	} {
		got, err := named(c.given, c.changed)
		require.Equal(t, c.want == "", err != nil, c.given)
		require.Equal(t, c.want, got, c.given)
	}
}

func TestPlatformsAreReadFromHeaders(t *testing.T) {
	t.Parallel()
	own, err := os.Executable()
	require.NoError(t, err)
	in, err := os.Open(own)
	require.NoError(t, err)
	defer in.Close()
	if got, err := platformOf(in); err == nil { // a test may be linked against the C library
		require.Equal(t, platform{runtime.GOOS, runtime.GOARCH}, got)
	}
	_, err = platformOf(strings.NewReader("#!/bin/sh\n"))
	require.Error(t, err)
	_, err = parsePlatforms("linux/amd64,plan9/386")
	require.ErrorContains(t, err, "plan9/386")
	all, err := parsePlatforms(strings.Join(platformNames(), ","))
	require.NoError(t, err)
	require.Equal(t, allPlatforms, all)
}

// Every command has a manual page about which a strict reader has no complaints, and what users type appears in it literally.
func TestManualPages(t *testing.T) {
	t.Parallel()
	files, err := writeManual(here(t))
	require.NoError(t, err)
	pages := map[string]string{}
	for _, f := range files {
		pages[f.name] = string(f.data)
	}
	require.Greater(t, len(pages), 80)
	require.Contains(t, pages["man/man1/tilth.1"], "tilth serve --demo     start")
	require.Contains(t, pages["man/man1/tilth-backup.1"], "TILTH_BACKUP_DIR")
	require.Contains(t, pages["man/man1/tilth-serve.1"], "--database-url")
	require.Contains(t, pages["man/man1/tilth-health.1"], "/readyz")
	for _, shell := range []string{"tilth.bash", "_tilth", "tilth.fish", "tilth.ps1"} {
		require.Contains(t, pages["completions/"+shell], "tilth")
	}
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Log("NOTE: no mandoc, so the manual pages are NOT READ by it. Fix: apt-get install mandoc (Debian).")
		return
	}
	for name, text := range pages {
		if !strings.HasPrefix(name, "man/") {
			continue
		}
		cmd := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "error")
		cmd.Stdin = strings.NewReader(text)
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, said)
	}
}

func TestArchivesAreReproducible(t *testing.T) {
	t.Parallel()
	files := []file{{"tilth", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("text")}}
	for _, write := range []func(io.Writer, string, []file, time.Time) error{writeTar, writeZip} {
		var first, second bytes.Buffer
		require.NoError(t, write(&first, "tilth", files, somewhen))
		require.NoError(t, write(&second, "tilth", files, somewhen))
		require.Equal(t, first.Bytes(), second.Bytes())
	}
}

// The packages and the image are made from an arbitrary file here: what matters is what is around it.
func TestPackagesAndImages(t *testing.T) {
	t.Parallel()
	src, binary := here(t), filepath.Join(t.TempDir(), "tilth")
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755))
	manual, err := writeManual(src)
	require.NoError(t, err)
	var before map[string][]byte
	for range 2 {
		out := t.TempDir()
		require.NoError(t, pack(src, platform{"linux", "arm64"}, binary, manual, out))
		made := map[string][]byte{}
		entries, err := os.ReadDir(out)
		require.NoError(t, err)
		for _, e := range entries {
			made[e.Name()], err = os.ReadFile(filepath.Join(out, e.Name()))
			require.NoError(t, err)
		}
		require.Len(t, made, 3)
		if before != nil {
			for name := range made {
				require.True(t, bytes.Equal(before[name], made[name]), "%s is not made the same twice", name)
			}
		}
		before = made
		image, err := tarball.ImageFromPath(filepath.Join(out, "tilth_"+src.version+"_image_arm64.tar"), nil)
		require.NoError(t, err)
		require.NoError(t, validate.Image(image))
		config, err := image.ConfigFile()
		require.NoError(t, err)
		require.Equal(t, "arm64", config.Architecture)
		require.Equal(t, "65532:65532", config.Config.User)
		require.Equal(t, []string{"CMD", "/tilth", "health"}, config.Config.Healthcheck.Test)
	}
	names := tarNames(t, before["tilth_"+src.version+"_linux_arm64.tar.gz"])
	for _, name := range []string{"tilth", "LICENSE", "NOTICE", "README.md", "man/man1/tilth.1", "completions/tilth.bash", "deploy/compose/compose.yaml", "deploy/kubernetes/api.yaml"} {
		require.Contains(t, names, "tilth_"+src.version+"_linux_arm64/"+name)
	}
}

func tarNames(t *testing.T, archive []byte) (out []string) {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	for r := tar.NewReader(zipped); ; {
		header, err := r.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		require.Empty(t, header.Uname)
		require.Zero(t, header.Uid)
		out = append(out, header.Name)
	}
}

// Whoever has the public key can check a release with OpenSSH alone, and detects a file that was changed.
func TestReleasesAreSigned(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("SKIPPED: no ssh-keygen, so nothing is signed. Fix: apt-get install openssh-client (Debian).")
	}
	folder, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	said, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tilth", "-f", key).CombinedOutput()
	require.NoError(t, err, string(said))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), []byte("abc"), 0o644))
	require.NoError(t, writeChecksums(folder))
	sums := filepath.Join(folder, checksums)
	text, err := os.ReadFile(sums)
	require.NoError(t, err)
	require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n", string(text))
	require.NoError(t, sign(t.Context(), sums, key))

	public, err := os.ReadFile(key + ".pub")
	require.NoError(t, err)
	signers := filepath.Join(t.TempDir(), "signers")
	require.NoError(t, os.WriteFile(signers, append([]byte("release@tilth "), public...), 0o644))
	verify := func(text []byte) error {
		cmd := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I", "release@tilth", "-n", signedFor, "-s", sums+".sig")
		cmd.Stdin = bytes.NewReader(text)
		return cmd.Run()
	}
	require.NoError(t, verify(text))
	require.Error(t, verify(append(text, "more\n"...)))
}

// The whole release: each program is for its platform (build checks that), and a copy of the sources in another folder
// makes the same bytes with an empty cache.
func TestWholeRelease(t *testing.T) {
	if os.Getenv("TILTH_RELEASE") == "" {
		t.Skip("SKIPPED: a release of six platforms takes minutes. Fix: make test-release.")
	}
	src, out := here(t), filepath.Join(t.TempDir(), "release")
	require.NoError(t, release(t.Context(), src, allPlatforms, out, ""))
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, len(allPlatforms)+2+2+2, "archives, two packages, two images, the bill, the checksums")

	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--quiet", checksums)
	check.Dir = out
	said, err := check.CombinedOutput()
	require.NoError(t, err, string(said))

	other := filepath.Join(t.TempDir(), "elsewhere", "tilth")
	// A commit made in the meantime would be another release.
	for _, args := range [][]string{{"clone", "-q", src.root, other}, {"-C", other, "checkout", "-q", "--detach", src.commit}} {
		said, err = exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoError(t, err, string(said))
	}
	if strings.HasSuffix(src.version, "+dirty") {
		t.Skip("SKIPPED: the checkout was changed, so a clone of it is another one. Fix: commit first.")
	}
	t.Setenv("GOCACHE", t.TempDir())
	clone := src
	clone.root = other
	again := filepath.Join(t.TempDir(), "again")
	require.NoError(t, release(t.Context(), clone, []platform{{"linux", runtime.GOARCH}}, again, ""))
	entries, err = os.ReadDir(again)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() == checksums {
			continue
		}
		first, err := digest(filepath.Join(out, e.Name()))
		require.NoError(t, err)
		second, err := digest(filepath.Join(again, e.Name()))
		require.NoError(t, err)
		require.Equal(t, first, second, e.Name())
	}
}
