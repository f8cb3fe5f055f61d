package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a Go module whose packages are in the program.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *struct{ Version string } // by another version, or by a folder, which has none
}

// modulesOf lists the modules of a package's program, the main one first, the others sorted.
func modulesOf(ctx context.Context, program string) ([]module, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", program)
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules of %s: %w", program, err)
	}
	var out []module
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var one struct{ Module *module }
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		m := one.Module
		if m == nil || m.Replace != nil && m.Replace.Version == "" {
			continue // a folder of this repository belongs to the program itself
		}
		if !slices.ContainsFunc(out, func(have module) bool { return have.Path == m.Path }) {
			out = append(out, *m)
		}
	}
	slices.SortFunc(out, func(a, b module) int {
		if a.Main != b.Main {
			return map[bool]int{true: -1, false: 1}[a.Main]
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out, nil
}

// texts are phrases that are peculiar to a licence, with its SPDX identifier.
var texts = []struct{ id, says string }{
	{"MPL-2.0", "mozilla public license"},
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"BSD-3-Clause", "may be used to endorse or promote products"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce the above copyright notice"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"GPL", "gnu general public license"},
	{"LGPL", "gnu lesser general public license"},
	{"AGPL", "gnu affero general public license"},
}

// identify returns the licences of a text, sorted, or none if it recognises none.
func identify(text string) (out []string) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, one := range texts {
		// Some name others: the Mozilla licence names those that its files may also be under.
		named := one.id == "BSD-2-Clause" && slices.Contains(out, "BSD-3-Clause") || strings.HasSuffix(one.id, "GPL") && slices.Contains(out, "MPL-2.0")
		if named || !strings.Contains(text, one.says) {
			continue
		}
		out = append(out, one.id)
	}
	slices.Sort(out)
	return out
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(md|txt))?$`)

// licencesOf returns the licences of a module.
func licencesOf(m module) ([]string, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		return identify(string(text)), err
	}
	return nil, nil
}
