// Command packed compresses the files of folders with gzip, each in place, if that makes it smaller: the program embeds
// them this way, and serves them as they are. The same file results in the same bytes on any machine: the version of
// the compressing module is in go.mod, and neither names nor times are stored.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
)

func main() {
	for _, folder := range os.Args[1:] {
		if err := pack(folder); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "packed:", err)
			os.Exit(1)
		}
	}
}

func pack(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if !e.Type().IsRegular() || filepath.Ext(name) == ".gz" {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		smaller, err := packed(content)
		if err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		if len(smaller) >= len(content)*9/10 {
			continue // a typeface is already compressed, and a tiny file gains nothing
		}
		if err := os.WriteFile(name+".gz", smaller, 0o644); err != nil {
			return err
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

func packed(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
