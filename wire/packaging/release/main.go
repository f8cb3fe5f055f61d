// Command release makes what a release consists of, from the sources of this checkout: an archive for each platform,
// Debian packages, container images, the bill of materials, checksums and their signature. The same commit and the same
// version of Go make the same bytes: every time in a file is that of the commit. It is a module of its own, so that the
// program does not depend on what is needed to pack it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// source is the checkout that a release is made from.
type source struct {
	root    string
	version string // semantic, without v
	time    time.Time
	commit  string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	version := flags.String("version", "", "semantic version, such as 1.2.3; empty: that of the tag of this commit, or one made of its time")
	out := flags.String("out", "", "folder that is filled; empty: bin/release of the checkout")
	names := flags.String("platforms", strings.Join(platformNames(), ","), "platforms, comma-separated")
	if err := flags.Parse(args); err != nil {
		return err
	}
	src, err := open(ctx, *version)
	if err != nil {
		return err
	}
	platforms, err := parsePlatforms(*names)
	if err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(src.root, "bin", "release")
	}
	return release(ctx, src, platforms, *out, os.Getenv("SIGNING_KEY"))
}

// release fills an empty folder, which replaces the one at out when it is complete.
func release(ctx context.Context, src source, platforms []platform, out, key string) (err error) {
	fresh := out + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.MkdirAll(fresh, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "tilth-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	manual, err := writeManual(src)
	if err != nil {
		return err
	}
	for _, p := range platforms {
		fmt.Printf("%s, version %s\n", p, src.version)
		binary := filepath.Join(work, p.os+"-"+p.arch, p.binary())
		if err := build(ctx, src, p, binary); err != nil {
			return err
		}
		if err := pack(src, p, binary, manual, fresh); err != nil {
			return err
		}
	}
	if err := writeBill(ctx, src, filepath.Join(fresh, "tilth_"+src.version+".cdx.json")); err != nil {
		return err
	}
	if err := writeChecksums(fresh); err != nil {
		return err
	}
	if key != "" {
		if err := sign(ctx, filepath.Join(fresh, checksums), key); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.Rename(fresh, out); err != nil {
		return err
	}
	fmt.Println("the release is in", out)
	return nil
}

// pack makes all files of a release that contain the program for one platform.
func pack(src source, p platform, binary string, manual []file, out string) error {
	if err := writeArchive(src, p, binary, manual, out); err != nil {
		return err
	}
	if p.os != "linux" {
		return nil
	}
	if err := writeDebian(src, p, binary, manual, out); err != nil {
		return err
	}
	return writeImage(src, p, binary, out)
}

// open finds the checkout, and determines its commit and version.
func open(ctx context.Context, version string) (source, error) {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return source{}, err
	}
	src := source{root: root}
	if src.commit, err = git(ctx, root, "rev-parse", "HEAD"); err != nil {
		return source{}, err
	}
	seconds, err := git(ctx, root, "log", "-1", "--format=%ct")
	if err != nil {
		return source{}, err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return source{}, err
	}
	src.time = time.Unix(at, 0).UTC()
	changed, err := git(ctx, root, "status", "--porcelain")
	if err != nil {
		return source{}, err
	}
	if version == "" {
		tag, err := git(ctx, root, "describe", "--tags", "--exact-match")
		if version = tag; err != nil {
			version = "0.0.0-" + src.time.Format("20060102150405") + "." + src.commit[:12]
		}
	}
	src.version, err = named(version, changed != "")
	return src, err
}

// named returns a version without v. For a changed checkout it marks the version as dirty, unless it has build metadata.
func named(version string, changed bool) (string, error) {
	v := "v" + strings.TrimPrefix(version, "v")
	if semver.Canonical(v)+semver.Build(v) != v {
		return "", fmt.Errorf("%q is not a semantic version. Fix: make release VERSION=1.2.3", version)
	}
	if changed && semver.Build(v) == "" {
		v += "+dirty"
	}
	return strings.TrimPrefix(v, "v"), nil
}

func git(ctx context.Context, folder string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
