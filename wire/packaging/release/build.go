package main

import (
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// platform is what a program is built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// binary returns the file name of the program on the platform.
func (p platform) binary() string {
	if p.os == "windows" {
		return "tilth.exe"
	}
	return "tilth"
}

var allPlatforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func platformNames() []string {
	out := make([]string, len(allPlatforms))
	for i, p := range allPlatforms {
		out[i] = p.String()
	}
	return out
}

func parsePlatforms(names string) ([]platform, error) {
	var out []platform
	for name := range strings.SplitSeq(names, ",") {
		i := slices.Index(platformNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("%q is not a platform of a release. Fix: name one or more of %s", name, strings.Join(platformNames(), ", "))
		}
		out = append(out, allPlatforms[i])
	}
	return out, nil
}

// build builds the program as `make build` does, and checks that it is for the platform. It passes on nothing of the
// environment that would change its bytes.
func build(ctx context.Context, src source, p platform, to string) error {
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "-s", "-C", src.root, "build", "BIN="+to, "VERSION="+src.version, "LINKED=-buildid=")
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains([]string{"GOOS", "GOARCH", "GOFLAGS", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOWORK", "CGO_ENABLED", "MAKEFLAGS", "MAKELEVEL", "VERSION", "BUILT"}, name) {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Env = append(cmd.Env, "GOOS="+p.os, "GOARCH="+p.arch, "GOWORK=off")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", p, err)
	}
	in, err := os.Open(to)
	if err != nil {
		return err
	}
	defer in.Close()
	made, err := platformOf(in)
	if err != nil {
		return err
	}
	if made != p {
		return fmt.Errorf("the program for %s is one for %s", p, made)
	}
	return nil
}

// platformOf returns the platform of a program, read from its header.
func platformOf(program io.ReaderAt) (platform, error) {
	if f, err := elf.NewFile(program); err == nil {
		defer f.Close()
		if slices.ContainsFunc(f.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP }) {
			return platform{}, errors.New("the program requires a loader, so it is not static")
		}
		return machine("linux", f.Machine, map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"})
	}
	if f, err := macho.NewFile(program); err == nil {
		defer f.Close()
		return machine("darwin", f.Cpu, map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"})
	}
	if f, err := pe.NewFile(program); err == nil {
		defer f.Close()
		return machine("windows", f.Machine, map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"})
	}
	return platform{}, errors.New("the program is neither ELF nor Mach-O nor PE")
}

func machine[M comparable](system string, m M, names map[M]string) (platform, error) {
	if names[m] == "" {
		return platform{}, fmt.Errorf("the program is for another machine of %s: %v", system, m)
	}
	return platform{system, names[m]}, nil
}
