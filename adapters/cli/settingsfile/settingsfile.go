// Package settingsfile reads and writes the file of settings, tilth.toml: one line per setting, named like its variable, in
// lower case and without TILTH_.
package settingsfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"tilth/core/fault"
	"tilth/core/list"
)

// Setting is a setting that the file may hold.
type Setting struct {
	Variable string // TILTH_DATABASE_URL
	Help     string
	Default  string
	Plain    bool // a number, true or false, which TOML writes without quotes
}

// Name returns what the setting is called in the file.
func (s Setting) Name() string { return strings.ToLower(strings.TrimPrefix(s.Variable, "TILTH_")) }

// maxBytes bounds a file: it holds a hundred lines.
const maxBytes = 1 << 20

// Read returns the values of a file by their variables. A name that is not that of a setting is an error.
func Read(r io.Reader, known []Setting) (map[string]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, errors.New("it is larger than 1 MiB")
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, err
	}
	names := list.Map(known, Setting.Name)
	out := map[string]string{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := slices.Index(names, name)
		if at < 0 {
			errs = append(errs, unknown(name, names))
			continue
		}
		value, err := spelt(values[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		out[known[at].Variable] = value
	}
	return out, errors.Join(errs...)
}

func unknown(name string, names []string) error {
	plain := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(name), "-", "_"), "tilth_")
	nearest := cmp.Or(fault.Nearest(plain, names), "one that `tilth config` prints, in lower case and without TILTH_")
	return fmt.Errorf("%q is not a setting. Fix: name %s", name, nearest)
}

// spelt returns a value as the environment would hold it.
func spelt(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", errors.New("it is neither text nor a number, nor true or false")
}

const head = `# Settings of Tilth. A line without # is in force; one with # shows the default. An environment variable
# (TILTH_ADDR for addr) overrides a line here, and a flag (--addr) overrides both. tilth config --origins shows what
# is in force and why. This file may hold passwords: keep it from others.
`

// width is how long the lines of a comment may be.
const width = 110

// Write writes a file with every setting: those that are set, and the others as comments with their defaults.
func Write(w io.Writer, known []Setting, set map[string]string) error {
	var b strings.Builder
	b.WriteString(head)
	for _, one := range known {
		b.WriteByte('\n')
		line := "#"
		for word := range strings.FieldsSeq(one.Help) {
			if len(line)+1+len(word) > width {
				b.WriteString(line + "\n")
				line = "#"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
		value, isSet := set[one.Variable]
		if !isSet {
			value = one.Default
			b.WriteByte('#')
		}
		text, err := one.line(value)
		if err != nil {
			return err
		}
		b.WriteString(text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Setting) line(value string) (string, error) {
	if s.Plain {
		return s.Name() + " = " + value + "\n", nil
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b) // a string of JSON is one of TOML, except for DEL
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return s.Name() + " = " + strings.ReplaceAll(b.String(), "\x7f", `\u007f`), err
}
