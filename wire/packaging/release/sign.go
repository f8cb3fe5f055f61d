package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checksums is the file with the SHA-256 of every other file of a release, as sha256sum --check reads it.
const checksums = "SHA256SUMS"

// signedFor is the purpose that the signature names: a signature for another purpose does not verify.
const signedFor = "tilth-release"

func writeChecksums(folder string) error {
	entries, err := os.ReadDir(folder) // by name
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		sum, err := digest(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(folder, checksums), []byte(b.String()), 0o644)
}

func digest(name string) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, in)
	return hash.Sum(nil), err
}

// sign signs a file with a key of ssh-keygen, into FILE.sig. OpenSSH is available both where a release is made and where it is
// checked, so neither needs another program. ssh-keygen asks for the passphrase of a key, or takes the key from ssh-agent.
func sign(ctx context.Context, name, key string) error {
	if err := os.Remove(name + ".sig"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", signedFor, name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sign with SIGNING_KEY, %s: %w", key, err)
	}
	return nil
}

// writeBill writes the bill of materials, as `make sbom` does.
func writeBill(ctx context.Context, src source, to string) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	cmd := exec.CommandContext(ctx, "go", "run", "./tests/sbom")
	cmd.Dir, cmd.Stdout, cmd.Stderr = src.root, out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bill of materials: %w", err)
	}
	return nil
}
