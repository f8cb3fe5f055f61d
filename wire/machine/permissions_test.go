package machine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/wire/machine"
)

// The doctor names each file with secrets or records that others can read, and the one command that closes all.
func TestTheDoctorLooksAtPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has lists of access.")
	}
	folder := t.TempDir()
	at := func(name string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, nil, mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	cfg := cli.Config{DatabaseURL: "sqlite:" + at("tilth.db", 0o600) + "?_x=1", SecretKeyFile: at("secret.key", 0o400), TLSKey: filepath.Join(folder, "none.pem")}
	settings := at("tilth.toml", 0o600)
	f := machine.Permissions(cfg, settings)
	require.True(t, f.OK && !f.Warn, f.Detail)
	for _, name := range []string{"tilth.db", "secret.key", "tilth.toml"} {
		require.NoError(t, os.Chmod(filepath.Join(folder, name), 0o640))
	}
	f = machine.Permissions(cfg, settings)
	require.True(t, f.OK && f.Warn)
	require.Contains(t, f.Detail, "tilth.db (-rw-r-----)")
	require.Equal(t, "chmod 600 "+filepath.Join(folder, "tilth.toml")+" "+filepath.Join(folder, "secret.key")+" "+filepath.Join(folder, "tilth.db"), f.Fix)
	require.True(t, machine.Permissions(cli.Config{DatabaseURL: "postgres://db/tilth"}, "").OK)
}
