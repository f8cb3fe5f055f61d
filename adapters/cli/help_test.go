package cli_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
)

// noProgram is a program with which no command gets anywhere: a command line that reaches it was understood.
type noProgram struct{ cli.Program }

func (noProgram) Build() cli.Build { return cli.Build{Version: "test"} }

func helped(t *testing.T) *cobra.Command {
	t.Helper()
	root, err := cli.Commands(noProgram{})
	require.NoError(t, err)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root
}

func commands(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		commands(sub, do)
	}
}

// shellWords splits a line as a shell does, as far as examples need it; what follows # is a comment, and what follows > a file.
func shellWords(line string) (out []string) {
	for _, word := range regexp.MustCompile(`[#>].*|"[^"]*"|[^\s"]+`).FindAllString(line, -1) {
		if !strings.ContainsAny(word[:1], "#>") {
			out = append(out, strings.Trim(word, `"`))
		}
	}
	return out
}

// understood returns the command that a line calls. It fails where the line is a usage error.
func understood(t *testing.T, line string) (path string) {
	t.Helper()
	root, args := helped(t), shellWords(line)[1:]
	cmd, _, err := root.Find(args)
	require.NoError(t, err, line)
	var errOut strings.Builder
	func() {
		defer func() { _ = recover() }() // it got as far as the program
		cli.Run(t.Context(), noProgram{}, args, nil, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errOut})
	}()
	require.NotContains(t, errOut.String(), "See `tilth --help`", line)
	return cmd.CommandPath()
}

// The examples in the help of a command can be typed as they are, and at least one of them calls the command itself.
func TestExamplesInHelpAreUnderstood(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Chdir(t.TempDir())
	shown := 0
	commands(helped(t), func(c *cobra.Command) {
		own := false
		for line := range strings.Lines(c.Example + "\n" + c.Long) {
			if strings.HasPrefix(line, "  tilth ") {
				line, _, _ = strings.Cut(strings.TrimSpace(line), "   ") // what an example does stands beside it
				shown++
				own = understood(t, line) == c.CommandPath() || own
			}
		}
		require.True(t, own || c.Example == "", "%s: no example calls it", c.CommandPath())
	})
	require.Greater(t, shown, 15)
}

// A flag's value is named by one word. In the help of a flag backquotes name the value: `tilth engine set` once became one.
func TestFlagsNameTheirValuesByOneWord(t *testing.T) {
	commands(helped(t), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			require.NotContains(t, name, " ", "%s --%s", c.CommandPath(), f.Name)
			require.NotContains(t, f.Usage, "`", "%s --%s", c.CommandPath(), f.Name)
		})
	})
}

// Whatever a help text calls `tilth …` is a command.
func TestHelpNamesCommandsThatExist(t *testing.T) {
	root, named := helped(t), 0
	commands(root, func(c *cobra.Command) {
		texts := []string{c.Short, c.Long}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Usage) })
		for _, text := range texts {
			for _, found := range regexp.MustCompile("(?:`|command )tilth ([a-z -]+)").FindAllStringSubmatch(text, -1) {
				named++
				args := strings.Fields(found[1])
				for len(args) > 0 {
					cmd, rest, err := root.Find(args)
					require.NoError(t, err)
					if len(rest) == 0 || !cmd.HasSubCommands() || strings.HasPrefix(rest[0], "-") {
						break
					}
					require.Fail(t, "no such command", "%s names tilth %s", c.CommandPath(), found[1])
				}
			}
		}
	})
	require.Positive(t, named)
}

func TestUnknownVariablesAreNamedWithTheNearest(t *testing.T) {
	t.Chdir(t.TempDir())
	status, _, errOut := typed(t, map[string]string{
		"TILTH_DATABSE_URL": "x", "TILTH_MAX_BULKS": "1", "TILTH_SOMETHING_QUITE_DIFFERENT": "", "TILTH_ADDR": ":1", "TILTH_COPY_TO": "x",
		"TILTH_TEST_POSTGRES": "x", "TILTH_REAL_DATA": "x", "TILTH_REQUIRE_POSTGRES": "1", "HOME": "x", "OTEL_SERVICE_NAME": "x",
	}, "", "config")
	require.Zero(t, status, errOut)
	nearest := map[string]string{}
	for line := range strings.Lines(errOut) {
		found := regexp.MustCompile(` variable=(\S+)(?: did_you_mean=(\S+))?\n$`).FindStringSubmatch(line)
		require.NotNil(t, found, line)
		nearest[found[1]] = found[2]
	}
	require.Equal(t, map[string]string{
		"TILTH_DATABSE_URL": "TILTH_DATABASE_URL", "TILTH_MAX_BULKS": "TILTH_MAX_BULK", "TILTH_SOMETHING_QUITE_DIFFERENT": "",
	}, nearest)
}

// A misspelt variable causes a warning in every command, and is not refused.
func TestAMisspeltVariableIsAWarning(t *testing.T) {
	var out, errOut strings.Builder
	status := cli.Run(t.Context(), noProgram{}, []string{"config"}, map[string]string{"TILTH_DATABSE_URL": "sqlite:x"}, cli.Streams{Out: &out, Err: &errOut})
	require.Zero(t, status, errOut.String())
	require.Contains(t, errOut.String(), "level=WARN")
	require.Contains(t, errOut.String(), "variable=TILTH_DATABSE_URL did_you_mean=TILTH_DATABASE_URL")
	require.NotContains(t, errOut.String(), "sqlite:x", "its value may be a secret")
	require.NotContains(t, out.String(), "DATABSE")
}

// The tests' own variables, and those of the first programs, do not count as misspelt settings.
func TestVariablesOfTheTestsPass(t *testing.T) {
	root, environ := filepath.Join("..", ".."), map[string]string{}
	read := func(file string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`(?:Getenv\("|environ(?:\.get\(|\[)["']|env\.|getenv\("|^\s*)(TILTH_[A-Z_]+[A-Z])`).FindAllStringSubmatch(string(text), -1) {
			environ[name[1]] = ""
		}
	}
	read(filepath.Join(root, "Makefile"))
	for _, folder := range []string{"tests", "docs/clients"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(file string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && regexp.MustCompile(`\.(go|py|ts|R|sh|mjs)$`).MatchString(file) {
				read(file)
			}
			return err
		}))
	}
	require.Greater(t, len(environ), 10)
	t.Chdir(t.TempDir())
	status, out, errOut := typed(t, nil, "", "config", "--json")
	require.Zero(t, status, errOut)
	var settings map[string]string
	require.NoError(t, json.Unmarshal([]byte(out), &settings))
	for variable := range settings {
		delete(environ, variable) // which would have no value here
	}
	require.Greater(t, len(environ), 10)
	status, _, errOut = typed(t, environ, "", "config")
	require.Zero(t, status, errOut)
	require.Empty(t, errOut)
}
