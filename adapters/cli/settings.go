package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/adapters/cli/settingsfile"
	"tilth/core/list"
)

// The variable that names the file of settings, and the file that is read, if it exists, where the variable is not set.
const (
	fileVariable = prefix + "CONFIG"
	usualFile    = "tilth.toml"
)

// readSettings reads the file of settings: its name, and the settings in it by their variables.
func readSettings(environ map[string]string) (name string, held map[string]string, err error) {
	name = cmp.Or(environ[fileVariable], usualFile)
	in, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && environ[fileVariable] == "" {
		return "", nil, nil
	}
	if err != nil {
		return name, nil, err
	}
	defer in.Close()
	if held, err = settingsfile.Read(in, fileSettings()); err != nil {
		return name, nil, err
	}
	_, err = ReadConfig(held) // so that a mistake in the file is not reported as one of the environment
	return name, held, err
}

// below returns the variables of the environment over the settings of the file.
func below(held, environ map[string]string) map[string]string {
	out := maps.Clone(environ)
	if out == nil {
		out = map[string]string{}
	}
	for variable, value := range held {
		if _, set := environ[variable]; !set {
			out[variable] = value
		}
	}
	return out
}

// fileSettings are the settings as the file holds them.
func fileSettings() []settingsfile.Setting {
	usual, _ := ReadConfig(nil)
	return list.Map(usual.settings(), func(s setting) settingsfile.Setting {
		value := reflect.ValueOf(s.to).Elem()
		text := value.Kind() == reflect.String || value.Type() == reflect.TypeFor[time.Duration]()
		return settingsfile.Setting{Variable: s.variable, Help: s.help, Default: fmt.Sprint(value.Interface()), Plain: !text}
	})
}

func (s *shell) config() *cobra.Command {
	var origins bool
	c := &cobra.Command{
		Use: "config", Short: "Print the configuration in force, secrets hidden",
		Long: `Print the configuration in force, secrets hidden. A flag overrides an environment variable,
which overrides a line of tilth.toml (TILTH_CONFIG names another file). With --origins, each
setting is printed with its origin.`,
	}
	c.Flags().BoolVar(&origins, "origins", false, "show where each setting comes from: flag, environment, the file or default")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		values, described := map[string]string{}, map[string]any{}
		var lines []string
		for _, one := range s.cfg.settings() {
			line := one.variable + "=" + one.value()
			values[one.variable] = one.value()
			if origins {
				from := s.origin(cmd, one)
				described[one.variable] = map[string]string{"value": one.value(), "origin": from}
				line += "  # " + from
			}
			lines = append(lines, line)
		}
		if origins {
			return s.print(described, "%s", strings.Join(lines, "\n"))
		}
		return s.print(values, "%s", strings.Join(lines, "\n"))
	}
	return c
}

// origin returns where a setting in force comes from.
func (s *shell) origin(cmd *cobra.Command, one setting) string {
	_, inEnvironment := s.environ[one.variable]
	_, inFile := s.held[one.variable]
	switch {
	case cmd.Flags().Changed(one.flag()):
		return "flag"
	case inEnvironment:
		return "environment"
	case inFile:
		return s.file
	}
	return "default"
}

// value returns a setting as it may be shown.
func (s *shell) value(flag string) string {
	for _, one := range s.cfg.settings() {
		if one.flag() == flag {
			return one.value()
		}
	}
	return ""
}

// firstQuestions are what `tilth init` asks; everything else has a default that suits most.
var firstQuestions = []settingsfile.Question{
	{Variable: "TILTH_DATABASE_URL", Text: "Where should records be kept? sqlite:PATH for a file on this machine, or postgres://USER:PASSWORD@HOST/DATABASE", Default: "sqlite:tilth-data/tilth.db"},
	{Variable: "TILTH_ADDR", Text: "At which address should requests be answered? 127.0.0.1:8080 is this machine only, :8080 all of its networks", Default: "127.0.0.1:8080"},
	{Variable: "TILTH_IMAGERY_URL", Text: "Where does imagery come from? A folder with a catalog.json, the address of a STAC API, or nothing for the open Earth Search API"},
}

func (s *shell) init() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "init", Short: "Ask three questions, and write a file of settings",
		Long: `Ask three questions, and write tilth.toml (or the file that TILTH_CONFIG names) with the answers,
every other setting as a comment with its default, and a new key for stored secrets in
secret.key beside it. Existing files are not touched.`,
		RunE: func(*cobra.Command, []string) error {
			file, err := filepath.Abs(cmp.Or(s.environ[fileVariable], usualFile))
			if err != nil {
				return err
			}
			if _, err := os.Lstat(file); err == nil {
				return fmt.Errorf("%s already exists. Fix: edit it, or remove it first", file)
			}
			in := s.In
			if yes {
				in = strings.NewReader(strings.Repeat("\n", len(firstQuestions)))
			}
			answers, err := settingsfile.Ask(in, s.Err, firstQuestions, checkAnswer)
			if err != nil {
				return err
			}
			maps.DeleteFunc(answers, func(_, answer string) bool { return answer == "" })
			key := filepath.Join(filepath.Dir(file), "secret.key")
			answers["TILTH_SECRET_KEY_FILE"] = key
			if err := writeSettings(file, key, s.program.NewSecretKey(), answers); err != nil {
				return err
			}
			return s.print(record{{"file", file}, {"key", key}},
				"the settings are in %s, and the key of stored secrets in %s: keep a copy of that apart from backups\nNext: tilth doctor, then tilth serve", file, key)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing, and accept what would be suggested")
	return c
}

// checkAnswer returns what is wrong with the value of one setting.
func checkAnswer(variable, answer string) error {
	cfg, err := ReadConfig(map[string]string{variable: answer})
	if err != nil {
		return err
	}
	if _, _, err := net.SplitHostPort(cfg.Addr); err != nil {
		return fmt.Errorf("TILTH_ADDR: %q is not HOST:PORT", cfg.Addr)
	}
	return cfg.Check()
}

// writeSettings writes the key, unless there is one, and then the settings, which only their owner can read.
func writeSettings(file, keyFile, key string, answers map[string]string) error {
	if err := writeNew(keyFile, []byte(key+"\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var b bytes.Buffer
	if err := settingsfile.Write(&b, fileSettings(), answers); err != nil {
		return err
	}
	return writeNew(file, b.Bytes())
}

// writeNew writes a file that its owner alone can read. A file that exists already is an error.
func writeNew(name string, data []byte) error {
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		_ = os.Remove(name) // half a file is worse than none
	}
	return err
}
