package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
)

// keyProgram also makes a key.
type keyProgram struct{ noProgram }

func (keyProgram) NewSecretKey() string { return "a-key" }

// typed runs a command line in the current folder, and returns what it prints.
func typed(t *testing.T, environ map[string]string, in string, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e strings.Builder
	status = cli.Run(t.Context(), keyProgram{}, args, environ, cli.Streams{In: strings.NewReader(in), Out: &o, Err: &e})
	return status, o.String(), e.String()
}

// A flag counts more than the environment, that more than the file, and that more than the default; config says which.
func TestConfigSaysWhereSettingsComeFrom(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("tilth.toml", []byte("workers = 3\nlog_level = 'warn'\naddr = ':1'\n"), 0o600))
	environ := map[string]string{"TILTH_ADDR": ":2", "TILTH_LOG_LEVEL": "error"}
	status, out, errOut := typed(t, environ, "", "config", "--origins", "--log-level", "debug")
	require.Zero(t, status, errOut)
	for _, line := range []string{
		"TILTH_WORKERS=3  # tilth.toml", "TILTH_ADDR=:2  # environment", "TILTH_LOG_LEVEL=debug  # flag", "TILTH_MAX_BULK=1000  # default",
	} {
		require.Contains(t, out, line+"\n")
	}
	status, out, _ = typed(t, environ, "", "config", "--origins", "--json")
	require.Zero(t, status)
	require.Contains(t, out, `"TILTH_WORKERS":{"origin":"tilth.toml","value":"3"}`)

	_, out, _ = typed(t, environ, "", "config")
	require.Contains(t, out, "TILTH_WORKERS=3\n")
}

func TestMistakesOfTheFileAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"workrs = 3\n":      `"workrs" is not a setting. Fix: name workers`,
		"workers = 'two'\n": "Workers",
		"workers =\n":       "line 1",
		"workers = 0\n":     "TILTH_WORKERS: it must be at least 1",
	} {
		require.NoError(t, os.WriteFile("tilth.toml", []byte(text), 0o600))
		status, _, errOut := typed(t, nil, "", "config")
		require.Equal(t, 2, status, text)
		require.Contains(t, errOut, want)
	}
	status, _, errOut := typed(t, map[string]string{"TILTH_CONFIG": "gone.toml"}, "", "config")
	require.Equal(t, 2, status)
	require.Contains(t, errOut, "gone.toml")
}

func TestInitWritesWhatIsAnswered(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	status, out, errOut := typed(t, nil, "mysql:x\nsqlite:farm.db\n:9090\n\n", "init")
	require.Zero(t, status, errOut)
	require.Contains(t, errOut, "it must start with sqlite: or postgres://", "a wrong answer is asked again")
	require.Contains(t, out, "Next: tilth doctor")
	for _, name := range []string{"tilth.toml", "secret.key"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, name)
	}
	_, out, _ = typed(t, nil, "", "config", "--origins")
	require.Contains(t, out, "TILTH_DATABASE_URL=sqlite:farm.db  # tilth.toml\n")
	require.Contains(t, out, "TILTH_ADDR=:9090  # tilth.toml\n")
	require.Contains(t, out, "TILTH_WORKERS=2  # default\n")
	held, err := filepath.EvalSymlinks(folder)
	require.NoError(t, err)
	require.Contains(t, out, "TILTH_SECRET_KEY_FILE="+filepath.Join(held, "secret.key"))

	status, _, errOut = typed(t, nil, "", "init", "--yes")
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "already exists")

	require.NoError(t, os.Remove("tilth.toml"))
	require.NoError(t, os.WriteFile("secret.key", []byte("kept"), 0o600))
	status, _, errOut = typed(t, nil, "", "init", "--yes")
	require.Zero(t, status, errOut)
	key, err := os.ReadFile("secret.key")
	require.NoError(t, err)
	require.Equal(t, "kept", string(key))

	require.NoError(t, os.Remove("tilth.toml"))
	status, _, errOut = typed(t, nil, "sqlite:x\n", "init")
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "nothing was written")
	require.NoFileExists(t, "tilth.toml")
}

// A file in which every commented-out setting is uncommented states what holds without a file.
func TestTheWholeFileIsTheDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	_, before, _ := typed(t, nil, "", "config")
	status, _, errOut := typed(t, nil, "", "init", "--yes")
	require.Zero(t, status, errOut)
	text, err := os.ReadFile("tilth.toml")
	require.NoError(t, err)
	var all strings.Builder
	for line := range strings.Lines(string(text)) {
		if after, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(after, " ") {
			line = after
		}
		if !strings.HasPrefix(line, "secret_key_file") && !strings.HasPrefix(line, "imagery_url") {
			all.WriteString(line)
		}
	}
	require.NoError(t, os.WriteFile("tilth.toml", []byte(all.String()), 0o600))
	status, after, errOut := typed(t, nil, "", "config")
	require.Zero(t, status, errOut)
	require.Equal(t, before, after)
}
